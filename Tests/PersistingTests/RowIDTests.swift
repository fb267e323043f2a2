import Foundation
import Persisting
import Testing

private final class Entry: PersistingModel {
    var message = ""
    var level: Int?
    override class var tableName: String { "ENTRY" }
    override class var primaryKey: PrimaryKey { .rowID }
    convenience init(_ message: String, _ level: Int? = nil) {
        self.init()
        (self.message, self.level) = (message, level)
    }
}

private final class Keyless: PersistingModel {
    var message = ""
    override class var tableName: String { "ENTRY" }
}

private final class Shadowing: PersistingModel {
    var rowid: String?
    override class var naming: Naming { .identity }
    override class var tableName: String { "shadowing" }
    override class var primaryKey: PrimaryKey { .rowID }
}

@Suite("Classes that are kept by the rows' identifiers") struct RowIDTests {
    let manager: PersistenceManager

    init() throws { manager = try memoryManager(script: "CREATE TABLE ENTRY (MESSAGE TEXT NOT NULL, LEVEL INT)") }

    private func entries(_ count: Int) throws -> [Entry] {
        let entries = (1...count).map { Entry("\($0)", $0) }
        try manager.insert(entries)
        return entries
    }

    @Test("have it once they are inserted") func inserted() throws {
        // F36, Settled 19
        let entry = Entry("a")
        #expect(entry.primaryKeyValue == .null)
        try manager.save(entry)
        #expect(entry.primaryKeyValue == .integer(1))
        #expect(try manager.stored("SELECT rowid FROM ENTRY") == .integer(1))
    }

    @Test("are updated and deleted by it", arguments: [true, false]) func written(_ tracked: Bool) throws {
        // Settled 19
        _ = try entries(3)
        let found = try manager.fetchAll(Entry.self, tracked: tracked)
        found[1].message = "b"
        try manager.save(found[1])
        try manager.delete(found[2])
        #expect(try manager.storedColumn("SELECT MESSAGE FROM ENTRY ORDER BY rowid") == ["1", "b"])
        #expect(found[0].primaryKeyValue == .integer(1))
    }

    @Test("are found, refreshed and compared by it") func found() throws {
        // Settled 19
        let entry = try entries(2)[1]
        let found = try #require(try manager.find(Entry.self, 2))
        #expect(found.message == "2" && found.isSameRow(as: entry))
        try manager.execute("UPDATE ENTRY SET MESSAGE = 'x' WHERE rowid = 2")
        try manager.refresh(entry)
        #expect(entry.message == "x")
        #expect(try manager.find(Entry.self, 3) == nil)
    }

    @Test("have no changes after they were read") func unchanged() throws {
        // Settled 19
        let entry = try entries(1)[0]
        #expect(!entry.hasChanges)
        let found = try #require(try manager.fetchOne(Entry.self))
        #expect(found.changedKeys == [])
        found.level = 9
        #expect(found.changedKeys == ["level"])
    }

    @Test("are upserted by it") func upserted() throws {
        // Settled 19
        let entry = try entries(2)[1]
        entry.message = "new"
        try manager.upsert(entry)
        let other = Entry("other")
        try manager.upsert(other)
        #expect(try manager.storedColumn("SELECT MESSAGE FROM ENTRY ORDER BY rowid") == ["1", "new", "other"])
        #expect(other.primaryKeyValue == .integer(3))
    }

    @Test("keep it in a snapshot") func snapshots() throws {
        // Settled 19
        let entry = try entries(2)[1]
        let copy = try Entry(entry.snapshot())
        copy.message = "copy"
        try manager.save(copy)
        #expect(try manager.stored("SELECT MESSAGE FROM ENTRY WHERE rowid = 2") == .text("copy"))
    }

    @Test("do not hand it to a copy") func copies() throws {
        // Settled 19
        let copy = try entries(1)[0].copy()
        #expect(copy.primaryKeyValue == .null)
        try manager.save(copy)
        #expect(try manager.rowCount("ENTRY") == 2)
    }

    @Test("are merged by it") func merged() throws {
        // Settled 19
        let entry = try entries(2)[1]
        try manager.execute("UPDATE ENTRY SET LEVEL = 7 WHERE rowid = 2")
        entry.message = "mine"
        try manager.merge(entry)
        #expect(entry.level == 7 && entry.message == "mine")
    }

