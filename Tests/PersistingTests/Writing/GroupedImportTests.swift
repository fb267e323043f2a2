import Foundation
import Persisting
import Testing

private final class Gauging: PersistingModel {
    var id: Int64?
    var place = ""
    var degrees: Double?
    var count = 0
    var day: Date?

    override class var columns: Columns {
        var columns = super.columns
        columns["PLACE"] = .string.unique
        columns["COUNT"] = .int.check("COUNT >= 0")
        return columns
    }
}

/// What an import leaves.
private struct Result: Equatable {
    var rows: [String] = []
    var failure: String?
    var inserted = 0
}

// F32, F57
@Suite("Imports, several rows in a statement") struct GroupedImportTests {
    private let log = SQLLog()

    private func rows(_ manager: PersistenceManager) throws -> [String] {
        try manager.fetchAll(Gauging.self).map {
            "\($0.id ?? 0) \($0.place) \($0.degrees.map { "\($0)" } ?? "-") \($0.count) "
                + ($0.day.map { "\($0.timeIntervalSince1970)" } ?? "-")
        }
    }

    @Test("have 64 rows in a statement, then 8, then one", .local(.connection)) func sizes() throws {
        let manager = try log.manager()
        try manager.createTableIfNecessary(for: Gauging.self)
        let lines = (0..<75).map { "p\($0),\($0).5,\($0)" }
        let report = try manager.importCSV(
            Gauging.self, contentsOf: Data("place,degrees,count\n\(lines.joined(separator: "\n"))\n".utf8))
        #expect(report.inserted == 75)
        #expect(log.inserts.map { $0.components(separatedBy: "(?").count - 1 } == [64, 8, 1, 1, 1])
        #expect(try rows(manager) == (0..<75).map { "\($0 + 1) p\($0) \($0).5 \($0) -" })
    }

    @Test("have each their own where a trigger listens", .local(.connection)) func trigger() throws {
        let manager = try log.manager()
        try manager.createTableIfNecessary(for: Gauging.self)
        try manager.run(
            "CREATE TRIGGER t BEFORE INSERT ON GAUGING WHEN new.COUNT = 3 BEGIN SELECT RAISE(IGNORE); END")
        let lines = (0..<20).map { "p\($0),\($0)" }.joined(separator: "\n")
        let report = try manager.importCSV(Gauging.self, contentsOf: Data("place,count\n\(lines)".utf8))
        #expect((report.inserted, report.skipped) == (19, 1))
    }

    /// Texts of rows, of which some can't be taken.
    private func lines(_ random: inout SeededGenerator, json: Bool) -> [String] {
        let isSound = Bool.random(using: &random)
        return (0..<Int.random(in: 0...150, using: &random)).map { number in
            var values = ["\"p\(number)\"", "\(number).25", "\(number)", "\"2024-02-29\""]
            switch Int.random(in: 0..<(isSound ? 40 : 400), using: &random) {
            case 0: values[1] = json ? "null" : ""
            // A text that is longer than what is read at once has the buffer move.
            case 1: values[0] = "\"" + String(repeating: "é", count: 40_000) + "\(number)\""
            case 2: values[3] = json ? "null" : ""
            case 40: values[0] = "\"p\(Int.random(in: 0..<150, using: &random))\""
            case 41: values[2] = "-1"
            case 42: values[1] = json ? "\"warm\"" : "warm"
            case 43: values[3] = "\"never\""
            case 44: return json ? "{\"place\": }" : "\"p\"x,1,1"
            case 45: return json ? "7" : "a,b,c,d,e,f"
            case 46: values[2] = "99999999999999999999"
            default: break
            }
            guard json else { return values.joined(separator: ",") }
            let keys = ["place", "degrees", "count", "day"]
            let pairs = zip(keys, values).shuffled(using: &random).map { "\"\($0)\": \($1)" }
            // Objects of other keys have other plans.
            let isShort = Int.random(in: 0..<10, using: &random) == 0
            return "{\(pairs.filter { !isShort || !$0.hasPrefix("\"day") }.joined(separator: ", "))}"
        }
    }

    private func result(_ text: String, json: Bool, _ errors: ImportErrors) throws -> Result {
        let manager = try memoryManager(Gauging.self)
        var result = Result()
        do {
            let report =
                json
                ? try manager.importJSON(Gauging.self, contentsOf: Data(text.utf8), .lines, errors: errors)
                : try manager.importCSV(Gauging.self, contentsOf: Data(text.utf8), errors: errors)
            result.failure = report.failures.first.map { "\($0)" }
            result.inserted = report.inserted
        } catch let error as PersistenceError {
            result.failure = error.importReport?.failures.first.map { "\($0)" } ?? "\(error)"
        }
        result.rows = try rows(manager)
        return result
    }

    @Test("come to the same as one row at a time, with faults anywhere", arguments: [false, true])
    func random(json: Bool) throws {
        for _ in 0..<Effort.times(40) {
            var random = SeededGenerator()
            let lines = lines(&random, json: json)
            let text = (json ? [] : ["place,degrees,count,day"]) + lines
            let one = try result(text.joined(separator: "\n"), json: json, .collect(max: 1_000))
            let many = try result(text.joined(separator: "\n"), json: json, .stop)
            #expect(many.failure == one.failure, "seed \(random.seed)")
            #expect(many.rows == (one.failure == nil ? one.rows : []), "seed \(random.seed)")
            if one.failure == nil { #expect(many.inserted == one.inserted, "seed \(random.seed)") }
        }
    }
}
