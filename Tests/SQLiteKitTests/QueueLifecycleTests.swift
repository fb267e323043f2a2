import SQLiteKit
import Testing

@Suite("What belongs to an access, and closing")
struct QueueLifecycleTests {
    private let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue(.memory)
        try queue.write { db in try db.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)") }
    }

    // K10
    @Test("a result set used after its access throws")
    func resultSet() throws {
        let rows = try queue.read { db in try db.query("SELECT a FROM t") }
        #expect(failure { try rows.next() }?.extendedCode == .expired)
        #expect(try rows.next() == nil)
    }

    // K10, FMDB: open cursors after block
    @Test("a result set that stood on a row throws after its access")
    func resultSetOnRow() throws {
        let rows = try queue.read { db in
            let rows = try db.query("SELECT a FROM t")
            _ = try rows.next()
            return rows
        }
        #expect(failure { try rows.next() }?.extendedCode == .expired)
    }

    // K10
    @Test("a result set used in a later access throws")
    func resultSetInLaterAccess() throws {
        let rows = try queue.read { db in try db.query("SELECT a FROM t") }
        #expect(try queue.read { _ in failure { try rows.next() } }?.extendedCode == .expired)
    }

    // K10
    @Test("a row used after its access throws")
    func row() throws {
        var rows: ResultSet?
        let row = try queue.read { db in
            rows = try db.query("SELECT a FROM t")
            return try #require(try rows?.next())
        }
        #expect(failure { try row.value(at: 0, as: Int.self) }?.extendedCode == .expired)
        #expect(failure { try row["a"] as Int }?.extendedCode == .expired)
        #expect(failure { try row.snapshot() }?.extendedCode == .expired)
    }

    // K10
    @Test("a snapshot is good after its access")
    func snapshot() throws {
        let row = try queue.read { db in try db.rows("SELECT a FROM t ORDER BY a")[0] }
        #expect(try row["a"] == 1)
    }

    // K10
    @Test("a statement used after its access throws")
    func statement() throws {
        let statement = try queue.read { db in try db.prepare("SELECT a FROM t") }
        #expect(failure { try statement.step() }?.extendedCode == .expired)
        #expect(failure { try statement.execute() }?.extendedCode == .expired)
        #expect(failure { try statement.query().next() }?.extendedCode == .expired)
    }

    // K10
    @Test("a statement may be kept from one access to the next")
    func statementInLaterAccess() throws {
        let statement = try queue.read { db in try db.prepare("SELECT a FROM t ORDER BY a") }
        let first = try queue.read { _ in
            let rows = try statement.query()
            return try rows.next()?.value(at: 0, as: Int.self)
        }
        #expect(first == 1)
    }

    // K10
    @Test("a connection used after its access throws")
    func connection() throws {
        let db = try queue.read { db in db }
        #expect(failure { try db.execute("SELECT 1") }?.extendedCode == .expired)
        #expect(failure { try db.execute("SELECT a FROM t WHERE a = 5") }?.extendedCode == .expired)
        #expect(failure { try db.executeScript("SELECT 1") }?.extendedCode == .expired)
        #expect(failure { try db.scalar("SELECT 1", as: Int.self) }?.extendedCode == .expired)
        #expect(failure { try db.prepare("SELECT 17") }?.extendedCode == .expired)
    }

    // K10
    @Test("a statement that is in the cache is not handed out after the access")
    func cachedStatement() throws {
        let db = try queue.read { db in
            try db.execute("SELECT 1")
            return db
        }
        #expect(failure { try db.prepare("SELECT 1") }?.extendedCode == .expired)
    }

    // K10
    @Test("a transaction cannot begin after the access, though its statements are cached")
    func transactionAfterAccess() throws {
        let db = try queue.write { db in db }
        try queue.write { _ in }
        var hasRun = false
        #expect(failure { try db.transaction { hasRun = true } }?.extendedCode == .expired)
        #expect(failure { try db.transaction(.deferred) { hasRun = true } }?.extendedCode == .expired)
        #expect(!hasRun)
    }

    // K10
    @Test("a closed queue throws")
    func closed() throws {
        try queue.close()
        #expect(failure { try queue.read { _ in } }?.extendedCode == .closed)
        #expect(failure { try queue.write { _ in } }?.extendedCode == .closed)
        #expect(failure { try queue.withoutTransaction { _ in } }?.extendedCode == .closed)
        #expect(failure { try queue.close() } == nil)
    }

    // K10
    @Test("a closed queue throws in a task too")
    func closedAsync() async throws {
        try await queue.close()
        #expect(await failure { try await queue.read { _ in } }?.extendedCode == .closed)
        #expect(await failure { try await queue.write { _ in } }?.extendedCode == .closed)
    }

    // K10, FMDB: queue reopen after close
    @Test("a closed queue can be opened again")
    func reopen() throws {
        let directory = try TemporaryDirectory()
        let queue = try DatabaseQueue(directory.file())
        try queue.write { db in try db.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (4)") }
        try queue.close()
        try queue.reopen()
        #expect(try queue.read { db in try db.scalar("SELECT a FROM t", as: Int.self) } == 4)
        try queue.reopen()
        #expect(try queue.read { db in try db.scalar("SELECT a FROM t", as: Int.self) } == 4)
    }

    // K10
    @Test("a queue cannot be closed or reopened inside its own closure")
    func closeInside() throws {
        try queue.write { db in
            #expect(failure { try queue.close() }?.extendedCode == .notAllowedHere)
            #expect(failure { try queue.reopen() }?.extendedCode == .notAllowedHere)
            try db.execute("INSERT INTO t VALUES (3)")
        }
        #expect(try queue.read { db in try db.scalar("SELECT count(*) FROM t", as: Int.self) } == 3)
    }

    // K40
    @Test("a queue with a statement that someone holds is not closed, and names it")
    func heldStatement() throws {
        var statement: Statement? = try queue.read { db in try db.prepare("SELECT 'held'") }
        let error = failure { try queue.close() }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("SELECT 'held'") == true)
        #expect(statement != nil)
        #expect(failure { try queue.read { _ in } } == nil)
        statement = nil
        #expect(failure { try queue.close() } == nil)
    }

    // K40
    @Test("a queue's connection cannot be closed by a closure behind its back")
    func closeConnection() throws {
        let error = failure { try queue.withoutTransaction { db in try db.close() } }
        #expect(error?.extendedCode == .notAllowedHere)
        #expect(failure { try queue.read { db in try db.execute("SELECT a FROM t") } } == nil)
    }
}