    @Test("have none again after a rollback") func rolledBack() throws {
        // Settled 19
        let entry = Entry("a")
        try catchingTestError {
            try manager.transaction {
                try manager.insert(entry)
                throw TestError()
            }
        }
        #expect(entry.primaryKeyValue == .null && !entry.isPersisted)
        try manager.save(Entry("b"))
        try manager.save(entry)
        #expect(entry.primaryKeyValue == .integer(2))
    }

    @Test("are streamed, and read by pages") func streamed() throws {
        // Settled 19
        _ = try entries(5)
        var levels: [Int?] = []
        try manager.forEach(Query(Entry.self)) { entry in
            levels.append(entry.level)
            entry.message = "seen"
            try manager.save(entry)
        }
        #expect(levels == [1, 2, 3, 4, 5])
        #expect(try manager.count(Entry.self, where: \.message == "seen") == 5)
        let first = try manager.fetchPage(Query(Entry.self), limit: 2)
        let second = try manager.fetchPage(Query(Entry.self), after: first.last, limit: 2)
        #expect((first + second).map(\.level) == [1, 2, 3, 4])
    }

    @Test("are known by it in conditions, orderings and raw SQL") func conditions() throws {
        // Settled 19
        _ = try entries(3)
        #expect(try manager.fetchAll(Entry.self, where: ["rowID": 2]).map(\.level) == [2])
        #expect(try manager.fetchAll(Entry.self, sortedBy: "rowID desc").map(\.level) == [3, 2, 1])
        let found = try manager.fetchAll(Entry.self, sql: "SELECT rowid, * FROM ENTRY WHERE LEVEL > ?", [2])
        try manager.delete(found)
        #expect(try manager.rowCount("ENTRY") == 2)
    }

    @Test("come from joins with it") func joined() throws {
        // Settled 19
        _ = try entries(2)
        let (one, two) = (try Entry.selection("a"), try Entry.selection("b"))
        let rows = try manager.fetchAll(
            one, two, sql: "SELECT \(one), \(two) FROM ENTRY a JOIN ENTRY b ON b.LEVEL = a.LEVEL + 1")
        #expect(rows.first?.1?.primaryKeyValue == .integer(2))
    }

    @Test("do not have it set by anyone") func notWritable() throws {
        // Settled 19
        let entry = try entries(1)[0]
        #expect(failure { try entry.setValue(7, forKey: "rowID") }?.code == .notWritable)
        #expect(failure { try manager.updateAll(Entry.self, set: ["rowID": 7]) }?.code == .notWritable)
    }

    @Test("have no column of it in their own tables") func created() throws {
        // F45, Settled 19
        let manager = try memoryManager(Entry.self)
        #expect(
            try manager.tableSQL("ENTRY") == """
                CREATE TABLE ENTRY (
                    MESSAGE TEXT NOT NULL DEFAULT '',
                    LEVEL INTEGER
                )
                """)
        #expect(try manager.createTableIfNecessary(for: Entry.self) == false)
        #expect(try Entry.schema().columns.map(\.key) == ["message", "level"])
        #expect(Entry("a").dictionary().keys.sorted() == ["message"])
    }

    @Test("of views and tables without identifiers are rejected by name", arguments: [true, false])
    func rejected(_ isView: Bool) throws {
        // Settled 19
        let manager = try memoryManager(
            script: isView
                ? "CREATE VIEW ENTRY AS SELECT 'a' AS MESSAGE, 1 AS LEVEL"
                : "CREATE TABLE ENTRY (MESSAGE TEXT PRIMARY KEY, LEVEL INT) WITHOUT ROWID")
        let error = failure { try manager.fetchAll(Entry.self) }
        #expect(error?.code == .invalidModel)
        #expect(error?.message.contains(isView ? "ENTRY is a view" : "ENTRY is WITHOUT ROWID") == true)
    }

    @Test("may have a column called rowid") func shadowed() throws {
        // Settled 19
        let manager = try memoryManager(script: "CREATE TABLE shadowing (rowid TEXT)")
        let object = Shadowing()
        object.rowid = "a"
        try manager.save(object)
        object.rowid = "b"
        try manager.save(object)
        #expect(try manager.storedColumn("SELECT rowid FROM shadowing WHERE oid = 1") == ["b"])
    }

    @Test("are what the error of a class without a key tells of") func hint() throws {
        // Settled 13, Settled 19
        let object = Keyless()
        try manager.save(object)
        let error = failure { try manager.delete(object) }
        #expect(error?.code == .noPrimaryKey)
        #expect(error?.message.contains(".rowID") == true)
    }
}
