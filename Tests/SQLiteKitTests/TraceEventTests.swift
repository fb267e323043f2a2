import Foundation
import SQLiteKit
import Testing

@Suite("What a trace says of a statement")
struct TraceEventTests {
    private let events = Shared<[Trace.Event]>([])

    private var configuration: DatabaseConfiguration {
        var configuration = DatabaseConfiguration()
        configuration.trace = Trace { [events] event in events.update { $0.append(event) } }
        return configuration
    }

    /// The events of one text.
    private func events(_ sql: String) -> [Trace.Event] { events.value.filter { $0.sql == sql } }

    private func event(_ sql: String) throws -> Trace.Event { try #require(events(sql).last) }

    // K14
    @Test("the rows that it returned, all or those read")
    func rows() throws {
        let db = try Database(.memory, configuration: configuration)
        let sql = "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3"
        _ = try db.column(SQL(sql), as: Int.self)
        #expect(try event(sql).rows == 3)
        let rows = try db.query(SQL(sql))
        _ = try rows.next()
        _ = try rows.next()
        rows.close()
        #expect(try event(sql).rows == 2)
    }

    // K14
    @Test("the rows of statements that return theirs in turn, each its own")
    func rowsInTurn() throws {
        let db = try Database(.memory, configuration: configuration)
        let outer = try db.query("SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3")
        let inner = try db.query("SELECT 'a' UNION ALL SELECT 'b'")
        while try outer.next() != nil { _ = try inner.next() }
        #expect(try event("SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3").rows == 3)
        #expect(try event("SELECT 'a' UNION ALL SELECT 'b'").rows == 2)
    }

    // K14
    @Test("the rows that it changed, without those of triggers, and with those of RETURNING that nobody read")
    func changes() throws {
        let db = try Database(.memory, configuration: configuration)
        try db.executeScript(
            """
            CREATE TABLE t (a); CREATE TABLE log (a);
            CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.a); END
            """)
        try db.execute("INSERT INTO t VALUES (1), (2), (3)")
        #expect(try event("INSERT INTO t VALUES (1), (2), (3)").changes == 3)
        _ = try db.rows("SELECT * FROM t")
        #expect(try event("SELECT * FROM t").changes == 0)
        try db.execute("DELETE FROM t WHERE a > 5")
        #expect(try event("DELETE FROM t WHERE a > 5").changes == 0)
        let rows = try db.query("UPDATE t SET a = a + 1 RETURNING a")
        _ = try rows.next()
        rows.close()
        let update = try event("UPDATE t SET a = a + 1 RETURNING a")
        #expect(update.changes == 3)
        #expect(update.rows == 1)
    }

    // K14
    @Test("the error that it ended with, of a statement and of a commit")
    func errors() throws {
        let queue = try DatabaseQueue(.memory, configuration: configuration)
        try queue.withoutTransaction { db in
            try db.executeScript(
                """
                CREATE TABLE t (a UNIQUE); CREATE TABLE p (id INTEGER PRIMARY KEY);
                CREATE TABLE c (p REFERENCES p DEFERRABLE INITIALLY DEFERRED)
                """)
        }
        _ = failure { try queue.write { db in try db.execute("INSERT INTO t VALUES (1), (1)") } }
        #expect(try event("INSERT INTO t VALUES (1), (1)").error?.extendedCode == .constraintUnique)
        #expect(try event("INSERT INTO t VALUES (1), (1)").changes == 0)
        #expect(try event("ROLLBACK").error == nil)
        let error = failure { try queue.write { db in try db.execute("INSERT INTO c VALUES (7)") } }
        #expect(error?.extendedCode == .constraintForeignKey)
        #expect(try event("COMMIT").error?.extendedCode == .constraintForeignKey)
        #expect(try event("INSERT INTO c VALUES (7)").error == nil)
        #expect(events.value.filter { $0.error != nil }.count == 2)
    }

    // K14
    @Test("the error of BEGIN, when another connection has the lock")
    func busy() throws {
        let directory = try TemporaryDirectory()
        var configuration = configuration
        configuration.busyTimeout = .zero
        let queue = try DatabaseQueue(directory.file(), configuration: configuration)
        let other = try Database(directory.file())
        try other.transaction {
            #expect(failure { try queue.write { _ in } }?.code == .busy)
        }
        #expect(try event("BEGIN IMMEDIATE").error?.code == .busy)
        #expect(try event("BEGIN IMMEDIATE").transaction == nil)
    }

    // K14
    @Test("an interrupt, when its task is cancelled")
    func cancelled() async throws {
        let sql: SQL = "WITH RECURSIVE n(i) AS (SELECT told() UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
        let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
        var configuration = configuration
        configuration.prepare = { db in
            try db.addFunction("told", argumentCount: 0) { _ in
                continuation.finish()
                return 1
            }
        }
        let queue = try DatabaseQueue(.memory, configuration: configuration)
        let task = Task { try await queue.read { db in try db.scalar(sql, as: Int.self) } }
        for await _ in begun {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try event(sql.sql).error?.code == .interrupt)
    }

    // K14
    @Test("its transaction, which BEGIN and COMMIT share")
    func transactions() throws {
        let queue = try DatabaseQueue(.memory, configuration: configuration)
        try queue.write { db in try db.execute("CREATE TABLE t (a)") }
        try queue.write { db in
            try db.execute("INSERT INTO t VALUES (1)")
            try db.savepoint { try db.execute("INSERT INTO t VALUES (2)") }
        }
        try queue.withoutTransaction { db in try db.execute("INSERT INTO t VALUES (3)") }
        let groups = Dictionary(grouping: events.value.filter { $0.transaction != nil }, by: \.transaction)
        #expect(groups.count == 2)
        #expect(Set(groups.values.map(\.count)) == [3, 6])
        #expect(try event("INSERT INTO t VALUES (3)").transaction == nil)
        #expect(try event("INSERT INTO t VALUES (1)").transaction == event("COMMIT").transaction)
    }

    // K14
    @Test("a transaction that SQL text begins, and one that SQLite ends")
    func transactionsOfText() throws {
        let db = try Database(.memory, configuration: configuration)
        try db.execute("CREATE TABLE t (a UNIQUE)")
        for sql: SQL in ["BEGIN", "INSERT INTO t VALUES (1)", "INSERT OR ROLLBACK INTO t VALUES (1)"] {
            _ = failure { try db.execute(sql) }
        }
        try db.execute("INSERT INTO t VALUES (4)")
        let number = try #require(event("BEGIN").transaction)
        #expect(try event("INSERT INTO t VALUES (1)").transaction == number)
        #expect(try event("INSERT OR ROLLBACK INTO t VALUES (1)").transaction == number)
        #expect(try event("INSERT INTO t VALUES (4)").transaction == nil)
    }

    // K14
    @Test("its connection and its database")
    func connections() throws {
        let directory = try TemporaryDirectory()
        let pool = try DatabasePool(directory.file(), configuration: configuration)
        try pool.write { db in try db.execute("CREATE TABLE t (a)") }
        _ = try pool.read { db in try db.rows("SELECT * FROM t") }
        let (write, read) = try (event("CREATE TABLE t (a)"), event("SELECT * FROM t"))
        #expect(write.connection != read.connection)
        #expect(!write.isReader && read.isReader)
        #expect(write.database == directory.file() && read.database == write.database)
        #expect(write.start < read.start)
    }

    // K14
    @Test("what the library runs is marked", arguments: [true, false])
    func marks(isPool: Bool) throws {
        let directory = try TemporaryDirectory()
        let access: any DatabaseAccess =
            isPool
            ? try DatabasePool(directory.file(), configuration: configuration)
            : try DatabaseQueue(directory.file(), configuration: configuration)
        try access.write { db in
            try db.execute("CREATE TABLE t (a)")
            try db.savepoint { try db.execute("INSERT INTO t VALUES (1)") }
        }
        _ = try access.read { db in try db.rows("SELECT * FROM t") }
        let overflow: SQL = "INSERT INTO t VALUES (abs(-9223372036854775807 - 1))"
        _ = failure { try access.write { db in try db.execute(overflow) } }
        try access.withoutTransaction { db in try db.executeScript("BEGIN; COMMIT") }
        let own = events.value.filter { !$0.isInternal }.map(\.sql)
        #expect(
            own == [
                "CREATE TABLE t (a)", "INSERT INTO t VALUES (1)", "SELECT * FROM t",
                overflow.sql, "BEGIN;", " COMMIT",
            ])
        #expect(Set(events.value.filter(\.isInternal).map(\.kind)).isSuperset(of: [.begin, .commit, .rollback]))
    }

