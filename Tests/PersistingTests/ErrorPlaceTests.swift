import Foundation
import Persisting
import Testing

private struct Place: Codable, Equatable {
    var latitude = 0.0
}

private final class Entry: PersistingModel {
    var id: Int64?
    var title = "a"
    var year: Int?
    var shortName: String?
    var score = 0.0
    var place: Place?

    override class var columns: Columns {
        var columns = super.columns
        columns["PLACE"] = .json
        return columns
    }
    override class var indexes: [Index] { [.unique("shortName")] }

    override func validate() -> [ValidationFailure] {
        title.isEmpty ? [ValidationFailure(key: "title", reason: "must not be empty")] : []
    }
}

private final class Coded: PersistingModel {
    var code = ""
    var number: Int?
    var version = 0
    override class var primaryKey: PrimaryKey { .assigned("code") }
    override class var versionKey: String? { "version" }
    override class var indexes: [Index] { [.unique("number")] }

    convenience init(_ code: String, _ number: Int? = nil) {
        self.init()
        self.code = code
        self.number = number
    }
}

/// A server passes messages on alone.
@Suite("Messages name the property and the row")
struct ErrorPlaceTests {
    private let manager: PersistenceManager

    init() throws { manager = try memoryManager(Entry.self, Coded.self) }

    /// An object that was inserted and fetched.
    private func entry(_ setUp: (Entry) -> Void = { _ in }) throws -> Entry {
        let entry = Entry()
        setUp(entry)
        try manager.insert(entry)
        return try #require(try manager.find(Entry.self, entry.id))
    }

    @Test(
        "A value that a property can't have, of a request's JSON",
        arguments: [
            (#"{"year": "soon"}"#, "a value of type String isn't a valid Int?"),
            (#"{"title": "b", "year": {"a": 1}}"#, "a value of type [String: Any] isn't a valid Int?"),
            (#"{"year": [1, 2]}"#, "a value of type [Any] isn't a valid Int?"),
        ])
    func badPatch(_ text: String, _ reason: String) throws {
        let values = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let entry = try entry()
        let error = failure { try entry.setValues(values) }
        #expect(error?.code == .typeMismatch && error?.key == "year" && error?.expected == "Int?")
        #expect(error?.message == "year: \(reason), in the row with ID = 1")
        #expect(error?.rowKey == ["id": .integer(1)])
        // The property is named once.
        #expect(error?.description == "Entry.year: \(reason), in the row with ID = 1")
        #expect(entry.title == "a" && !entry.hasChanges)
    }

    @Test("One value by its name, and a new object, which has no row")
    func setValue() throws {
        let entry = try entry()
        let error = failure { try entry.setValue(["a": [1]] as [String: [Int?]], forKey: "year") }
        #expect(
            error?.message == "year: a value of type [String: [Int?]] isn't a valid Int?, in the row with ID = 1")
        #expect(error?.found == "[String: [Int?]]")
        let new = failure { try Entry().setValues(["year": "soon"]) }
        #expect(new?.message == "year: a value of type String isn't a valid Int?")
        #expect(new?.description == "Entry.year: a value of type String isn't a valid Int?" && new?.rowKey == nil)
        let unknown = failure { try entry.setValues(["yeer": 1]) }
        #expect(unknown?.message.hasPrefix("there is no column for the key \"yeer\"") == true)
        #expect(unknown?.message.hasSuffix(", in the row with ID = 1") == true)
    }

    @Test("Validation")
    func validation() throws {
        let entry = try entry()
        entry.title = ""
        let error = failure { try manager.save(entry) }
        #expect(error?.message == "the object with ID = 1 is not valid: title must not be empty")
        #expect(error?.code == .invalidObject && error?.rowKey == ["id": .integer(1)])
        let new = Entry()
        new.title = ""
        let other = failure { try manager.insert(new) }
        #expect(other?.message == "the object is not valid: title must not be empty" && other?.rowKey == nil)
    }

    @Test("A constraint, by the property's name and the row's key")
    func constraint() async throws {
        _ = try entry { $0.shortName = "x" }
        let entry = try entry()
        entry.shortName = "x"
        let words = "UNIQUE constraint failed: ENTRY.SHORT_NAME - the property shortName"
        let error = failure { try manager.save(entry) }
        #expect(error?.code == .constraint && error?.key == "shortName" && error?.rowKey == ["id": .integer(2)])
        #expect(error?.message == "\(words), in the row with ID = 2")
        #expect(failure { try manager.save([entry]) }?.message == "\(words), in the row with ID = 2")
        await #expect { try await manager.save([entry]) } throws: { error in
            (error as? PersistenceError)?.message == "\(words), in the row with ID = 2"
        }
        // A key that SQLite makes isn't known.
        let new = Entry()
        new.shortName = "x"
        let inserted = failure { try manager.insert(new) }
        #expect(inserted?.message == words && inserted?.rowKey == nil)
    }

    @Test("A constraint in a batch, by the key of the row that fails", arguments: [1, 3, 2_000])
    func batch(_ count: Int) async throws {
        try await manager.insert(Coded("first", 0))
        let codes = (1...count).map { Coded("c\($0)", $0 == count ? 0 : $0) }
        let error = failure { try manager.insert(codes) }
        #expect(error?.rowKey == ["code": .text("c\(count)")])
        #expect(error?.message == "UNIQUE constraint failed: CODED.NUMBER, in the row with CODE = 'c\(count)'")
        await #expect { try await manager.insert(codes) } throws: { error in
            (error as? PersistenceError)?.rowKey == ["code": .text("c\(count)")]
        }
        #expect(try await manager.count(Coded.self) == 1)
    }

