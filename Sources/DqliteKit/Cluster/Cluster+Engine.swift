package import SQLiteKit

extension Cluster: Engine {
    package var name: String { ClusterConnection.engineName }
    package var enforcesForeignKeys: Bool { configuration.foreignKeys }

    package func lend(_ access: AccessKind, _ body: (any EngineConnection) throws -> Void) throws {
        if let joined = writer.mine ?? readers.mine { return try joined.use(access, body) }
        try lender(of: access).lend { connection in try connection.use(access, body) }
    }

    package func lend(
        _ access: AccessKind, _ body: sending @escaping (any EngineConnection) throws -> Void
    ) async throws {
        try Task.checkCancellation()
        let taskAccess = ClusterTaskAccess(lender(of: access))
        // Handed over once, to the one function that calls it.
        nonisolated(unsafe) let body = body
        try await withTaskCancellationHandler {
            try await taskAccess.run { connection in try connection.use(access, body) }
        } onCancel: {
            taskAccess.cancel()
        }
    }

    private func lender(of access: AccessKind) -> ClusterLender {
        switch access {
        case .query, .read: readers
        case .write, .plain, .linearizableRead: writer
        }
    }

    package var isMine: Bool { writer.mine != nil || readers.mine != nil }
    package var mineToWrite: (any EngineConnection)? { writer.mine }

    /// Ends the connections to nodes. Every later call throws ``/SQLiteKit/SQLiteError`` with the code `.closed`.
    package func close() throws {
        try set(isOpen: false)
    }

    /// Lets connections begin again.
    package func reopen() throws {
        try set(isOpen: true)
    }

    private func set(isOpen: Bool) throws {
        guard !isMine else {
            throw SQLiteError(
                .notAllowedHere, "\(name) can't be closed or reopened from inside one of its own closures")
        }
        try writer.set(isOpen: isOpen)
        try readers.set(isOpen: isOpen)
    }
}

extension ClusterConnection {
    /// Runs `body`. Inside another access it takes part in that.
    fileprivate func use(_ access: AccessKind, _ body: (any EngineConnection) throws -> Void) throws {
        switch access {
        case .query, .plain: try body(self)
        case .read: try reading(body)
        case .write: try writing(body)
        case .linearizableRead: try linearizableRead(body)
        }
    }
}

/// A task's access to a connection, and the executor that its closure runs on.
///
/// What is enqueued here begins when access is granted, on a thread that may block. So the closure is run by the task
/// itself, which has its task-local values.
private actor ClusterTaskAccess: SerialExecutor {
    private let lender: ClusterLender
    private let waiter = AccessLock.Waiter()
    private let cancellation = Cancellation()
    // Written before the closure runs, and read by it. Nil when access wasn't granted.
    nonisolated(unsafe) private var connection: SharedConnection?

    init(_ lender: ClusterLender) {
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
    func run(_ body: sending (ClusterConnection) throws -> Void) throws {
        guard let connection else { throw cancellation.isRequested ? CancellationError() : lender.lock.timedOut() }
        try lender.use(connection, cancellation, body)
    }

    /// Takes back the request for access, and ends what runs.
    nonisolated func cancel() {
        cancellation.request()
        lender.lock.giveUp(waiter)
    }
}
