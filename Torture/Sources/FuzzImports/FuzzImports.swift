import Foundation
import Fuzzing
import ImportParts
import Persisting

/// Imports what libFuzzer makes up, and looks at what comes of it.
///
/// A file that comes some bytes at a time must give what it gives as a whole, and in a dry run the same report. What
/// can't be imported must be an error that says so. What has been imported must give equal rows when it is exported and
/// imported again.
@main struct FuzzImports {
    static func main() { Fuzzing.run(check) }

    /// The tables of the imported rows, and of their copies.
    private static let manager: PersistenceManager = {
        do {
            let manager = try PersistenceManager(.memory)
            try manager.createTableIfNecessary(for: Original.self)
            try manager.createTableIfNecessary(for: Copy.self)
            return manager
        } catch {
            fatalError("\(error)")
        }
    }()

    private static func check(_ data: Data) throws {
        guard let choice = data.first else { return }
        let text = data.dropFirst()
        let part = [1, 2, 5, 64][Int(choice >> 6)]
        try manager.deleteAll(Original.self)
        let format = Format(choice & 3)
        let inParts = outcome { try format.importRows(Original.self, Parts(text, part), manager, dryRun: true) }
        let whole = outcome { try format.importRows(Original.self, Parts(text, .max), manager, dryRun: false) }
        guard inParts == whole else { throw Fuzzing.Found("in parts: \(inParts)\nas a whole: \(whole)") }
        let count = try manager.count(Original.self)
        guard count > 0 else { return }
        try manager.deleteAll(Copy.self)
        let exported = Collected()
        try format.export(manager, to: exported)
        _ = try format.importRows(Copy.self, Parts(exported.data, .max), manager, dryRun: false)
        let comparison = SQL(
            "SELECT count(*) FROM ORIGINAL a JOIN COPY b USING (ID) WHERE "
                + "ABCDEFGHIJK".map { "quote(a.\($0)) = quote(b.\($0))" }.joined(separator: " AND "))
        let same = try manager.read { db in try db.scalar(comparison, as: Int.self) }
        guard same == count else {
            let file = String(decoding: exported.data, as: UTF8.self)
            throw Fuzzing.Found("of \(count) rows \(same ?? 0) came back the same, from:\n\(file)")
        }
    }

    /// What an import did, in words.
    private static func outcome(_ run: () throws -> ImportReport) -> String {
        do {
            let report = try run()
            return "\(report.inserted) rows, \(report.position), " + report.failures.map(told).joined(separator: "\n")
        } catch let error as PersistenceError where [.importFailed, .invalidFormat].contains(error.code) {
            return "\(error.code) \(error.message)\n"
                + (error.importReport?.failures.map(told).joined(separator: "\n") ?? "")
        } catch {
            fatalError("\(error)")
        }
    }

    private static func told(_ failure: ImportFailure) -> String { "\(failure): \(failure.value ?? "")" }
}

/// An export that stays in memory.
private final class Collected: ExportDestination, @unchecked Sendable {  // one thread writes, and then reads
    private(set) var data = Data()

    func writer() -> ExportWriter {
        ExportWriter { bytes in self.data.append(contentsOf: bytes) }
    }
}

private enum Format {
    case csv(CSVFormat)
    case json(JSONFormat)

    init(_ choice: UInt8) {
        self =
            switch choice {
            case 0: .csv(CSVFormat())
            case 1: .csv(CSVFormat(separator: "::", shortRows: .any, longRows: .any))
            case 2: .json(.array)
            default: .json(.lines)
            }
    }

    func importRows(
        _ type: (some Original).Type, _ source: Parts, _ manager: PersistenceManager, dryRun: Bool
    ) throws -> ImportReport {
        switch self {
        case .csv(let format):
            try manager.importCSV(
                type, contentsOf: source, format, errors: .collect(max: 3), dryRun: dryRun, maximumRowBytes: 1 << 16)
        case .json(let format):
            try manager.importJSON(
                type, contentsOf: source, format, errors: .collect(max: 3), dryRun: dryRun, maximumRowBytes: 1 << 16)
        }
    }

    func export(_ manager: PersistenceManager, to destination: Collected) throws {
        switch self {
        case .csv(let format): try manager.exportCSV(Query(Original.self), to: destination, format)
        case .json(let format): try manager.exportJSON(Query(Original.self), to: destination, format)
        }
    }
}

private class Original: PersistingModel {
    var id: Int64?
    var a: String?
    var b: Int?
    var c: Double?
    var d: Bool?
    var e: Date?
    var f: Data?
    var g: [String]?
    var h: Float?
    var i: UInt8 = 7
    var j: Date?
    var k: Decimal?

    override class var tableName: String { "ORIGINAL" }
    override class var columns: Columns {
        var columns = super.columns
        columns["G"] = .json
        columns["J"] = .date.stored(as: .iso8601)
        return columns
    }
}

private final class Copy: Original {
    override class var tableName: String { "COPY" }
}
