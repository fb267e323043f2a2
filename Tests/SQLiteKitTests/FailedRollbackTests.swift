import Faults
import Foundation
import SQLiteKit
import Testing

/// A ROLLBACK in whose way something is.
@Suite("A rollback in whose way something is")
struct FailedRollbackTests {
    /// A virtual table that keeps statements of its own, and a query of it that is interrupted.
    private static let fullText = "CREATE VIRTUAL TABLE f USING fts5(x); CREATE TABLE t (a); INSERT INTO t VALUES (1)"

    private func addInterrupting(_ db: Database) throws {
        let interrupter = db.interrupter
        try db.addFunction("interrupting", argumentCount: 0) { _ in
            interrupter.interrupt()
            return SQLiteValue.integer(1)
        }
    }

    /// Writes to the full-text table, and is interrupted while that has a statement under way.
    private func interruptedWrite(_ db: Database) throws {
        for number in 0..<50 { try db.execute("INSERT INTO f VALUES (\("word\(number) again"))") }
        try db.execute("INSERT INTO f (f) VALUES ('optimize')")
        try db.execute("INSERT INTO t VALUES (2)")
        _ = try db.column("SELECT interrupting() FROM f WHERE f MATCH 'again'", as: Int.self)
    }

    // K17
    @Test("a queue in memory goes on after a write was interrupted in a full-text table")
    func fullTextInMemory() throws {
        let queue = try DatabaseQueue(.memory)
        try queue.withoutTransaction { db in
            try db.executeScript(SQL(Self.fullText))
            try addInterrupting(db)
        }
        #expect(failure { try queue.write { db in try interruptedWrite(db) } }?.code == .interrupt)
        #expect(try queue.read { db in try db.column("SELECT a FROM t", as: Int.self) } == [1])
        try queue.write { db in try db.execute("INSERT INTO t VALUES (3)") }
    }

    // K17
    @Test("a connection goes on after a write was interrupted in a full-text table")
    func fullTextConnection() throws {
        let db = try memory(Self.fullText)
        try addInterrupting(db)
        #expect(failure { try db.transaction { try interruptedWrite(db) } }?.code == .interrupt)
        #expect(!db.isInTransaction)
        #expect(try db.column("SELECT a FROM t", as: Int.self) == [1])
    }

    private static let tree =
        "CREATE VIRTUAL TABLE r USING rtree(id, a, b); CREATE TABLE t (a); INSERT INTO t VALUES (1)"

