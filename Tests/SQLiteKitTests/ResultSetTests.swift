import SQLiteKit
import Testing

@Suite("Result sets")
struct ResultSetTests {
    private let numbers = "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)"

    // K6
    @Test("rows come one after the other")
    func rows() throws {
        let rows = try memory(numbers).query("SELECT a FROM t ORDER BY a")
        var found: [Int] = []
        while let row = try rows.next() { found.append(try row["a"]) }
        #expect(found == [1, 2, 3])
    }

    // K6, FMDB: exhausted cursor, again next
    @Test("after the last row there is none, again and again")
    func exhausted() throws {
        let rows = try memory().query("SELECT 1")
        _ = try rows.next()
        #expect(try rows.next() == nil)
        #expect(try rows.next() == nil)
    }

    // K6
    @Test("a query that finds nothing has columns and no rows")
    func nothing() throws {
        let rows = try memory(numbers).query("SELECT a AS x FROM t WHERE 0")
        #expect(rows.columnNames == ["x"])
        #expect(try rows.next() == nil)
    }

    // K6, FMDB: SQL error at next
    @Test("an error on the way throws from next, and ends the rows")
    func errorAtNext() throws {
        let rows = try memory().query("SELECT abs(column1) FROM (VALUES (1), (-9223372036854775807 - 1))")
        #expect(try rows.next()?.value(at: 0, as: Int.self) == 1)
        let error = failure { try rows.next() }
        #expect(error?.code == .error)
        #expect(error?.message == "integer overflow")
        #expect(try rows.next() == nil)
    }

    // K6
    @Test("nothing runs before the first row is asked for")
    func lazy() throws {
        let db = try memory(numbers)
        let rows = try db.query("SELECT count(*) FROM t")
        try db.execute("INSERT INTO t VALUES (4)")
        #expect(try rows.next()?.value(at: 0, as: Int.self) == 4)
    }

    // K6
    @Test("a closed result set has no more rows")
    func closed() throws {
        let rows = try memory(numbers).query("SELECT a FROM t")
        _ = try rows.next()
        rows.close()
        #expect(try rows.next() == nil)
    }

    // K10, FMDB: open cursors after block
    @Test("a result set that is let go closes itself")
    func letGo() throws {
        let db = try memory(numbers)
        let statement = try db.prepare("SELECT a FROM t")
        do {
            let rows = try statement.query()
            _ = try rows.next()
            #expect(statement.isBusy)
        }
        #expect(!statement.isBusy)
    }

    // K6
    @Test("a result set whose statement runs again throws, then has no rows")
    func replaced() throws {
        let statement = try memory(numbers).prepare("SELECT a FROM t WHERE a >= ? ORDER BY a")
        let first = try statement.query([1])
        _ = try first.next()
        let second = try statement.query([2])
        #expect(failure { try first.next() }?.extendedCode == .expired)
        #expect(try first.next() == nil)
        #expect(try second.next()?.value(at: 0, as: Int.self) == 2)
    }

    // K6
    @Test("closing an old result set leaves the new one alone")
    func closingOld() throws {
        let statement = try memory(numbers).prepare("SELECT a FROM t ORDER BY a")
        let first = try statement.query()
        let second = try statement.query()
        _ = try second.next()
        first.close()
        #expect(try second.next()?.value(at: 0, as: Int.self) == 2)
    }

    // K6
    @Test("a row used after the next one throws")
    func oldRow() throws {
        let rows = try memory(numbers).query("SELECT a FROM t")
        let row = try #require(try rows.next())
        _ = try rows.next()
        #expect(failure { try row.value(at: 0, as: Int.self) }?.extendedCode == .expired)
        #expect(failure { try row.snapshot() }?.extendedCode == .expired)
        #expect(failure { try row.values() }?.extendedCode == .expired)
    }

    // K6
    @Test("a row used after the last one throws")
    func lastRow() throws {
        let rows = try memory(numbers).query("SELECT 1")
        let row = try #require(try rows.next())
        _ = try rows.next()
        #expect(failure { try row.value(at: 0, as: Int.self) }?.extendedCode == .expired)
    }

    // K6
    @Test("a row used after its statement ran again throws")
    func rowOfOldExecution() throws {
        let statement = try memory(numbers).prepare("SELECT a FROM t")
        let before = try statement.query()
        let old = try #require(try before.next())
        let rows = try statement.query()
        _ = try rows.next()
        #expect(failure { try old.value(at: 0, as: Int.self) }?.extendedCode == .expired)
    }

    // K6
    @Test("a snapshot lasts")
    func snapshot() throws {
        let rows = try memory(numbers).query("SELECT a FROM t ORDER BY a")
        let snapshot = try #require(try rows.next()).snapshot()
        _ = try rows.next()
        #expect(try snapshot.value(at: 0, as: Int.self) == 1)
    }

