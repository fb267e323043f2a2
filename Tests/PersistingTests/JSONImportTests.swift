import Foundation
import Persisting
import Testing

private final class Track: PersistingModel {
    var id: Int64?
    var title = ""
    var seconds = 1.5
    var tags: [String]?
    var added: Date?
    var isLoved: Bool?

    override class var columns: Columns {
        var columns = super.columns
        columns["TAGS"] = .json
        return columns
    }
}

private final class Remote: PersistingModel {
    var id: Int64?
    var remoteID = 0
    var firstName: String?
    var city: String?
    var notes = ""

    override class var columns: Columns {
        var columns = super.columns
        columns["REMOTE_ID"] = .int.unique
        return columns
    }
    override class var remoteMapping: RemoteMapping {
        RemoteMapping(
            root: "user",
            [
                .key("remoteID", "id", .number, isPrimaryKey: true), .key("firstName", "name.first", .string),
                .key("city", "home.address.city"),
            ])
    }
}

private struct PostalAddress: Codable, Sendable {
    var city = ""
    var zip: String?
}

/// An object of the file is a value, and a value inside of it is another.
private final class Addressee: PersistingModel {
    var id: Int64?
    var address: PostalAddress?
    var city: String?

    override class var columns: Columns {
        var columns = super.columns
        columns["ADDRESS"] = .json
        return columns
    }
    override class var remoteMapping: RemoteMapping {
        RemoteMapping([.key("id", "id"), .key("address", "address"), .key("city", "address.city")])
    }
}

private func data(_ text: String) -> Data { Data(text.utf8) }

