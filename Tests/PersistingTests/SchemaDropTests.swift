import Foundation
import Persisting
import Testing

private final class Chore: PersistingModel {
    var id: Int64?
    var note = ""

    override class var history: History? { .values() }
}

private final class NumberedChore: PersistingModel {
    var id: Int64?
    var note = 0
    override class var tableName: String { "CHORE" }
}

private final class Jot: PersistingModel {
    var id: Int64?
    var title = ""
    override class var tableName: String { "NOTE" }
}

private final class Mailbox: PersistingModel {
    struct Settings: Codable, Equatable { var email: String? }
    var id: Int64?
    var settings = Settings()
    override class var columns: Columns {
        var columns = super.columns
        columns["SETTINGS"] = .json
        return columns
    }
    override class var indexes: [Index] { [.unique(\Mailbox.settings.email)] }
}

private final class Heading: PersistingModel {
    var id: Int64?
    var title = ""
    var slug = ""
    override class var columns: Columns {
        var columns = super.columns
        columns["SLUG"] = .string.generated(as: "lower(TITLE)")
        return columns
    }
    override class var indexes: [Index] { [.unique("slug")] }
}

private final class Coded: PersistingModel {
    var code = ""
    var name = ""
    override class var primaryKey: PrimaryKey { .assigned("code") }
    override class var tableName: String { "ARTICLE" }
    override class var history: History? { .values() }
}

private final class Numbered: PersistingModel {
    var id: Int64?
    var code = ""
    var name = ""
    override class var tableName: String { "ARTICLE" }
    override class var history: History? { .values() }
}

