/// The way to an engine's connections: to local ones by the same calls as ever, to another's by its protocol.
package enum EngineAccess: Sendable {
    case local(DatabaseConnections)
    case other(any Engine)

    /// Whether the connections enforce foreign keys.
    package var enforcesForeignKeys: Bool {
        switch self {
        case .local(let connections): LocalAccess(connections: connections).configuration.foreignKeys
        case .other(let engine): engine.enforcesForeignKeys
        }
    }

    /// Runs `body`, whose queries need not be of one moment.
    package func query<T>(_ body: (any EngineConnection) throws -> T) throws -> T {
        switch self {
        case .local(let connections): try connections.query(body)
        case .other(let engine): try engine.result(.query, body)
        }
    }

    /// Runs `body` in a read transaction.
    package func read<T>(_ body: (any EngineConnection) throws -> T) throws -> T {
        switch self {
        case .local(let connections): try LocalAccess(connections: connections).read(body)
        case .other(let engine): try engine.result(.read, body)
        }
    }

    /// Runs `body` in a read transaction that is not older than any commit that was acknowledged before.
    package func linearizableRead<T>(_ body: (any EngineConnection) throws -> T) throws -> T {
        switch self {
        // A local database has one truth.
        case .local: try read(body)
        case .other(let engine): try engine.result(.linearizableRead, body)
        }
    }

    /// Runs `body` in a write transaction, or in a savepoint of the one that is open.
    package func write<T>(_ body: (any EngineConnection) throws -> T) throws -> T {
        switch self {
        case .local(let connections): try LocalAccess(connections: connections).write(body)
        case .other(let engine): try engine.result(.write, body)
        }
    }

    /// Runs `body` without a transaction, or in the one that is open.
    package func withoutTransaction<T>(_ body: (any EngineConnection) throws -> T) throws -> T {
        switch self {
        case .local(let connections): try LocalAccess(connections: connections).withoutTransaction(body)
        case .other(let engine): try engine.result(.plain, body)
        }
    }

    /// Whether the calling thread is inside a closure.
    package var isMine: Bool {
        switch self {
        case .local(let connections): connections.isMine
        case .other(let engine): engine.isMine
        }
    }

    /// The connection, where the calling thread is inside a closure; nil for an engine of which only those that write
    /// are known.
    package var mine: (any EngineConnection)? {
        switch self {
        case .local(let connections): connections.mine
        case .other(let engine): engine.mineToWrite
        }
    }

    /// The connection, where the calling thread is inside a closure that may write.
    package var mineToWrite: (any EngineConnection)? {
        switch self {
        case .local(let connections): connections.mineToWrite
        case .other(let engine): engine.mineToWrite
        }
    }

    /// Whether there is such a connection.
    package var isMineToWrite: Bool {
        switch self {
        case .local(let connections): connections.isMineToWrite
        case .other(let engine): engine.mineToWrite != nil
        }
    }

    package func close() throws {
        switch self {
        case .local(let connections): try connections.close()
        case .other(let engine): try engine.close()
        }
    }

    package func reopen() throws {
        switch self {
        case .local(let connections): try connections.reopen()
        case .other(let engine): try engine.reopen()
        }
    }
}

/// The same, while the task is suspended.
extension EngineAccess {
    package func query<T>(
        _ body: sending @escaping (any EngineConnection) throws -> sending T
    ) async throws -> sending T {
        switch self {
        case .local(let connections): try await LocalAccess(connections: connections).query(body)
        case .other(let engine): try await engine.result(.query, body)
        }
    }

    package func read<T>(
        _ body: sending @escaping (any EngineConnection) throws -> sending T
    ) async throws -> sending T {
        switch self {
        case .local(let connections): try await LocalAccess(connections: connections).read(body)
        case .other(let engine): try await engine.result(.read, body)
        }
    }

    package func linearizableRead<T>(
        _ body: sending @escaping (any EngineConnection) throws -> sending T
    ) async throws -> sending T {
        switch self {
        case .local: try await read(body)
        case .other(let engine): try await engine.result(.linearizableRead, body)
        }
    }

    package func write<T>(
        _ body: sending @escaping (any EngineConnection) throws -> sending T
    ) async throws -> sending T {
        switch self {
        case .local(let connections): try await LocalAccess(connections: connections).write(body)
        case .other(let engine): try await engine.result(.write, body)
        }
    }

    /// - Parameter isolation: The caller's actor, in which the result stays.
    package func write<T>(
        _ body: sending @escaping (any EngineConnection) throws -> T, isolation: isolated (any Actor)?
    ) async throws -> T {
        switch self {
        case .local(let connections):
            try await LocalAccess(connections: connections).write(body, isolation: isolation)
        case .other(let engine): try await engine.result(.write, body)
        }
    }

    package func withoutTransaction<T>(
        _ body: sending @escaping (any EngineConnection) throws -> sending T
    ) async throws -> sending T {
        switch self {
        case .local(let connections): try await LocalAccess(connections: connections).withoutTransaction(body)
        case .other(let engine): try await engine.result(.plain, body)
        }
    }

    package func close() async throws {
        switch self {
        case .local(let connections): try await LocalAccess(connections: connections).close()
        case .other(let engine): try await workerThreads.perform { try engine.close() }
        }
    }

    package func reopen() async throws {
        switch self {
        case .local(let connections): try await LocalAccess(connections: connections).reopen()
        case .other(let engine): try await workerThreads.perform { try engine.reopen() }
        }
    }
}

/// Connections by themselves, with the methods of a queue or pool.
private struct LocalAccess: DatabaseAccess {
    let connections: DatabaseConnections
}

extension Engine {
    fileprivate func result<T>(_ access: AccessKind, _ body: (any EngineConnection) throws -> T) throws -> T {
        var result: T?
        try lend(access) { result = try body($0) }
        guard let result else { throw didNotRun() }
        return result
    }

    fileprivate func result<T>(
        _ access: AccessKind, _ body: sending @escaping (any EngineConnection) throws -> T
    ) async throws -> sending T {
        // Written by the closure, which is called once, and read when it has returned. The callers' closures return
        // what no one else holds.
        nonisolated(unsafe) var result: T?
        nonisolated(unsafe) let body = body
        try await lend(access) { result = try body($0) }
        nonisolated(unsafe) let taken = result
        guard let taken else { throw didNotRun() }
        return taken
    }

    private func didNotRun() -> SQLiteError { SQLiteError(.internal, "\(name) did not run what it was given") }
}

/// What stands for the database of an engine without local connections: each method of it throws.
package struct UnsupportedDatabase: DatabaseAccess {
    package let connections: DatabaseConnections

    package init(_ engine: any Engine) {
        connections = DatabaseConnections(
            throwing: SQLiteError(
                .unsupported,
                "\(engine.name) has no local connection: use the manager's methods, execute, dictionaries and transaction"
            ))
    }
}
