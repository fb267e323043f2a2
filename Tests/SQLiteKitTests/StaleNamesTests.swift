import SQLiteKit
import Testing

@Suite("Columns' names after a change of the schema")
struct StaleNamesTests {
    private func table() throws -> Database { try memory("CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 2)") }

    private let select: SQL = "SELECT * FROM t"

    // K8, K41
    @Test("a cached statement says a renamed column's new name before its first step")
    func renamed() throws {
        let db = try table()
        #expect(try db.query(select).columnNames == ["a", "b"])
        try db.execute("ALTER TABLE t RENAME COLUMN a TO c")
        #expect(try db.query(select).columnNames == ["c", "b"])
    }

    // K8, K41
    @Test("a cached statement has a new column before its first step")
    func added() throws {
        let db = try table()
        _ = try db.rows(select)
        try db.execute("ALTER TABLE t ADD COLUMN c")
        #expect(try db.prepare(select).columnNames == ["a", "b", "c"])
    }

    // K8
    @Test("a statement that has been prepared and held says the new name")
    func held() throws {
        let db = try table()
        let statement = try db.prepare(select, cached: false)
        try db.execute("ALTER TABLE t RENAME COLUMN a TO c")
        #expect(statement.columnNames == ["c", "b"])
    }

    // K8
    @Test("a held statement has as many columns as names") func count() throws {
        let db = try table()
        let statement = try db.prepare(select, cached: false)
        #expect(statement.columnCount == 2)
        try db.execute("ALTER TABLE t ADD COLUMN c")
        #expect(statement.columnCount == 3)
        #expect(statement.columnNames == ["a", "b", "c"])
        _ = try statement.step()
        #expect(statement.columnCount == 3)
        statement.reset()
        try db.execute("ALTER TABLE t DROP COLUMN a")
        #expect(statement.columnNames == ["b", "c"])
        #expect(statement.columnCount == 2)
    }

    // K8
    @Test("after a rollback it says the old name")
    func rolledBack() throws {
        let db = try table()
        try catchingTestError {
            try db.transaction {
                try db.execute("ALTER TABLE t RENAME COLUMN a TO c")
                #expect(try db.prepare(select).columnNames == ["c", "b"])
                throw TestError()
            }
        }
        #expect(try db.prepare(select).columnNames == ["a", "b"])
    }

    // K8
    @Test("it says the name that another connection has given the column", arguments: [JournalMode.wal, .delete])
    func otherConnection(_ mode: JournalMode) throws {
        let directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration()
        configuration.journalMode = mode
        let db = try Database(directory.file(), configuration: configuration)
        try db.executeScript("CREATE TABLE t (a, b)")
        #expect(try db.prepare(select).columnNames == ["a", "b"])
        let other = try Database(directory.file())
        try other.execute("ALTER TABLE t RENAME COLUMN a TO c")
        #expect(try db.prepare(select).columnNames == ["c", "b"])
    }

    // K8
    @Test("a column is found by the new name on the first row")
    func rows() throws {
        let db = try table()
        let rows = try db.query(select)
        #expect(rows.columnNames == ["a", "b"])
        rows.close()
        try db.execute("ALTER TABLE t RENAME COLUMN a TO c")
        let again = try db.query(select)
        let row = try #require(try again.next())
        #expect(try row["c"] == 1)
    }

    // K8
    @Test("an authorizer is not asked about the look at the schema")
    func authorizer() throws {
        let db = try table()
        try db.setAuthorizer { $0.first == "sqlite_master" ? .deny : .allow }
        #expect(try db.prepare(select).columnNames == ["a", "b"])
    }
}