    // K14
    @Test("how long its access waited, said once", arguments: [true, false])
    func waits(isPool: Bool) async throws {
        let directory = try TemporaryDirectory()
        let access: any DatabaseAccess =
            isPool
            ? try DatabasePool(directory.file(), configuration: configuration)
            : try DatabaseQueue(directory.file(), configuration: configuration)
        try await access.write { db in try db.execute("CREATE TABLE t (a)") }
        #expect(events.value.allSatisfy { $0.waited == .zero })
        let (held, continuation) = AsyncStream.makeStream(of: Void.self)
        let release = DispatchSemaphore(value: 0)
        let first = Task {
            try await access.write { db in
                continuation.finish()
                release.wait()
                try db.execute("INSERT INTO t VALUES (1)")
            }
        }
        for await _ in held {}
        let second = Task {
            try await access.write { db in
                try db.execute("INSERT INTO t VALUES (2)")
                try db.execute("INSERT INTO t VALUES (3)")
            }
        }
        async let third = onThread { try access.write { db in try db.execute("INSERT INTO t VALUES (4)") } }
        while access.waiterCount < 2 { await Task.yield() }
        release.signal()
        try await first.value
        try await second.value
        _ = try await third
        let waiting = events.value.filter { $0.waited > .zero }
        #expect(waiting.map(\.sql) == ["BEGIN IMMEDIATE", "BEGIN IMMEDIATE"])
        #expect(waiting.allSatisfy { !$0.isReader })
    }

