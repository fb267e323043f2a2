internal import Foundation

/// Which thread waits for which lock, so that a wait that would never end is found. It is asked only by threads that
/// have to wait.
final class WaitGraph: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var waitsFor: [UInt: AccessLock] = [:]  // guarded by `lock`

    /// Notes that the calling thread waits, unless that would close a circle.
    ///
    /// - Returns: What the calling thread has in that circle, in which case nothing is noted.
    func add(_ wanted: AccessLock) -> AccessLock? {
        let thread = currentThread()
        return lock.withLock {
            let held = circle(from: wanted, to: thread)
            if held == nil { waitsFor[thread] = wanted }
            return held
        }
    }

    /// Notes that the calling thread waits no longer.
    func remove() {
        let thread = currentThread()
        lock.withLock { waitsFor[thread] = nil }
    }

    /// The lock that `thread` has access from, if nobody can go on who must before `wanted` has access to give.
    ///
    /// A waiter is content with any of a lock's connections, so one holder that runs, found anywhere on the way, is
    /// enough for all to go on sooner or later. A connection that no thread has is free, or on its way to a thread that
    /// will run.
    private func circle(from wanted: AccessLock, to thread: UInt) -> AccessLock? {
        var held: AccessLock?
        var reached = [wanted]
        var next = 0
        while next < reached.count {
            let current = reached[next]
            next += 1
            for connection in current.connections {
                let holder = connection.holder.thread
                if holder == thread {
                    held = held ?? current
                } else if let waited = waitsFor[holder] {
                    if !reached.contains(where: { $0 === waited }) { reached.append(waited) }
                } else {
                    return nil
                }
            }
        }
        return held
    }
}

/// Of all threads and locks of the process, since a circle may go through any of them.
let waitGraph = WaitGraph()
