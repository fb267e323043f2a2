/// The access of a task that runs in the background, and the executor that its closure runs on.
///
/// As with ``TaskAccess``, the closure begins when access is granted, on a thread that may block.
final class BackgroundAccess: TaskExecutor {
    private let lender: ConnectionLender
    private let waiter: AccessLock.Waiter
    // Written before the closure begins, and read by it. Nil when access wasn't granted.
    nonisolated(unsafe) private(set) var connection: SharedConnection?

    init(_ lender: ConnectionLender, _ waiter: AccessLock.Waiter) {
        self.lender = lender
        self.waiter = waiter
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        lender.request(waiter) { [self] connection in
            self.connection = connection
            workerThreads.run { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }
}
