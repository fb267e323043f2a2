import SQLiteKit
import Testing

@Suite("Transactions that end before their closure")
struct EndedTransactionTests {
    private func table() throws -> Database { try memory("CREATE TABLE t (a UNIQUE); INSERT INTO t VALUES (0)") }

    private func count(_ db: Database) throws -> Int? { try db.scalar("SELECT count(*) FROM t", as: Int.self) }

    // K10
    @Test("a COMMIT by SQL text is reported", arguments: ["COMMIT", "END", "ROLLBACK"])
    func endedByText(_ sql: String) throws {
        let db = try table()
        let error = failure { try db.transaction { _ = try db.execute(SQL(sql)) } }
        #expect(error?.extendedCode == .transactionEnded)
        #expect(!db.isInTransaction)
    }

    // K10
    @Test("after a COMMIT by SQL text later statements throw", arguments: ["COMMIT", "ROLLBACK"])
    func laterStatements(_ sql: String) throws {
        let db = try table()
        var inner: SQLiteError?
        let outer = failure {
            try db.transaction {
                _ = failure { try db.execute(SQL(sql)) }
                inner = failure { try db.execute("INSERT INTO t VALUES (1)") }
            }
        }
        #expect(inner?.extendedCode == .transactionEnded)
        #expect(inner?.sql == "INSERT INTO t VALUES (1)")
        #expect(outer?.extendedCode == .transactionEnded)
        #expect(try count(db) == 1)
    }

    // K10
    @Test("a new BEGIN in place of the transaction throws")
    func newBegin() throws {
        let db = try table()
        let error = failure { try db.transaction { try db.executeScript("COMMIT; BEGIN; INSERT INTO t VALUES (1)") } }
        #expect(error?.extendedCode == .transactionEnded)
        #expect(!db.isInTransaction)
        #expect(try count(db) == 1)
    }

    // K10
    @Test("SQLite's own rollback, swallowed by the closure, makes later statements and the commit throw")
    func ownRollback() throws {
        let db = try table()
        var later: SQLiteError?
        let error = failure {
            try db.transaction {
                try db.execute("INSERT INTO t VALUES (1)")
                _ = failure { try db.execute("INSERT OR ROLLBACK INTO t VALUES (0)") }
                later = failure { try db.execute("INSERT INTO t VALUES (2)") }
            }
        }
        #expect(later?.extendedCode == .transactionEnded)
        #expect(error?.extendedCode == .transactionEnded)
        #expect(try count(db) == 1)
    }

    // K10
    @Test("SQLite's own rollback, let through, is the error that is thrown")
    func ownRollbackThrown() throws {
        let db = try table()
        let error = failure { try db.transaction { _ = try db.execute("INSERT OR ROLLBACK INTO t VALUES (0)") } }
        #expect(error?.isConstraint(.unique) == true)
        #expect(!db.isInTransaction)
    }

    // K10
    @Test("SQLite's own rollback inside a savepoint ends all the closures around it")
    func ownRollbackInSavepoint() throws {
        let db = try table()
        var inner: SQLiteError?
        var later: SQLiteError?
        let outer = failure {
            try db.transaction {
                try db.execute("INSERT INTO t VALUES (1)")
                inner = failure {
                    try db.savepoint { _ = failure { try db.execute("INSERT OR ROLLBACK INTO t VALUES (0)") } }
                }
                later = failure { try db.execute("INSERT INTO t VALUES (2)") }
            }
        }
        #expect(inner?.extendedCode == .transactionEnded)
        #expect(later?.extendedCode == .transactionEnded)
        #expect(outer?.extendedCode == .transactionEnded)
        #expect(try count(db) == 1)
    }

    // K10
    @Test("a savepoint or transaction cannot begin where the transaction has ended")
    func savepointAfterEnd() throws {
        let db = try table()
        var savepoint: SQLiteError?
        var transaction: SQLiteError?
        _ = failure {
            try db.transaction {
                _ = failure { try db.execute("COMMIT") }
                savepoint = failure { try db.savepoint { _ = try db.execute("INSERT INTO t VALUES (1)") } }
                transaction = failure { try db.transaction { _ = try db.execute("INSERT INTO t VALUES (2)") } }
            }
        }
        #expect(savepoint?.extendedCode == .transactionEnded)
        #expect(transaction?.extendedCode == .transactionEnded)
        #expect(try count(db) == 1)
    }

