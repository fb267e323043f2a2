import SQLiteKit
import Testing

@Suite("Scripts")
struct ScriptTests {
    // K3, FMDB: multi-statement
    @Test("a script runs all its statements")
    func all() throws {
        let db = try memory()
        try db.executeScript(
            """
            CREATE TABLE t (a); -- a comment; with a semicolon
            INSERT INTO t VALUES ('a;b');
            /* another; */ CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t WHERE a = 'x'; SELECT 1; END;
            SELECT * FROM t
            """)
        #expect(try db.column("SELECT a FROM t", as: String.self) == ["a;b"])
    }

    // K3, FMDB: empty SQL
    @Test("a script without a statement does nothing", arguments: ["", " ", ";;;", "-- x", "/* x */;\n;"])
    func empty(_ script: String) throws {
        #expect(failure { try memory().executeScript(script) } == nil)
    }

    // K3
    @Test("a mistake in a script is reported with its line")
    func mistake() throws {
        let db = try memory()
        let script = "CREATE TABLE t (a);\n\nINSERT INTO t VALUES (1);\nSELEC 2;\nSELECT 3"
        let error = failure { try db.executeScript(script) }
        #expect(error?.code == .error)
        #expect(error?.line == 4)
        #expect(error?.offset == 47)
        #expect(error?.sql == script)
    }

    // K3
    @Test("a statement of a script that fails is reported with its line")
    func failing() throws {
        let db = try memory()
        let script =
            "CREATE TABLE t (a UNIQUE);\nINSERT INTO t VALUES (1);\n-- x\n/* and\nagain */\n  INSERT INTO t VALUES (1);"
        let error = failure { try db.executeScript(script) }
        #expect(error?.isConstraint(.unique) == true)
        #expect(error?.line == 6)
    }

    // K3
    @Test("what ran before a failing statement stays")
    func stays() throws {
        let db = try memory()
        _ = failure {
            try db.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (1); nonsense; INSERT INTO t VALUES (2)")
        }
        #expect(try db.column("SELECT a FROM t", as: Int.self) == [1])
    }

    // K3
    @Test("a script with parameters is refused")
    func parameters() throws {
        let db = try memory("CREATE TABLE t (a)")
        #expect(failure { try db.executeScript("INSERT INTO t VALUES (?)") }?.extendedCode == .argumentCount)
    }

    // K3
    @Test("a script with a NUL is refused, and none of it runs")
    func nul() throws {
        let db = try memory()
        let error = failure { try db.executeScript("CREATE TABLE t (a);\n\0SELECT 1") }
        #expect(error?.code == .error)
        #expect(error?.line == 2)
        #expect(try db.scalar("SELECT count(*) FROM sqlite_schema", as: Int.self) == 0)
    }

    // K3
    @Test("the line of a mistake counts bytes, not characters")
    func nonASCII() throws {
        let db = try memory()
        let error = failure { try db.executeScript("SELECT 'größe';\nSELECT 'ü', nocol") }
        #expect(error?.line == 2)
        #expect(error?.offset == 31)
    }
}
