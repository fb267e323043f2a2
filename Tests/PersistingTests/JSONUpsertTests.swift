import Foundation
import Persisting
import Testing

private final class Member: PersistingModel {
    var id: Int64?
    var remoteID = 0
    var firstName: String?
    var lastName: String?
    var points = 0
    var rating: Double?
    var timeStamp: Date?

    override class var columns: Columns {
        var columns = super.columns
        columns["REMOTE_ID"] = .int.unique
        columns["RATING"] = .double.default(0.5)
        return columns
    }
    override class var remoteMapping: RemoteMapping {
        RemoteMapping(
            root: "user",
            [
                .key("remoteID", "id", .number, isPrimaryKey: true), .key("firstName", "name.first", .string),
                .key("lastName", "name.last", .string), .key("points", "points", .number),
                .key("rating", "rating", .number), .key("timeStamp", "timestamp", .time),
                .relationship("posts") { (member: Member, json) in
                    guard let json = json as? [[String: Any]] else { return }
                    try Note.upsertAll(json: json) { $0.memberID = member.id }
                },
            ])
    }
}

private final class Note: PersistingModel {
    var id: Int64?
    var text = ""
    var memberID: Int64?
}

/// A feed's durations are texts such as 30:12.
private final class Clip: PersistingModel {
    var id: Int64?
    var seconds: Int?

    override class var remoteMapping: RemoteMapping {
        RemoteMapping([
            .key("id", "id", .number, isPrimaryKey: true),
            .relationship("duration") { (clip: Clip, json) in
                let parts = (json as? String)?.split(separator: ":").compactMap { Int($0) }
                clip.seconds = parts.map { $0.reduce(0) { $0 * 60 + $1 } }
            },
        ])
    }
}

