import Foundation
import SQLiteKit
import Testing

@Suite("Statements")
struct StatementTests {
    // K39
    @Test("execute returns the number of rows changed")
    func changed() throws {
        let db = try memory("CREATE TABLE t (a)")
        #expect(try db.execute("INSERT INTO t VALUES (1), (2), (3)") == 3)
        #expect(try db.execute("UPDATE t SET a = 0 WHERE a > 1") == 2)
        #expect(try db.execute("UPDATE t SET a = 0 WHERE a = 99") == 0)
        #expect(try db.execute("DELETE FROM t") == 3)
    }

    // K39
    @Test("execute returns 0 for what changes no row, whatever ran before")
    func nothingChanged() throws {
        let db = try memory("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
        #expect(try db.execute("SELECT * FROM t") == 0)
        #expect(try db.execute("CREATE TABLE u (a)") == 0)
        #expect(try db.execute("CREATE TABLE v AS SELECT * FROM t") == 0)
        #expect(try db.execute("PRAGMA user_version = 3") == 0)
        #expect(try db.execute("INSERT OR IGNORE INTO t SELECT 1 WHERE 0") == 0)
        #expect(try db.execute("DROP TABLE t") == 0)
    }

    // K39
    @Test("changes leaves triggers out, totalChanges counts them")
    func triggers() throws {
        let db = try memory(
            """
            CREATE TABLE t (a); CREATE TABLE log (a);
            CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO log VALUES (1), (2); END
            """
        )
        let before = db.totalChanges
        #expect(try db.execute("INSERT INTO t VALUES (1)") == 1)
        #expect(db.changes == 1)
        #expect(db.totalChanges == before + 3)
    }

    // K39
    @Test("lastInsertRowID is that of the last row inserted")
    func lastInsertRowID() throws {
        let db = try memory("CREATE TABLE t (id INTEGER PRIMARY KEY)")
        #expect(db.lastInsertRowID == 0)
        try db.execute("INSERT INTO t VALUES (?)", [Int64.max])
        #expect(db.lastInsertRowID == .max)
    }

    // K39, FMDB: executeUpdate that yields a row
    @Test("execute runs a statement that returns rows to its end")
    func rowsPassedOver() throws {
        let db = try memory("CREATE TABLE t (a)")
        #expect(try db.execute("INSERT INTO t VALUES (1), (2) RETURNING a") == 2)
        #expect(try db.execute("PRAGMA journal_mode") == 0)
    }

    // K39
    @Test("RETURNING gives rows")
    func returning() throws {
        let db = try memory("CREATE TABLE t (id INTEGER PRIMARY KEY, a)")
        #expect(try db.column("INSERT INTO t (a) VALUES ('x'), ('y') RETURNING id", as: Int.self) == [1, 2])
        #expect(try db.scalar("SELECT count(*) FROM t", as: Int.self) == 2)
    }

    // K3
    @Test("a statement runs again with other values")
    func again() throws {
        let db = try memory("CREATE TABLE t (a)")
        let insert = try db.prepare("INSERT INTO t VALUES (?)")
        for number in 1...3 { try insert.execute([number]) }
        #expect(try db.column("SELECT a FROM t", as: Int.self) == [1, 2, 3])
    }

    // K3
    @Test("a statement runs again after an error")
    func afterError() throws {
        let db = try memory("CREATE TABLE t (a UNIQUE)")
        let insert = try db.prepare("INSERT INTO t VALUES (?)")
        try insert.execute([1])
        #expect(failure { try insert.execute([1]) }?.isConstraint(.unique) == true)
        #expect(try insert.execute([2]) == 1)
    }

    // K3
    @Test("values bound one by one stay bound after a reset")
    func stayBound() throws {
        let statement = try memory().prepare("SELECT :a, ?2")
        try statement.bind("x", named: "a")
        try statement.bind(5, at: 2)
        #expect(try statement.step())
        statement.reset()
        #expect(try statement.step())
        #expect(try statement.value(at: 0) == "x")
        #expect(statement.int64(at: 1) == 5)
    }

    // K3
    @Test("values of an execution are not mixed with those bound one by one", arguments: [1, 5000])
    func notMixed(count: Int) throws {
        let db = try memory("CREATE TABLE t (a, b)")
        let insert = try db.prepare("INSERT INTO t VALUES (?, ?)")
        try insert.execute([1, String(repeating: "x", count: count)])
        try insert.bind(2, at: 1)
        try insert.execute()
        #expect(try db.column("SELECT b FROM t", as: SQLiteValue.self).last == .null)
    }

    @Test("a statement with values of which one cannot be stored does not run with the others")
    func halfBound() throws {
        let db = try memory("CREATE TABLE t (a, b)")
        let insert = try db.prepare("INSERT INTO t VALUES (?, ?)")
        #expect(failure { try insert.execute([1, UInt64.max]) }?.extendedCode == .typeMismatch)
        let error = #expect(throws: SQLiteError.self) { try insert.execute() }
        #expect(error?.extendedCode == .argumentCount)
    }

    @Test("values that were interpolated or bound stand for each execution, large ones too", arguments: [1, 5000])
    func boundStand(count: Int) throws {
        let db = try memory("CREATE TABLE t (a)")
        let insert = try db.prepare("INSERT INTO t VALUES (\(String(repeating: "x", count: count)))")
        try insert.execute()
        try insert.execute()
        #expect(try db.scalar("SELECT sum(length(a)) FROM t", as: Int.self) == 2 * count)
        let select = try db.prepare("SELECT length(?)")
        try select.bind(String(repeating: "x", count: count), at: 1)
        for _ in 1...2 { #expect(try select.query().next()?[0] == count) }
    }

    @Test("cleared values are NULL")
    func cleared() throws {
        let statement = try memory().prepare("SELECT ?")
        try statement.bind(1, at: 1)
        statement.clearBindings()
        #expect(try statement.step())
        #expect(statement.storageClass(at: 0) == .null)
    }

    // K3
    @Test("after the last row step stays false until a reset")
    func sticky() throws {
        let statement = try memory().prepare("SELECT 1")
        #expect(try statement.step())
        #expect(try !statement.step())
        #expect(try !statement.step())
        statement.reset()
        #expect(try statement.step())
    }

    // K3
    @Test("a parameter that is not there is out of range", arguments: [-1, 0, 2, Int.max])
    func outOfRange(_ index: Int) throws {
        let statement = try memory().prepare("SELECT ?")
        #expect(failure { try statement.bind(1, at: index) }?.code == .range)
        #expect(failure { try statement.bind(text: "", at: index) }?.code == .range)
        #expect(failure { try statement.bindNull(at: index) }?.code == .range)
    }

    // K3, Settled 9: no trap on data
    @Test("a value that cannot be stored, at a parameter that is not there, throws")
    func unstorableOutOfRange() async {
        await #expect(processExitsWith: .success) {
            let statement = try Database(.memory).prepare("SELECT ?")
            for index in [-1, 0, 2] {
                do {
                    try statement.bind(JSON(Double.nan), at: index)
                } catch {
                    continue
                }
            }
        }
    }

    // K3
    @Test("values cannot be bound to a statement that stands on a row")
    func bindWhileBusy() throws {
        let statement = try memory().prepare("SELECT ?")
        try statement.bind(1, at: 1)
        #expect(try statement.step())
        #expect(failure { try statement.bind(2, at: 1) }?.code == .misuse)
    }

    // K3
    @Test("a column that is not there is NULL to the raw readers", arguments: [-1, 1, Int.max])
    func rawReaders(_ index: Int) throws {
        let statement = try memory().prepare("SELECT 'x'")
        #expect(try statement.step())
        #expect(statement.storageClass(at: index) == .null)
        #expect(try statement.value(at: index) == .null)
        #expect(try statement.text(at: index) == "")
        #expect(statement.int64(at: index) == 0)
        #expect(statement.withBytes(at: index) { $0.count } == 0)
    }

    // K3
    @Test("a statement knows whether it writes")
    func isReadOnly() throws {
        let db = try memory("CREATE TABLE t (a)")
        #expect(try db.prepare("SELECT * FROM t").isReadOnly)
        #expect(try !db.prepare("DELETE FROM t").isReadOnly)
    }

    // K3
    @Test("a statement knows whether it explains")
    func isExplain() throws {
        let db = try memory()
        #expect(try db.prepare("EXPLAIN SELECT 1").isExplain)
        #expect(try db.prepare("EXPLAIN QUERY PLAN SELECT 1").isExplain)
        #expect(try !db.prepare("SELECT 1").isExplain)
    }

    // K3
    @Test("a statement is busy while it stands on a row")
    func isBusy() throws {
        let statement = try memory().prepare("SELECT 1")
        #expect(!statement.isBusy)
        #expect(try statement.step())
        #expect(statement.isBusy)
        #expect(try !statement.step())
        #expect(!statement.isBusy)
    }

    // K3
    @Test("parameters have their names and indices")
    func parameters() throws {
        let statement = try memory().prepare("SELECT ?, :a, @b, $c, ?7")
        #expect(statement.parameterCount == 7)
        #expect(statement.parameterNames == [nil, ":a", "@b", "$c", nil, nil, "?7"])
        #expect(try statement.parameterIndex("b") == 3)
        #expect(try statement.parameterIndex("$c") == 4)
        #expect(failure { try statement.parameterIndex("d") }?.extendedCode == .unknownParameter)
    }

    // K3
    @Test("the expanded SQL is nil outside of an access, where others may use the connection")
    func expandedOutside() throws {
        let queue = try DatabaseQueue(.memory)
        let statement = try queue.read { db in try db.prepare("SELECT 1") }
        #expect(statement.expandedSQL == nil)
        #expect(try queue.read { _ in statement.expandedSQL } == "SELECT 1")
    }

    // K3
    @Test(
        "a text is complete when its last statement is",
        arguments: [
            ("SELECT 1;", true), ("SELECT 1", false), ("SELECT ';", false), ("", false), ("SELECT 1; -- x", true),
        ])
    func complete(_ sql: String, _ isComplete: Bool) {
        #expect(SQLText.isComplete(sql) == isComplete)
        #expect(!SQLText.isComplete("CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1;"))
    }

    // K3
    @Test("the expanded SQL shows the values")
    func expanded() throws {
        let statement = try memory().prepare("SELECT ?, :b")
        try statement.bind("it's", at: 1)
        #expect(statement.expandedSQL == "SELECT 'it''s', NULL")
        #expect(statement.sql == "SELECT ?, :b")
    }

    // K3
    @Test("columns have their names before the first row; a statement without rows has none")
    func columnNames() throws {
        let db = try memory()
        #expect(try db.prepare("SELECT 1 AS a, 2 AS b").columnNames == ["a", "b"])
        #expect(try db.prepare("CREATE TABLE t (a)").columnNames == [])
    }

    // K3, FMDB: empty SQL
    @Test("a text without a statement throws", arguments: ["", " \n", ";", "-- comment", "/* comment */;;", "/* open"])
    func empty(_ sql: String) throws {
        let db = try memory()
        #expect(failure { try db.execute(SQL(sql)) }?.extendedCode == .emptyStatement)
    }

    // K3, FMDB: multi-statement
    @Test(
        "a text of more than one statement throws, and none of it runs",
        arguments: ["; INSERT INTO t VALUES (2)", "; nonsense", ";; SELECT 1", "; -- comment\n SELECT 1"])
    func several(_ tail: String) throws {
        let db = try memory("CREATE TABLE t (a)")
        #expect(failure { try db.execute(SQL("INSERT INTO t VALUES (1)" + tail)) }?.extendedCode == .severalStatements)
        #expect(try db.scalar("SELECT count(*) FROM t", as: Int.self) == 0)
    }

    // K3, FMDB: multi-statement
    @Test(
        "blanks and comments may follow a statement",
        arguments: [";", " ; \n", "; -- comment", "; /* a */ ; -- b", "/* open"])
    func tail(_ tail: String) throws {
        #expect(try memory().scalar(SQL("SELECT 1" + tail), as: Int.self) == 1)
    }

    // K3
    @Test("SQL with a NUL is rejected, with the place")
    func nul() throws {
        let db = try memory()
        let error = failure { try db.execute("SELECT 1\0; DROP TABLE t") }
        #expect(error?.code == .error)
        #expect(error?.offset == 8)
    }

    // K3
    @Test("SQL of one megabyte is prepared")
    func long() throws {
        let text = String(repeating: "x", count: 900_000)
        #expect(try memory().scalar("SELECT length('\(sql: SQL(text))')", as: Int.self) == 900_000)
    }
}
