internal import Foundation
internal import SQLiteKit

/// The cancellation of one access, asked for from any thread.
final class Cancellation: Sendable {
    private let lock = NSCondition()
    // Both guarded by `lock`.
    nonisolated(unsafe) private var requested = false
    nonisolated(unsafe) private var wake: (@Sendable () -> Void)?

    var isRequested: Bool { lock.withLock { requested } }

    func request() {
        // Once `waking` has ended, the link may serve another access.
        lock.withLock {
            requested = true
            lock.broadcast()
            wake?()
        }
    }

    /// Runs `body`, which `wake` ends early.
    func waking<T>(
        _ wake: @escaping @Sendable () -> Void, _ body: () throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        try check { self.wake = wake }
        defer { lock.withLock { self.wake = nil } }
        do throws(SQLiteError) {
            return try body()
        } catch {
            // What was hung up says nothing of the reason.
            if isRequested, error.outcome != .unknown { throw Self.error }
            throw error
        }
    }

    /// Waits for some time.
    ///
    /// - Throws: `.interrupt` as soon as it is asked for.
    func sleep(_ duration: Duration) throws(SQLiteError) {
        let (seconds, attoseconds) = duration.components
        let end = Date(timeIntervalSinceNow: Double(seconds) + Double(attoseconds) * 1e-18)
        lock.withLock { while !requested, lock.wait(until: end) {} }
        try check()
    }

    /// - Throws: `.interrupt` when it has been asked for.
    func check(_ otherwise: () -> Void = {}) throws(SQLiteError) {
        let isRequested = lock.withLock {
            if !requested { otherwise() }
            return requested
        }
        if isRequested { throw Self.error }
    }

    private static let error = SQLiteError(.interrupt, "the task was cancelled")

    /// What a task that was cancelled throws in place of the error about it.
    func translate(_ error: any Error) -> any Error {
        let cause = error as? SQLiteError ?? (error as? any ErrorOfSQLite)?.sqliteError
        return isRequested && cause?.code == .interrupt ? CancellationError() : error
    }
}
