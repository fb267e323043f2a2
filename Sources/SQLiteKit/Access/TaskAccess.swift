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

    init(_ lender: ConnectionLender) {
        self.lender = lender
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    nonisolated func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        lender.request(waiter) { [self] connection in
            self.connection = connection
            workerThreads.run { job.runSynchronously(on: self.unownedExecutor) }
        }
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
