internal import CSystemSQLite
internal import Foundation

/// Stops what runs on a connection, from any thread.
///
/// ```swift
/// let interrupter = try queue.withoutTransaction { db in db.interrupter }
/// // on another thread:
/// interrupter.interrupt()
/// ```
///
/// For a task, cancelling it does the same and more: it reaches that task's statement and no other.
public final class Interrupter: Sendable {
    private let lock = NSLock()
    /// Guarded by `lock`; nil before someone has asked for the interrupter, and once the connection is closed.
    nonisolated(unsafe) private var handle: OpaquePointer?

    /// Stops the statements that run on the connection: they throw ``ResultCode/interrupt``.
    ///
    /// One that begins before all of them have ended is stopped, too. A write that is stopped inside a transaction
    /// rolls back all of the transaction. When nothing runs, and once the connection is closed, it does nothing. See
    /// [sqlite3_interrupt](https://www.sqlite.org/c3ref/interrupt.html).
    public func interrupt() {
        lock.withLock {
            if let handle { sqlite3_interrupt(handle) }
        }
    }

    func begin(_ handle: OpaquePointer?) {
        lock.withLock { self.handle = handle }
    }

    /// Calls `close`, which closes the connection or returns an error; meanwhile nothing is interrupted.
    func closing(_ close: () -> Int32) -> Int32 {
        let handle = lock.withLock {
            defer { self.handle = nil }
            return self.handle
        }
        let code = close()
        if code != SQLITE_OK { begin(handle) }
        return code
    }
}
