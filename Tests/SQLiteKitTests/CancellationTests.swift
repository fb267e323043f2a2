import Dispatch
import SQLiteKit
import Testing

@Suite("Cancellation", .timeLimit(.minutes(20)))
struct CancellationTests {
    private let queue: DatabaseQueue

    init() throws {
        queue = try DatabaseQueue(.memory)
        try queue.write { db in try db.execute("CREATE TABLE t (a)") }
    }

    private func count() async throws -> Int? {
        try await queue.read { db in try db.scalar("SELECT count(*) FROM t", as: Int.self) }
    }

    // K16
    @Test("a task that was cancelled before its call does not run its closure")
    func before() async throws {
        let hasRun = Shared(false)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await queue.write { _ in hasRun.update { $0 = true } }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!hasRun.value)
    }

    // K16
    @Test("a task that is cancelled while it waits throws, and the queue stays usable")
    func waiting() async throws {
        let isHeld = Signal()
        let gate = DispatchSemaphore(value: 0)
        async let holder: Void = queue.write { _ in
            isHeld.send()
            gate.wait()
        }
        await isHeld.wait()
        let hasRun = Shared(0)
        let tasks = (0..<8).map { _ in Task { try await queue.write { _ in hasRun.update { $0 += 1 } } } }
        for task in tasks.dropLast() { task.cancel() }
        for task in tasks.dropLast() {
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        gate.signal()
        try await holder
        try await tasks.last?.value
        #expect(hasRun.value == 1)
    }

    // K16
    @Test("a read that is cancelled while it runs is interrupted, and the queue stays usable")
    func runningRead() async throws {
        let hasBegun = Signal()
        let task = Task {
            try await queue.read { db in
                hasBegun.send()
                return try db.scalar(endlessQuery, as: Int.self)
            }
        }
        await hasBegun.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await count() == 0)
    }

    // K16
    @Test("a write that is cancelled while it runs is interrupted and rolled back")
    func runningWrite() async throws {
        let hasBegun = Signal()
        let task = Task {
            try await queue.write { db in
                try db.execute("INSERT INTO t VALUES (1)")
                hasBegun.send()
                try db.execute("INSERT INTO t \(sql: endlessQuery)")
            }
        }
        await hasBegun.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await count() == 0)
    }

    // K16
    @Test("an interruption that the closure swallows rolls back all the same")
    func swallowed() async throws {
        let hasBegun = Signal()
        let task = Task {
            try await queue.write { db in
                try db.execute("INSERT INTO t VALUES (1)")
                hasBegun.send()
                _ = failure { try db.scalar(endlessQuery, as: Int.self) }
                _ = failure { try db.execute("INSERT INTO t VALUES (2)") }
            }
        }
        await hasBegun.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await count() == 0)
    }

    // K16
    @Test("a cancelled write that runs no statement any more is rolled back")
    func cancelledBeforeCommit() async throws {
        let hasWritten = Signal()
        let gate = DispatchSemaphore(value: 0)
        let task = Task {
            try await queue.write { db in
                try db.execute("INSERT INTO t VALUES (1)")
                hasWritten.send()
                gate.wait()
            }
        }
        await hasWritten.wait()
        task.cancel()
        gate.signal()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await count() == 0)
    }

    // K16
    @Test("an error of the closure's own comes through although the task was cancelled")
    func ownError() async throws {
        let hasBegun = Signal()
        let gate = DispatchSemaphore(value: 0)
        let task = Task {
            try await queue.write { _ in
                hasBegun.send()
                gate.wait()
                throw TestError()
            }
        }
        await hasBegun.wait()
        task.cancel()
        gate.signal()
        await #expect(throws: TestError.self) { try await task.value }
    }

    // K16
    @Test("a cancelled task interrupts no other access")
    func othersGoOn() async throws {
        for _ in 0..<50 {
            let task = Task { try await queue.write { db in try db.execute("INSERT INTO t VALUES (0)") } }
            async let other = queue.read { db in
                try db.scalar(
                    "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 2000) SELECT count(*) FROM n",
                    as: Int.self)
            }
            task.cancel()
            _ = await task.result
            #expect(try await other == 2000)
        }
    }

    /// Stands on the first row of many when the task is cancelled.
    private func cancelWhileReading(after prepare: @escaping @Sendable (Database) throws -> Void) async -> Result<
        Void, any Error
    > {
        let standsOnRow = Signal()
        let gate = DispatchSemaphore(value: 0)
        let task = Task {
            try await queue.withoutTransaction { db in
                try prepare(db)
                let rows = try db.query(
                    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) SELECT i FROM n")
                _ = try rows.next()
                standsOnRow.send()
                gate.wait()
                try rows.forEach { _ in }
            }
        }
        await standsOnRow.wait()
        task.cancel()
        gate.signal()
        return await task.result
    }

    // K16
    @Test("without a transaction a running statement is interrupted too")
    func withoutTransaction() async throws {
        let result = await cancelWhileReading { _ in }
        #expect(throws: CancellationError.self) { try result.get() }
    }

    // K16
    @Test("what runs after a transaction in the same access is interrupted too")
    func afterTransaction() async throws {
        let result = await cancelWhileReading { db in
            try db.transaction { _ = try db.execute("INSERT INTO t VALUES (1)") }
        }
        #expect(throws: CancellationError.self) { try result.get() }
    }

    // K16
    @Test("what is asked for after a commit can be run though the task was cancelled meanwhile")
    func afterCommit() async throws {
        let gate = DispatchSemaphore(value: 0)
        let hasCommitted = Signal()
        let error = Shared<SQLiteError?>(nil)
        let task = Task {
            try await queue.write { db in
                try db.execute("INSERT INTO t VALUES (1)")
                db.afterCommit {
                    hasCommitted.send()
                    gate.wait()
                    let failed = failure { try db.execute("INSERT INTO t VALUES (2)") }
                    error.update { $0 = failed }
                }
            }
        }
        await hasCommitted.wait()
        task.cancel()
        gate.signal()
        try await task.value
        #expect(error.value == nil)
        #expect(try await count() == 2)
    }
}
