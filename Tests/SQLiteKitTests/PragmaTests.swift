import Foundation
import SQLiteKit
import Testing

@Suite("Pragmas, checks and query plans")
struct PragmaTests {
    private let directory: TemporaryDirectory
    private let db: Database

    init() throws {
        directory = try TemporaryDirectory()
        db = try memory("CREATE TABLE t (id INTEGER PRIMARY KEY, a); CREATE INDEX t_a ON t (a)")
    }

    // K35
    @Test("a pragma is read as a type, and set")
    func pragma() throws {
        try db.setPragma("cache_size", to: -1234)
        #expect(try db.pragma("cache_size", as: Int.self) == -1234)
        #expect(try db.pragma("encoding", as: String.self) == "UTF-8")
        try db.setPragma("temp_store", to: "memory")
        #expect(try db.pragma("temp_store", as: Int.self) == 2)
        #expect(try db.pragma("no_such_pragma", as: Int.self) == nil)
        #expect(failure { try db.pragma("encoding", as: Int.self) }?.extendedCode == .typeMismatch)
    }

    // K35
    @Test("a pragma of an attached database is asked by its name")
    func pragmaOfDatabase() throws {
        try db.attach(.memory, as: "an \"other")
        try db.setPragma("user_version", of: "an \"other", to: 9)
        #expect(try db.pragma("user_version", of: "an \"other", as: Int.self) == 9)
        #expect(try db.pragma("user_version", as: Int.self) == 0)
        #expect(failure { try db.pragma("user_version", of: "nowhere", as: Int.self) }?.code == .error)
    }

    // K35
    @Test("neither name nor value of a pragma can be more SQL")
    func injection() throws {
        #expect(try db.pragma("user_version; DROP TABLE t", as: Int.self) == nil)
        try db.setPragma("user_version", to: "1; DROP TABLE t; --'")
        try db.setPragma("user_version = 1; DROP TABLE t; --", to: 1)
        #expect(try db.scalar("SELECT count(*) FROM t", as: Int.self) == 0)
        #expect(try db.userVersion == 1)
        #expect(failure { try db.pragma("user_version\0", as: Int.self) }?.code == .error)
        #expect(failure { try db.setPragma("user_version", to: "a\0b") }?.code == .error)
        #expect(try db.userVersion == 1)
    }

    // K35
    @Test(
        "a pragma takes a finite number or a text",
        arguments: [.null, .blob(Data([1])), .real(.infinity), .real(.nan)] as [SQLiteValue])
    func pragmaValue(_ value: SQLiteValue) throws {
        #expect(failure { try db.setPragma("user_version", to: value) }?.extendedCode == .typeMismatch)
    }

