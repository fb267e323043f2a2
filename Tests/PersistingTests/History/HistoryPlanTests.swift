import Foundation
import NodeProcesses
import Persisting
import Testing

@Suite("A history and its table") struct HistoryPlanTests {
    private func manager() throws -> (PersistenceManager, Int64) {
        let manager = try memoryManager(Entry.self)
        try manager.transaction { try manager.insert(Entry.self, values: ["title": "one", "size": 1]) }
        let first = try manager.lastNumber
        try manager.transaction { try manager.update(Entry.where(\.id == 1), set: ["title": "two", "size": 2]) }
        return (manager, first)
    }

    @Test("are created and dropped together, and leave the transactions that others need") func lifetime() throws {
        let (manager, _) = try manager()
        #expect(try manager.createTableIfNecessary(for: Entry.self) == false)
        #expect(try manager.schemaPlan(for: [Entry.self]).isEmpty)
        #expect(try manager.schemaPlan(for: [Entry.self]).notes.isEmpty)
        try manager.dropTable(for: Entry.self)
        #expect(try manager.storedColumn("SELECT name FROM sqlite_schema WHERE name LIKE 'ENTRY%'") == [])
        #expect(try manager.rowCount("history_transactions") == 2)
    }

    @Test("are no hindrance to a read-only manager's transactions", .local(.connection)) func readOnly() throws {
        let directory = try TemporaryDirectory()
        let writer = try PersistenceManager(path: directory.path())
        try writer.createTableIfNecessary(for: PastFolder.self)
        try writer.save(PastFolder())
        var configuration = DatabaseConfiguration()
        configuration.openMode = .readOnly
        let manager = try PersistenceManager(path: directory.path(), configuration: configuration)
        #expect(try manager.transaction { try manager.count(PastFolder.self) } == 1)
        #expect(try manager.findOrCreate(PastFolder.self, 1).id == 1)
        #expect(throws: (any Error).self) { try manager.save(PastFolder()) }
    }

    @Test("are made for the rows of an existing table, which were there from the beginning") func later() throws {
        let manager = try memoryManager(PlainEntry.self)
        try manager.insert(PlainEntry.self, values: ["title": "a"])
        #expect(failure { try manager.createTableIfNecessary(for: Entry.self) }?.code == .schemaMismatch)
        #expect(try manager.schemaPlan(for: [Entry.self]).risk == .adds)
        try manager.updateSchema(for: [Entry.self])
        #expect(try manager.count(Entry.rows.asOf(0)) == 1)
        try manager.deleteAll(Entry.self)
        #expect(try manager.count(Entry.rows.asOf(0)) == 1)
        #expect(try manager.count(Entry.rows.asOf(manager.lastNumber)) == 0)
    }

    @Test("go on through renames of the table and a column, a new column and another type") func changed() throws {
        let (manager, first) = try manager()
        let numbers = try manager.historyTransactions().map(\.number)
        try manager.updateSchema(for: [RenamedEntry.self], allowing: .rewrites)
        #expect(try manager.historyTransactions().map(\.number) == numbers)
        let then = try #require(try manager.fetchOne(RenamedEntry.rows.asOf(first)))
        #expect(then.heading == "one" && then.size == "1" && then.more == 7)
        let changes = try manager.history(of: then)
        #expect(changes.map { $0.after?.heading } == ["one", "two"])
        #expect(changes.map { $0.after?.size } == ["1", "2"])
        try manager.update(RenamedEntry.where(\.id == 1), set: ["heading": "three"])
        #expect(try manager.history(of: then).map { $0.after?.heading } == ["one", "two", "three"])
        let steps = try manager.schemaPlan(for: [RenamedEntry.self]).steps.map { "\($0.reason) \($0.sql)" }
        #expect(steps == [])
        #expect(try manager.storedColumn("SELECT name FROM sqlite_schema WHERE name LIKE 'ENTRY_history%'") == [])
    }

    @Test("go on when their table is altered by hand") func altered() throws {
        let (manager, first) = try manager()
        try manager.alterTable("ENTRY") { table in
            table.rename(to: "RENAMED_ENTRY")
            table.rename("TITLE", to: "HEADING")
            table.change("SIZE", to: .string.notNull.default(""))
            table.add("MORE", .int.notNull.default(7))
        }
        let steps = try manager.schemaPlan(for: [RenamedEntry.self]).steps.map(\.reason)
        #expect(steps == ["it has no index on HEADING"] || steps == [])
        try manager.updateSchema(for: [RenamedEntry.self])
        let then = try #require(try manager.fetchOne(RenamedEntry.rows.asOf(first)))
        #expect(then.heading == "one" && then.size == "1" && then.more == 7)
        try manager.update(RenamedEntry.where(\.id == 1), set: ["heading": "three"])
        #expect(try manager.history(of: then).map { $0.after?.heading } == ["one", "two", "three"])
    }

