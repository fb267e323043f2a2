import Foundation
import SQLiteKit
import Testing

/// Failures that come when something ends, and must not be lost.
@Suite struct LostErrorTests {
    static let deferred = """
        CREATE TABLE p (id INTEGER PRIMARY KEY);
        CREATE TABLE c (id INTEGER PRIMARY KEY, p REFERENCES p DEFERRABLE INITIALLY DEFERRED);
        """

    // K8
    @Test func scalarOfWriteSeesItsCommitFail() throws {
        let db = try memory(Self.deferred)
        let error = failure { try db.scalar("INSERT INTO c (p) VALUES (99) RETURNING id", as: Int.self) }
        #expect(error?.isConstraint(.foreignKey) == true)
    }

    @Test func scalarOfWriteIsRefusedByCommitHook() throws {
        let db = try memory("CREATE TABLE t (a)")
        try db.setCommitHook { throw Refusal() }
        #expect(throws: SQLiteError.self) { try db.scalar("INSERT INTO t VALUES (1) RETURNING a", as: Int.self) }
    }

    // K15
    @Test func accessSeesCommitOfDroppedWriteFail() throws {
        let queue = try DatabaseQueue(.memory)
        try queue.withoutTransaction { try $0.executeScript(Self.deferred) }
        let error = failure {
            try queue.withoutTransaction { db in _ = try db.query("INSERT INTO c (p) VALUES (99) RETURNING id").next() }
        }
        #expect(error?.isConstraint(.foreignKey) == true)
        try queue.withoutTransaction { _ in }
    }

    @Test func accessSeesCommitOfHeldWriteFail() throws {
        let queue = try DatabaseQueue(.memory)
        try queue.withoutTransaction { try $0.executeScript(Self.deferred) }
        let error = failure {
            try queue.withoutTransaction { db in
                let insert = try db.prepare("INSERT INTO c (p) VALUES (99) RETURNING id")
                return (insert, try insert.step())
            }
        }
        #expect(error?.isConstraint(.foreignKey) == true)
    }
}
