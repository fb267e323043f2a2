import Foundation
import SQLiteKit
import Testing

@Suite("A queue")
struct QueueTests {
    private let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue(.memory)
        try queue.write { db in try db.execute("CREATE TABLE t (a)") }
    }

    private func values() throws -> [Int] {
        try queue.read { db in try db.column("SELECT a FROM t ORDER BY a", as: Int.self) }
    }

    // K10
    @Test("a write commits, and a read sees it")
    func writeAndRead() throws {
        let id = try queue.write { db in
            try db.execute("INSERT INTO t VALUES (1)")
            return db.lastInsertRowID
        }
        #expect(id == 1)
        #expect(try values() == [1])
    }

    // K10
    @Test("a write that throws leaves nothing")
    func rollback() throws {
        #expect(throws: TestError.self) {
            try queue.write { db in
                try db.execute("INSERT INTO t VALUES (1)")
                throw TestError()
            }
        }
        #expect(try values() == [])
    }

    // K10
    @Test("a write inside a write is a savepoint")
    func nestedWrite() throws {
        try queue.write { db in
            try db.execute("INSERT INTO t VALUES (1)")
            try catchingTestError {
                try queue.write { db in
                    try db.execute("INSERT INTO t VALUES (2)")
                    throw TestError()
                }
            }
            try queue.write { db in try db.execute("INSERT INTO t VALUES (3)") }
        }
        #expect(try values() == [1, 3])
    }

    // K10
    @Test("a read inside a write sees what has been written")
    func readInWrite() throws {
        let seen = try queue.write { db in
            try db.execute("INSERT INTO t VALUES (1)")
            return try queue.read { db in try db.scalar("SELECT a FROM t", as: Int.self) }
        }
        #expect(seen == 1)
    }

    // K10
    @Test("a read inside a write cannot write; the write around it can again")
    func readInWriteIsReading() throws {
        try queue.write { db in
            let error = failure { try queue.read { db in try db.execute("INSERT INTO t VALUES (1)") } }
            #expect(error?.code == .readOnly)
            try db.execute("INSERT INTO t VALUES (2)")
        }
        #expect(try values() == [2])
    }

    // K10
    @Test("a write inside a read throws")
    func writeInRead() throws {
        let error = try queue.read { _ in
            failure { try queue.write { db in try db.execute("INSERT INTO t VALUES (1)") } }
        }
        #expect(error?.extendedCode == .notAllowedHere)
    }

    // K10
    @Test(
        "a read cannot write by SQL text",
        arguments: ["INSERT INTO t VALUES (1)", "CREATE TABLE u (a)", "DROP TABLE t", "PRAGMA user_version = 5"])
    func writeByTextInRead(_ sql: String) throws {
        #expect(failure { try queue.read { db in try db.execute(SQL(sql)) } }?.code == .readOnly)
        #expect(failure { try queue.write { db in try db.execute("INSERT INTO t VALUES (2)") } } == nil)
    }

    // K10
    @Test("a read inside a read reads on")
    func readInRead() throws {
        #expect(try queue.read { _ in try values() } == [])
    }

    // K10
    @Test("a read is a transaction: one moment for all it reads")
    func snapshot() throws {
        let directory = try TemporaryDirectory()
        let queue = try DatabaseQueue(directory.file())
        try queue.write { db in try db.execute("CREATE TABLE t (a)") }
        let other = try Database(directory.file())
        let counts = try queue.read { db in
            let before = try db.scalar("SELECT count(*) FROM t", as: Int.self)
            try other.execute("INSERT INTO t VALUES (1)")
            return [before, try db.scalar("SELECT count(*) FROM t", as: Int.self)]
        }
        #expect(counts == [0, 0])
    }

    // K12, FMDB: default transaction
    @Test("a read begins deferred: it needs no lock while another connection writes")
    func deferredRead() throws {
        let directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .zero
        let queue = try DatabaseQueue(directory.file(), configuration: configuration)
        let other = try Database(directory.file(), configuration: configuration)
        try other.transaction(.immediate) {
            #expect(failure { try queue.read { db in try db.rows("SELECT * FROM sqlite_schema") } } == nil)
            #expect(failure { try queue.write { _ in } }?.code == .busy)
        }
    }

    // K10
    @Test("without a transaction each statement is one by itself")
    func withoutTransaction() throws {
        #expect(throws: TestError.self) {
            try queue.withoutTransaction { db in
                #expect(!db.isInTransaction)
                try db.execute("INSERT INTO t VALUES (1)")
                throw TestError()
            }
        }
        #expect(try values() == [1])
        #expect(failure { try queue.withoutTransaction { db in try db.execute("VACUUM") } } == nil)
    }

    // K10
    @Test("inside a write, withoutTransaction joins it")
    func withoutTransactionInWrite() throws {
        try catchingTestError {
            try queue.write { _ in
                try queue.withoutTransaction { db in try db.execute("INSERT INTO t VALUES (1)") }
                throw TestError()
            }
        }
        #expect(try values() == [])
    }

    // K10
    @Test("inside a read, withoutTransaction cannot write")
    func withoutTransactionInRead() throws {
        let error = failure {
            try queue.read { _ in try queue.withoutTransaction { db in try db.execute("INSERT INTO t VALUES (1)") } }
        }
        #expect(error?.code == .readOnly)
    }

    // K10
    @Test("inside withoutTransaction, a read and a write are transactions of the same connection")
    func insideWithoutTransaction() throws {
        try queue.withoutTransaction { db in
            try queue.read { inner in
                #expect(inner === db)
                #expect(inner.isInTransaction)
                #expect(failure { try inner.execute("INSERT INTO t VALUES (1)") }?.code == .readOnly)
            }
            #expect(throws: TestError.self) {
                try queue.write { inner in
                    #expect(inner === db)
                    try inner.execute("INSERT INTO t VALUES (2)")
                    throw TestError()
                }
            }
            try queue.write { inner in try inner.execute("INSERT INTO t VALUES (3)") }
            #expect(!db.isInTransaction)
        }
        #expect(try values() == [3])
    }

    // K10
    @Test("a transaction that the closure left open is rolled back and reported", arguments: ["BEGIN", "SAVEPOINT s"])
    func leftOpen(_ begin: String) throws {
        let error = failure {
            try queue.withoutTransaction { db in
                try db.execute(SQL(begin))
                try db.execute("INSERT INTO t VALUES (1)")
            }
        }
        #expect(error?.extendedCode == .notAllowedHere)
        #expect(try values() == [])
        #expect(failure { try queue.write { db in try db.execute("INSERT INTO t VALUES (2)") } } == nil)
    }

    // K10
    @Test("a transaction left open by a closure that throws is rolled back, and its error comes through")
    func leftOpenAndThrown() throws {
        #expect(throws: TestError.self) {
            try queue.withoutTransaction { db in
                try db.execute("BEGIN")
                try db.execute("INSERT INTO t VALUES (1)")
                throw TestError()
            }
        }
        #expect(try values() == [])
    }

    // K10
    @Test("a query left open with the rows of a write does not keep the write from being committed")
    func openReturning() throws {
        var left: ResultSet?
        try queue.write { db in
            left = try db.query("INSERT INTO t VALUES (1), (2) RETURNING a")
            _ = try left?.next()
        }
        #expect(try values() == [1, 2])
        #expect(failure { try left?.next() }?.extendedCode == .expired)
    }

    // K10
    @Test("an error of the closure leaves the queue usable")
    func usableAfterError() throws {
        _ = failure { try queue.write { db in try db.execute("nonsense") } }
        _ = failure { try queue.read { db in try db.execute("nonsense") } }
        #expect(try values() == [])
    }

    // K10
    @Test("a failing BEGIN is thrown and the closure does not run")
    func failingBegin() throws {
        let directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .zero
        let queue = try DatabaseQueue(directory.file(), configuration: configuration)
        let other = try Database(directory.file(), configuration: configuration)
        var hasRun = false
        try other.transaction {
            #expect(failure { try queue.write { _ in hasRun = true } }?.code == .busy)
        }
        #expect(!hasRun)
        #expect(failure { try queue.write { _ in } } == nil)
    }

    // K10
    @Test("a read-only file can be read through a queue and not be written")
    func readOnlyFile() throws {
        let directory = try TemporaryDirectory()
        try Database(directory.file()).executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (3)")
        var configuration = DatabaseConfiguration()
        configuration.openMode = .readOnly
        let queue = try DatabaseQueue(directory.file(), configuration: configuration)
        #expect(try queue.read { db in try db.scalar("SELECT a FROM t", as: Int.self) } == 3)
        #expect(failure { try queue.write { db in try db.execute("DELETE FROM t") } }?.code == .readOnly)
    }
}