    // K14
    @Test("a statement that is prepared again is one event")
    func reprepared() throws {
        let directory = try TemporaryDirectory()
        let db = try Database(directory.file(), configuration: configuration)
        try db.execute("CREATE TABLE t (a)")
        try db.execute("INSERT INTO t VALUES (1)")
        let statement = try db.prepare("SELECT * FROM t")
        try statement.execute()
        try Database(directory.file()).execute("ALTER TABLE t ADD b")
        events.update { $0 = [] }
        try statement.execute()
        #expect(events("SELECT * FROM t").map(\.rows) == [1])
        #expect(events("SELECT * FROM t").allSatisfy { $0.error == nil })
    }

    // K14
    @Test("a statement that stands on a row when its access ends")
    func leftOpen() throws {
        let queue = try DatabaseQueue(.memory, configuration: configuration)
        var statement: Statement?
        try queue.read { db in
            statement = try db.prepare("SELECT 1 UNION ALL SELECT 2", cached: false)
            _ = try statement?.step()
        }
        #expect(statement?.isBusy == false)
        #expect(events("SELECT 1 UNION ALL SELECT 2").map(\.rows) == [1])
    }

    // K14
    @Test("what a virtual table runs is marked")
    func virtualTables() throws {
        let queue = try DatabaseQueue(.memory, configuration: configuration)
        try queue.write { db in
            try db.execute("CREATE VIRTUAL TABLE note USING fts5(text)")
            events.update { $0 = [] }
            try db.execute("INSERT INTO note VALUES ('a')")
        }
        // FTS5 keeps its index by statements of its own.
        #expect(events.value.filter { !$0.isInternal }.map(\.sql) == ["INSERT INTO note VALUES ('a')"])
    }

    // K14
    @Test(
        "its kind, by its first words",
        arguments: [
            ("SELECT 1", Trace.Kind.select), (" /* a */ insert into t values (1)", .insert),
            ("REPLACE INTO t", .replace),
            ("WITH a AS (SELECT 1), b(x) AS (SELECT 2) DELETE FROM t", .delete), ("VALUES (1)", .values),
            ("WITH RECURSIVE replace(n) AS (SELECT 1) SELECT * FROM replace", .select), ("END", .commit),
            ("PRAGMA user_version", .pragma), ("EXPLAIN SELECT 1", .explain), ("other", .other), ("", .other),
            ("\"select\"", .other), ("WITH a AS (SELECT 1", .other),
        ])
    func kinds(sql: String, kind: Trace.Kind) {
        #expect(Trace.Kind.find(in: SQLTokens(sql)).kind == kind)
    }

    @TaskLocal private static var caller = 0

    // K14
    @Test("the task that ran it: its task-local values are the caller's", arguments: [true, false])
    func callers(isPool: Bool) async throws {
        let directory = try TemporaryDirectory()
        let seen = Shared<[String: Int]>([:])
        var configuration = DatabaseConfiguration()
        configuration.trace = Trace { event in
            if !event.isInternal { seen.update { $0[event.sql] = Self.caller } }
        }
        let access: any DatabaseAccess =
            isPool
            ? try DatabasePool(directory.file(), configuration: configuration)
            : try DatabaseQueue(directory.file(), configuration: configuration)
        try await withThrowingTaskGroup { group in
            for number in 1...1000 {
                group.addTask {
                    try await Self.$caller.withValue(number) {
                        let sql = SQL(String("SELECT \(number)"))
                        switch number % 4 {
                        case 0: _ = try await access.read { db in try db.scalar(sql, as: Int.self) }
                        case 1: _ = try await access.write { db in try db.scalar(sql, as: Int.self) }
                        case 2: _ = try Self.synchronously(access) { db in try db.scalar(sql, as: Int.self) }
                        default: for try await _ in access.rows(sql) {}
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(seen.value.count == 1000)
        #expect(seen.value.allSatisfy { $0.key == "SELECT \($0.value)" })
    }

    private static func synchronously(
        _ access: any DatabaseAccess, _ body: (Database) throws -> Int?
    ) throws -> Int? {
        try access.withoutTransaction(body)
    }
}
