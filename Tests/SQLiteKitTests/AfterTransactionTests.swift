import SQLiteKit
import Testing

@Suite("After a transaction")
struct AfterTransactionTests {
    // K12
    @Test("actions run after the commit, in the order they were asked for")
    func afterCommit() throws {
        let db = try memory("CREATE TABLE t (a)")
        var log: [String] = []
        try db.transaction {
            db.afterCommit { log.append("first \(db.isInTransaction)") }
            db.afterCommit { log.append("second") }
            db.afterRollback { log.append("never") }
            log.append("body")
        }
        #expect(log == ["body", "first false", "second"])
    }

    // K12
    @Test("outside a transaction an action runs at once")
    func atOnce() throws {
        let db = try memory()
        var log: [String] = []
        db.afterCommit { log.append("commit") }
        db.afterRollback { log.append("rollback") }
        #expect(log == ["commit"])
    }

    // K12
    @Test("actions run after the rollback, in the reverse order")
    func afterRollback() throws {
        let db = try memory()
        var log: [String] = []
        try catchingTestError {
            try db.transaction {
                db.afterRollback { log.append("first \(db.isInTransaction)") }
                db.afterRollback { log.append("second") }
                db.afterCommit { log.append("never") }
                throw TestError()
            }
        }
        #expect(log == ["second", "first false"])
    }

    // K12
    @Test("a savepoint's actions wait for the transaction")
    func savepoint() throws {
        let db = try memory()
        var log: [String] = []
        try db.transaction {
            try db.savepoint { db.afterCommit { log.append("action") } }
            log.append("body")
        }
        #expect(log == ["body", "action"])
    }

    // K12
    @Test("the actions of a savepoint that was rolled back are dropped")
    func savepointRolledBack() throws {
        let db = try memory()
        var log: [String] = []
        try db.transaction {
            db.afterCommit { log.append("outer") }
            try catchingTestError {
                try db.savepoint {
                    db.afterCommit { log.append("dropped") }
                    db.afterRollback { log.append("undone") }
                    throw TestError()
                }
            }
            log.append("body")
        }
        #expect(log == ["undone", "body", "outer"])
    }

    // K12
    @Test("a kept savepoint's rollback actions run when the transaction is rolled back")
    func outerRolledBack() throws {
        let db = try memory()
        var log: [String] = []
        try catchingTestError {
            try db.transaction {
                try db.savepoint { db.afterRollback { log.append("undone") } }
                throw TestError()
            }
        }
        #expect(log == ["undone"])
    }

    // K12
    @Test("a commit that fails is a rollback")
    func failedCommit() throws {
        let db = try memory(
            "CREATE TABLE p (id INTEGER PRIMARY KEY); CREATE TABLE c (p REFERENCES p DEFERRABLE INITIALLY DEFERRED)")
        var log: [String] = []
        _ = failure {
            try db.transaction {
                try db.execute("INSERT INTO c VALUES (1)")
                db.afterCommit { log.append("commit") }
                db.afterRollback { log.append("rollback") }
            }
        }
        #expect(log == ["rollback"])
    }

    // K12
    @Test("an action may begin a transaction")
    func newTransaction() throws {
        let db = try memory("CREATE TABLE t (a)")
        try db.transaction {
            db.afterCommit { try? db.transaction { _ = try db.execute("INSERT INTO t VALUES (1)") } }
        }
        #expect(try db.scalar("SELECT a FROM t", as: Int.self) == 1)
    }

    // K12
    @Test("actions run after a queue's commit too")
    func queue() throws {
        let queue = try DatabaseQueue(.memory)
        var log: [String] = []
        try queue.write { db in
            db.afterCommit { log.append("outer") }
            try queue.write { db in db.afterCommit { log.append("inner") } }
            log.append("body")
        }
        #expect(log == ["body", "outer", "inner"])
    }

    // K12
    @Test("a transaction that was begun by SQL text is not waited for")
    func begunByText() throws {
        let db = try memory()
        var log: [String] = []
        try db.execute("BEGIN")
        db.afterCommit { log.append("action") }
        #expect(log == ["action"])
    }
}
