import Foundation
import SQLiteKit
import Testing

@Suite("Progress, interrupts and waiting for locks", .timeLimit(.minutes(20)))
struct ProgressTests {
    // K16
    @Test("a statement's progress is reported, and can be stopped")
    func progress() throws {
        let db = try memory()
        let calls = Shared(0)
        try db.setProgressHandler(every: 100) {
            calls.update { $0 += 1 }
            return calls.value < 50
        }
        #expect(failure { try db.scalar(endlessQuery, as: Int.self) }?.code == .interrupt)
        #expect(calls.value == 50)
        try db.setProgressHandler(nil)
        #expect(try db.scalar("SELECT 1", as: Int.self) == 1)
        #expect(calls.value == 50)
    }

    // K16
    @Test("a number of instructions below 1 is rejected", arguments: [0, -1, Int.min])
    func noInstructions(_ instructions: Int) throws {
        let db = try memory()
        #expect(failure { try db.setProgressHandler(every: instructions) { true } }?.code == .range)
    }

    // K16
    @Test("a write that is stopped is undone")
    func stoppedWrite() throws {
        let db = try memory("CREATE TABLE t (a)")
        try db.setProgressHandler(every: 100) { false }
        let error = failure {
            try db.execute(
                "INSERT INTO t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")
        }
        #expect(error?.code == .interrupt)
        try db.setProgressHandler(every: .max, nil)
        #expect(try db.scalar("SELECT count(*) FROM t", as: Int.self) == 0)
    }

    // K16
    @Test("a statement is interrupted from another thread, and the connection stays usable")
    func interrupt() async throws {
        let queue = try DatabaseQueue(.memory)
        let interrupter = try await queue.withoutTransaction { db in db.interrupter }
        let hasBegun = Signal()
        let code = Task {
            try await onThread {
                try queue.withoutTransaction { db in
                    try db.setProgressHandler(every: 1000) {
                        hasBegun.send()
                        return true
                    }
                    return failure { try db.scalar(endlessQuery, as: Int.self) }?.code
                }
            }
        }
        await hasBegun.wait()
        interrupter.interrupt()
        #expect(try await code.value == .interrupt)
        #expect(try await queue.read { db in try db.scalar("SELECT 1", as: Int.self) } == 1)
    }

    // K16
    @Test("to interrupt what does not run, or is closed, does nothing; while others close, too")
    func interruptOfNothing() async throws {
        let db = try memory()
        let interrupter = db.interrupter
        interrupter.interrupt()
        #expect(try db.scalar("SELECT 1", as: Int.self) == 1)
        try db.close()
        interrupter.interrupt()
        db.interrupter.interrupt()

        for _ in 0..<50 {
            let queue = try DatabaseQueue(.memory)
            let interrupter = try await queue.withoutTransaction { db in db.interrupter }
            async let interrupts: Void = onThread { for _ in 0..<100 { interrupter.interrupt() } }
            try await queue.close()
            try await interrupts
        }
    }

    // K13
    @Test("the busy handler is asked with the number of the attempt, until it gives up")
    func busy() throws {
        let directory = try TemporaryDirectory()
        let (db, other) = (try Database(directory.file()), try Database(directory.file()))
        try db.execute("CREATE TABLE t (a)")
        let attempts = Shared<[Int]>([])
        try db.setBusyHandler { attempt in
            attempts.update { $0.append(attempt) }
            return attempt < 3
        }
        try other.transaction {
            #expect(failure { try db.execute("INSERT INTO t VALUES (1)") }?.extendedCode == .busy)
        }
        #expect(attempts.value == [0, 1, 2, 3])
        try db.execute("INSERT INTO t VALUES (1)")
    }

    // K13
    @Test("the busy handler waits until the lock is free")
    func busyWaits() throws {
        let directory = try TemporaryDirectory()
        let (db, other) = (try Database(directory.file()), try DatabaseQueue(directory.file()))
        try db.execute("CREATE TABLE t (a)")
        let isHeld = DispatchSemaphore(value: 0)
        let gate = DispatchSemaphore(value: 0)
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            _ = try? other.write { _ in
                isHeld.signal()
                gate.wait()
            }
            isDone.signal()
        }
        isHeld.wait()
        try db.setBusyHandler { attempt in
            if attempt == 2 {
                gate.signal()
                isDone.wait()
            }
            return true
        }
        try db.execute("INSERT INTO t VALUES (1)")
        #expect(try db.scalar("SELECT count(*) FROM t", as: Int.self) == 1)
    }

    // K13
    @Test("a read that others have overtaken is told apart, and the handler is not asked")
    func busySnapshot() throws {
        let directory = try TemporaryDirectory()
        let (db, other) = (try Database(directory.file()), try Database(directory.file()))
        try db.execute("CREATE TABLE t (a)")
        let asked = Shared(0)
        try db.setBusyHandler { _ in
            asked.update { $0 += 1 }
            return false
        }
        let error = failure {
            try db.transaction(.deferred) {
                _ = try db.scalar("SELECT count(*) FROM t", as: Int.self)
                try other.execute("INSERT INTO t VALUES (1)")
                try db.execute("INSERT INTO t VALUES (2)")
            }
        }
        #expect(error?.extendedCode == .busySnapshot)
        #expect(asked.value == 0)
    }

    // K13
    @Test("without a handler the configured time holds again")
    func busyTimeoutAgain() throws {
        let directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .milliseconds(1)
        let (db, other) = (
            try Database(directory.file(), configuration: configuration), try Database(directory.file())
        )
        try db.setBusyHandler { _ in true }
        try db.setBusyHandler(nil)
        try other.transaction {
            #expect(failure { try db.execute("CREATE TABLE t (a)") }?.code == .busy)
        }
    }
}
