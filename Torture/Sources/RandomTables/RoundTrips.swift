internal import Foundation
internal import Persisting
import SQLiteKit

/// Tables of random rows, which are exported in each format and imported again. The rows must be equal, to the byte.
package struct RoundTrips {
    private let manager: PersistenceManager
    private let kinds: [Kind]
    private var random: SeededGenerator

    /// The number of formats.
    package static var formatCount: Int { formats.count }

    /// - Parameter seed: What makes the same tables again.
    package init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        manager = try PersistenceManager(.memory)
        kinds = [
            try Kind(Sample.self, SampleCopy.self, manager),
            try Kind(Entry.self, EntryCopy.self, keys: .remote, manager),
            try Kind(Note.self, NoteCopy.self, manager),
        ]
    }

    /// Makes a table, exports it and imports it again.
    ///
    /// - Returns: What differs, by format.
    package mutating func next() throws -> [String] {
        try kinds[Int.random(in: 0..<kinds.count, using: &random)].check(manager, &random)
    }
}

private let formats: [(name: String, format: Format)] = [
    ("CSV", .csv(CSVFormat(), .properties)), ("CSV with ;", .csv(CSVFormat(separator: ";"), .columns)),
    ("CSV with ::", .csv(CSVFormat(separator: "::"), .remote)), ("JSON", .json(.array, .properties)),
    ("JSON Lines", .json(.lines, .columns)), ("JSON inside objects", .json(.array(at: "a.b"), .remote)),
]

private enum Format {
    case csv(CSVFormat, FileKeys)
    case json(JSONFormat, FileKeys)

    func export<Model: PersistingModel>(
        _ type: Model.Type, _ known: FileKeys?, _ manager: PersistenceManager
    ) throws -> Data {
        let destination = Collected()
        switch self {
        case .csv(let format, let keys):
            try manager.exportCSV(Query(type), to: destination, format, keys: known ?? keys)
        case .json(let format, let keys):
            try manager.exportJSON(Query(type), to: destination, format, keys: known ?? keys)
        }
        return destination.data
    }

    func importRows(_ type: (some PersistingModel).Type, _ data: Data, _ manager: PersistenceManager) throws {
        switch self {
        case .csv(let format, _): try manager.importCSV(type, contentsOf: data, format)
        case .json(let format, _): try manager.importJSON(type, contentsOf: data, format)
        }
    }
}

/// An export that stays in memory.
private final class Collected: ExportDestination, @unchecked Sendable {  // one thread writes, and then reads
    private(set) var data = Data()

    func writer() -> ExportWriter {
        ExportWriter { bytes in self.data.append(contentsOf: bytes) }
    }
}

/// A class, and another of the same columns.
private struct Kind {
    let check: (PersistenceManager, inout SeededGenerator) throws -> [String]

    /// - Parameter keys: What the class's import looks for; nil where it is any.
    init<Model: RandomModel, Copy: PersistingModel>(
        _ type: Model.Type, _ copy: Copy.Type, keys: FileKeys? = nil, _ manager: PersistenceManager
    ) throws {
        try manager.createTableIfNecessary(for: type)
        try manager.createTableIfNecessary(for: copy)
        let tables = (type.tableName, copy.tableName)
        let columns = try manager.read { db in
            try db.column("SELECT name FROM pragma_table_info(\(tables.0))", as: String.self)
        }
        let list = columns.map { "quote(\($0))" }.joined(separator: ", ")
        let difference = SQL(
            "SELECT count(*) FROM (SELECT * FROM (SELECT \(list) FROM \(tables.0) EXCEPT SELECT \(list) FROM \(tables.1)) "
                + "UNION ALL SELECT * FROM (SELECT \(list) FROM \(tables.1) EXCEPT SELECT \(list) FROM \(tables.0)))")
        check = { manager, random in
            try manager.deleteAll(type)
            let count = Int.random(in: 0...8, using: &random)
            try manager.insert((0..<count).map { type.random($0, &random) })
            return try formats.compactMap { name, format in
                try manager.deleteAll(copy)
                let data = try format.export(type, keys, manager)
                do {
                    try format.importRows(copy, data, manager)
                } catch {
                    return "\(name): \(error)"
                }
                let different = try manager.read { try $0.scalar(difference, as: Int.self) } ?? 0
                guard try different > 0 || manager.count(copy) != count else { return nil }
                return "\(name): \(different) of \(count) rows differ in \(type)"
            }
        }
    }
}