    @Test("let a column that they leave out become one that can't be nil") func alteredOutside() throws {
        let manager = try memoryManager(PartlyKept.self)
        #expect(
            failure { try manager.alterTable("PARTLY_KEPT_HISTORY") { $0.drop("BODY") } }?.code == .schemaMismatch)
        try manager.alterTable("PARTLY_KEPT") { $0.change("BODY", to: .string.notNull) }
        let object = try manager.insert(PartlyKept.self, values: ["title": "a", "body": "b"])
        object.title = "c"
        try manager.save(object)
        #expect(try manager.history(of: object).count == 2)
    }

    @Test("keep the values of a column that is renamed while no class has a history") func undeclaredRename() throws {
        let (manager, first) = try manager()
        try manager.updateSchema(for: [BareRenamedEntry.self], allowing: .rewrites)
        try manager.update(BareRenamedEntry.where(\.id == 1), set: ["heading": "three"])
        try manager.updateSchema(for: [RenamedEntry.self], allowing: .rewrites)
        let then = try #require(try manager.fetchOne(RenamedEntry.rows.asOf(first)))
        #expect(then.heading == "one")
        #expect(try manager.history(of: then).map { $0.after?.heading } == ["one", "two", "three"])
    }

    @Test("part when a column is dropped that the class's history has known, once no class has a history")
    func left() throws {
        let (manager, first) = try manager()
        try manager.updateSchema(for: [TitledEntry.self])
        let plan = try manager.schemaPlan(for: [TitledEntry.self], dropping: ["ENTRY.SIZE"])
        #expect(plan.description.contains("ENTRY_history, which no class has, is no longer kept"))
        try manager.apply(plan, allowing: .loses)
        try manager.insert(TitledEntry.self, values: ["title": "later"])
        #expect(try manager.count(TitledEntry.rows) == 2)
        let triggers = "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'ENTRY'"
        #expect(try manager.storedColumn(triggers) == [])
        #expect(try manager.fetchOne(ShortEntry.rows.asOf(first)) != nil)
    }

    @Test("part when the history is dropped, with all that belongs to it") func parted() throws {
        let (manager, _) = try manager()
        try manager.updateSchema(for: [TitledEntry.self], dropping: ["ENTRY_history"], allowing: .loses)
        #expect(try manager.storedColumn("SELECT name FROM sqlite_schema WHERE name LIKE 'ENTRY_history%'") == [])
        try manager.insert(TitledEntry.self, values: ["title": "later"])
        try manager.updateSchema(for: [Entry.self])
        #expect(try manager.count(Entry.rows.asOf(manager.lastNumber)) == 2)
    }

    @Test("are dropped together by a plan, too") func droppedByPlan() throws {
        let (manager, _) = try manager()
        let plan = try manager.schemaPlan(for: [PastFolder.self], dropping: ["ENTRY"])
        #expect(plan.description.contains("ENTRY_history"))
        try manager.apply(plan, allowing: .loses)
        #expect(try manager.storedColumn("SELECT name FROM sqlite_schema WHERE name LIKE 'ENTRY%'") == [])
        #expect(try manager.schemaPlan(for: [PastFolder.self]).notes.isEmpty)
    }

    @Test("keep a column that no class has until it is dropped") func dropped() throws {
        let (manager, _) = try manager()
        try manager.updateSchema(for: [ShortEntry.self])
        #expect(try manager.stored("SELECT SIZE FROM ENTRY_history") == .integer(1))
        let plan = try manager.schemaPlan(for: [ShortEntry.self], dropping: ["ENTRY.SIZE"])
        #expect(plan.risk == .loses)
        try manager.apply(plan, allowing: .loses)
        #expect(try manager.columnExists("SIZE", in: "ENTRY_history") == false)
        #expect(try manager.history(of: ShortEntry.self).map { $0.after?.title } == ["one", "two"])
    }

    @Test("keep what a value was that the new type can't hold") func unfit() throws {
        let (manager, first) = try manager()
        try manager.run("UPDATE ENTRY_history SET TITLE = 'x'; UPDATE ENTRY SET TITLE = '5'")
        try manager.updateSchema(for: [NumberEntry.self], allowing: .rewrites)
        #expect(try manager.stored("SELECT TITLE FROM ENTRY") == .integer(5))
        #expect(try manager.stored("SELECT TITLE FROM ENTRY_history WHERE _began = \(first)") == .text("x"))
    }

    @Test("of version 0.2.0, which had what there is now in the log, go on") func oldLayout() throws {
        let (manager, first) = try manager()
        try manager.createTableIfNecessary(for: PastSeat.self)
        let (last, count) = (try manager.lastNumber, try manager.history(of: Entry.self).count)
        for sql: SQL in [
            "ALTER TABLE history_transactions DROP COLUMN reverses",
            "INSERT INTO ENTRY_history (_began, ID) SELECT _began, ID FROM ENTRY_history_current",
            "DROP TABLE ENTRY_history_current", "DROP TABLE SEAT_history_current",
        ] {
            try manager.run(sql.sql)
        }
        try manager.updateSchema(for: [Entry.self, PastSeat.self, PastFolder.self])
        #expect(try manager.schemaPlan(for: [Entry.self, PastSeat.self, PastFolder.self]).isEmpty)
        #expect(try manager.lastNumber == last)
        #expect(try manager.history(of: Entry.self).count == count)
        #expect(try manager.fetchOne(Entry.rows.asOf(first))?.title == "one")
        let undo = try UndoHistory(of: [Entry.self], in: manager)
        try manager.deleteAll(Entry.self)
        try undo.undo()
        #expect(try manager.historyTransactions().last?.reverses == last + 1)
    }

    @Test("agree again after triggers were missing") func missing() throws {
        let (manager, first) = try manager()
        try manager.run(
            "DROP TRIGGER ENTRY_history_after_delete; DROP TRIGGER ENTRY_history_after_insert; DELETE FROM ENTRY;"
                + "INSERT INTO ENTRY (ID, TITLE, SIZE) VALUES (8, 'eight', 8)")
        try manager.updateSchema(for: [Entry.self])
        #expect(try manager.count(Entry.rows.asOf(manager.lastNumber)) == 1)
        #expect(try manager.fetchOne(Entry.rows.asOf(first))?.title == "one")
        try manager.deleteAll(Entry.self)
        #expect(try manager.count(Entry.rows.asOf(manager.lastNumber)) == 0)
    }

    @Test("say who wrote, on connections of their own and in other processes", .local(.connection)) func others() throws
    {
        let directory = try TemporaryDirectory()
        let manager = try PersistenceManager(path: directory.path())
        try manager.createTableIfNecessary(for: Entry.self)
        let other = try PersistenceManager(path: directory.path())
        try manager.transaction("Mine", by: "ada") {
            try manager.transaction("Inner", by: nil) { try manager.insert(Entry.self, values: ["title": "a"]) }
        }
        try other.transaction("Yours", by: "bob") {
            try other.execute("UPDATE ENTRY SET TITLE = 'b'")
            try other.execute("UPDATE ENTRY SET TITLE = 'c'")
        }
        try manager.transaction("Nothing") { _ = try manager.fetchAll(Entry.self) }
        // Plain SQLite, without anything of the library.
        let plain = try ChildProcess.run([
            "python3", "-c",
            """
            import sqlite3, sys
            db = sqlite3.connect(sys.argv[1])
            db.execute("INSERT OR REPLACE INTO ENTRY (ID, TITLE, SIZE) VALUES (1, 'd', 1)")
            db.commit()
            """,
            directory.path(),
        ])
        try #require(plain.status == 0)
        let changes = try manager.history(of: Entry.self)
        #expect(changes.map { $0.after?.title } == ["a", "c", "d"])
        #expect(changes.map(\.name) == ["Mine", "Yours", nil] && changes.map(\.author) == ["ada", "bob", nil])
        #expect(try manager.stored("SELECT count(*) FROM history_transactions") == .integer(3))
    }

    @Test("cost nothing where there is no history", .local(.connection)) func nothing() throws {
        let manager = try memoryManager(PlainEntry.self)
        try manager.transaction { try manager.insert(PlainEntry.self, values: ["title": "a"]) }
        #expect(try manager.storedColumn("SELECT name FROM sqlite_schema WHERE name LIKE '%history%'") == [])
    }
}

