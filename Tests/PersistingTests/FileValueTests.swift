import Foundation
import Persisting
import Testing

private class Holder: PersistingModel {
    var id: Int64?
    var value: SQLiteValue?
}

private final class HolderCopy: Holder {
    override class var tableName: String { "HOLDER_COPY" }
}

private final class Moment: PersistingModel {
    var id: Int64?
    var at = Date(timeIntervalSince1970: 0)
}

private final class Login: PersistingModel {
    var id: Int64?
    var name = ""
    var isAdmin = false
    var balance: Int?
    override class var remoteMapping: RemoteMapping { RemoteMapping([.key("name", "full_name", .string)]) }
}

private final class Count: PersistingModel {
    var id: Int64?
    var small: Int8?
    var count = 0
    var whole: Int?
}

private final class Rounded: PersistingModel {
    var id: Int64?
    var count = 0
    override class var remoteMapping: RemoteMapping { RemoteMapping([.key("count", "n", .truncatedNumber)]) }
}

// F92, F118, F119
@Suite("Values and names in files")
struct FileValueTests {
    private let directory: TemporaryDirectory
    private let url: URL

    init() throws {
        directory = try TemporaryDirectory()
        url = URL(filePath: directory.path("export.txt"))
    }

    private static let values: [SQLiteValue] = [
        .null, .integer(1), .real(1), .text("1"), .text("1.0"), .text(""), .text("x'41'"), .text("X'4'"),
        .blob(Data("1".utf8)), .blob(Data()), .real(.infinity), .real(-.infinity), .text("Infinity"),
        .text("-Infinity"),
        .text("true"), .text("NO"), .text("007"), .text("+1"), .text("a,\"b\n"), .real(1e300), .real(0.1), .real(-0.0),
        .real(-1e-7), .integer(.max), .integer(-1), .text("{\"a\":1}"), .text("null"), .text(" 1"), .text("1e5"),
        .text("{\"base64\":\"MQ==\"}"),
    ]

    private func holders() throws -> PersistenceManager {
        let manager = try memoryManager(Holder.self, HolderCopy.self)
        for value in Self.values {
            let holder = Holder()
            holder.value = value
            try manager.insert(holder)
        }
        return manager
    }

    private func copied(_ manager: PersistenceManager) throws -> [SQLiteValue] {
        try manager.storedColumn("SELECT VALUE FROM HOLDER_COPY ORDER BY ID")
    }

    @Test("A value of any type keeps its type through a file", arguments: 0..<5) func anyValue(_ form: Int) throws {
        let manager = try holders()
        let query = Query(Holder.self)
        func objects() throws -> [[String: Any]] { try manager.fetchAll(query).map { try $0.jsonObject() } }
        switch form {
        case 0:
            try manager.exportCSV(query, to: url)
            try manager.importCSV(HolderCopy.self, contentsOf: url)
        case 1:
            try manager.exportJSON(query, to: url)
            try manager.importJSON(HolderCopy.self, contentsOf: url)
        case 2:
            let data = try JSONSerialization.data(withJSONObject: objects())
            try manager.importJSON(HolderCopy.self, contentsOf: data)
        case 3:
            let data = try JSONSerialization.data(withJSONObject: objects())
            try manager.upsertAll(HolderCopy.self, json: data)
        default:
            for object in try objects() {
                let copy = HolderCopy()
                try copy.setValues(object)
                try manager.insert(copy)
            }
        }
        #expect(try copied(manager) == Self.values)
    }

