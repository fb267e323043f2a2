internal import Dispatch
internal import Foundation
internal import Synchronization

/// The turn to use a connection: given to one thread at a time, in the order it was asked for.
///
/// A thread that waits is blocked, a task that waits is suspended. The turn belongs to the thread that runs the
/// closure, so a call from that thread joins it. NSLock guards the state, since the thread sanitizer does not
/// understand Mutex on Linux; free of contention it costs a few nanoseconds.
final class AccessLock: Sendable {
    private let name: String
    private let lock = NSLock()
    // Guarded by `lock`.
    nonisolated(unsafe) private var isHeld = false
    nonisolated(unsafe) private var waiters: [Waiter] = []
    /// The thread whose turn it is, 0 for none. A thread finds its own number here if and only if the turn is its own.
    private let holder = Atomic<UInt>(0)

    /// - Parameter name: What errors call the thing that is waited for.
    init(name: String) {
        self.name = name
    }

    /// The turn that nobody is given: that of a connection which is a backup's destination.
    static let noOnes = AccessLock(name: "the destination of a backup")

    /// One who waits, and what became of it.
    final class Waiter: Sendable {
        fileprivate enum State { case waiting, granted, gaveUp }
        // Both guarded by the lock of the AccessLock.
        nonisolated(unsafe) fileprivate var state = State.waiting
        nonisolated(unsafe) fileprivate var wake: (@Sendable () -> Void)?
    }

    /// Whether the turn is the calling thread's.
    var isMine: Bool { holder.load(ordering: .relaxed) == currentThread() }

    /// Waits for the turn, blocking the thread.
    ///
    /// - Throws: ``ResultCode/accessTimeout``, or ``ResultCode/deadlock`` when waiting would never end.
    func wait(_ timeout: Duration?) throws(SQLiteError) {
        if !take() { try block(timeout) }
        holder.store(currentThread(), ordering: .relaxed)
    }

    /// Asks for the turn without a thread: `answer` is called once, with whether it has been granted.
    ///
    /// It may be called on any thread, and must not wait. The thread that is to use the turn calls ``adopt()``. Nothing
    /// here needs the task that asked to run: it may be of an actor whose thread waits for the turn itself.
    func request(_ waiter: Waiter, _ timeout: Duration?, answer: @escaping @Sendable (Bool) -> Void) {
        if let timeout {
            DispatchQueue.global().asyncAfter(deadline: .now() + timeout.seconds) { [weak self] in self?.giveUp(waiter)
            }
        }
        enqueue(waiter) { [self] in answer(isGranted(waiter)) }
    }

    /// Makes the turn that a task has waited for the calling thread's.
    func adopt() {
        holder.store(currentThread(), ordering: .relaxed)
    }

    /// Passes the turn to whoever has waited longest.
    func release() {
        holder.store(0, ordering: .relaxed)
        let wake: (@Sendable () -> Void)? = lock.withLock {
            guard !waiters.isEmpty else {
                isHeld = false
                return nil
            }
            let next = waiters.removeFirst()
            next.state = .granted
            return next.wake
        }
        wake?()
    }

    private func take() -> Bool {
        lock.withLock {
            if isHeld { return false }
            isHeld = true
            return true
        }
    }

    /// Takes a place among those who wait, unless the turn has come free meanwhile.
    private func enqueue(_ waiter: Waiter, wake: @escaping @Sendable () -> Void) {
        let isGranted = lock.withLock {
            if isHeld {
                waiter.wake = wake
                if waiter.state == .waiting { waiters.append(waiter) }
            } else if waiter.state == .waiting {
                isHeld = true
                waiter.state = .granted
            }
            return waiter.state != .waiting
        }
        if isGranted { wake() }
    }

    /// Leaves the place among those who wait. Whoever has been granted the turn keeps it.
    func giveUp(_ waiter: Waiter) {
        let wake: (@Sendable () -> Void)? = lock.withLock {
            guard waiter.state == .waiting else { return nil }
            waiter.state = .gaveUp
            waiters.removeAll { $0 === waiter }
            return waiter.wake
        }
        wake?()
    }

    private func isGranted(_ waiter: Waiter) -> Bool {
        lock.withLock { waiter.state == .granted }
    }

    private func block(_ timeout: Duration?) throws(SQLiteError) {
        let waiter = Waiter()
        let semaphore = DispatchSemaphore(value: 0)
        guard Self.waitGraph.add(self) else {
            throw SQLiteError(
                .deadlock, "waiting for \(name) would never end: its holder waits for what this thread holds")
        }
        defer { Self.waitGraph.remove() }
        enqueue(waiter) { semaphore.signal() }
        if let timeout {
            if semaphore.wait(timeout: .now() + timeout.seconds) == .timedOut { giveUp(waiter) }
        } else {
            semaphore.wait()
        }
        guard isGranted(waiter) else { throw timedOut() }
    }

    /// The error for a turn that did not come in time.
    func timedOut() -> SQLiteError {
        SQLiteError(.accessTimeout, "the turn to use \(name) did not come in time")
    }
}

/// Deadlocks between threads.
extension AccessLock {
    /// Which thread waits for which lock. It is asked only by threads that have to wait.
    private final class WaitGraph: Sendable {
        private let lock = NSLock()
        nonisolated(unsafe) private var waitsFor: [UInt: AccessLock] = [:]  // guarded by `lock`

        /// Notes that the calling thread waits, unless that would close a circle.
        func add(_ wanted: AccessLock) -> Bool {
            let thread = currentThread()
            return lock.withLock {
                var next: AccessLock? = wanted
                while let current = next {
                    let holder = current.holder.load(ordering: .relaxed)
                    if holder == thread { return false }
                    next = waitsFor[holder]
                }
                waitsFor[thread] = wanted
                return true
            }
        }

        func remove() {
            let thread = currentThread()
            lock.withLock { waitsFor[thread] = nil }
        }
    }

    private static let waitGraph = WaitGraph()
}

extension Duration {
    fileprivate var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}

/// A number for the calling thread, different from that of every other thread that runs.
private func currentThread() -> UInt {
    #if canImport(Glibc)
        UInt(pthread_self())
    #else
        UInt(bitPattern: pthread_self())
    #endif
}
