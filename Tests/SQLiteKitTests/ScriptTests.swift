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
        #expect(failure { try memory().executeScript(SQL(script)) } == nil)
    }

    // K3
    @Test("a mistake in a script is reported with its line")
    func mistake() throws {
        let db = try memory()
        let script = "CREATE TABLE t (a);\n\nINSERT INTO t VALUES (1);\nSELEC 2;\nSELECT 3"
        let error = failure { try db.executeScript(SQL(script)) }
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
        let error = failure { try db.executeScript(SQL(script)) }
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
    @Test("a script with parameters is rejected")
    func parameters() throws {
        let db = try memory("CREATE TABLE t (a)")
        #expect(failure { try db.executeScript("INSERT INTO t VALUES (?)") }?.extendedCode == .argumentCount)
    }

    // K3
    @Test("a script with a NUL is rejected, and none of it runs")
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

    // K3, Settled 18
    @Test("a script's statements take its interpolated values in order")
    func values() throws {
        let db = try memory()
        let name = "'); DROP TABLE t; --"
        try db.executeScript(
            "CREATE TABLE t (a, b); INSERT INTO t VALUES (\(1), \(name)); INSERT INTO t VALUES (\(2), 0)")
        #expect(try db.rows("SELECT * FROM t").map { try $0.values() } == [[1, .text(name)], [2, 0]])
    }

    // K3
    @Test("a value that no statement of a script takes throws")
    func leftOver() throws {
        let error = failure { try memory().executeScript(SQL("SELECT ?; SELECT 2", [1, 2])) }
        #expect(error?.extendedCode == .argumentCount)
    }

    // K3, FMDB: executeStatements:withResultBlock:
    @Test("the rows of a script's statements come one after the other")
    func rows() throws {
        let db = try memory("CREATE TABLE t (a)")
        var found: [[String: SQLiteValue]] = []
        try db.executeScript(
            "INSERT INTO t VALUES (1), (2) RETURNING a; SELECT 3 AS b; CREATE TABLE u (c); SELECT 4 AS c"
        ) {
            found.append(try $0.dictionary())
        }
        #expect(found == [["a": 1], ["a": 2], ["b": 3], ["c": 4]])
    }

    // K3
    @Test("what the closure throws ends the script, and leaves no statement busy")
    func rowsEnd() throws {
        let db = try memory("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
        #expect(throws: TestError()) {
            try db.executeScript("SELECT a FROM t; DELETE FROM t") { _ in throw TestError() }
        }
        try db.execute("DROP TABLE t")
        #expect(try db.scalar("SELECT count(*) FROM sqlite_schema", as: Int.self) == 0)
    }

    // K3
    @Test("a statement that fails while its rows are read is reported with its line")
    func rowsFail() throws {
        let script: SQL = "SELECT 1;\nSELECT abs(-9223372036854775808)"
        let error = failure { try memory().executeScript(script) { _ in } }
        #expect(error?.line == 2)
        #expect(error?.sql == script.sql)
    }
}