    // K35
    @Test("the user version is kept, and undone with its transaction", arguments: [Int32.min, -1, 0, 7, Int32.max])
    func userVersion(_ version: Int32) throws {
        try db.setUserVersion(version)
        #expect(try db.userVersion == version)
        #expect(throws: TestError.self) {
            try db.transaction {
                try db.setUserVersion(5)
                throw TestError()
            }
        }
        #expect(try db.userVersion == version)
    }

    // K35
    @Test("a read sets no user version")
    func userVersionInRead() throws {
        let queue = try DatabaseQueue(.memory)
        let error = try queue.read { db in failure { try db.setUserVersion(1) } }
        #expect(error?.code == .readOnly)
    }

    // K35
    @Test("the application id is a number or four characters")
    func applicationID() throws {
        #expect(try db.applicationID.rawValue == 0)
        try db.setApplicationID(ApplicationID("Albm"))
        #expect(try db.applicationID.characters == "Albm")
        #expect(try db.applicationID.rawValue == 0x416C_626D)
        #expect(try db.applicationID.description == "Albm")
        try db.setApplicationID(ApplicationID(rawValue: -2))
        #expect(try db.applicationID == ApplicationID(rawValue: -2))
        #expect(try db.applicationID.characters == nil)
        #expect(try db.applicationID.description == "-2")
    }

    // K35
    @Test("any other text isn't an application id", arguments: ["", "abc", "abcde", "äb", "äbc", "\u{1F600}"])
    func noApplicationID(_ text: String) {
        #expect(failure { try ApplicationID(text) }?.extendedCode == .typeMismatch)
    }

    // K36
    @Test("the journal mode is read and changed, and what is unavailable throws")
    func journalMode() throws {
        let file = try Database(directory.file())
        #expect(try file.journalMode == .wal)
        try file.setJournalMode(.delete)
        #expect(try file.journalMode == .delete)
        try file.setJournalMode(JournalMode(rawValue: "WAL"))
        #expect(try file.journalMode == .wal)
        #expect(try db.journalMode == .memory)
        #expect(failure { try db.setJournalMode(.wal) }?.message.contains("wal isn't available; it is memory") == true)
        #expect(failure { try file.setJournalMode(JournalMode(rawValue: "nonsense")) }?.code == .error)
        let error = failure { try file.transaction { try file.setJournalMode(.delete) } }
        #expect(error?.message.contains("within a transaction") == true)
        #expect(try file.journalMode == .wal)
    }

    // K35
    @Test("a sound database passes the check, and optimizing does it no harm")
    func integrity() throws {
        try db.optimize()
        #expect(try db.integrityCheck() == [])
        #expect(try db.integrityCheck(of: "main", isQuick: true, limit: 1) == [])
        #expect(failure { try db.integrityCheck(of: "nowhere") }?.message.contains("nowhere") == true)
    }

    // K35
    @Test("a read can check")
    func checksInRead() throws {
        let queue = try DatabaseQueue(.memory)
        try queue.write { db in try db.execute("CREATE TABLE t (a)") }
        let wrong = try queue.read { db in
            (try db.integrityCheck(), try db.foreignKeyCheck(), try db.foreignKeyCheck("t"))
        }
        #expect(wrong.0.isEmpty && wrong.1.isEmpty && wrong.2.isEmpty)
    }

    // K35
    @Test("what is wrong is said, up to a limit")
    func corrupt() throws {
        try db.executeScript(
            """
            INSERT INTO t (a) VALUES (1), (2), (3), (4); PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE INDEX t_a ON t (a + 1)' WHERE name = 't_a'
            """)
        try db.setPragma("schema_version", to: .integer(99))
        let all = try db.integrityCheck()
        #expect(!all.isEmpty)
        #expect(all != ["ok"])
    }

    // K35
    @Test("a limit below 1 still finds that something is wrong", arguments: [0, -1, Int.min])
    func limit(_ limit: Int) throws {
        try db.executeScript("CREATE TABLE n (a); INSERT INTO n VALUES (NULL); PRAGMA writable_schema = ON")
        try db.execute("UPDATE sqlite_schema SET sql = 'CREATE TABLE n (a NOT NULL)' WHERE name = 'n'")
        try db.setPragma("schema_version", to: .integer(99))
        #expect(try db.integrityCheck(limit: limit).count == 1)
        #expect(try db.integrityCheck().first?.contains("n.a") == true)
    }

    // K35
    @Test("rows without parents are found, with the columns of their keys")
    func foreignKeys() throws {
        try db.executeScript(
            """
            PRAGMA foreign_keys = OFF;
            CREATE TABLE "ein ""c" (x, y REFERENCES t, z, FOREIGN KEY (z, x) REFERENCES p (b, a));
            CREATE TABLE p (a, b, UNIQUE (b, a)); CREATE TABLE w (k PRIMARY KEY, r REFERENCES t) WITHOUT ROWID;
            INSERT INTO "ein ""c" VALUES (1, 5, 2), (NULL, NULL, NULL), (1, NULL, 3); INSERT INTO w VALUES (1, 9)
            """)
        let violations = try db.foreignKeyCheck()
        #expect(violations.filter { $0.table == "w" }.map(\.rowID) == [nil])
        #expect(violations.filter { $0.table == "w" }.map(\.columns) == [["r"]])
        let own = try db.foreignKeyCheck("EIN \"c")
        #expect(own.filter { $0.parent == "t" }.map(\.rowID) == [1])
        #expect(own.filter { $0.parent == "t" }.map(\.columns) == [["y"]])
        #expect(own.filter { $0.parent == "p" }.map(\.rowID) == [1, 3])
        #expect(own.filter { $0.parent == "p" }.allSatisfy { $0.columns == ["z", "x"] })
        let keys = try #require(try db.table("ein \"c")?.foreignKeys)
        #expect(
            own.allSatisfy { violation in keys.first { $0.id == violation.foreignKeyID }?.columns == violation.columns }
        )
        #expect(violations.count == 4)
    }

    // K35
    @Test("a table that is not there, and a key that is none, are errors")
    func foreignKeyErrors() throws {
        #expect(failure { try db.foreignKeyCheck("nope") }?.message.contains("main.nope") == true)
        #expect(failure { try db.foreignKeyCheck(of: "nowhere") }?.code == .error)
        #expect(try db.foreignKeyCheck() == [])
        try db.executeScript("CREATE TABLE c (x REFERENCES t (a)); PRAGMA foreign_keys = OFF; INSERT INTO c VALUES (1)")
        #expect(failure { try db.foreignKeyCheck() }?.message.contains("mismatch") == true)
    }

    // K46
    @Test("a query plan is a tree")
    func queryPlan() throws {
        let plan = try db.queryPlan(of: "SELECT * FROM t WHERE a IN (SELECT id FROM t WHERE id > \(3)) ORDER BY id")
        #expect(plan.nodes.count >= 2)
        let parent = try #require(plan.nodes.first { !$0.children.isEmpty })
        #expect(parent.children[0].detail.contains("t"))
        let lines = plan.description.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("  ") && !$0.hasPrefix("   ") })
        #expect(lines.first.map(String.init) == plan.nodes[0].detail)
    }

    // K46
    @Test("parameters need no values, and can have some")
    func queryPlanArguments() throws {
        #expect(try db.queryPlan(of: "SELECT * FROM t WHERE id = ? AND a = :a").nodes.count == 1)
        #expect(try db.queryPlan(of: "SELECT * FROM t WHERE id = ?", [1]).description.contains("SEARCH t"))
        #expect(
            failure { try db.queryPlan(of: "SELECT * FROM t WHERE id = ?", [1, 2]) }?.extendedCode == .argumentCount)
        let sql = "SELECT * FROM t"
        #expect(try db.queryPlan(of: SQL(sql)).nodes.map(\.children) == [[]])
    }

    // K46
    @Test("a statement is not run for its plan, and mistakes are found")
    func queryPlanRunsNothing() throws {
        try db.execute("INSERT INTO t VALUES (1, 1)")
        _ = try db.queryPlan(of: "DELETE FROM t WHERE id = 1")
        #expect(try db.scalar("SELECT count(*) FROM t", as: Int.self) == 1)
        #expect(try db.queryPlan(of: "CREATE TABLE x (a)").nodes == [])
        #expect(failure { try db.queryPlan(of: "SELECT nope FROM t") }?.code == .error)
        #expect(failure { try db.queryPlan(of: "") }?.code == .error)
        #expect(failure { try db.queryPlan(of: "SELECT 1; SELECT 2") }?.extendedCode == .severalStatements)
        let queue = try DatabaseQueue(.memory)
        try queue.write { db in try db.execute("CREATE TABLE t (a)") }
        let plan = try queue.read { db in try db.queryPlan(of: "DELETE FROM t WHERE a = 1") }
        #expect(plan.description == "SCAN t")
    }
}
