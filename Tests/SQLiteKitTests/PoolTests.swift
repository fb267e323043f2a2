import Dispatch
import Foundation
import SQLiteKit
import Testing

@Suite("A pool", .timeLimit(.minutes(20)))
struct PoolTests {
    private let directory: TemporaryDirectory
    private let pool: DatabasePool

    init() throws {
        directory = try TemporaryDirectory()
        pool = try DatabasePool(directory.file())
        try pool.write { db in try db.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
    }

    private static func values(_ db: Database) throws -> [Int] {
        try db.column("SELECT a FROM t ORDER BY a", as: Int.self)
    }

    // K11
    @Test("a write commits, and a read sees it")
    func writeAndRead() throws {
        try pool.write { db in try db.execute("INSERT INTO t VALUES (2)") }
        #expect(try pool.read(Self.values) == [1, 2])
    }

    // K11
    @Test("a write that throws leaves nothing")
    func rollback() throws {
        #expect(throws: TestError.self) {
            try pool.write { db in
                try db.execute("INSERT INTO t VALUES (2)")
                throw TestError()
            }
        }
        #expect(try pool.read(Self.values) == [1])
    }

    // K11
    @Test("three readers come to their end while a write is under way")
    func readersBesideWriter() async throws {
        let isWriting = Signal()
        let gate = DispatchSemaphore(value: 0)
        async let writer: Void = pool.write { db in
            try db.execute("INSERT INTO t VALUES (2)")
            isWriting.send()
            gate.wait()
        }
        await isWriting.wait()
        // All three are inside at once before any may end.
        let inside = Shared(0)
        let pool = pool
        let seen = try await withThrowingTaskGroup(of: [Int].self) { group in
            for _ in 0..<3 {
                group.addTask {
                    try await pool.read { db in
                        inside.update { $0 += 1 }
                        while inside.value < 3 { Thread.sleep(forTimeInterval: 0.001) }
                        return try Self.values(db)
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(seen == [[1], [1], [1]])
        gate.signal()
        try await writer
        #expect(try await pool.read(Self.values) == [1, 2])
    }

    // K11
    @Test("a read is of the moment it began, though a write commits before it first reads")
    func snapshot() async throws {
        let pool = pool
        let hasBegun = Signal()
        let gate = DispatchSemaphore(value: 0)
        async let seen = pool.read { db in
            hasBegun.send()
            gate.wait()
            return [try Self.values(db), try Self.values(db)]
        }
        await hasBegun.wait()
        try await pool.write { db in _ = try db.execute("INSERT INTO t VALUES (2)") }
        gate.signal()
        #expect(try await seen == [[1], [1]])
    }

    // K11
    @Test(
        "a read cannot write",
        arguments: [
            "INSERT INTO t VALUES (2)", "CREATE TABLE u (a)", "CREATE TEMP TABLE u (a)", "PRAGMA user_version = 5",
            "BEGIN IMMEDIATE", "PRAGMA journal_mode = DELETE",
        ])
    func readOnly(_ sql: String) throws {
        let error = failure { try pool.read { db in try db.execute(SQL(sql)) } }
        #expect(error?.code == .readOnly)
        #expect(error?.message == "a read cannot write")
        #expect(try pool.read(Self.values) == [1])
    }

    // K11
    @Test("SQLite itself rejects a reader's writes")
    func queryOnly() throws {
        #expect(try pool.read { db in try db.scalar("PRAGMA query_only", as: Int.self) } == 1)
        #expect(try pool.write { db in try db.scalar("PRAGMA query_only", as: Int.self) } == 0)
    }

    // K11
    @Test("a read inside a write sees what has been written, and cannot write")
    func readInWrite() throws {
        try pool.write { db in
            try db.execute("INSERT INTO t VALUES (2)")
            #expect(try pool.read(Self.values) == [1, 2])
            #expect(failure { try pool.read { try $0.execute("DELETE FROM t") } }?.code == .readOnly)
            try db.execute("INSERT INTO t VALUES (3)")
        }
        #expect(try pool.read(Self.values) == [1, 2, 3])
    }

    // K11
    @Test("a write inside a write is a savepoint")
    func writeInWrite() throws {
        try pool.write { db in
            try catchingTestError {
                try pool.write { db in
                    try db.execute("INSERT INTO t VALUES (2)")
                    throw TestError()
                }
            }
            try pool.write { db in try db.execute("INSERT INTO t VALUES (3)") }
        }
        #expect(try pool.read(Self.values) == [1, 3])
    }

    // K11
    @Test("a read inside a read is of the same moment")
    func readInRead() async throws {
        let pool = pool
        let hasBegun = Signal()
        let gate = DispatchSemaphore(value: 0)
        async let seen = pool.read { _ in
            hasBegun.send()
            gate.wait()
            return try pool.read(Self.values)
        }
        await hasBegun.wait()
        try await pool.write { db in _ = try db.execute("INSERT INTO t VALUES (2)") }
        gate.signal()
        #expect(try await seen == [1])
    }

    // K11
    @Test("a write inside a read throws")
    func writeInRead() throws {
        let error = try pool.read { _ in failure { try pool.write { _ in } } }
        #expect(error?.extendedCode == .notAllowedHere)
    }

    // K11
    @Test("withoutTransaction has the writer, joins a write, and inside a read cannot write")
    func withoutTransaction() throws {
        try pool.withoutTransaction { db in
            #expect(!db.isInTransaction)
            try db.execute("VACUUM")
            try db.execute("INSERT INTO t VALUES (2)")
        }
        try catchingTestError {
            try pool.write { _ in
                try pool.withoutTransaction { db in try db.execute("INSERT INTO t VALUES (3)") }
                throw TestError()
            }
        }
        let error = failure {
            try pool.read { _ in try pool.withoutTransaction { db in try db.execute("INSERT INTO t VALUES (4)") } }
        }
        #expect(error?.code == .readOnly)
        #expect(try pool.read(Self.values) == [1, 2])
    }

    // K11
    @Test("a closure can tell whether it may write")
    func isReading() throws {
        #expect(try pool.read { $0.isReading })
        #expect(try pool.write { !$0.isReading })
        #expect(try pool.write { _ in try pool.read { $0.isReading } })
        #expect(!pool.isMine)
        #expect(try pool.read { _ in pool.isMine })
        #expect(try pool.write { _ in pool.isMine })
    }

    // K11
    @Test("a reader sees a schema that has changed since its last read")
    func schemaChange() throws {
        let names = { try self.pool.read { db in try db.rows("SELECT * FROM t")[0].columnNames } }
        #expect(try names() == ["a"])
        try pool.write { db in _ = try db.execute("ALTER TABLE t ADD COLUMN b") }
        #expect(try names() == ["a", "b"])
    }

    // K11
    @Test("what is prepared is prepared on each connection, on a reader when it is first needed")
    func prepare() throws {
        let count = Shared(0)
        var configuration = DatabaseConfiguration()
        configuration.prepare = { db in
            count.update { $0 += 1 }
            try db.execute("PRAGMA cache_size = -321")
        }
        let pool = try DatabasePool(directory.file("other.sqlite"), configuration: configuration)
        #expect(count.value == 1)
        for _ in 0..<3 {
            #expect(try pool.read { db in try db.scalar("PRAGMA cache_size", as: Int.self) } == -321)
        }
        #expect(count.value == 2)
    }

    // K11
    @Test("what preparing a reader throws comes out of the read, and the next read tries again")
    func failingPrepare() throws {
        let count = Shared(0)
        var configuration = DatabaseConfiguration()
        configuration.maximumReaders = 1
        configuration.prepare = { _ in
            count.update { $0 += 1 }
            if count.value == 2 { throw TestError() }
        }
        let pool = try DatabasePool(directory.file(), configuration: configuration)
        #expect(throws: TestError.self) { try pool.read { _ in } }
        #expect(try pool.read(Self.values) == [1])
    }

    // K11
    @Test("what preparing the writer throws makes opening fail")
    func failingPrepareOfWriter() throws {
        var configuration = DatabaseConfiguration()
        configuration.prepare = { _ in throw TestError() }
        #expect(throws: TestError.self) { try DatabasePool(directory.file(), configuration: configuration) }
    }

    // K11
    @Test("a database without a file has no pool", arguments: [DatabaseLocation.memory, .temporary, .file("")])
    func withoutFile(_ location: DatabaseLocation) {
        let error = failure { try DatabasePool(location) }
        #expect(error?.code == .cannotOpen)
        #expect(error?.message.contains("use a DatabaseQueue") == true)
    }

    // K11
    @Test("a number of readers that cannot be is rejected", arguments: [0, -1, 1001, Int.max, Int.min])
    func numberOfReaders(_ count: Int) {
        var configuration = DatabaseConfiguration()
        configuration.maximumReaders = count
        #expect(failure { try DatabasePool(directory.file(), configuration: configuration) }?.code == .cannotOpen)
    }

    // K11
    @Test("a file in another journal mode is switched to WAL")
    func switching() throws {
        let location = directory.file("rollback.sqlite")
        var configuration = DatabaseConfiguration()
        configuration.journalMode = .delete
        try Database(location, configuration: configuration).execute("CREATE TABLE t (a)")
        let pool = try DatabasePool(location)
        #expect(try pool.withoutTransaction { db in try db.scalar("PRAGMA journal_mode", as: String.self) } == "wal")
    }

    // K11
    @Test("asking for another journal mode throws, and leaves the file's")
    func otherJournalMode() throws {
        var configuration = DatabaseConfiguration()
        configuration.journalMode = .delete
        let error = failure { try DatabasePool(directory.file(), configuration: configuration) }
        #expect(error?.code == .cannotOpen)
        #expect(error?.message.contains("delete") == true)
        #expect(try pool.withoutTransaction { db in try db.scalar("PRAGMA journal_mode", as: String.self) } == "wal")
    }

    // K11
    @Test("a read-only file is read in the mode it has, and not written", arguments: [JournalMode.delete, .wal])
    func readOnlyFile(_ mode: JournalMode) throws {
        let location = directory.file("frozen.sqlite")
        var configuration = DatabaseConfiguration()
        configuration.journalMode = mode
        let maker = try Database(location, configuration: configuration)
        try maker.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (7)")
        try maker.close()
        configuration.openMode = .readOnly
        let pool = try DatabasePool(location, configuration: configuration)
        #expect(try pool.read(Self.values) == [7])
        #expect(
            try pool.withoutTransaction { db in try db.scalar("PRAGMA journal_mode", as: String.self) } == mode.rawValue
        )
        #expect(failure { try pool.write { try $0.execute("DELETE FROM t") } }?.code == .readOnly)
    }

    // K11
    @Test("a path with characters beyond ASCII")
    func nonASCII() throws {
        let pool = try DatabasePool(directory.file("日本語 é.sqlite"))
        try pool.write { db in try db.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        #expect(try pool.read(Self.values) == [1])
    }

    // K10
    @Test("what belongs to a read throws after it")
    func expired() throws {
        let db = try pool.read { $0 }
        #expect(failure { try db.execute("SELECT 1") }?.extendedCode == .expired)
        let rows = try pool.read { try $0.query("SELECT a FROM t") }
        #expect(failure { try rows.next() }?.extendedCode == .expired)
        #expect(failure { try pool.read { _ in try db.execute("SELECT 1") } } == nil)
        #expect(failure { try pool.write { _ in try db.execute("SELECT 1") } }?.extendedCode == .expired)
    }

    // K11
    @Test("a closed pool throws until it is reopened")
    func closing() async throws {
        let pool = pool
        _ = try await pool.read(Self.values)
        try await pool.close()
        try await pool.close()
        let path = directory.path()
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        #expect(try await onThread { failure { try pool.read { _ in } } }?.extendedCode == .closed)
        #expect(try await onThread { failure { try pool.write { _ in } } }?.extendedCode == .closed)
        #expect(await failure { try await pool.read { _ in } }?.extendedCode == .closed)
        try await pool.reopen()
        try await pool.reopen()
        #expect(try await pool.read(Self.values) == [1])
        try await pool.write { db in _ = try db.execute("INSERT INTO t VALUES (2)") }
    }

    // K11
    @Test("a pool cannot be closed or reopened inside its own closure")
    func closeInside() throws {
        for verb in [pool.read, pool.write] as [((Database) throws -> Void) throws -> Void] {
            try verb { db in
                #expect(failure { try pool.close() }?.extendedCode == .notAllowedHere)
                #expect(failure { try pool.reopen() }?.extendedCode == .notAllowedHere)
                #expect(failure { try db.close() }?.extendedCode == .notAllowedHere)
            }
        }
        #expect(try pool.read(Self.values) == [1])
    }

    // K40
    @Test("a pool with a statement that someone holds stays open, and names it", arguments: [true, false])
    func heldStatement(_ onReader: Bool) throws {
        var statement: Statement? =
            try onReader
            ? pool.read { db in try db.prepare("SELECT 'held'") }
            : pool.write { db in try db.prepare("SELECT 'held'") }
        let error = failure { try pool.close() }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("SELECT 'held'") == true)
        #expect(statement != nil)
        #expect(try pool.read(Self.values) == [1])
        #expect(failure { try pool.write { _ in } } == nil)
        statement = nil
        #expect(failure { try pool.close() } == nil)
    }

    // K11
    @Test("closing waits for the readers that are out, and those who come later find it closed")
    func closingWhileReading() async throws {
        let pool = pool
        let hasBegun = Signal()
        let gate = DispatchSemaphore(value: 0)
        async let seen = pool.read { db in
            hasBegun.send()
            gate.wait()
            return try Self.values(db)
        }
        await hasBegun.wait()
        async let closing: Void = onThread { try pool.close() }
        while pool.waiterCount < 1 { await Task.yield() }
        async let late = failure { try await pool.read { _ in } }
        while pool.waiterCount < 2 { await Task.yield() }
        gate.signal()
        #expect(try await seen == [1])
        try await closing
        #expect(await late?.extendedCode == .closed)
    }

    // K11
    @Test("either kind can be used by the same code")
    func either() async throws {
        for database in [pool, try DatabaseQueue(directory.file())] as [any DatabaseAccess] {
            try await database.write { db in _ = try db.execute("INSERT INTO t VALUES (5)") }
            _ = try await database.read { db in try db.rows("SELECT a FROM t") }
            #expect(database.location == directory.file())
            #expect(database.configuration.maximumReaders == 5)
        }
        #expect(try await pool.read(Self.values) == [1, 5, 5])
    }
}
