/// Connections of one kind to one database, each lent to one closure after the other.
final class ConnectionLender: Sendable {
    let lock: AccessLock
    /// The first of the connections: of a lender of one, that one.
    let first: SharedConnection
    private let accessTimeout: Duration?
    // Written by the holder of all connections, read by the holder of one.
    @exclusivity(unchecked) nonisolated(unsafe) private var configuration: DatabaseConfiguration
    private let location: DatabaseLocation
    private let opensOnDemand: Bool
    private let settle: @Sendable (Database) throws -> Void
    /// What opening throws, where there is nothing to open.
    let openingError: SQLiteError?
    /// Those who hear of what is committed; nil of connections that only read.
    nonisolated(unsafe) private var changes: ChangeListeners?
    /// The ledgers in which statements are noted.
    private let ledgers: LedgerBook
    // Written by the holder of all connections, read by the holder of one.
    @exclusivity(unchecked) nonisolated(unsafe) private var isOpen = true

    /// - Parameters:
    ///   - name: What errors call it.
    ///   - count: How many connections there are at most.
    ///   - ledgers: The ledgers in which statements are noted.
    ///   - opensOnDemand: Whether a connection is opened when it is first lent, and not by ``open()``.
    ///   - openingError: What opening throws, where there is nothing to open.
    ///   - settle: Called with each new connection, when all else has been set.
    init(
        name: String, count: Int, _ location: DatabaseLocation, _ configuration: DatabaseConfiguration,
        _ ledgers: LedgerBook, opensOnDemand: Bool, openingError: SQLiteError? = nil,
        settle: @escaping @Sendable (Database) throws -> Void = { _ in }
    ) {
        lock = AccessLock(name: name, count: count, notesWaits: configuration.trace != nil)
        first = lock.connections[0]
        self.location = location
        self.configuration = configuration
        accessTimeout = configuration.accessTimeout
        self.ledgers = ledgers
        self.opensOnDemand = opensOnDemand
        self.openingError = openingError
        self.settle = settle
    }

    /// Whether the calling thread has the connection of a lender of one.
    @inline(__always)
    var isMine: Bool { first.holder.thread == currentThread() }

    /// The connection that the calling thread has, if any.
    var mine: SharedConnection? {
        let thread = currentThread()
        if lock.connections.count == 1, first.holder.thread != thread { return nil }
        for connection in lock.connections where connection.holder.thread == thread { return connection }
        return nil
    }

    /// Opens the connections, or lets them be opened. Called by the holder of all connections, or
    /// before there are others.
    func open() throws {
        if !opensOnDemand {
            for connection in lock.connections where connection.database == nil { try open(connection) }
        }
        isOpen = true
    }

    /// Closes the connections. Called by the holder of all connections.
    func close() throws(SQLiteError) {
        for connection in lock.connections {
            try connection.database?.closeConnection()
            connection.database = nil
        }
        isOpen = false
    }

    /// Has connections opened with another key from now on. Called by the holder of all connections.
    func setKey(_ key: DatabaseKey?) { configuration.key = key }

    /// Runs `body` with the first connection. Called by the holder of all connections.
    func useFirst(_ body: (Database) throws -> Void) throws {
        try access(first, nil, body)
    }

    /// Runs `body` when the calling thread has all the connections.
    func withAllConnections<T>(_ body: () throws -> T) throws -> T {
        var taken: [SharedConnection] = []
        defer { for connection in taken { lock.release(connection) } }
        let clock = ContinuousClock()
        let start = clock.now
        while taken.count < lock.connections.count {
            // One call has one timeout, however many connections it waits for.
            taken.append(try lock.wait(accessTimeout.map { max(.zero, $0 - (clock.now - start)) }))
        }
        return try body()
    }

    /// Runs `body` when a connection is available.
    func lend<T>(_ body: (Database) throws -> T) throws -> T {
        let connection = try lock.wait(accessTimeout)
        defer { lock.release(connection) }
        return try access(connection, nil, body)
    }

    /// Asks for access without a thread: `answer` is called once, with the connection, or with nil when access wasn't
    /// granted in time or is wanted no longer.
    func request(_ waiter: AccessLock.Waiter, answer: @escaping @Sendable (SharedConnection?) -> Void) {
        lock.request(waiter, accessTimeout, answer: answer)
    }

    /// Runs `body` with a connection that has been granted to the calling thread, and gives it back.
    func use<T>(
        _ connection: SharedConnection, _ interruption: Interruption, _ body: (Database) throws -> T
    ) throws -> T {
        connection.holder.adopt()
        defer { lock.release(connection) }
        do {
            return try access(connection, interruption, body)
        } catch {
            throw interruption.translate(error)
        }
    }

