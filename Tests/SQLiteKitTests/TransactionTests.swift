import Foundation
import SQLiteKit
import Testing

@Suite("Transactions")
struct TransactionTests {
    private func table() throws -> Database { try memory("CREATE TABLE t (a)") }

    private func values(_ db: Database) throws -> [Int] { try db.column("SELECT a FROM t ORDER BY a", as: Int.self) }

    // K10
    @Test("a transaction commits when its closure returns")
    func commits() throws {
        let db = try table()
        let result = try db.transaction {
            #expect(db.isInTransaction)
            try db.execute("INSERT INTO t VALUES (1)")
            return "result"
        }
        #expect(result == "result")
        #expect(!db.isInTransaction)
        #expect(try values(db) == [1])
    }

    // K10
    @Test("a transaction is rolled back when its closure throws, and the error comes through")
    func rollsBack() throws {
        let db = try table()
        #expect(throws: TestError.self) {
            try db.transaction {
                try db.execute("INSERT INTO t VALUES (1)")
                throw TestError()
            }
        }
        #expect(!db.isInTransaction)
        #expect(try values(db) == [])
    }

    // K10
    @Test("a transaction inside a transaction is a savepoint")
    func nested() throws {
        let db = try table()
        try db.transaction {
            try db.execute("INSERT INTO t VALUES (1)")
            try catchingTestError {
                try db.transaction {
                    try db.execute("INSERT INTO t VALUES (2)")
                    throw TestError()
                }
            }
            try db.transaction { _ = try db.execute("INSERT INTO t VALUES (3)") }
        }
        #expect(try values(db) == [1, 3])
    }

    // K12
    @Test("savepoints nest, and each undoes its own")
    func savepoints() throws {
        let db = try table()
        try db.transaction {
            try db.savepoint {
                try db.execute("INSERT INTO t VALUES (1)")
                try catchingTestError {
                    try db.savepoint {
                        try db.execute("INSERT INTO t VALUES (2)")
                        try db.savepoint { _ = try db.execute("INSERT INTO t VALUES (3)") }
                        throw TestError()
                    }
                }
                try db.execute("INSERT INTO t VALUES (4)")
            }
        }
        #expect(try values(db) == [1, 4])
    }

    // K12
    @Test("a savepoint outside a transaction is one")
    func savepointAlone() throws {
        let db = try table()
        try catchingTestError {
            try db.savepoint {
                try db.execute("INSERT INTO t VALUES (1)")
                throw TestError()
            }
        }
        try db.savepoint { _ = try db.execute("INSERT INTO t VALUES (2)") }
        #expect(try values(db) == [2])
        #expect(!db.isInTransaction)
    }

    // K12
    @Test("a hundred savepoints nest")
    func deep() throws {
        let db = try table()
        func nest(_ depth: Int) throws {
            try db.savepoint {
                try db.execute("INSERT INTO t VALUES (\(depth))")
                if depth < 100 { try nest(depth + 1) }
            }
        }
        try nest(1)
        #expect(try values(db).count == 100)
    }

    // K10, FMDB: isInTransaction
    @Test("a transaction that was begun by SQL text is a transaction")
    func begunByText() throws {
        let db = try table()
        try db.execute("BEGIN")
        #expect(db.isInTransaction)
        try db.transaction { _ = try db.execute("INSERT INTO t VALUES (1)") }
        #expect(db.isInTransaction)
        try db.execute("ROLLBACK")
        #expect(try values(db) == [])
    }

    // K12, FMDB: default transaction
    @Test("a transaction takes the write lock at once unless it is deferred")
    func immediate() throws {
        let directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .zero
        let first = try Database(directory.file(), configuration: configuration)
        let second = try Database(directory.file(), configuration: configuration)
        try first.transaction {
            #expect(failure { try second.transaction {} }?.code == .busy)
            #expect(failure { try second.transaction(.deferred) {} } == nil)
        }
        try first.transaction(.deferred) {
            #expect(failure { try second.transaction {} } == nil)
        }
    }

    // K12
    @Test("the configuration says how a transaction begins")
    func configured() throws {
        let directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .zero
        configuration.writeTransaction = .deferred
        let first = try Database(directory.file(), configuration: configuration)
        let second = try Database(directory.file(), configuration: configuration)
        try first.transaction {
            #expect(failure { try second.transaction(.exclusive) {} } == nil)
        }
    }

    // K10, FMDB: BEGIN/COMMIT failure
    @Test("a foreign key that fails at the commit is thrown, and all is rolled back")
    func deferredForeignKey() throws {
        let db = try memory(
            """
            CREATE TABLE p (id INTEGER PRIMARY KEY);
            CREATE TABLE c (p REFERENCES p DEFERRABLE INITIALLY DEFERRED)
            """)
        let error = failure { try db.transaction { _ = try db.execute("INSERT INTO c VALUES (1)") } }
        #expect(error?.isConstraint(.foreignKey) == true)
        #expect(error?.outcome == .notApplied)
        #expect(!db.isInTransaction)
        #expect(try db.scalar("SELECT count(*) FROM c", as: Int.self) == 0)
        try db.transaction { _ = try db.execute("INSERT INTO p VALUES (1)") }
        #expect(try db.scalar("SELECT count(*) FROM p", as: Int.self) == 1)
    }

    // K10
    @Test("a commit that the disk failed says that nobody knows its outcome, and the queue goes on")
    func unknownOutcome() throws {
        let directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration()
        configuration.journalMode = .delete
        let queue = try DatabaseQueue(directory.file(), configuration: configuration)
        try queue.write { db in try db.execute("CREATE TABLE t (a)") }
        let journal = directory.path() + "-journal"
        let error = failure {
            try queue.write { db in
                try db.execute("INSERT INTO t VALUES (1)")
                // The file is written, and then the journal cannot be deleted.
                try FileManager.default.removeItem(atPath: journal)
                try FileManager.default.createDirectory(atPath: journal, withIntermediateDirectories: false)
            }
        }
        #expect(error?.code == .ioError)
        #expect(error?.outcome == .unknown)
        #expect(error?.description.contains("may have been applied") == true)
        try FileManager.default.removeItem(atPath: journal)
        #expect(try queue.read { db in try db.column("SELECT a FROM t", as: Int.self) } == [1])
        try queue.write { db in try db.execute("INSERT INTO t VALUES (2)") }
        #expect(try queue.read { db in try db.scalar("SELECT count(*) FROM t", as: Int.self) } == 2)
    }

    // K10, FMDB: BEGIN/COMMIT failure
    @Test("a commit that a reader stands in the way of is thrown, and all is rolled back")
    func busyCommit() throws {
        let directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .zero
        configuration.journalMode = .delete
        let writer = try Database(directory.file(), configuration: configuration)
        try writer.execute("CREATE TABLE t (a)")
        let reader = try Database(directory.file(), configuration: configuration)
        let rows = try reader.query("SELECT 1 FROM sqlite_schema")
        _ = try rows.next()
        let error = failure { try writer.transaction { _ = try writer.execute("INSERT INTO t VALUES (1)") } }
        #expect(error?.code == .busy)
        #expect(!writer.isInTransaction)
        rows.close()
        #expect(try values(writer) == [])
    }

    // K13
    @Test("a read transaction that others have overtaken cannot write")
    func busySnapshot() throws {
        let directory = try TemporaryDirectory()
        let first = try Database(directory.file())
        try first.execute("CREATE TABLE t (a)")
        let second = try Database(directory.file())
        let error = failure {
            try first.transaction(.deferred) {
                _ = try values(first)
                try second.execute("INSERT INTO t VALUES (1)")
                try first.execute("INSERT INTO t VALUES (2)")
            }
        }
        #expect(error?.extendedCode == .busySnapshot)
        #expect(!first.isInTransaction)
        #expect(try values(first) == [1])
    }

    // K10
    @Test("an open query does not keep a transaction from being rolled back")
    func openQuery() throws {
        let db = try memory("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
        var rows: ResultSet?
        #expect(throws: TestError.self) {
            try db.transaction {
                try db.execute("DELETE FROM t")
                rows = try db.query("SELECT 1 UNION SELECT 2")
                _ = try rows?.next()
                throw TestError()
            }
        }
        #expect(!db.isInTransaction)
        #expect(try values(db) == [1, 2])
    }
}
