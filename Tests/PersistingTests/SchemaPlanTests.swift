import Foundation
import Persisting
import Testing

private final class First: PersistingModel {
    var id: Int64?
    var name = ""
    var score: String?
    override class var tableName: String { "PERSON" }
}

/// A column more, one renamed, one of another type, an index.
private final class Second: PersistingModel {
    var id: Int64?
    var title = ""
    var score: Int?
    var email: String?
    override class var tableName: String { "PERSON" }
    override class var columns: Columns {
        var columns = super.columns
        columns["TITLE"] = .string.formerly("NAME")
        columns["EMAIL"] = .string.unique
        return columns
    }
    override class var indexes: [Index] { [Index("title")] }
}

private final class Renamed: PersistingModel {
    var id: Int64?
    var name = ""
    var score: String?
    override class var tableName: String { "HUMAN" }
    override class var formerTableNames: [String] { ["PERSON"] }
}

private final class Pet: PersistingModel {
    var id: Int64?
    var ownerID: Int64?
    override class var columns: Columns {
        ["ID": .int, "OWNER_ID": .int.references(First.self, onDelete: .cascade)]
    }
}

private final class Nicknamed: PersistingModel {
    var id: Int64?
    var name = ""
    var score: String?
    var created = Date(timeIntervalSince1970: 0)
    override class var tableName: String { "PERSON" }
}

private final class Strict: PersistingModel {
    var id: Int64?
    var name = ""
    var score: String?
    override class var tableName: String { "PERSON" }
    override class var tableOptions: TableOptions { .strict }
    override class var columns: Columns {
        var columns = super.columns
        columns["NAME"] = .string.check("NAME <> 'x'").collate(.nocase)
        return columns
    }
}

private final class Counted: PersistingModel {
    var id: Int64?
    override class var columns: Columns { ["ID": .int.autoincrement] }
}

private final class Thing: PersistingModel {
    var id: Int64?
    var number = 7
    var amount: Int?
    var size: Int?
    var made: Date?

    override class var columns: Columns {
        var columns = super.columns
        columns["MADE"] = .date.stored(as: .dateTime)
        return columns
    }
}

// F49, F116
private final class Coded: PersistingModel {
    var id: Int64?
    var code: String?
    var part: String?
    override class var columns: Columns {
        ["ID": .int, "CODE": .string.collate(.nocase).unique, "PART": .string.collate(.nocase)]
    }
    override class var indexes: [Index] { [.unique("part", "id"), .unique("part")] }
}

@Suite("A plan of tables and classes") struct SchemaPlanTests {
    private func manager(_ rows: String...) throws -> PersistenceManager {
        let manager = try memoryManager(First.self)
        for row in rows { try manager.execute("INSERT INTO PERSON (NAME, SCORE) VALUES \(sql: SQL(row))") }
        return manager
    }

