import Foundation
import Persisting
import Testing

/// A model with everything that the library keeps, whose time of update comes before what the user writes.
private final class Item: PersistingModel {
    var id: Int64?
    var updatedAt: Date?
    var code: String?
    var name = ""
    var createdAt: Date?
    var version = 0
    var _log: [String] = []

    override class var versionKey: String? { "version" }

    override class var columns: Columns {
        var columns = super.columns
        columns["CODE"] = .string.unique
        columns["CREATED_AT"] = .date.created
        columns["UPDATED_AT"] = .date.updated
        return columns
    }

    convenience init(_ code: String?, _ name: String) {
        self.init()
        self.code = code
        self.name = name
    }

    override func willInsert() { _log.append("willInsert") }
    override func didInsert() { _log.append("didInsert \(version)") }
    override func willUpdate() { _log.append("willUpdate") }
    override func didUpdate() { _log.append("didUpdate \(version)") }
    override func willDelete() { _log.append("willDelete") }
    override func didDelete() { _log.append("didDelete") }

    override func validate() -> [ValidationFailure] {
        name == "bad" ? [ValidationFailure(key: "name", reason: "is bad")] : []
    }
}

@Suite("Hooks, times and versions of upserts and batches")
struct WriteVerbLifeTests {
    private let manager: PersistenceManager
    private let old = Date(timeIntervalSince1970: 1_000_000)

    init() throws {
        manager = try memoryManager(Item.self)
        try manager.execute(
            "INSERT INTO ITEM (ID, CODE, NAME, CREATED_AT, UPDATED_AT, VERSION) VALUES (1, 'a', 'A', \(old), \(old), 5)"
        )
    }

    private func isNow(_ date: Date?) -> Bool { abs(date?.timeIntervalSinceNow ?? .infinity) < 3600 }

    private func expectWritten(_ item: Item, _ name: String) throws {
        #expect(item.id == 1)
        #expect(item.createdAt == old)
        #expect(isNow(item.updatedAt))
        #expect(item.version == 6)
        #expect(!item.hasChanges)
        let stored = try #require(try manager.find(Item.self, 1))
        #expect(stored.name == name)
        #expect(stored.createdAt == old && stored.updatedAt == item.updatedAt && stored.version == 6)
    }

    @Test("A new object written over a row runs the hooks of an insert, keeps the creation time and counts")
    func upsertNew() async throws {
        // F56
        let item = Item("a", "B")
        try await manager.upsert(item)
        #expect(item._log == ["willInsert", "didInsert 6"])
        try expectWritten(item, "B")
    }

    @Test("While the task is suspended too")
    func upsertAsynchronously() async throws {
        // F56
        let item = Item("a", "B")
        try await manager.upsert(item)
        #expect(item._log == ["willInsert", "didInsert 6"])
        try expectWritten(item, "B")
    }

    @Test(
        "A persisted object that is upserted runs the hooks of an update, whatever its version",
        arguments: [true, false])
    func upsertPersisted(tracked: Bool) throws {
        // F56
        let item = try #require(try manager.fetchAll(Item.self, tracked: tracked).first)
        try manager.execute("UPDATE ITEM SET NAME = 'theirs'")
        item.name = "B"
        try manager.upsert(item)
        #expect(item._log == ["willUpdate", "didUpdate 6"])
        try expectWritten(item, "B")
    }

    @Test("An upsert that inserts begins all of them")
    func upsertInserts() throws {
        // F56
        let item = Item("z", "Z")
        try manager.upsert(item)
        #expect(isNow(item.createdAt) && item.createdAt == item.updatedAt)
        #expect(item.version == 1)
    }

    @Test("An upsert of named properties writes the time of update too, and the creation time when it is named")
    func upsertNamed() throws {
        // F56
        let item = Item("a", "B")
        try manager.upsert(item, by: ["code"], updating: ["name"])
        try expectWritten(item, "B")
        let other = Item("a", "C")
        other.createdAt = old + 1
        try manager.upsert(other, by: ["code"], updating: ["createdAt"])
        #expect(other.createdAt == old + 1)
        #expect(other.name == "B")
    }

    @Test("An upsert of no property leaves the row and its version as they are")
    func upsertNothing() throws {
        // F56
        let item = Item("a", "B")
        try manager.upsert(item, by: ["code"], updating: [])
        #expect(item.name == "A")
        #expect(item.updatedAt == old)
        #expect(item.version == 5)
    }

    @Test("An upsert does not write the version by name")
    func upsertVersion() throws {
        // F56
        let error = failure { try manager.upsert(Item("a", "B"), by: ["code"], updating: ["version"]) }
        #expect(error?.code == .notWritable)
    }