@Suite("Importing JSON")
struct JSONImportTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Track.self)
        try manager.createTableIfNecessary(for: Remote.self)
    }

    private func rows(_ sql: SQL) throws -> [String] {
        try manager.dictionaries(sql).map { row in
            guard case .text(let text)? = row.values.first else { return "\(row)" }
            return text
        }
    }

    @Test("An array of objects, whose keys are properties or columns") func array() throws {
        // F98 F118
        let report = try manager.importJSON(
            Track.self,
            contentsOf: data(
                #" [ {"title": "\u00e9\ud83d\ude00\n\"", "SECONDS": 3, "tags": ["a", "b"], "added": "2024-02-29", "x": [{}]}, {"tags": null} ] "#
            ))
        #expect(report.inserted == 2)
        let tracks = try manager.fetchAll(Track.self)
        #expect(tracks[0].title == "é😀\n\"" && tracks[0].seconds == 3 && tracks[0].tags == ["a", "b"])
        #expect(tracks[0].added == Date(timeIntervalSince1970: 1_709_164_800))
        #expect(tracks[1].title == "" && tracks[1].seconds == 1.5 && tracks[1].tags == nil)
    }

    @Test("An object on each line; a line that isn't one is collected") func lines() throws {
        // F118
        let text = "{\"title\":\"a\"}\n\n{\"title\":\n{\"title\":\"b\"} x\n[1]\n{\"title\":7}\n{\"title\":\"c\",}\n"
        let report = try manager.importJSON(Track.self, contentsOf: data(text), .lines, errors: .collect(max: 9))
        #expect(report.failures.map(\.line) == [3, 4, 5, 7])
        // The value on the line was whole; what comes after it isn't.
        #expect(try rows("SELECT TITLE FROM TRACK ORDER BY ID") == ["a", "b", "7"])
    }

    @Test(
        "What isn't an array of JSON is rejected, with its line",
        arguments: [
            ("{}", "line 1: the text isn't an array"),
            ("[{\"seconds\":1}\n{}]", "line 2: a comma or ] is missing after a value"),
            ("[{\"title\":\"a\"},\n{\"title\":tru}]", "line 2: a value isn't one of JSON's"),
            ("[{\"seconds\":1}", "line 1: the array isn't closed"),
            ("[{\"a\":01}]", "line 1: a number isn't one of JSON's"),
            ("[{\"a\":\"\\x\"}]", "line 1: a string has an escape that JSON doesn't"),
            ("[{\"seconds\":1}] 1", "line 1: there is more after the array"),
            ("[{\"title\":[]}]", "line 1, title: an object or array isn't a valid String"),
        ])
    func brokenArray(_ text: String, _ message: String) {
        // F118
        let error = #expect(throws: PersistenceError.self) {
            try manager.importJSON(Track.self, contentsOf: data(text))
        }
        #expect(error?.message == message)
    }

    @Test("An object none of whose keys is known is an error, and not a row of defaults") func unknownKeys() throws {
        // F118
        let report = try manager.importJSON(
            Remote.self, contentsOf: data("[{\"ID\": 1, \"name.first\": {\"id\": 2}}, {\"name\": null}]"),
            errors: .collect(max: 1))
        #expect(
            report.failures.map(\.reason)
                == ["none of the keys \"ID\", \"name.first\" is one of the class's: id, name, home"])
        #expect(report.inserted == 1)
    }

    @Test("Nesting has a limit, and needs no stack") func nesting() {
        // F118
        let text = "[{\"x\":" + String(repeating: "[", count: 100_000)
        let error = #expect(throws: PersistenceError.self) {
            try manager.importJSON(Track.self, contentsOf: data(text))
        }
        #expect(error?.message.contains("512 deep") == true)
    }

    @Test(
        "Values are coerced, whatever the locale",
        arguments: [
            (#"{"seconds":"2.5"}"#, "2.5"), (#"{"title":12.50}"#, "12.50"), (#"{"isLoved":"yes"}"#, "1"),
            (#"{"isLoved":0}"#, "0"), (#"{"id":"1.0"}"#, "1"), (#"{"id":-1e2}"#, "-100"),
            (#"{"added":"2024-01-01T00:00:00.5+01:00"}"#, "1704063600.5"),
        ])
    func coercion(_ json: String, _ stored: String) throws {
        // F92
        try manager.importJSON(Track.self, contentsOf: data(json), .lines)
        let key = try #require(json.split(separator: "\"").dropFirst().first)
        let column = ["seconds": "SECONDS", "title": "TITLE", "isLoved": "IS_LOVED", "id": "ID", "added": "ADDED"]
        let name = try #require(column[String(key)])
        #expect(try manager.stored("SELECT CAST(\(name) AS TEXT) FROM TRACK") == .text(stored))
    }

    @Test("Remote keys of any depth, wrapped or not; absent keys stay, null is NULL") func remoteKeys() throws {
        // F88 F89 F90 F91
        let first = #"{"user":{"id":"7","name":{"first":"A"},"home":{"address":{"city":"X"}},"notes":"ignored"}}"#
        try manager.importJSON(Remote.self, contentsOf: data(first), .lines, onConflict: .update(by: "remoteID"))
        #expect(try rows("SELECT REMOTE_ID || FIRST_NAME || CITY || NOTES FROM REMOTE") == ["7AX"])
        let report = try manager.importJSON(
            Remote.self, contentsOf: data(#"{"id":7,"home":null}"#), .lines, onConflict: .update(by: "remoteID"))
        #expect(report.updated == 1)
        #expect(try rows("SELECT FIRST_NAME || ifnull(CITY, '-') FROM REMOTE") == ["A-"])
    }

    @Test("An object is stored as a whole, and what is inside of it by itself, with escapes in both")
    func wholeAndPart() throws {
        // F88 F118
        try manager.createTableIfNecessary(for: Addressee.self)
        let text =
            #"[{"id":1,"address":{"city":"S\u00e3o \"P\"","zip":"\u0031"}},{"id":2,"address":{"city":"\u00c5bo"}}]"#
        try manager.importJSON(Addressee.self, contentsOf: data(text))
        let found = try manager.fetchAll(Addressee.sorted(by: \.id))
        #expect(found.map(\.city) == ["São \"P\"", "Åbo"])
        #expect(found.map { $0.address?.city } == ["São \"P\"", "Åbo"] && found[0].address?.zip == "1")
    }

    @Test("Lines are those of the file, whatever its texts have") func lineNumbers() throws {
        // F118
        let lines = data("{\"title\":\"a\\nb\"}\n{\"title\":\"c\\u000ad\"}\n{\"title\":\"e\",\"seconds\":\"x\"}\n")
        let report = try manager.importJSON(Track.self, contentsOf: lines, .lines, errors: .collect(max: 1))
        #expect(report.failures.map(\.line) == [3] && report.position.line == 4)
        let error = failure { try manager.importJSON(Track.self, contentsOf: lines, .lines) }
        #expect(error?.message.hasPrefix("line 3, seconds") == true)
        let array = data("{\"a\\nb\":1,\n\"rows\":[{\"title\":\"a\\nb\"},\n{\"seconds\":\"x\"}]}")
        let other = failure { try manager.importJSON(Track.self, contentsOf: array, .array(at: "rows")) }
        #expect(other?.message.hasPrefix("line 3, seconds") == true)
    }

    @Test(
        "An integer that no Double holds is taken exactly", arguments: ["9007199254740993.0", "9.007199254740993e15"])
    func largeIntegers(_ number: String) throws {
        // F92
        try manager.importJSON(Track.self, contentsOf: data("{\"id\":\(number)}\n{\"id\":\"-\(number)\"}"), .lines)
        #expect(
            try manager.storedColumn("SELECT ID FROM TRACK ORDER BY 1 DESC") == [9007199254740993, -9007199254740993])
        let fraction = data("{\"id\":9007199254740993.5}")
        #expect(failure { try manager.importJSON(Track.self, contentsOf: fraction, .lines) }?.code == .importFailed)
    }

    @Test("A row without the key that it is found by is an error") func missingKey() throws {
        // F94
        let report = try manager.importJSON(
            Remote.self, contentsOf: data("{\"name\":{\"first\":\"A\"}}\n{\"id\":null}"), .lines,
            onConflict: .update(by: "remoteID"), errors: .collect(max: 2))
        #expect(report.failures.count == 2)
    }

    @Test("An import of an array goes on after what was committed") func resumes() throws {
        // F118
        let text = data("[{\"id\":1},\n{\"id\":2},\n{\"id\":\"x\"},{\"id\":4}]")
        let error = #expect(throws: PersistenceError.self) {
            try manager.importJSON(Track.self, contentsOf: text, commit: .every(rows: 2))
        }
        let position = try #require(error?.importReport?.position)
        let rest = try manager.importJSON(
            Track.self, contentsOf: text, errors: .collect(max: 1), from: position)
        #expect(rest.inserted == 1 && rest.failures.map(\.line) == [3])
        #expect(try rows("SELECT CAST(ID AS TEXT) FROM TRACK") == ["1", "2", "4"])
    }

    @Test("A file cut anywhere gives an error or fewer rows, and never a trap") func cut() throws {
        // F118
        let text = data(#"[{"title":"aé\u00e9\\","seconds":1.5e3,"tags":["x"],"isLoved":true},{"title":null}]"#)
        for length in 0..<text.count {
            let error = (try? manager.importJSON(Track.self, contentsOf: text.prefix(length), dryRun: true)) == nil
            #expect(error, "\(length)")
        }
    }
}