// F116
@Suite("What goes with a column or a table that is dropped, and what stays") struct SchemaDropTests {
    @Test("indexes, keys and CHECKs whose text has the column's name otherwise stay")
    func column() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE NOTE (ID INTEGER PRIMARY KEY, NOTE TEXT, KIND TEXT, PARENT_ID INT,
                    CHECK (KIND IN ('a', 'NOTE')), FOREIGN KEY (PARENT_ID) REFERENCES NOTE (ID));
                CREATE UNIQUE INDEX NOTE_KIND ON NOTE (KIND);
                CREATE INDEX NOTE_TEXT ON NOTE (upper(NOTE)); CREATE INDEX NOTE_PART ON NOTE (KIND) WHERE NOTE > ''
                """)
        try manager.alterTable("NOTE") { $0.drop("NOTE") }
        let indexes = try manager.storedColumn(
            "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
        #expect(indexes == ["NOTE_KIND"])
        let sql = try manager.tableSQL("NOTE")
        #expect(sql?.contains("CHECK") == true && sql?.contains("REFERENCES") == true)
    }

    @Test("a table that is dropped leaves the histories and triggers that only have a column of its name")
    func table() throws {
        let manager = try memoryManager(Chore.self)
        try manager.run(
            """
            CREATE TABLE NOTE (ID INTEGER PRIMARY KEY); CREATE TABLE LOG (TEXT);
            CREATE TRIGGER KEEPS AFTER UPDATE ON CHORE BEGIN INSERT INTO LOG VALUES (old.NOTE); END;
            CREATE TRIGGER GOES AFTER UPDATE ON CHORE BEGIN DELETE FROM NOTE; END
            """)
        let plan = try manager.updateSchema(for: [Chore.self], dropping: ["NOTE"], allowing: .loses)
        #expect(plan.steps.last?.reason.contains("the trigger GOES of CHORE") == true)
        let chore = Chore()
        chore.note = "a"
        try manager.insert(chore)
        chore.note = "b"
        try manager.save(chore)
        #expect(try manager.storedColumn("SELECT TEXT FROM LOG") == ["a"])
        #expect(try manager.history(of: chore).count == 2)
    }

    @Test(
        "a plan is stale when the table has got an index or a trigger since", .local(.connection),
        arguments: [
            "CREATE UNIQUE INDEX ONE ON NOTE (TITLE)",
            "CREATE TRIGGER ONE AFTER INSERT ON NOTE BEGIN SELECT 1; END",
        ])
    func stale(_ sql: String) throws {
        let manager = try memoryManager(script: "CREATE TABLE NOTE (ID INTEGER PRIMARY KEY, TITLE INT)")
        let plan = try manager.schemaPlan(for: [Jot.self])
        try manager.run(sql)
        #expect(failure { try manager.apply(plan, allowing: .rewrites) }?.code == .stalePlan)
    }

    @Test("a unique index of a value inside JSON comes to an existing table, unless rows have the same")
    func json() throws {
        let script = """
            CREATE TABLE MAILBOX (ID INTEGER PRIMARY KEY, SETTINGS TEXT NOT NULL);
            INSERT INTO MAILBOX (SETTINGS) VALUES ('{"email":"a"}'), ('{"email":"b"}'), ('{}'), ('{}')
            """
        let manager = try memoryManager(script: script)
        try manager.updateSchema(for: [Mailbox.self])
        let box = Mailbox()
        box.settings.email = "a"
        #expect(failure { try manager.insert(box) }?.code == .constraint)
        let other = try memoryManager(script: script + #", ('{"email":"a"}')"#)
        #expect(failure { try other.updateSchema(for: [Mailbox.self]) }?.code == .unfitRows)
    }

    @Test("a generated column gets a unique index, unless rows have the same")
    func generated() throws {
        let script = """
            CREATE TABLE HEADING (ID INTEGER PRIMARY KEY, TITLE TEXT NOT NULL,
                SLUG TEXT GENERATED ALWAYS AS (lower(TITLE)));
            INSERT INTO HEADING (TITLE) VALUES ('A'), ('b')
            """
        try memoryManager(script: script).updateSchema(for: [Heading.self])
        let manager = try memoryManager(script: script + ", ('a')")
        #expect(failure { try manager.updateSchema(for: [Heading.self]) }?.code == .unfitRows)
    }

    @Test("a history starts again where its table gets another key, if that is allowed")
    func historyOfOtherKey() throws {
        let manager = try memoryManager(Coded.self)
        for code in ["b", "a"] { try manager.insert(Coded.self, values: ["code": code, "name": "x"]) }
        #expect(failure { try manager.updateSchema(for: [Numbered.self], allowing: .rewrites) }?.code == .unsafePlan)
        try manager.updateSchema(for: [Numbered.self], allowing: .loses)
        let all = try manager.fetchAll(Numbered.self)
        #expect(Set(all.map(\.code)) == ["a", "b"])
        for one in all { #expect(try manager.history(of: one).isEmpty) }
    }

    @Test("a history of a column that SQL has renamed isn't altered, and the error says how to go on")
    func renamedBySQL() throws {
        let manager = try memoryManager(Chore.self)
        try manager.run("ALTER TABLE CHORE RENAME COLUMN NOTE TO TEXT")
        let error = failure { try manager.alterTable("CHORE") { $0.add("X", .string) } }
        #expect(error?.code == .schemaMismatch && error?.message.contains("CHORE_history has the column NOTE") == true)
        try manager.run("ALTER TABLE CHORE RENAME COLUMN TEXT TO NOTE")
        try manager.alterTable("CHORE") { table in
            table.rename("NOTE", to: "TEXT")
            table.add("X", .string)
        }
        #expect(try manager.storedColumn("SELECT name FROM pragma_table_info('CHORE_history')").contains("TEXT"))
    }

    @Test("a trigger of a view that couldn't run any more is an error")
    func view() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE NOTE (ID INTEGER PRIMARY KEY, TITLE TEXT, BODY TEXT);
                CREATE VIEW TITLES AS SELECT ID, TITLE FROM NOTE;
                CREATE TRIGGER WRITES INSTEAD OF INSERT ON TITLES BEGIN
                    INSERT INTO NOTE (TITLE, BODY) VALUES (new.TITLE, ''); END
                """)
        #expect(throws: SQLiteError.self) { try manager.alterTable("NOTE") { $0.drop("BODY") } }
        try manager.run("INSERT INTO TITLES (TITLE) VALUES ('a')")
        #expect(try manager.storedColumn("SELECT TITLE FROM NOTE") == ["a"])
    }

    @Test("two classes of a table whose column has two types are an error that names both")
    func contradiction() throws {
        let error = failure { try memoryManager().updateSchema(for: [Chore.self, NumberedChore.self]) }
        #expect(error?.code == .invalidModel && error?.key == "note")
        #expect(error?.message.contains("is that of Chore, too, whose column NOTE is TEXT") == true)
    }

    @Test("orphans that a migration mends don't pay for those that it makes", .local(.foreignKeysOff))
    func orphans() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE P (ID INTEGER PRIMARY KEY); CREATE TABLE C (P INT REFERENCES P);
                CREATE TABLE D (P INT REFERENCES P); PRAGMA foreign_keys = OFF;
                INSERT INTO C VALUES (1), (2), (3); PRAGMA foreign_keys = ON
                """)
        let migration = Migration(1) { manager in
            try manager.execute("DELETE FROM C")
            try manager.execute("INSERT INTO D VALUES (9)")
        }
        #expect(throws: PersistenceError.self) { try manager.migrate([migration]) }
        #expect(try manager.storedColumn("SELECT P FROM D").isEmpty)
    }
}