    @Test("A NULL version is counted from 0 by an upsert")
    func upsertNull() throws {
        // F56
        try manager.run("DROP TABLE ITEM")
        try manager.run(
            """
            CREATE TABLE ITEM (ID INTEGER PRIMARY KEY, UPDATED_AT, CODE UNIQUE, NAME, CREATED_AT, VERSION);
            INSERT INTO ITEM (CODE, NAME) VALUES ('a', 'A');
            """)
        let item = Item("a", "B")
        try manager.upsert(item)
        #expect(item.version == 1)
    }

    @Test("An upsert that is rolled back gives times and version back")
    func upsertRollback() throws {
        // F14, F56
        let item = Item("a", "B")
        try catchingTestError {
            try manager.transaction {
                try manager.upsert(item)
                throw TestError()
            }
        }
        #expect(item.id == nil && item.createdAt == nil && item.updatedAt == nil)
        #expect(item.version == 0)
        #expect(!item.isPersisted)
    }

    @Test("A batch of saves runs each object's hooks, sets its times and counts its version")
    func save() throws {
        let items = try [Item("b", "B"), #require(try manager.find(Item.self, 1)), Item("c", "C")]
        items[1].name = "D"
        try manager.save(items)
        #expect(
            items.map(\._log) == [
                ["willInsert", "didInsert 1"], ["willUpdate", "didUpdate 6"], ["willInsert", "didInsert 1"],
            ])
        try expectWritten(items[1], "D")
        try manager.save(items)
        #expect(items[1]._log.count == 2)
    }

    @Test("A batch of saves does so while the task is suspended")
    func saveAsynchronously() async throws {
        let known = try await manager.find(Item.self, 1)
        let items = try [Item("b", "B"), #require(known)]
        items[1].name = "D"
        try await manager.save(items)
        #expect(items.map(\._log) == [["willInsert", "didInsert 1"], ["willUpdate", "didUpdate 6"]])
        try expectWritten(items[1], "D")
    }

    @Test("A batch with an object that is not valid, or over somebody else's change, writes none")
    func rejected() async throws {
        let known = try await manager.find(Item.self, 1)
        let item = try #require(known)
        let invalid = Item("b", "bad")
        item.name = "B"
        #expect(failure { try manager.save([item, invalid]) }?.code == .invalidObject)
        #expect(await asyncFailure { try await manager.save([item, invalid]) }?.code == .invalidObject)
        #expect(failure { try manager.upsert([item, invalid]) }?.code == .invalidObject)
        #expect(item.updatedAt == old && item.version == 5 && item.changedKeys == ["name"])
        try await manager.execute("UPDATE ITEM SET VERSION = 6")
        let new = Item("b", "B")
        #expect(failure { try manager.save([new, item]) }?.code == .conflict)
        #expect(await asyncFailure { try await manager.save([new, item]) }?.code == .conflict)
        #expect(new.id == nil && new.createdAt == nil && new.version == 0 && !new.isPersisted)
        #expect(item.version == 5)
        #expect(failure { try manager.delete([item]) }?.code == .conflict)
        #expect(try manager.rowCount("ITEM") == 1)
    }

    @Test("A batch of deletions runs the hooks")
    func delete() async throws {
        let items = [Item("b", "B"), Item("c", "C")]
        try await manager.insert(items)
        try await manager.delete([items[0]])
        #expect(items[0]._log.suffix(2) == ["willDelete", "didDelete"])
        try await manager.delete([items[1]])
        #expect(items[1]._log.suffix(2) == ["willDelete", "didDelete"])
    }

    @Test("An object that is ignored has no didInsert, and is as it was; one that replaces has")
    func onConflict() async throws {
        let items = [Item("a", "B"), Item("a", "C")]
        #expect(try await !manager.insert(items[0], onConflict: .ignore))
        #expect(try await !manager.insert(items[0], onConflict: .ignore))
        #expect(items[0]._log == ["willInsert", "willInsert"])
        #expect(items[0].createdAt == nil && items[0].version == 0)
        #expect(failure { try manager.insert(Item("z", "bad"), onConflict: .ignore) }?.code == .invalidObject)
        try await manager.insert([items[1]], onConflict: .replace)
        #expect(items[1]._log == ["willInsert", "didInsert 1"])
    }

    @Test("What is made where nothing is found runs the hooks of an insert")
    func findOrCreate() throws {
        let found = try manager.findOrCreate(Item.self, where: ["code": "a"])
        #expect(found._log.isEmpty)
        let made = try manager.findOrCreate(Item.self, where: ["code": "b"])
        #expect(made._log == ["willInsert", "didInsert 1"])
    }

    @Test("A time that the user writes and one that the library writes stand in one text of SQL")
    func order() throws {
        let item = try #require(try manager.find(Item.self, 1))
        try item.update(\.name, to: "B")
        item.name = "C"
        item.updatedAt = old + 2
        try manager.save(item)
        let stored = try #require(try manager.find(Item.self, 1))
        #expect(stored.name == "C" && stored.updatedAt == old + 2 && stored.version == 7)
    }
}
