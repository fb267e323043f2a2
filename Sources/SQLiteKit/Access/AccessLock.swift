internal import Dispatch
internal import Foundation
internal import Synchronization

/// A connection that several share.
package final class SharedConnection: Sendable {
    package let holder = AccessHolder()
    // Used only by the thread that has access. Nil once closed, and before it is opened.
    @exclusivity(unchecked) nonisolated(unsafe) var database: Database?
    /// Which of its lock's connections it is.
    package let index: Int
    /// Since when the one that has access has waited for it; nil if it didn't, and where nobody wants to know.
    ///
    /// Guarded by the lock until access is granted, then by the access.
    @exclusivity(unchecked) nonisolated(unsafe) fileprivate var wait: Wait?

    /// How long the access has waited that begins now.
    func takeWait() -> Duration {
        defer { wait = nil }
        return wait?.since.duration(to: .now) ?? .zero
    }

    init(index: Int) {
        self.index = index
    }
}

/// When a wait began. An object of its own, since a class that has a time is laid out by the runtime when it is first
/// used.
private final class Wait: Sendable {
    let since = ContinuousClock.now
}

/// Access to one of several connections: each is given to one thread at a time, in the order of the requests.
///
/// A thread that waits is blocked, a task that waits is suspended. Access belongs to the thread that runs the
/// closure, so a call from that thread joins it. NSLock guards the state, since the thread sanitizer does not
/// understand Mutex on Linux; free of contention it costs a few nanoseconds.
package final class AccessLock: Sendable {
    /// What errors call the thing that is waited for.
    let name: String
    package let connections: [SharedConnection]
    /// Whether somebody wants to know how long each access has waited.
    private let notesWaits: Bool
    private let lock = NSLock()
    // Guarded by `lock`.
    /// Which of `connections` no one has.
    @exclusivity(unchecked) nonisolated(unsafe) private var free: [Int]
    @exclusivity(unchecked) nonisolated(unsafe) private var waiters: [Waiter] = []
    /// Those that have access, and give it back sooner when they hear that it is wanted.
    nonisolated(unsafe) private var patient: [RowChannel] = []

    /// - Parameters:
    ///   - name: What errors call the thing that is waited for.
    ///   - count: How many connections there are.
    ///   - notesWaits: Whether somebody wants to know how long each access has waited.
    package init(name: String, count: Int, notesWaits: Bool = false) {
        self.name = name
        self.notesWaits = notesWaits
        connections = (0..<count).map(SharedConnection.init)
        free = connections.indices.reversed()
    }

    /// One who waits, and what became of it.
    package final class Waiter: Sendable {
        fileprivate enum State { case waiting, granted, gaveUp }
        // All guarded by the lock of the AccessLock.
        nonisolated(unsafe) fileprivate var state = State.waiting
        nonisolated(unsafe) fileprivate var connection: SharedConnection?
        nonisolated(unsafe) fileprivate var wake: (@Sendable () -> Void)?
        nonisolated(unsafe) fileprivate var wait: Wait?

        package init() {}

        fileprivate func grant(_ connection: SharedConnection) {
            state = .granted
            self.connection = connection
            connection.wait = wait
        }

        /// What is to be called once, and holds the waiter itself until then.
        fileprivate func takeWake() -> (@Sendable () -> Void)? {
            defer { wake = nil }
            return wake
        }
    }

    /// The number of those who wait.
    var waiterCount: Int { lock.withLock { waiters.count } }

    /// Waits for access, blocking the thread.
    ///
    /// - Throws: ``ResultCode/accessTimeout``, or ``ResultCode/deadlock`` when waiting would never end.
    package func wait(_ timeout: Duration?) throws(SQLiteError) -> SharedConnection {
        lock.lock()
        let index = free.popLast()
        lock.unlock()
        let connection = if let index { connections[index] } else { try block(timeout) }
        if notesWaits, index != nil { connection.wait = nil }
        connection.holder.adopt()
        return connection
    }

    /// A connection that is free, for the calling thread; nil when there is none, or when others wait for one.
    ///
    /// It tries for some microseconds: a thread that has reported a commit keeps the connection for that long.
    func takeFree() -> SharedConnection? {
        for _ in 0..<30 {
            let (index, isWanted) = lock.withLock { (free.popLast(), !waiters.isEmpty) }
            if let index {
                let connection = connections[index]
                if notesWaits { connection.wait = nil }
                connection.holder.adopt()
                return connection
            }
            if isWanted { return nil }
            sched_yield()
        }
        return nil
    }

    /// Asks for access without a thread: `answer` is called once, with the connection, or with nil when the waiter has
    /// stopped waiting.
    ///
    /// It may be called on any thread, and must not wait. The thread that is to use the connection calls
    /// ``AccessHolder/adopt()``. Nothing here needs the task that asked to run: it may be of an actor whose thread
    /// waits for access itself.
    package func request(
        _ waiter: Waiter, _ timeout: Duration?, answer: @escaping @Sendable (SharedConnection?) -> Void
    ) {
        enqueue(waiter) { [self] in answer(granted(waiter)) }
        guard let timeout else { return }
        if timeout <= .zero {
            giveUp(waiter)
        } else {
            // Weakly, or what the closure captures would live on until then; who waits is held by `waiters`.
            DispatchQueue.global().asyncAfter(deadline: .now() + timeout.seconds) { [weak self, weak waiter] in
                if let self, let waiter { giveUp(waiter) }
            }
        }
    }

    /// Passes access to whoever has waited longest.
    package func release(_ connection: SharedConnection) {
        connection.holder.leave()
        lock.lock()
        if waiters.isEmpty {
            free.append(connection.index)
            lock.unlock()
            return
        }
        let next = waiters.removeFirst()
        next.grant(connection)
        let wake = next.takeWake()
        lock.unlock()
        wake?()
    }

    /// Takes a place among those who wait, unless a connection is free by now.
    private func enqueue(_ waiter: Waiter, wake: @escaping @Sendable () -> Void) {
        var hurried: RowChannel?
        let isAnswered = lock.withLock {
            if waiter.state == .waiting, let index = free.popLast() { waiter.grant(connections[index]) }
            if waiter.state != .waiting { return true }
            waiter.wake = wake
            if notesWaits { waiter.wait = Wait() }
            waiters.append(waiter)
            if !patient.isEmpty { hurried = patient.removeFirst() }
            return false
        }
        hurried?.hurry()
        if isAnswered { wake() }
    }

    /// Leaves the place among those who wait. Whoever has been granted access keeps it.
    package func giveUp(_ waiter: Waiter) {
        let wake: (@Sendable () -> Void)? = lock.withLock {
            guard waiter.state == .waiting else { return nil }
            waiter.state = .gaveUp
            waiters.removeAll { $0 === waiter }
            return waiter.takeWake()
        }
        wake?()
    }

    private func granted(_ waiter: Waiter) -> SharedConnection? {
        lock.withLock { waiter.connection }
    }

    /// Tells a channel whose reading has access, once, that another waits for it.
    func addPatient(_ channel: RowChannel) {
        let isWanted = lock.withLock {
            if waiters.isEmpty { patient.append(channel) }
            return !waiters.isEmpty
        }
        if isWanted { channel.hurry() }
    }

    func removePatient(_ channel: RowChannel) {
        lock.withLock { patient.removeAll { $0 === channel } }
    }

    private func block(_ timeout: Duration?) throws(SQLiteError) -> SharedConnection {
        let waiter = Waiter()
        let semaphore = DispatchSemaphore(value: 0)
        if let held = waitGraph.add(self) {
            throw SQLiteError(
                .deadlock,
                "waiting for \(name) would never end: who has it waits for \(held.name), which this thread has")
        }
        defer { waitGraph.remove() }
        enqueue(waiter) { semaphore.signal() }
        if let timeout {
            if semaphore.wait(timeout: .now() + timeout.seconds) == .timedOut { giveUp(waiter) }
        } else {
            semaphore.wait()
        }
        guard let connection = granted(waiter) else { throw timedOut() }
        return connection
    }

    /// The error for access that wasn't granted in time.
    package func timedOut() -> SQLiteError {
        SQLiteError(.accessTimeout, "access to \(name) wasn't granted in time")
    }
}

extension Duration {
    fileprivate var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