    /// Runs `body` in the background when a connection is available, in a task of its own that has the caller's
    /// task-local values. `done` is called once, when the connection has been given back.
    func begin(
        _ waiter: AccessLock.Waiter, _ interruption: Interruption,
        _ body: @escaping @Sendable (Database) throws -> Void,
        done: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        let access = BackgroundAccess(self, waiter)
        Task(executorPreference: access) { [self] in
            guard let connection = access.connection else {
                done(.failure(interruption.isRequested ? CancellationError() : lock.timedOut()))
                return
            }
            done(Result { try use(connection, interruption, body) })
        }
    }

    /// Runs `body` in the background, while the task is suspended.
    func suspended<T>(_ body: sending @escaping (Database) throws -> T) async throws -> sending T {
        try Task.checkCancellation()
        let access = TaskAccess(self)
        // Handed over once, to the one function that calls it.
        nonisolated(unsafe) let body = body
        return try await withTaskCancellationHandler {
            try await access.run(body)
        } onCancel: {
            access.cancel()
        }
    }

    /// Runs `body` on the task's own thread if a connection is free; nil when there is none.
    func lendFree<T>(_ body: (Database) throws -> T) async throws -> T? {
        let interruption = Interruption()
        return try await withTaskCancellationHandler {
            guard let connection = lock.takeFree() else { return nil }
            return try use(connection, interruption, body)
        } onCancel: {
            interruption.request()
        }
    }

    /// The database of a connection that the calling thread has access to.
    func database(of connection: SharedConnection) throws -> Database {
        if let database = connection.database { return database }
        guard isOpen else { throw SQLiteError(.closed, "the database is closed", path: location.path) }
        return try open(connection)
    }

    @discardableResult
    private func open(_ connection: SharedConnection) throws -> Database {
        if let openingError { throw openingError }
        let database = try Database(location, configuration: configuration)
        try settle(database)
        database.connection.holder = connection.holder
        if let changes {
            database.connection.recorder = ChangeRecorder(database, changes, of: ObjectIdentifier(self))
        }
        connection.database = database
        return database
    }

    /// Has what is committed reported. Called before there are others who use it.
    func report(to changes: ChangeListeners) {
        self.changes = changes
        for connection in lock.connections {
            guard let database = connection.database else { continue }
            database.connection.recorder = ChangeRecorder(database, changes, of: ObjectIdentifier(self))
        }
    }

    private func access<T>(
        _ connection: SharedConnection, _ interruption: Interruption?, _ body: (Database) throws -> T
    ) throws -> T {
        try access(database(of: connection), connection, interruption, body)
    }

    private func access<T>(
        _ db: Database, _ connection: SharedConnection, _ interruption: Interruption?,
        _ body: (Database) throws -> T
    ) throws -> T {
        db.connection.beginAccess(interruption: interruption)
        db.connection.follow(ledgers)
        db.connection.recorder?.beginAccess()
        if db.connection.isTraced { db.connection.hooks.tracer?.beginAccess(to: db, connection) }
        defer {
            db.connection.endAccess()
            if db.connection.isTraced { db.connection.hooks.tracer?.endAccess(to: db) }
        }
        let result: T
        do {
            try db.connection.settle()
            result = try body(db)
            try db.connection.endWrites()
        } catch {
            if db.isInTransaction { endLeftTransaction(of: connection, db) }
            throw error
        }
        if db.isInTransaction {
            endLeftTransaction(of: connection, db)
            throw SQLiteError(
                .notAllowedHere, "the closure left a transaction open; it has been rolled back", path: location.path)
        }
        return result
    }

    /// A transaction that has been left open must not reach those who come after.
    private func endLeftTransaction(of connection: SharedConnection, _ db: Database) {
        db.connection.resetRunningStatements()
        do throws(SQLiteError) {
            try db.rollbackLeftTransaction()
        } catch {
            // A file can be opened again, and closing it rolls back. What is in memory alone would go with its
            // connection: it is rolled back before anything else runs.
            db.connection.mustRollBack = true
            // Undoing has begun it again, and it mustn't outlive its connection.
            db.connection.interruption?.end()
            guard location.path != nil, (try? db.closeConnection()) != nil else { return }
            connection.database = nil
        }
    }
}

extension Interruption {
    /// What a task that was cancelled throws in place of SQLite's error about it.
    fileprivate func translate(_ error: any Error) -> any Error {
        let cause = error as? SQLiteError ?? (error as? any ErrorOfSQLite)?.sqliteError
        return isRequested && cause?.code == .interrupt ? CancellationError() : error
    }
}

/// An error that says of one of SQLite's where it happened.
package protocol ErrorOfSQLite: Error {
    var sqliteError: SQLiteError? { get }
}
