/// A task's access to a connection, and the executor that its closure runs on.
///
/// What is enqueued here begins when access is granted, on a thread that may block. So the closure is run by the task
/// itself, which has its task-local values and knows whether it is cancelled. And nothing needs the task to run before
/// that: it may be of an actor whose thread waits for access itself.
actor TaskAccess: SerialExecutor {
    private let lender: ConnectionLender
    private let waiter = AccessLock.Waiter()
    private let interruption = Interruption()
    // Written before the access begins, and read by it. Nil when access wasn't granted.
    nonisolated(unsafe) private var connection: SharedConnection?
    /// What comes next when the task goes on here.
    private enum Phase { case waits, asks, has }
    // Written where the task is enqueued, which is one time after the other.
    nonisolated(unsafe) private var phase: Phase

    /// - Parameter waits: Whether the task waits for an event first, for which it needs no connection.
    init(_ lender: ConnectionLender, waits: Bool = false) {
        self.lender = lender
        phase = waits ? .waits : .asks
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    nonisolated func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        guard phase == .asks else {
            if phase == .waits { phase = .asks }
            return workerThreads.run { job.runSynchronously(on: self.unownedExecutor) }
        }
        phase = .has
        lender.request(waiter) { [self] connection in
            self.connection = connection
            workerThreads.run { job.runSynchronously(on: self.unownedExecutor) }
        }
    }

    /// Runs `body` with the connection after an event. Called once.
    ///
    /// The task goes on with the connection: it needs no thread in between, as it would if it waited elsewhere.
    func run<T>(
        after event: @Sendable () async throws -> Void, _ body: sending (Database) throws -> T
    ) async throws -> sending T {
        // Handed over once, to the one function that calls it.
        nonisolated(unsafe) let body = body
        do {
            try await event()
        } catch {
            if let connection {
                connection.holder.adopt()
                lender.lock.release(connection)
            }
            throw error
        }
        // Where it had not to be waited for, the task has not been enqueued again.
        if phase == .asks { await Task.yield() }
        return try run(body)
    }

    /// Runs `body` with the connection. Called once.
    func run<T>(_ body: sending (Database) throws -> T) throws -> sending T {
        guard let connection else { throw interruption.isRequested ? CancellationError() : lender.lock.timedOut() }
        // The callers' closures return what no one else holds, which a function between here and there cannot repeat.
        nonisolated(unsafe) let result = try lender.use(connection, interruption, body)
        return result
    }

    /// Takes back the request for access, and interrupts what runs.
    nonisolated func cancel() {
        interruption.request()
        lender.lock.giveUp(waiter)
    }
}
