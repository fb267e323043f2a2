import Dispatch
import Foundation
import SQLiteKit
import Testing

@Suite("Waiting for the lock of another connection", .timeLimit(.minutes(20)))
struct BusyWaitTests {
    private let directory: TemporaryDirectory
    private let holder: Database

    init() throws {
        directory = try TemporaryDirectory()
        holder = try Database(directory.file())
        try holder.execute("CREATE TABLE t (a)")
    }

    private func configuration(_ timeout: Duration) -> DatabaseConfiguration {
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = timeout
        return configuration
    }

    // K13
    @Test("a wait ends with the timeout", arguments: [Duration.milliseconds(20), .nanoseconds(1), .zero, .seconds(-1)])
    func ends(_ timeout: Duration) throws {
        let db = try Database(directory.file(), configuration: configuration(timeout))
        try holder.transaction {
            #expect(failure { try db.execute("INSERT INTO t VALUES (1)") }?.code == .busy)
        }
    }

    // K13
    @Test("each statement has all of the time")
    func again() throws {
        let db = try Database(directory.file(), configuration: configuration(.milliseconds(20)))
        let clock = ContinuousClock()
        try holder.transaction {
            for _ in 0..<3 {
                let start = clock.now
                #expect(failure { try db.execute("INSERT INTO t VALUES (1)") }?.code == .busy)
                #expect(clock.now - start >= .milliseconds(20))
            }
        }
    }

    // K13
    @Test("a wait lasts until the lock is free", arguments: [Duration.seconds(3600), .seconds(Int64.max)])
    func lasts(_ timeout: Duration) throws {
        let queue = try DatabaseQueue(directory.file(), configuration: configuration(timeout))
        let (begun, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try holder.transaction {
            Thread.detachNewThread {
                _ = try? queue.withoutTransaction { db in
                    begun.signal()
                    try db.execute("INSERT INTO t VALUES (1)")
                }
                done.signal()
            }
            begun.wait()
        }
        done.wait()
        #expect(try holder.scalar("SELECT count(*) FROM t", as: Int.self) == 1)
    }

    // K13, K16
    @Test("a task that is cancelled waits no longer")
    func cancelled() async throws {
        let queue = try DatabaseQueue(directory.file(), configuration: configuration(.seconds(3600)))
        try holder.execute("BEGIN IMMEDIATE")
        let begun = Signal()
        let task = Task {
            try await queue.withoutTransaction { db in
                begun.send()
                try db.execute("INSERT INTO t VALUES (1)")
            }
        }
        await begun.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try holder.execute("ROLLBACK")
        #expect(try await queue.read { try $0.scalar("SELECT count(*) FROM t", as: Int.self) } == 0)
    }

    // K13
    @Test("an error of a lock after a cancelled wait is the lock's")
    func busyAfterCancellation() async throws {
        let queue = try DatabaseQueue(directory.file(), configuration: configuration(.milliseconds(1)))
        try holder.execute("BEGIN IMMEDIATE")
        let task = Task {
            try await queue.withoutTransaction { db in
                withUnsafeCurrentTask { $0?.cancel() }
                try db.execute("INSERT INTO t VALUES (1)")
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        let error = await failure { try await queue.withoutTransaction { try $0.execute("INSERT INTO t VALUES (1)") } }
        #expect(error?.code == .busy)
        try holder.execute("ROLLBACK")
    }
}