@Suite("Upserting JSON")
struct JSONUpsertTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Member.self)
        try manager.createTableIfNecessary(for: Note.self)
    }

    @discardableResult private func member(_ json: [String: Any]) throws -> Member {
        try manager.upsert(Member.self, json: json)
    }

    @Test("true is no number, and no date")
    func truths() throws {
        let manager = try memoryManager(Member.self)
        for key in ["rating", "timestamp"] {
            let json = Data(#"{"id": 1, "\#(key)": true}"#.utf8)
            #expect(throws: PersistenceError.self) { try manager.upsertAll(Member.self, json: json) }
        }
        #expect(try manager.count(Member.self) == 0)
    }

    @Test("An object of JSON is inserted, and then updated") func upserts() throws {
        // F88 F90 F94
        let first = try member(["id": "7", "name": ["first": "A", "last": "B"], "timestamp": "2024-01-01T00:00:00Z"])
        #expect(first.isPersisted && !first.hasChanges && first.remoteID == 7 && first.firstName == "A")
        #expect(first.timeStamp == Date(timeIntervalSince1970: 1_704_067_200))
        let second = try member(["id": 7, "name": ["last": "C"]])
        #expect(second.isSameRow(as: first) && second.firstName == "A" && second.lastName == "C")
        #expect(try manager.count(Member.self) == 1)
    }

    @Test("An absent key stays; a null is the declared default, NULL, or what init() gives") func nulls() throws {
        // F33 F91
        try member(["id": 1, "name": ["first": "A"], "points": 5, "rating": 3])
        let member = try member(["id": 1, "name": NSNull(), "points": NSNull(), "rating": NSNull()])
        #expect(member.firstName == nil && member.points == 0 && member.rating == 0.5)
        #expect(try self.member(["id": 1, "name": "no object"]).points == 0)
    }

    @Test("A root is taken off each element by itself") func root() throws {
        // F89
        let members = try manager.upsertAll(
            Member.self, json: [["user": ["id": 1, "points": 1]], ["id": 2, "points": 2], ["user": 1, "id": 3]])
        #expect(members.map(\.remoteID) == [1, 2, 3])
    }

    @Test("The key is required, and rejected when it can't be one") func keys() throws {
        // F94
        for json: [String: Any] in [[:], ["id": NSNull()]] {
            #expect(failure { try member(json) }?.code == .missingPrimaryKeyValue)
        }
        #expect(failure { try member(["id": "x"]) }?.code == .typeMismatch)
    }

    @Test("A value that a property can't have is an error, or is left out on request") func invalid() throws {
        // F92
        try member(["id": 1, "points": 4])
        let error = failure { try member(["id": 1, "points": "many"]) }
        #expect(
            error?.message
                == "element 0, points: the value isn't a number, as the remote mapping says, in the row with ID = 1")
        let kept = try manager.upsert(Member.self, json: ["id": 1, "points": "many"], invalidValues: .keep)
        #expect(kept.points == 4)
        #expect(failure { try member(["id": 1, "points": "1.5"]) }?.code == .typeMismatch)
        #expect(try member(["id": 1, "points": "5.0"]).points == 5)
    }

    @Test("Several come back in order, and elements of one key are one object") func several() throws {
        // F95
        try member(["id": 2, "points": 9])
        let json: [[String: Any]] = [["id": 1, "points": 1], ["id": 2], ["id": "1", "points": 3]]
        let members = try manager.upsertAll(Member.self, json: json) { $0.lastName = "set" }
        #expect(members.map(\.points) == [3, 9, 3] && members[0] === members[2])
        #expect(try manager.count(Member.self, where: \.lastName == "set") == 2)
        #expect(try manager.upsertAll(Member.self, json: [[String: Any]]()).isEmpty)
    }

    @Test("One element that fails undoes all") func allOrNothing() throws {
        // F95
        _ = failure { try manager.upsertAll(Member.self, json: [["id": 1], ["id": 2, "timestamp": "soon"]]) }
        struct Rejected: Error {}
        #expect(throws: Rejected.self) {
            try manager.upsertAll(Member.self, json: [["id": 1]]) { _ in throw Rejected() }
        }
        #expect(try manager.count(Member.self) == 0)
    }

    @Test("A relationship's closure comes after the object's own values, in its transaction") func relationships()
        throws
    {
        // F93
        let json: [String: Any] = ["id": 1, "posts": [["id": 1, "text": "a"], ["id": 2, "text": "b"]]]
        let member = try member(json)
        #expect(try manager.fetchAll(Note.self).map(\.memberID) == [member.id, member.id])
        try self.member(["id": 1, "posts": NSNull()])
        #expect(try manager.count(Note.self) == 2)
        #expect(throws: PersistenceError.self) { try self.member(["id": 2, "posts": [["text": "no key"]]]) }
        #expect(try manager.count(Member.self) == 1)
    }

    @Test("A file's relationships are stored as well") func relationshipsOfFile() throws {
        // F93 F118
        let text = #"{"id":1,"name":{"first":"\u00e9"},"posts":[{"id":5,"text":"\u00e9"}]}"#
        try manager.importJSON(Member.self, contentsOf: Data(text.utf8), .lines, onConflict: .update(by: "remoteID"))
        #expect(try manager.fetchAll(Note.self).map(\.text) == ["é"])
    }

    @Test("Status D deletes, and others are upserted") func synchronizes() throws {
        // F97
        try manager.upsertAll(Member.self, json: [["id": 1], ["id": 2]])
        let json: [[String: Any]] = [
            ["id": 3, "status": "A"], ["id": "1", "status": "D"], ["id": 9, "status": "D"], ["id": 2],
        ]
        let result = try manager.synchronize(Member.self, json: json)
        #expect(result.objects.map(\.remoteID) == [3, 2] && result.total == 4 && result.deleted == 1)
        #expect(try manager.fetchAll(Member.self, sortedBy: "remoteID").map(\.remoteID) == [2, 3])
    }

    @Test("Data is parsed, while the task is suspended") func async() async throws {
        // F96 F98
        let json = Data(#"[{"id": 1, "name": {"first": "A"}}]"#.utf8)
        #expect(try await manager.upsertAll(Member.self, json: json).map(\.firstName) == ["A"])
        let result = try await manager.asCurrent { try await Member.synchronize(json: json) }
        #expect(result.total == 1)
        await #expect(throws: (any Error).self) { try await manager.upsert(Member.self, json: Data("?".utf8)) }
    }

    @Test("A class without a mapping takes its properties' or its columns' names") func automatic() throws {
        // F53 F88
        let note = try manager.asCurrent { try Note.upsert(json: ["ID": 4, "text": "x", "other": 1]) }
        #expect(note.id == 4 && note.text == "x")
        let error = failure { try manager.upsert(Note.self, json: Data("[{}, {}]".utf8)) }
        #expect(error?.code == .invalidFormat)
    }

    @Test("A closure converts what no kind does", arguments: [true, false]) func converts(_ isFile: Bool) throws {
        // F93
        try manager.createTableIfNecessary(for: Clip.self)
        let json = Data(#"[{"id": 1, "duration": "1:00:05"}, {"id": 2, "duration": null}, {"id": 3}]"#.utf8)
        if isFile {
            try manager.importJSON(Clip.self, contentsOf: json)
        } else {
            try manager.upsertAll(Clip.self, json: json)
        }
        #expect(try manager.fetchAll(Clip.self, sortedBy: "id").map(\.seconds) == [3605, nil, nil])
    }

    @Test(
        "A response that is broken or extreme is an error, and nothing is written",
        arguments: [
            ("[", "[", 100_000), ("[{\"id\": 1, \"name\": ", "{\"a\":", 100_000), ("[{\"id\": 1", "0", 1_000_000),
            ("[{\"id\": 1}", "", 1), ("", "", 1),
        ])
    func broken(_ start: String, _ repeated: String, _ count: Int) throws {
        // F98
        let text = start + String(repeating: repeated, count: count) + (repeated == "0" ? "}]" : "")
        #expect(throws: (any Error).self) { try manager.upsertAll(Member.self, json: Data(text.utf8)) }
        #expect(try manager.count(Member.self) == 0)
    }
}
