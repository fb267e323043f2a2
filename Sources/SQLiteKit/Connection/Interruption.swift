internal import CSystemSQLite
internal import Dispatch
internal import Foundation
internal import Synchronization

/// The cancellation of one access, asked for from any thread.
///
/// `sqlite3_interrupt` may be called from any thread as long as the connection is open: see
/// [sqlite3_interrupt](https://www.sqlite.org/c3ref/interrupt.html). It stops the statements that run, and a statement
/// that is just beginning may miss it; so it is repeated until the access ends. The lock keeps it from a later access,
/// and from a commit.
final class Interruption: Sendable {
    private let requested = Atomic(false)
    private let lock = NSLock()
    /// Guarded by `lock`; nil before the access begins, while it must not be interrupted, and after it.
    nonisolated(unsafe) private var handle: OpaquePointer?

    var isRequested: Bool { requested.load(ordering: .relaxed) }

    /// Whether the access that is under way is to end.
    var isUnderWay: Bool { isRequested && lock.withLock { handle != nil } }

    func request() {
        requested.store(true, ordering: .relaxed)
        interrupt()
    }

    private func interrupt() {
        let isUnderWay = lock.withLock {
            if let handle { sqlite3_interrupt(handle) }
            return handle != nil
        }
        guard isUnderWay else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) { [weak self] in self?.interrupt() }
    }

    /// From here on, a request reaches the connection.
    func begin(_ connection: Connection) {
        lock.withLock { handle = connection.handle }
        if isRequested { interrupt() }
    }

    /// From here on, nothing is interrupted.
    func end() {
        lock.withLock { handle = nil }
    }
}