    @Test("A row that is gone, or has been written by somebody else")
    func others() throws {
        let coded = Coded("a", 1)
        try manager.insert(coded)
        try manager.run("UPDATE CODED SET NUMBER = 2, VERSION = 7")
        coded.number = 3
        let conflict = failure { try manager.save(coded) }
        #expect(conflict?.code == .conflict && conflict?.rowKey == ["code": .text("a")])
        #expect(conflict?.message.contains("the row with CODE = 'a'") == true)
        let entry = try entry()
        try manager.run("DELETE FROM ENTRY")
        entry.year = 1
        let gone = failure { try manager.save(entry) }
        #expect(gone?.code == .notFound && gone?.rowKey == ["id": .integer(1)])
        #expect(failure { try manager.refresh(entry) }?.message == "the row with ID = 1 doesn't exist any more")
    }

    @Test("An object that is in the table already, or isn't")
    func state() throws {
        let entry = try entry()
        let persisted = failure { try manager.insert(entry) }
        #expect(persisted?.code == .alreadyPersisted && persisted?.rowKey == ["id": .integer(1)])
        #expect(persisted?.message.hasPrefix("the object with ID = 1 is in the table already") == true)
        let new = Coded("b")
        let error = failure { try manager.delete(new) }
        #expect(error?.code == .notPersisted && error?.rowKey == ["code": .text("b")])
        #expect(error?.message.hasPrefix("the object with CODE = 'b' isn't in its table") == true)
        #expect(failure { try manager.delete(Entry()) }?.message.hasPrefix("the object isn't in its table") == true)
        let version = failure { try manager.update(Coded.rows, set: ["version": 3]) }
        #expect(version?.code == .notWritable && version?.message.hasPrefix("version: the version counts") == true)
        #expect(version?.description.hasPrefix("Coded.version: the version counts") == true)
    }

    @Test("JSON into an existing object, and JSON that is stored")
    func json() throws {
        _ = try entry()
        let error = failure { try manager.upsertAll(Entry.self, json: [["id": 1, "year": "soon"]]) }
        #expect(error?.key == "year" && error?.rowKey == ["id": .integer(1)])
        #expect(error?.message.hasPrefix("element 0, year: ") == true)
        #expect(error?.message.hasSuffix(", in the row with ID = 1") == true)
        let new = failure { try manager.upsertAll(Entry.self, json: [["id": 2, "year": "soon"]]) }
        #expect(new?.message.hasPrefix("element 0, year: ") == true && new?.rowKey == nil)
        try manager.run(#"UPDATE ENTRY SET PLACE = '{"latitude": "north"}'"#)
        #expect(
            failure { try manager.fetchAll(Entry.self) }?.message
                == "column PLACE: the JSON isn't a valid Place: latitude: a value isn't a valid Double, "
                + "in the row with ID = 1")
    }

    @Test("A value that can't be encoded, without Foundation's words for where it is")
    func encoding() throws {
        let entry = try entry()
        entry.place = Place(latitude: .nan)
        let error = failure { try manager.save(entry) }
        #expect(error?.code == .typeMismatch && error?.key == "place" && error?.rowKey == ["id": .integer(1)])
        #expect(error?.message.hasPrefix("column PLACE: latitude: ") == true)
        #expect(error?.message.hasSuffix(", in the row with ID = 1") == true)
        #expect(error?.message.contains("Context") == false && error?.message.contains("Swift.") == false)
    }

    @Test("An object that JSON can't have")
    func jsonObject() throws {
        let entry = try entry { $0.score = .infinity }
        let error = failure { try entry.jsonObject() }
        #expect(error?.message == "score: JSON has no number for inf, in the row with ID = 1")
        #expect(error?.description == "Entry.score: JSON has no number for inf, in the row with ID = 1")
    }
}
