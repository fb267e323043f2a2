import Foundation
import Persisting
import Testing

private final class Worker: PersistingModel {
    var id: Int64?
    var name = ""
}

private final class Gig: PersistingModel {
    var id: Int64?
    var day = Date(timeIntervalSince1970: 1_000_000)
}

private final class WorkerWithBoss: PersistingModel {
    var id: Int64?
    var name = ""
    var badge = ""
    var boss: Int64?
    override class var tableName: String { "WORKER" }
    override class var columns: Columns {
        var columns = super.columns
        columns["BADGE"] = .string.unique
        columns["BOSS"] = .int.references(Worker.self)
        return columns
    }
}

// F116
@Suite("A table changed by hand") struct AlterTableTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(
            script: """
                CREATE TABLE USER (ID INTEGER PRIMARY KEY, NAME TEXT, AGE INT, SCORE TEXT, UNIQUE (AGE, NAME));
                INSERT INTO USER VALUES (1, 'a', 40, '1.5'), (2, 'b', 50, NULL);
                CREATE VIEW NAMES AS SELECT NAME FROM USER
                """)
    }

    @Test("A column can't have the name of another")
    func takenName() throws {
        let manager = try memoryManager(script: "CREATE TABLE PAIR (ID INTEGER PRIMARY KEY, A TEXT, B TEXT)")
        try manager.execute("INSERT INTO PAIR (A, B) VALUES ('a', 'b')")
        let error = failure {
            try manager.alterTable("PAIR") { table in
                table.rename("A", to: "B")
                table.rename("B", to: "A")
            }
        }
        #expect(error?.message.contains("there is a column B already") == true)
        try manager.alterTable("PAIR") { table in
            table.rename("A", to: "C")
            table.rename("B", to: "A")
            table.rename("C", to: "B")
            table.rename("B", to: "b")
        }
        #expect(try manager.storedColumn("SELECT A FROM PAIR") == ["b"])
    }

    @Test("renames, drops, changes and adds in one transaction")
    func all() throws {
        let plan = try manager.alterTable("user") { table in
            table.rename("NAME", to: "TITLE")
            table.drop("AGE")
            table.change("SCORE", to: .double.notNull.default(0))
            table.add("NOTE", .string)
        }
        #expect(plan.risk == .loses)
        let rows = try manager.dictionaries("SELECT * FROM USER ORDER BY ID")
        #expect(
            rows == [
                ["ID": 1, "TITLE": "a", "SCORE": 1.5, "NOTE": nil], ["ID": 2, "TITLE": "b", "SCORE": 0.0, "NOTE": nil],
            ])
        #expect(try manager.storedColumn("SELECT * FROM NAMES") == ["a", "b"])
    }

    @Test("a read that is open doesn't bring back what was known of the table", .local(.connection))
    func openRead() throws {
        let directory = try TemporaryDirectory()
        let manager = try PersistenceManager(path: directory.path())
        try manager.run("CREATE TABLE GIG (ID INTEGER PRIMARY KEY, DAY TEXT)")
        try manager.run("INSERT INTO GIG (DAY) VALUES ('2024-01-01 10:00:00')")
        let isDone = DispatchSemaphore(value: 0)
        let thread = Thread {
            _ = try? manager.alterTable("GIG") { $0.change("DAY", to: .date) }
            isDone.signal()
        }
        let counts = try manager.read(.snapshot) { () throws -> [Int] in
            // What is read from here on is as it is now.
            let count = try manager.rowCount("GIG")
            thread.start()
            isDone.wait()
            return [count, try manager.fetchAll(Gig.self).count]
        }
        #expect(counts == [1, 1])
        try manager.insert(Gig())
        #expect(try manager.storedColumn("SELECT typeof(DAY) FROM GIG") == ["real", "real"])
    }

    @Test("knows names that come later, or that a rename frees")
    func order() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE USER (ID INTEGER PRIMARY KEY, NAME TEXT, AGE INT, SCORE TEXT);
                INSERT INTO USER VALUES (1, 'a', 40, '1.5'), (2, 'b', 50, NULL)
                """)
        try manager.alterTable("USER") { table in
            table.addIndex(on: "AGE")
            table.add("MAIL", .string.unique)
            table.rename("AGE", to: "YEARS")
            table.rename("MAIL", to: "POST")
            table.add("AGE", .int)
            table.change("SCORE", to: .string.check("YEARS > 0"))
            table.rename("NAME", to: "TITLE")
            table.drop("TITLE")
            table.rename(to: "user")
        }
        let columns = try manager.storedColumn("SELECT name FROM pragma_table_info('user') ORDER BY name")
        #expect(columns == ["AGE", "ID", "POST", "SCORE", "YEARS"])
        #expect(try manager.storedColumn("SELECT YEARS FROM user ORDER BY ID") == [40, 50])
        #expect(try manager.tableSQL("user")?.contains("CHECK (YEARS > 0)") == true)
        let indexed = try manager.storedColumn(
            """
            SELECT i.name FROM sqlite_schema AS s, pragma_index_info(s.name) AS i
            WHERE s.type = 'index' AND s.sql IS NOT NULL ORDER BY 1
            """)
        #expect(indexed == ["POST", "YEARS"])
        #expect(try manager.storedColumn("SELECT name FROM sqlite_schema WHERE type = 'table'") == ["user"])
    }

    @Test("is as it was after an error")
    func error() throws {
        let before = try manager.tableSQL("USER")
        let error = failure {
            try manager.alterTable("USER") { table in
                table.rename("NAME", to: "TITLE")
                table.change("SCORE", to: .int)
            }
        }
        #expect(error?.code == .unfitRows && error?.message.contains("(1)") == true)
        #expect(try manager.tableSQL("USER") == before)
    }

    @Test("throws rather than break a view")
    func view() throws {
        #expect(throws: SQLiteError.self) { try manager.alterTable("USER") { $0.drop("NAME") } }
        #expect(try manager.storedColumn("SELECT * FROM NAMES") == ["a", "b"])
    }

    @Test("rejects a column that isn't there, and a table that isn't")
    func unknown() throws {
        #expect(failure { try manager.alterTable("USER") { $0.drop("NOPE") } }?.code == .unknownKey)
        #expect(failure { try manager.alterTable("NOPE") { $0.drop("NAME") } }?.code == .noTable)
        #expect(failure { try manager.alterTable("NAMES") { $0.drop("NAME") } }?.code == .schemaMismatch)
    }

    @Test("rejects what no column can be, and that none is left")
    func impossible() throws {
        let key = failure { try manager.alterTable("USER") { $0.add("NUMBER", .int.autoincrement) } }
        #expect(key?.message.contains("only a table's primary key can be") == true)
        let none = failure {
            try manager.alterTable("USER") { table in for name in ["ID", "NAME", "AGE", "SCORE"] { table.drop(name) } }
        }
        #expect(none?.message.contains("all columns are dropped") == true)
        #expect(try manager.storedColumn("SELECT NAME FROM USER") == ["a", "b"])
    }

    @Test("gets a CHECK, an index and STRICT, and names the rows that break them")
    func constraints() throws {
        let error = failure { try manager.alterTable("USER") { $0.addCheck("AGE < \(50)") } }
        #expect(error?.message == "1 row of USER (2) fail CHECK (AGE < 50): change them first")
        try manager.alterTable("USER") { table in
            table.addCheck("AGE < 60")
            table.addIndex(on: "NAME", isUnique: true)
            table.makeStrict()
        }
        #expect(throws: SQLiteError.self) { try manager.execute("INSERT INTO USER (AGE) VALUES (60)") }
        #expect(throws: SQLiteError.self) { try manager.execute("INSERT INTO USER (NAME) VALUES ('a')") }
        #expect(try manager.tableSQL("USER")?.hasSuffix("STRICT") == true)
    }

    @Test("is changed by the asynchronous form as well")
    func asynchronous() async throws {
        try await manager.alterTable("USER") { $0.add("NOTE", .string.default("x")) }
        #expect(try manager.storedColumn("SELECT NOTE FROM USER") == ["x", "x"])
    }
}

// F49, F116
@Suite("Schemas at a program's start") struct UpdateSchemaTests {
    @Test("are created, brought up to date, and left alone")
    func life() throws {
        let manager = try PersistenceManager(.memory)
        #expect(try manager.updateSchema(for: [Worker.self]).steps.count == 1)
        #expect(try manager.updateSchema(for: [Worker.self]).isEmpty)
    }

    @Test("name the rows that are not unique, and those without a parent")
    func rows() throws {
        let manager = try memoryManager(Worker.self)
        try manager.execute("ALTER TABLE WORKER ADD COLUMN BADGE TEXT NOT NULL DEFAULT 'x'")
        try manager.execute("ALTER TABLE WORKER ADD COLUMN BOSS INTEGER")
        try manager.execute("INSERT INTO WORKER (NAME, BOSS) VALUES ('a', 2), ('b', 7), ('c', NULL)")
        let plan = try manager.schemaPlan(for: [WorkerWithBoss.self])
        #expect(
            plan.obstacles.map(\.message) == [
                "3 rows of WORKER (1, 2, 3) have the same BADGE, which is to be UNIQUE: change them first",
                "1 row of WORKER (2) refer by BOSS to no row of worker: correct them first",
            ])
    }

    @Test("are updated once by programs that start at once")
    func twice() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    let manager = try PersistenceManager(path: path)
                    try await manager.updateSchema(for: [Worker.self])
                }
            }
            try await group.waitForAll()
        }
        let plan = try await PersistenceManager(path: path).schemaPlan(for: [Worker.self])
        #expect(plan.isEmpty)
    }

    @Test("of a read-only file with nothing to do are fine, and with something are an error")
    func readOnly() throws {
        let directory = try TemporaryDirectory()
        let first = try PersistenceManager(path: directory.path())
        try first.updateSchema(for: [Worker.self])
        try first.close()
        var configuration = DatabaseConfiguration()
        configuration.openMode = .readOnly
        let manager = try PersistenceManager(path: directory.path(), configuration: configuration)
        #expect(try manager.updateSchema(for: [Worker.self]).isEmpty)
        #expect(throws: SQLiteError.self) { try manager.updateSchema(for: [WorkerWithBoss.self]) }
    }
}