private class AnyEntry: PersistingModel {
    var id: Int64?
    override class var tableName: String { "ENTRY" }
    override class var indexes: [Index] { [] }
}

private final class PlainEntry: AnyEntry {
    var title = ""
    var size = 0
}

private final class TitledEntry: AnyEntry {
    var title = ""
}

private final class Entry: AnyEntry {
    var title = ""
    var size = 0
    override class var history: History? { .values() }
    override class var indexes: [Index] { [Index("title")] }
}

private final class ShortEntry: AnyEntry {
    var title = ""
    override class var history: History? { .values() }
    override class var indexes: [Index] { [Index("title")] }
}

private final class NumberEntry: AnyEntry {
    var title = 0
    var size = 0
    override class var history: History? { .values() }
}

private final class BareRenamedEntry: PersistingModel {
    var id: Int64?
    var heading = ""
    override class var tableName: String { "RENAMED_ENTRY" }
    override class var formerTableNames: [String] { ["ENTRY"] }
    override class var columns: Columns {
        var columns = super.columns
        columns["HEADING"] = .string.formerly("TITLE")
        return columns
    }
}

private final class PartlyKept: PersistingModel {
    var id: Int64?
    var title = ""
    var body: String?
    override class var history: History? { .values(except: ["body"]) }
}

private final class RenamedEntry: PersistingModel {
    var id: Int64?
    var heading = ""
    var size = ""
    var more = 7
    override class var formerTableNames: [String] { ["ENTRY"] }
    override class var history: History? { .values() }
    override class var columns: Columns {
        var columns = super.columns
        columns["HEADING"] = .string.formerly("TITLE")
        return columns
    }
    override class var indexes: [Index] { [Index("heading")] }
}
