import Foundation
import SQLiteKit
import Testing

/// Failures that come when something ends, and must not be lost.
@Suite struct LostErrorTests {
    static let deferred = """
        CREATE TABLE p (id INTEGER PRIMARY KEY);
        CREATE TABLE c (id INTEGER PRIMARY KEY, p REFERENCES p DEFERRABLE INITIALLY DEFERRED);
        """

    // K3
    @Test func scalarOfWriteSeesItsCommitFail() throws {
        let db = try memory(Self.deferred)
        let error = failure { try db.scalar("INSERT INTO c (p) VALUES (99) RETURNING id", as: Int.self) }
        #expect(error?.isConstraint(.foreignKey) == true)
    }

    @Test func scalarOfWriteIsRejectedByCommitHook() throws {
        let db = try memory("CREATE TABLE t (a)")
        try db.setCommitHook { throw TestError() }
        let error = failure { try db.scalar("INSERT INTO t VALUES (1) RETURNING a", as: Int.self) }
        #expect(error?.extendedCode == .constraintCommitHook)
    }

    // K8
    @Test func writeWhoseRowsCannotBeReadIsUndone() throws {
        let db = try memory("CREATE TABLE t (a)")
        let scalar = failure { try db.scalar("INSERT INTO t VALUES ('one') RETURNING a", as: Int.self) }
        #expect(scalar?.code == .mismatch)
        let column = failure { try db.column("INSERT INTO t VALUES (1), ('two') RETURNING a", as: Int.self) }
        #expect(column?.code == .mismatch)
        #expect(try db.scalar("SELECT count(*) FROM t", as: Int.self) == 0)
        #expect(try db.scalar("INSERT INTO t VALUES (1) RETURNING a", as: Int.self) == 1)
    }

    // K10
    @Test func accessSeesCommitOfDroppedWriteFail() throws {
        let queue = try DatabaseQueue(.memory)
        try queue.withoutTransaction { try $0.executeScript(SQL(Self.deferred)) }
        let error = failure {
            try queue.withoutTransaction { db in _ = try db.query("INSERT INTO c (p) VALUES (99) RETURNING id").next() }
        }
        #expect(error?.isConstraint(.foreignKey) == true)
        try queue.withoutTransaction { _ in }
    }

    @Test func accessSeesCommitOfHeldWriteFail() throws {
        let queue = try DatabaseQueue(.memory)
        try queue.withoutTransaction { try $0.executeScript(SQL(Self.deferred)) }
        let error = failure {
            try queue.withoutTransaction { db in
                let insert = try db.prepare("INSERT INTO c (p) VALUES (99) RETURNING id")
                return (insert, try insert.step())
            }
        }
        #expect(error?.isConstraint(.foreignKey) == true)
    }

    // K12
    @Test func transactionWithSavepointThatCouldNotBeUndoneIsNotCommitted() throws {
        let db = try memory("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
        let error = failure {
            try db.transaction {
                try catchingTestError {
                    try db.savepoint {
                        try db.execute("INSERT INTO t VALUES (3)")
                        // ROLLBACK TO has to be prepared again, and cannot be.
                        try db.setAuthorizer { _ in .allow }
                        try db.setLimit(.sqlLength, to: 1)
                        throw TestError()
                    }
                }
                try db.setLimit(.sqlLength, to: 1000)
            }
        }
        #expect(error?.code == .abort)
        #expect(try db.scalar("SELECT count(*) FROM t", as: Int.self) == 2)
    }

    // K17
    @Test func savepointIsUndoneThoughInterruptedWhileAQueryStandsOnARow() throws {
        let db = try memory("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
        let interrupter = db.interrupter
        try db.transaction {
            let rows = try db.query("SELECT a FROM t")
            _ = try rows.next()
            try catchingTestError {
                try db.savepoint {
                    try db.execute("INSERT INTO t VALUES (3)")
                    interrupter.interrupt()
                    throw TestError()
                }
            }
            #expect(failure { try rows.next() }?.extendedCode == .expired)
        }
        #expect(try db.scalar("SELECT count(*) FROM t", as: Int.self) == 2)
    }

    @Test func savepointAroundUndoesWhatTheInnerCouldNot() throws {
        let db = try memory("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
        let interrupter = db.interrupter
        try db.transaction {
            try db.execute("INSERT INTO t VALUES (3)")
            try db.savepoint {
                let rows = try db.query("SELECT a FROM t")
                _ = try rows.next()
                try catchingTestError {
                    try db.savepoint {
                        try db.execute("INSERT INTO t VALUES (4)")
                        interrupter.interrupt()
                        throw TestError()
                    }
                }
                rows.close()
            }
        }
        #expect(try db.column("SELECT a FROM t", as: Int.self) == [1, 2, 3])
    }

    @Test func transactionThatCouldNotBeUndoneIsUndoneBeforeTheNext() throws {
        let db = try memory("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)")
        let interrupter = db.interrupter
        let rows = try db.query("SELECT a FROM t")
        _ = try rows.next()
        #expect(throws: TestError.self) {
            try db.transaction {
                try db.execute("INSERT INTO t VALUES (3)")
                interrupter.interrupt()
                throw TestError()
            }
        }
        rows.close()
        try db.transaction { try db.execute("INSERT INTO t VALUES (4)") }
        #expect(!db.isInTransaction)
        #expect(try db.column("SELECT a FROM t", as: Int.self) == [1, 2, 4])
    }
}
