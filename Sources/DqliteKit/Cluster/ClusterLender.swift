internal import SQLiteKit

/// Connections of one kind. Each is lent to one closure at a time.
final class ClusterLender: Sendable {
    let lock: AccessLock
    // Each is used by the holder of the shared connection with its index.
    nonisolated(unsafe) private let connections: [ClusterConnection]
    private let timeout: Duration?
    // Written by the holder of all connections, read by the holder of one.
    nonisolated(unsafe) private var isOpen = true

    init(name: String, count: Int, _ timeout: Duration?, _ make: () -> ClusterConnection) {
        lock = AccessLock(name: name, count: count)
        self.timeout = timeout
        connections = (0..<count).map { _ in make() }
    }

    /// The connection that the calling thread has, if any.
    var mine: ClusterConnection? {
        lock.connections.first { $0.holder.isMine }.map { connections[$0.index] }
    }

    /// Runs `body` when a connection is available.
    func lend(_ body: (ClusterConnection) throws -> Void) throws {
        try use(lock.wait(timeout), Cancellation(), body)
    }

    /// Asks for access without a thread; see `AccessLock.request`.
    func request(_ waiter: AccessLock.Waiter, answer: @escaping @Sendable (SharedConnection?) -> Void) {
        lock.request(waiter, timeout, answer: answer)
    }

    /// Runs `body` with a connection that has been granted to the calling thread, and gives it back.
    func use(
        _ shared: SharedConnection, _ cancellation: Cancellation, _ body: (ClusterConnection) throws -> Void
    ) throws {
        shared.holder.adopt()
        defer { lock.release(shared) }
        guard isOpen else { throw SQLiteError(.closed, "the cluster is closed") }
        let connection = connections[shared.index]
        do {
            try cancellation.check()
            connection.beginAccess(cancellation)
            defer { connection.endAccess() }
            try body(connection)
        } catch {
            throw cancellation.translate(error)
        }
    }

    /// Closes all connections to nodes, or allows them again.
    func set(isOpen: Bool) throws(SQLiteError) {
        var taken: [SharedConnection] = []
        defer { for shared in taken { lock.release(shared) } }
        while taken.count < connections.count { taken.append(try lock.wait(timeout)) }
        self.isOpen = isOpen
        if !isOpen { for connection in connections { connection.close() } }
    }
}
