import Dispatch
import Foundation
import SQLiteKit
import Testing

@Suite("Closing and opening while a task is suspended", .timeLimit(.minutes(20)))
struct AsyncLifecycleTests {
    // K10
    @Test("a database is closed and opened again by a task")
    func closing() async throws {
        let directory = try TemporaryDirectory()
        let pool = try DatabasePool(directory.file())
        try await pool.write { db in try db.execute("CREATE TABLE t (a)") }
        try await pool.close()
        #expect(await failure { try await pool.read { _ in } }?.extendedCode == .closed)
        try await pool.reopen()
        #expect(try await pool.read { try $0.scalar("SELECT count(*) FROM t", as: Int.self) } == 0)
    }

    // K10
    @Test("a task that closes a database waits for those that use it, without a thread") @MainActor
    func waiting() async throws {
        let queue = try DatabaseQueue(.memory)
        let (held, gate) = (Signal(), DispatchSemaphore(value: 0))
        async let holder: Void = queue.write { _ in
            held.send()
            gate.wait()
        }
        await held.wait()
        // It runs on the main actor's thread, which the wait must leave free.
        let opener = Task { @MainActor in
            while queue.waiterCount == 0 { await Task.yield() }
            gate.signal()
        }
        try await queue.close()
        await opener.value
        try await holder
    }

    // K10, K16
    @Test("a task that was cancelled before closes nothing")
    func cancelled() async throws {
        let queue = try DatabaseQueue(.memory)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await queue.close()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await queue.read { try $0.scalar("SELECT 1", as: Int.self) } == 1)
    }
}