    @Test("What another program writes without quotation marks is what it looks like") func plain() throws {
        let manager = try memoryManager(HolderCopy.self)
        try manager.importCSV(HolderCopy.self, contentsOf: Data("value\n1\n\"1\"\n2.5\nabc\nYES\nX'0g'\n".utf8))
        #expect(
            try copied(manager) == [.integer(1), .text("1"), .real(2.5), .text("abc"), .integer(1), .text("X'0g'")])
    }

    @Test(
        "A date has the fewest digits that are read as the same, and is imported as the class writes it",
        arguments: [
            (1_795_582_326.838617, "2026-11-25T04:52:06.838617Z"),
            (1_795_582_485.2377148, "2026-11-25T04:54:45.2377148Z"),
            (0.1, "1970-01-01T00:00:00.1Z"), (0.000_000_01, "1970-01-01T00:00:00.00000001Z"),
            (1e-11, "1970-01-01T00:00:00Z"), (0.999_999_999_9, "1970-01-01T00:00:01Z"),
            (1.0 / 3, "1970-01-01T00:00:00.333333333Z"), (-0.5, "1969-12-31T23:59:59.5Z"),
            (1_709_164_800, "2024-02-29T00:00:00Z"), (253_402_300_799.99, "9999-12-31T23:59:59.99Z"),
        ])
    func dates(_ seconds: Double, _ text: String) throws {
        let manager = try memoryManager(Moment.self)
        try manager.run("INSERT INTO MOMENT VALUES (1, \(seconds))")
        try manager.exportCSV(Query(Moment.self), to: url)
        #expect(try String(contentsOf: url, encoding: .utf8) == "id,at\n1,\(text)\n")
        try manager.importCSV(Moment.self, contentsOf: url, onConflict: .replace)
        let stored = try manager.stored("SELECT AT FROM MOMENT")
        guard case .real(let read) = stored else {
            Issue.record("\(stored)")
            return
        }
        let date = Date(timeIntervalSince1970: read)
        #expect(date.timeIntervalSince1970 == read)
        #expect(abs(date.timeIntervalSince(Date(timeIntervalSince1970: seconds))) < 1e-9)
    }

    @Test("Dates of today come back as they were, and so do those of objects as JSON") func manyDates() throws {
        let manager = try memoryManager(Moment.self)
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<500 {
            let moment = Moment()
            moment.at = Date(timeIntervalSince1970: Double.random(in: 1.5e9..<2.1e9, using: &generator))
            try manager.insert(moment)
        }
        let moments = try manager.fetchAll(Moment.self)
        try manager.exportCSV(Query(Moment.self), to: url)
        for line in try String(contentsOf: url, encoding: .utf8).split(separator: "\n").dropFirst() {
            let digits = line.split(separator: ".").last?.dropLast() ?? ""
            #expect(digits.count <= 9)
        }
        for moment in moments {
            let copy = Moment()
            try copy.setValues(moment.jsonObject())
            #expect(copy.at == moment.at)
        }
        try manager.deleteAll(Moment.self)
        try manager.importCSV(Moment.self, contentsOf: url)
        #expect(try manager.fetchAll(Moment.self).map(\.at) == moments.map(\.at))
    }

    @Test("A date without end is a number in a file, and an error as JSON") func endlessDate() throws {
        let manager = try memoryManager(Moment.self)
        try manager.run("INSERT INTO MOMENT VALUES (1, 9e999)")
        // Whether it is read or rejected, it ends nothing.
        _ = try? manager.exportCSV(Query(Moment.self), to: url)
        let moment = Moment()
        moment.at = Date(timeIntervalSince1970: .infinity)
        #expect(failure { try moment.jsonObject() }?.code == .typeMismatch)
    }

    @Test("What the remote mapping leaves out isn't set, and is reported", arguments: [true, false])
    func leftOut(_ isCSV: Bool) throws {
        let manager = try memoryManager(Login.self)
        let report =
            isCSV
            ? try manager.importCSV(
                Login.self, contentsOf: Data("full_name,isAdmin,ID,BALANCE\nEve,1,77,5\n".utf8))
            : try manager.importJSON(
                Login.self, contentsOf: Data(#"[{"full_name":"Eve","isAdmin":true,"ID":77,"BALANCE":5}]"#.utf8))
        #expect(report.inserted == 1 && report.ignoredKeys == ["isAdmin", "ID", "BALANCE"])
        let account = try #require(try manager.fetchOne(Login.self))
        #expect(account.id == 1 && !account.isAdmin && account.balance == nil)
    }

    @Test("A program may name what the mapping leaves out") func given() throws {
        let manager = try memoryManager(Login.self)
        let text = Data("Eve,5\n".utf8)
        try manager.importCSV(Login.self, contentsOf: text, CSVFormat(header: .absent(["full_name", "balance"])))
        let renamed = CSVFormat(header: .renamed(["Money": "balance"]))
        try manager.importCSV(Login.self, contentsOf: Data("full_name,Money\nBob,6\n".utf8), renamed)
        #expect(try manager.fetchAll(Login.self).map(\.balance) == [5, 6])
    }

    @Test("A misspelled name is reported, or an error on request") func misspelled() throws {
        let manager = try memoryManager(Count.self)
        let csv = Data("count,smal\n1,2\n".utf8)
        #expect(try manager.importCSV(Count.self, contentsOf: csv).ignoredKeys == ["smal"])
        let error = failure { try manager.importCSV(Count.self, contentsOf: csv, unknownKeys: .fail) }
        #expect(error?.code == .unknownKey && error?.key == "smal")
        let json = Data(#"{"count":1,"x":{"y":1}}"#.utf8) + Data("\n".utf8) + Data(#"{"count":2}"#.utf8)
        #expect(try manager.importJSON(Count.self, contentsOf: json, .lines).ignoredKeys == ["x"])
        let report = try manager.importJSON(
            Count.self, contentsOf: json, .lines, errors: .collect(max: 1), unknownKeys: .fail)
        #expect(report.inserted == 1 && report.failures.map(\.line) == [1] && report.ignoredKeys == ["x"])
    }

    @Test("Names without end are listed up to a limit, in an error's report as well") func manyNames() throws {
        let manager = try memoryManager(Count.self)
        let lines = (0..<300).map { "{\"count\":1,\"k\($0)\":1}" } + [#"{"count":"x"}"#]
        let error = failure {
            try manager.importJSON(Count.self, contentsOf: Data(lines.joined(separator: "\n").utf8), .lines)
        }
        #expect(error?.importReport?.ignoredKeys.count == 100)
    }

    @Test("A fraction is an error for an integer, or is cut off on request", arguments: [true, false])
    func fractions(_ isCSV: Bool) throws {
        let manager = try memoryManager(Count.self, Rounded.self)
        func load(_ type: PersistingModel.Type, _ key: String, _ values: [String]) throws -> ImportReport {
            func load<Model: PersistingModel>(_ type: Model.Type) throws -> ImportReport {
                isCSV
                    ? try manager.importCSV(
                        type, contentsOf: Data("\(key)\n\(values.joined(separator: "\n"))\n".utf8),
                        errors: .collect(max: 9))
                    : try manager.importJSON(
                        type, contentsOf: Data(values.map { "{\"\(key)\":\($0)}" }.joined(separator: "\n").utf8),
                        .lines,
                        errors: .collect(max: 9))
            }
            return try load(type)
        }
        let report = try load(Count.self, "count", ["12.99", "-0.5", "5.0", "1e3"])
        #expect(report.inserted == 2 && report.failures.map(\.column) == ["count", "count"])
        #expect(try load(Count.self, "small", ["1.5", "2"]).failures.count == 1)
        #expect(try load(Count.self, "whole", ["1.5", "2"]).failures.count == 1)
        #expect(try load(Rounded.self, "n", ["12.99", "-0.5", "1e30"]).failures.map(\.line) == [isCSV ? 4 : 3])
        #expect(try manager.fetchAll(Rounded.self).map(\.count) == [12, 0])
        #expect(failure { try manager.upsert(Count.self, json: ["id": 9, "count": 1.5]) }?.code == .typeMismatch)
    }

    @Test(
        "Half of a surrogate pair is an error at its place, wherever the text is cut into parts",
        arguments: [#"\ud83d"#, #"\ude00"#, #"\ud83dx"#, #"\ud83d\u0041"#, #"\ude00\ud83d"#])
    func surrogates(_ text: String) throws {
        let manager = try memoryManager(Holder.self)
        let lines = Data("{\"value\":\"ok\"}\n{\"value\":\"\(text)\"}\n{\"value\":\"\\ud83d\\ude00\"}".utf8)
        for part in [1, 7, 1000] {
            try manager.deleteAll(Holder.self)
            let report = try manager.importJSON(
                Holder.self, contentsOf: Parts(data: lines, size: part), .lines, errors: .collect(max: 1))
            #expect(report.failures.map(\.line) == [2])
            #expect(try manager.fetchAll(Holder.self).map(\.value) == [.text("ok"), .text("😀")])
        }
    }

    @Test("A text without an array is an error, and an empty array isn't") func empty() throws {
        let manager = try memoryManager(Count.self)
        for text in ["", " \n"] {
            let error = failure { try manager.importJSON(Count.self, contentsOf: Data(text.utf8)) }
            #expect(error?.code == .importFailed)
        }
        #expect(try manager.importJSON(Count.self, contentsOf: Data("[]".utf8)).total == 0)
        #expect(try manager.importJSON(Count.self, contentsOf: Data(), .lines).total == 0)
    }
}

/// Bytes that come some at a time.
private struct Parts: ImportSource {
    let data: Data
    let size: Int

    func reader(from offset: Int64) -> ImportReader {
        var rest = data.dropFirst(Int(offset))
        return ImportReader(byteCount: nil) { room in
            let part = rest.prefix(min(size, room.count))
            part.copyBytes(to: room)
            rest = rest.dropFirst(part.count)
            return part.count
        }
    }
}