    // K10
    @Test("a savepoint that was released by SQL text is reported")
    func released() throws {
        let db = try table()
        let error = failure {
            try db.transaction {
                try db.savepoint {
                    try db.execute("INSERT INTO t VALUES (1)")
                    let name = "sqlitekit_1"
                    try db.execute("RELEASE \(identifier: name)")
                }
            }
        }
        #expect(error?.message.contains("no such savepoint") == true)
        #expect(try count(db) == 1)
    }

    // K10
    @Test("a queue's closures get the error too")
    func queue() throws {
        let queue = try DatabaseQueue(.memory)
        try queue.write { db in try db.execute("CREATE TABLE t (a UNIQUE)") }
        var later: SQLiteError?
        let error = failure {
            try queue.write { db in
                try db.execute("ROLLBACK")
                later = failure { try queue.write { db in try db.execute("INSERT INTO t VALUES (1)") } }
            }
        }
        #expect(later?.extendedCode == .transactionEnded)
        #expect(error?.extendedCode == .transactionEnded)
        #expect(try queue.read { db in try db.scalar("SELECT count(*) FROM t", as: Int.self) } == 0)
    }

    // K10
    @Test("a COMMIT by SQL text inside a read is reported")
    func read() throws {
        let queue = try DatabaseQueue(.memory)
        let error = failure { try queue.read { db in try db.execute("COMMIT") } }
        #expect(error?.extendedCode == .transactionEnded)
        #expect(failure { try queue.write { db in try db.execute("CREATE TABLE t (a)") } } == nil)
    }

    // K10
    @Test(
        "a COMMIT by SQL text keeps nothing of what the closure wrote", arguments: ["COMMIT", "END", "COMMIT; BEGIN"])
    func nothingHalf(_ sql: String) throws {
        let db = try table()
        let error = failure {
            try db.transaction {
                try db.execute("INSERT INTO t VALUES (1)")
                _ = failure { try db.executeScript(SQL(sql)) }
                try db.execute("INSERT INTO t VALUES (2)")
            }
        }
        #expect(error?.extendedCode == .transactionEnded)
        #expect(try count(db) == 1)
    }

    // K10
    @Test("the error of the COMMIT says that the transaction has been rolled back")
    func commitError() throws {
        let db = try table()
        var error: SQLiteError?
        _ = failure {
            try db.transaction {
                try db.execute("INSERT INTO t VALUES (1)")
                error = failure { try db.execute("COMMIT") }
            }
        }
        #expect(error?.extendedCode == .transactionEnded)
        #expect(error?.sql == "COMMIT")
        #expect(error?.message.contains("rolled back") == true)
        #expect(error?.outcome == .notApplied)
    }

    // K10, K17
    @Test("a user's commit hook is not asked about a COMMIT by SQL text in a closure, and is about the next commit")
    func commitHook() throws {
        let db = try table()
        try db.setCommitHook { throw TestError() }
        let error = failure {
            try db.transaction {
                try db.execute("INSERT INTO t VALUES (1)")
                try db.execute("COMMIT")
            }
        }
        #expect(error?.extendedCode == .transactionEnded)
        #expect(failure { try db.execute("INSERT INTO t VALUES (1)") }?.extendedCode == .constraintCommitHook)
        try db.setCommitHook(nil)
        try db.execute("INSERT INTO t VALUES (1)")
        #expect(try count(db) == 2)
    }

    // K10
    @Test("a transaction that SQL text began is its to commit, around a savepoint's closure too")
    func ownText() throws {
        let db = try table()
        try db.execute("BEGIN")
        try db.savepoint { _ = try db.execute("INSERT INTO t VALUES (1)") }
        try db.execute("COMMIT")
        #expect(try count(db) == 2)
    }

    // K10
    @Test("what runs after a commit may begin and commit a transaction by SQL text")
    func afterCommit() throws {
        let db = try table()
        try db.transaction {
            db.afterCommit {
                #expect(throws: Never.self) { try db.executeScript("BEGIN; INSERT INTO t VALUES (1); COMMIT") }
            }
        }
        #expect(try count(db) == 2)
    }
}