    @Test(
        "rows that become equal by another collation are found in what is unique already",
        arguments: [
            "CODE TEXT UNIQUE, PART TEXT", "CODE TEXT, PART TEXT, UNIQUE (PART, CODE)",
            "CODE TEXT, PART TEXT); CREATE UNIQUE INDEX CODED_CODE ON CODED (CODE",
        ])
    func newCollationOfUnique(_ columns: String) throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE CODED (ID INTEGER PRIMARY KEY, \(columns));
                INSERT INTO CODED (CODE, PART) VALUES ('A', 'x'), ('a', 'x')
                """)
        let plan = try manager.schemaPlan(for: [Coded.self])
        #expect(plan.obstacles.first?.rows == 2)
        #expect(failure { try manager.apply(plan, allowing: .rewrites) }?.code == .unfitRows)
    }

    @Test("rows that become equal by another collation are found, where a column is to be unique, too")
    func newCollation() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE CODED (ID INTEGER PRIMARY KEY, CODE TEXT, PART TEXT);
                INSERT INTO CODED (CODE, PART) VALUES ('A', 'x'), ('a', 'X'), ('b', NULL)
                """)
        let plan = try manager.schemaPlan(for: [Coded.self])
        #expect(plan.obstacles.map(\.rows) == [2, 2])
        #expect(failure { try manager.apply(plan, allowing: .rewrites) }?.code == .unfitRows)
        try manager.execute("DELETE FROM CODED WHERE ID = 2")
        try manager.updateSchema(for: [Coded.self], allowing: .rewrites)
        #expect(try manager.count(Coded.where(\.code == "a")) == 1)
    }

    @Test("of an empty database creates the tables, parents first")
    func creation() throws {
        let manager = try PersistenceManager(.memory)
        let plan = try manager.schemaPlan(for: [Pet.self, First.self])
        #expect(plan.steps.map(\.table) == ["PERSON", "PET"])
        try manager.apply(plan)
        #expect(try manager.schemaPlan(for: [Pet.self, First.self]).isEmpty)
    }

    @Test("is empty where the tables have what the classes need")
    func nothing() throws {
        let manager = try manager("('a', '1')")
        let plan = try manager.schemaPlan(for: [First.self])
        #expect(plan.isEmpty && plan.notes.isEmpty && plan.risk == nil)
    }

    @Test("prints steps with their risk, rows, reasons and SQL")
    func description() throws {
        let manager = try manager("('a', '1')", "('b', '22')")
        #expect(
            try manager.schemaPlan(for: [Second.self]).description == """
                1. PERSON, rewrites, 2 rows: SCORE is declared TEXT, which has TEXT affinity, and Int? is stored as INTEGER; it has no column EMAIL
                       CREATE TABLE PERSON_new (
                           ID INTEGER PRIMARY KEY,
                           NAME TEXT NOT NULL DEFAULT '',
                           SCORE INTEGER,
                           EMAIL TEXT
                       )
                       INSERT INTO PERSON_new (ID, NAME, SCORE, EMAIL) SELECT ID, NAME, CAST(SCORE AS INTEGER), NULL FROM PERSON
                       DROP TABLE PERSON
                       PRAGMA legacy_alter_table = ON
                       ALTER TABLE PERSON_new RENAME TO PERSON
                       PRAGMA legacy_alter_table = OFF
                2. PERSON, adds, 0 rows: TITLE was called NAME
                       ALTER TABLE PERSON RENAME COLUMN NAME TO TITLE
                3. PERSON, adds, 2 rows: it has no unique index on EMAIL
                       CREATE UNIQUE INDEX PERSON_EMAIL_UNIQUE ON PERSON (EMAIL)
                4. PERSON, adds, 2 rows: it has no index on TITLE
                       CREATE INDEX PERSON_TITLE_INDEX ON PERSON (TITLE)
                """)
    }

    @Test("keeps values through renames and changes of type, and is empty afterwards")
    func values() throws {
        let manager = try manager("('a', '1')", "('b', NULL)")
        try manager.apply(manager.schemaPlan(for: [Second.self]), allowing: .rewrites)
        let people = try manager.fetchAll(Second.self, sortedBy: "id")
        #expect(people.map(\.title) == ["a", "b"] && people.map(\.score) == [1, nil])
        #expect(try manager.schemaPlan(for: [Second.self]).isEmpty)
    }

    @Test("that rewrites isn't applied unless that is allowed, and the error ends with the plan")
    func risk() throws {
        let manager = try manager("('a', '1')")
        let plan = try manager.schemaPlan(for: [Second.self])
        let error = failure { try manager.apply(plan) }
        #expect(error?.code == .unsafePlan && error?.message.hasSuffix(plan.description) == true)
        #expect(try manager.columnExists("NAME", in: "PERSON"))
    }

    @Test("gives a column of another type the class's default, and none where a property may be nil")
    func defaults() throws {
        // F49, F116
        let manager = try memoryManager(
            script: """
                CREATE TABLE THING (ID INTEGER PRIMARY KEY, NUMBER TEXT NOT NULL DEFAULT '', AMOUNT TEXT NOT NULL DEFAULT '',
                    SIZE INTEGER NOT NULL DEFAULT 3, MADE TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP);
                INSERT INTO THING (NUMBER, AMOUNT) VALUES ('1', '2')
                """)
        try manager.apply(try manager.schemaPlan(for: [Thing.self]), allowing: .rewrites)
        let other = try manager.insert(Thing.self, values: [:])
        #expect(other.number == 7 && other.amount == nil && other.size == nil && other.made != nil)
        try manager.execute("INSERT INTO THING (ID) VALUES (9)")
        #expect(try manager.find(Thing.self, 9)?.number == 7)
        #expect(try manager.schemaPlan(for: [Thing.self]).isEmpty)
    }

    @Test("makes a column of a property that may be nil now take NULL, and keeps its values") func madeOptional() throws
    {
        // F49, F116
        let manager = try memoryManager(
            script: "CREATE TABLE THING (ID INTEGER PRIMARY KEY, NUMBER INTEGER NOT NULL DEFAULT 7, AMOUNT INTEGER, "
                + "SIZE INTEGER NOT NULL DEFAULT 3, MADE TEXT); INSERT INTO THING (ID, AMOUNT) VALUES (1, 2)")
        try manager.apply(try manager.schemaPlan(for: [Thing.self]), allowing: .rewrites)
        let thing = try #require(try manager.find(Thing.self, 1))
        #expect(thing.size == 3)
        thing.size = nil
        try manager.save(thing)
        #expect(try manager.find(Thing.self, 1)?.size == nil)
    }

    @Test("names the rows whose values would not convert, before it touches any")
    func conversion() throws {
        let manager = try manager("('a', '1')", "('b', '007')", "('c', 'x')")
        let plan = try manager.schemaPlan(for: [Second.self])
        #expect(plan.obstacles.map(\.rows) == [2])
        #expect(
            plan.obstacles.first?.message.hasPrefix("2 rows of PERSON (2, 3) can't be converted to INTEGER") == true)
        #expect(failure { try manager.apply(plan, allowing: .loses) }?.code == .unfitRows)
        #expect(try manager.rowCount("PERSON") == 3)
    }

    @Test("finds rows that came to stand in the way after it was made")
    func later() throws {
        let manager = try manager("('a', '1')")
        let plan = try manager.schemaPlan(for: [Second.self])
        try manager.execute("INSERT INTO PERSON (SCORE) VALUES ('x')")
        #expect(failure { try manager.apply(plan, allowing: .rewrites) }?.code == .unfitRows)
    }

    @Test("that was made for other tables is stale")
    func stale() throws {
        let manager = try manager()
        let plan = try manager.schemaPlan(for: [Second.self])
        try manager.execute("ALTER TABLE PERSON ADD COLUMN OTHER TEXT")
        #expect(failure { try manager.apply(plan, allowing: .rewrites) }?.code == .stalePlan)
    }

    @Test("renames a table, with what refers to it")
    func tableRename() throws {
        let manager = try manager("('a', '1')")
        try manager.createTableIfNecessary(for: Pet.self)
        try manager.execute("INSERT INTO PET (OWNER_ID) VALUES (1)")
        let plan = try manager.schemaPlan(for: [Renamed.self])
        #expect(plan.steps.map(\.risk) == [.adds])
        try manager.apply(plan)
        #expect(try manager.fetchOne(Renamed.self)?.name == "a")
        #expect(try manager.tableSQL("PET")?.contains("HUMAN") == true)
        #expect(try manager.schemaPlan(for: [Renamed.self]).isEmpty)
    }

    @Test("of a column that is NOT NULL without a default says so, and names it")
    func notNull() throws {
        let manager = try manager("('a', '1')")
        let plan = try manager.schemaPlan(for: [Nicknamed.self])
        #expect(plan.obstacles.first?.message.contains("CREATED, which is NOT NULL: declare it .default(…)") == true)
        try manager.execute("DELETE FROM PERSON")
        try manager.apply(manager.schemaPlan(for: [Nicknamed.self]))
        #expect(try manager.schemaPlan(for: [Nicknamed.self]).isEmpty)
    }

    @Test("makes a table STRICT, with a CHECK and a collation")
    func strict() throws {
        let manager = try manager("('a', '1')")
        try manager.apply(manager.schemaPlan(for: [Strict.self]), allowing: .rewrites)
        #expect(try manager.tableSQL("PERSON")?.hasSuffix("STRICT") == true)
        #expect(
            try manager.columnSQL("NAME", in: "PERSON")
                == "NAME TEXT NOT NULL DEFAULT '' COLLATE NOCASE CHECK (NAME <> 'x')")
        #expect(try manager.schemaPlan(for: [Strict.self]).isEmpty)
    }

    @Test("names rows that break a new CHECK")
    func check() throws {
        let manager = try manager("('a', '1')", "('x', '1')")
        let plan = try manager.schemaPlan(for: [Strict.self])
        #expect(plan.obstacles.map(\.message) == ["1 row of PERSON (2) fail CHECK (NAME <> 'x'): change them first"])
    }

    @Test("keeps rows that refer to a table that is recreated, its views, triggers and indexes")
    func surroundings() throws {
        let manager = try manager("('a', '1')")
        try manager.createTableIfNecessary(for: Pet.self)
        try manager.execute("INSERT INTO PET (OWNER_ID) VALUES (1)")
        try manager.execute("CREATE VIEW NAMES AS SELECT NAME FROM PERSON")
        try manager.execute("CREATE INDEX MINE ON PERSON (NAME DESC)")
        try manager.execute(
            "CREATE TRIGGER HELLO AFTER INSERT ON PERSON BEGIN UPDATE PERSON SET SCORE = 7 WHERE ID = new.ID; END")
        try manager.apply(manager.schemaPlan(for: [Second.self]), allowing: .rewrites)
        #expect(try manager.rowCount("PET") == 1)
        #expect(try manager.storedColumn("SELECT * FROM NAMES") == ["a"])
        let person = try manager.insert(Second.self, values: ["title": "b"])
        #expect(try manager.find(Second.self, person.id)?.score == 7)
        #expect(try manager.stored("SELECT count(*) FROM sqlite_schema WHERE name = 'MINE'") == 1)
        #expect(try manager.stored("PRAGMA foreign_keys") == 1)
    }

    @Test("doesn't note the index of a property that became unique")
    func uniqueIndex() throws {
        let manager = try manager("('a', '1')")
        try manager.updateSchema(for: [Second.self], allowing: .rewrites)
        #expect(try manager.storedColumn("SELECT name FROM sqlite_schema WHERE name LIKE '%UNIQUE'").count == 1)
        #expect(try manager.schemaPlan(for: [Second.self]).notes.isEmpty)
    }

    @Test("notes what no class has, and drops it when it is named")
    func dropping() throws {
        let manager = try manager("('a', '1')")
        try manager.execute("ALTER TABLE PERSON ADD COLUMN OTHER TEXT")
        try manager.execute("CREATE INDEX BY_OTHER ON PERSON (OTHER)")
        try manager.execute("CREATE TABLE OLD (X)")
        let plan = try manager.schemaPlan(for: [First.self])
        #expect(plan.isEmpty && plan.notes.map(\.name) == ["PERSON.OTHER", "BY_OTHER", "OLD"])
        let lossy = try manager.schemaPlan(for: [First.self], dropping: ["person.other", "OLD"])
        #expect(lossy.steps.map(\.risk) == [.loses, .loses])
        try manager.apply(lossy, allowing: .loses)
        #expect(try !manager.columnExists("OTHER", in: "PERSON") && !manager.tableExists("OLD"))
        #expect(try manager.fetchOne(First.self)?.name == "a")
    }

    @Test(
        "is empty for a table with the same columns in another order, and notes the others",
        arguments: [
            ("SCORE TEXT, NAME TEXT NOT NULL DEFAULT '', ID INTEGER PRIMARY KEY", true, []),
            (
                "ID INTEGER PRIMARY KEY, NAME TEXT NOT NULL DEFAULT '', SCORE TEXT, \"a,)\" TEXT DEFAULT '(,'", true,
                ["a,)"]
            ),
            ("ID INTEGER PRIMARY KEY, NAME TEXT NOT NULL DEFAULT '', [b(] INT UNIQUE, SCORE TEXT", true, ["b("]),
            ("ID INTEGER PRIMARY KEY, NAME TEXT NOT NULL DEFAULT '', SCORE TEXT -- , OTHER TEXT\n", true, []),
            ("ID INTEGER PRIMARY KEY, NAME TEXT NOT NULL DEFAULT '', SCORE TEXT, CHECK (SCORE <> ',')", true, []),
            ("ID INTEGER, NAME TEXT NOT NULL DEFAULT '', SCORE TEXT, C INTEGER PRIMARY KEY", false, ["C"]),
            ("ID INTEGER PRIMARY KEY, NAME TEXT NOT NULL DEFAULT '', SCORE INTEGER, C TEXT", false, ["C"]),
            ("ID INTEGER PRIMARY KEY, NAME TEXT NOT NULL DEFAULT '', C TEXT", false, ["C"]),
        ] as [(String, Bool, [String])])
    func altered(_ columns: String, isEmpty: Bool, others: [String]) throws {
        let manager = try PersistenceManager(.memory)
        try manager.execute(SQL("CREATE TABLE PERSON (" + columns + ")"))
        let plan = try manager.schemaPlan(for: [First.self])
        #expect(plan.isEmpty == isEmpty)
        #expect(plan.notes.map(\.name) == others.map { "PERSON.\($0)" })
    }

    @Test("leaves what a virtual table keeps alone, and drops a table that is only called so")
    func shadows() throws {
        let manager = try manager("('a', '1')")
        try manager.execute("CREATE VIRTUAL TABLE DOCS USING fts5(TEXT)")
        try manager.execute("CREATE TABLE DOCS_META (A)")
        #expect(try manager.schemaPlan(for: [First.self]).notes.map(\.name) == ["DOCS_META"])
        let plan = try manager.schemaPlan(for: [First.self], dropping: ["DOCS_META"])
        try manager.apply(plan, allowing: .loses)
        #expect(try !manager.tableExists("DOCS_META"))
        try manager.execute("INSERT INTO DOCS VALUES ('x')")
    }

    @Test("of a table that others refer to throws inside a transaction, and runs in a migration")
    func transaction() throws {
        let manager = try manager("('a', '1')")
        try manager.createTableIfNecessary(for: Pet.self)
        try manager.execute("INSERT INTO PET (OWNER_ID) VALUES (1)")
        let plan = try manager.schemaPlan(for: [Second.self])
        #expect(throws: SQLiteError.self) {
            try manager.transaction { try manager.apply(plan, allowing: .rewrites) }
        }
        try manager.migrate([Migration(1) { try $0.apply(plan, allowing: .rewrites) }])
        #expect(try manager.rowCount("PET") == 1)
        #expect(try manager.schemaPlan(for: [Second.self]).isEmpty)
    }

    @Test("makes a backup first when asked")
    func backup() throws {
        let directory = try TemporaryDirectory()
        let manager = try PersistenceManager(path: directory.path())
        try manager.createTableIfNecessary(for: First.self)
        try manager.apply(
            manager.schemaPlan(for: [Second.self]), allowing: .rewrites, backup: directory.path("copy.sqlite"))
        #expect(try PersistenceManager(path: directory.path("copy.sqlite")).schemaPlan(for: [First.self]).isEmpty)
    }

    @Test("has made its backup before its transaction begins")
    func backupFirst() throws {
        let directory = try TemporaryDirectory()
        let copy = directory.path("copy.sqlite")
        let copies = Shared<[Bool]>([])
        var configuration = DatabaseConfiguration()
        configuration.trace = Trace { event in
            guard event.sql.hasPrefix("BEGIN") else { return }
            copies.change { $0.append((try? Data(contentsOf: URL(filePath: copy)))?.isEmpty == false) }
        }
        let manager = try PersistenceManager(path: directory.path(), configuration: configuration)
        try manager.createTableIfNecessary(for: First.self)
        copies.change { $0 = [] }
        try manager.apply(manager.schemaPlan(for: [Second.self]), allowing: .rewrites, backup: copy)
        #expect(copies.value == [true])
    }

    @Test("leaves the backup when it fails, with what was there before")
    func backupOfFailure() throws {
        let directory = try TemporaryDirectory()
        let manager = try PersistenceManager(path: directory.path())
        try manager.createTableIfNecessary(for: First.self)
        let plan = try manager.schemaPlan(for: [Second.self])
        try manager.execute("INSERT INTO PERSON (NAME, SCORE) VALUES ('a', 'x')")
        let error = failure { try manager.apply(plan, allowing: .rewrites, backup: directory.path("copy.sqlite")) }
        #expect(error?.code == .unfitRows)
        let copy = try PersistenceManager(path: directory.path("copy.sqlite"))
        #expect(try copy.fetchAll(First.self).map(\.name) == ["a"])
    }

    @Test("changes nothing when the backup can't be made")
    func backupThatFails() throws {
        let directory = try TemporaryDirectory()
        let manager = try PersistenceManager(path: directory.path())
        try manager.createTableIfNecessary(for: First.self)
        let plan = try manager.schemaPlan(for: [Second.self])
        #expect(throws: SQLiteError.self) {
            try manager.apply(plan, allowing: .rewrites, backup: directory.url.path())
        }
        #expect(try manager.schemaPlan(for: [Second.self]).steps == plan.steps)
    }

    @Test("declares AUTOINCREMENT, and keeps its sequence")
    func autoincrement() throws {
        // F45
        let manager = try PersistenceManager(.memory)
        try manager.execute("CREATE TABLE COUNTED (ID INTEGER PRIMARY KEY AUTOINCREMENT, A TEXT)")
        try manager.execute("INSERT INTO COUNTED VALUES (9, 'a')")
        try manager.execute("DELETE FROM COUNTED")
        let plan = try manager.schemaPlan(for: [Counted.self], dropping: ["COUNTED.A"])
        try manager.apply(plan, allowing: .loses)
        let counted = try manager.insert(Counted.self, values: [:])
        #expect(counted.id == 10)
        #expect(try Counted.schema().createTable.contains("ID INTEGER PRIMARY KEY AUTOINCREMENT"))
    }

    @Test("of a view in place of a table that lacks a column is an error")
    func view() throws {
        let manager = try memoryManager(script: "CREATE VIEW PERSON AS SELECT 1 AS ID")
        #expect(failure { try manager.schemaPlan(for: [First.self]) }?.code == .schemaMismatch)
    }
}