    private func interruptedTreeWrite(_ db: Database) throws {
        try db.execute("INSERT INTO t VALUES (2)")
        try db.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
            INSERT INTO r SELECT i, i, i + 1 FROM n WHERE iif(i = 300, interrupting(), 1)
            """)
    }

    // K17
    @Test("a queue in memory goes on after a write was interrupted in an R*Tree")
    func tree() throws {
        let queue = try DatabaseQueue(.memory)
        try queue.withoutTransaction { db in
            try db.executeScript(SQL(Self.tree))
            try addInterrupting(db)
        }
        #expect(failure { try queue.write { db in try interruptedTreeWrite(db) } }?.code == .interrupt)
        #expect(try queue.read { db in try db.column("SELECT a FROM t", as: Int.self) } == [1])
        #expect(try queue.read { db in try db.scalar("SELECT count(*) FROM r", as: Int.self) } == 0)
        try queue.write { db in try db.execute("INSERT INTO r VALUES (1, 2, 3)") }
    }

    /// A virtual table in which a write is under way.
    enum Module: CaseIterable { case fullText, tree }

    // K16, K17
    @Test("a queue in memory goes on after a task was cancelled in a virtual table", arguments: Module.allCases)
    func cancelled(_ module: Module) async throws {
        let queue = try DatabaseQueue(.memory)
        let task = Shared<Task<Void, any Error>?>(nil)
        try await queue.withoutTransaction { db in
            try db.executeScript(SQL(module == .tree ? Self.tree : Self.fullText))
            try db.addFunction("interrupting", argumentCount: 0) { _ in
                task.value?.cancel()
                return SQLiteValue.integer(1)
            }
        }
        let isReady = Signal()
        let running = Task {
            await isReady.wait()
            try await queue.write { db in
                switch module {
                case .fullText: try interruptedWrite(db)
                case .tree: try interruptedTreeWrite(db)
                }
            }
        }
        task.update { $0 = running }
        isReady.send()
        await #expect(throws: CancellationError.self) { try await running.value }
        #expect(try await queue.read { db in try db.column("SELECT a FROM t", as: Int.self) } == [1])
        try await queue.write { db in try db.execute("INSERT INTO t VALUES (3)") }
    }

    /// Lets nothing more be prepared.
    private func rejectPreparing(_ db: Database) throws { try db.setLimit(.sqlLength, to: 1) }

    // K17
    @Test("a transaction is rolled back where nothing can be prepared any more")
    func preparedAhead() throws {
        let db = try memory("CREATE TABLE t (a)")
        #expect(throws: TestError.self) {
            try db.transaction {
                try db.execute("INSERT INTO t VALUES (1)")
                try rejectPreparing(db)
                throw TestError()
            }
        }
        #expect(!db.isInTransaction)
        try db.setLimit(.sqlLength, to: 1000)
        #expect(try db.scalar("SELECT count(*) FROM t", as: Int.self) == 0)
    }

    // K17
    @Test("so is a savepoint, and the transaction around it goes on")
    func savepointPreparedAhead() throws {
        let db = try memory("CREATE TABLE t (a)")
        try db.transaction {
            try db.execute("INSERT INTO t VALUES (1)")
            #expect(throws: TestError.self) {
                try db.savepoint {
                    try db.execute("INSERT INTO t VALUES (2)")
                    try rejectPreparing(db)
                    throw TestError()
                }
            }
            try db.setLimit(.sqlLength, to: 1000)
        }
        #expect(try db.column("SELECT a FROM t", as: Int.self) == [1])
    }

    /// Lets a ROLLBACK fail: it has to be prepared again, and cannot be.
    private func rejectRollback(_ db: Database) throws {
        try db.setAuthorizer { _ in .allow }
        try rejectPreparing(db)
    }

    // K17
    @Test("what could not be rolled back is, before anything else runs on the connection")
    func later() throws {
        let db = try memory("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
        let insert = try db.prepare("INSERT INTO t VALUES (3)")
        #expect(throws: TestError.self) {
            try db.transaction {
                try db.execute("INSERT INTO t VALUES (2)")
                try rejectRollback(db)
                throw TestError()
            }
        }
        #expect(db.isInTransaction)
        #expect(throws: SQLiteError.self) { try insert.execute() }
        try db.setLimit(.sqlLength, to: 1000)
        try insert.execute()
        #expect(!db.isInTransaction)
        #expect(try db.column("SELECT a FROM t", as: Int.self) == [1, 3])
    }

    // K17
    @Test("a file is opened again when its writer could not roll back")
    func reopened() throws {
        let directory = try TemporaryDirectory()
        let queue = try DatabaseQueue(directory.file())
        try queue.withoutTransaction { db in try db.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        #expect(throws: TestError.self) {
            try queue.write { db in
                try db.execute("INSERT INTO t VALUES (2)")
                try rejectRollback(db)
                throw TestError()
            }
        }
        #expect(try queue.read { db in try db.column("SELECT a FROM t", as: Int.self) } == [1])
        try queue.write { db in try db.execute("INSERT INTO t VALUES (3)") }
    }

    // K17
    @Test("so is a pool's")
    func pool() throws {
        let directory = try TemporaryDirectory()
        let pool = try DatabasePool(directory.file())
        try pool.withoutTransaction { db in try db.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        #expect(throws: TestError.self) {
            try pool.write { db in
                try db.execute("INSERT INTO t VALUES (2)")
                try rejectRollback(db)
                throw TestError()
            }
        }
        #expect(try pool.read { db in try db.column("SELECT a FROM t", as: Int.self) } == [1])
        try pool.write { db in try db.execute("INSERT INTO t VALUES (3)") }
    }

    // K17
    @Test("a database in memory is kept when it could not be rolled back")
    func memoryIsKept() throws {
        let queue = try DatabaseQueue(.memory)
        try queue.withoutTransaction { db in try db.executeScript("CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        #expect(throws: TestError.self) {
            try queue.write { db in
                try db.execute("INSERT INTO t VALUES (2)")
                try rejectRollback(db)
                throw TestError()
            }
        }
        let error = failure { try queue.read { db in try db.column("SELECT a FROM t", as: Int.self) } }
        #expect(error?.code == .tooBig)
    }
}