    // K6
    @Test("snapshots takes the rows that are left")
    func snapshots() throws {
        let rows = try memory(numbers).query("SELECT a FROM t ORDER BY a")
        _ = try rows.next()
        #expect(try rows.snapshots().map { try $0.value(at: 0, as: Int.self) } == [2, 3])
    }

    // K6
    @Test("forEach visits the rows that are left and ends when its closure throws")
    func forEach() throws {
        let rows = try memory(numbers).query("SELECT a FROM t ORDER BY a")
        var seen: [Int] = []
        #expect(throws: TestError.self) {
            try rows.forEach { row in
                seen.append(try row["a"])
                if seen.count == 2 { throw TestError() }
            }
        }
        #expect(seen == [1, 2])
        #expect(try rows.next() == nil)
    }

    // K6
    @Test("two queries of one text are read side by side")
    func sideBySide() throws {
        let db = try memory(numbers)
        let first = try db.query("SELECT a FROM t ORDER BY a")
        let second = try db.query("SELECT a FROM t ORDER BY a")
        #expect(try first.next()?.value(at: 0, as: Int.self) == 1)
        #expect(try second.next()?.value(at: 0, as: Int.self) == 1)
        #expect(try first.next()?.value(at: 0, as: Int.self) == 2)
        #expect(try second.next()?.value(at: 0, as: Int.self) == 2)
    }

    // K6
    @Test("a table can be written while it is read")
    func writeWhileReading() throws {
        let db = try memory(numbers + "; CREATE TABLE u (a)")
        let rows = try db.query("SELECT a FROM t ORDER BY a")
        while let row = try rows.next() { try db.execute("INSERT INTO u VALUES (?)", [row.value(at: 0, as: Int.self)]) }
        #expect(try db.scalar("SELECT sum(a) FROM u", as: Int.self) == 6)
    }

    // K6
    @Test("scalar is nil without a row, and for NULL")
    func scalar() throws {
        let db = try memory(numbers)
        #expect(try db.scalar("SELECT a FROM t WHERE 0", as: Int.self) == nil)
        #expect(try db.scalar("SELECT NULL", as: Int.self) == nil)
        #expect(try db.scalar("SELECT a, 'x' FROM t ORDER BY a DESC", as: Int.self) == 3)
    }

    // K6
    @Test("scalar and column throw for a value of another type, and leave nothing open")
    func mismatch() throws {
        let db = try memory(numbers)
        #expect(failure { try db.scalar("SELECT 'x'", as: Int.self) }?.extendedCode == .typeMismatch)
        #expect(failure { try db.column("VALUES (1), (NULL)", as: Int.self) }?.extendedCode == .typeMismatch)
        #expect(failure { try db.close() } == nil)
    }

    // K6
    @Test("column takes NULL as nil where the type is optional")
    func column() throws {
        #expect(try memory().column("VALUES (1), (NULL)", as: Int?.self) == [1, nil])
    }

    // K6
    @Test("scalar of a statement that returns no rows is nil")
    func scalarOfUpdate() throws {
        let db = try memory(numbers)
        #expect(try db.scalar("DELETE FROM t", as: Int.self) == nil)
        #expect(try db.scalar("SELECT count(*) FROM t", as: Int.self) == 0)
    }

    // K41
    @Test("SELECT * sees a column that was added after it was prepared")
    func schemaChange() throws {
        let db = try memory(numbers)
        #expect(try db.rows("SELECT * FROM t")[0].columnNames == ["a"])
        try db.execute("ALTER TABLE t ADD COLUMN b DEFAULT 'new'")
        let row = try db.rows("SELECT * FROM t")[0]
        #expect(row.columnNames == ["a", "b"])
        #expect(try row["b"] as String == "new")
    }

    // K41
    @Test("a statement that is held sees a renamed column")
    func schemaChangeOfHeld() throws {
        let db = try memory(numbers)
        let statement = try db.prepare("SELECT * FROM t ORDER BY 1")
        #expect(statement.columnNames == ["a"])
        try db.executeScript("ALTER TABLE t RENAME COLUMN a TO z")
        let rows = try statement.query()
        let row = try #require(try rows.next())
        #expect(row.columnNames == ["z"])
        #expect(try row["z"] as Int == 1)
    }

    // K41
    @Test("a statement whose table is gone throws")
    func droppedTable() throws {
        let db = try memory(numbers)
        _ = try db.rows("SELECT * FROM t")
        try db.execute("DROP TABLE t")
        #expect(failure { try db.rows("SELECT * FROM t") }?.code == .error)
    }
}
