/// A database that any number of threads and tasks share: a ``DatabaseQueue`` or a ``DatabasePool``.
///
/// Both pass a ``Database`` to a closure, by the same methods, so that code can take either:
///
/// ```swift
/// func titles(in library: any DatabaseAccess) async throws -> [String] {
///     try await library.read { db in
///         try db.column("SELECT title FROM book", as: String.self)
///     }
/// }
/// ```
///
/// A call from inside one of its closures joins: it uses the same connection immediately. A `write` inside a `write` is
/// a savepoint, a `read` inside a `write` sees what has been written; a `write` inside a `read` throws, since a read's
/// snapshot may be out of date by the time it would write.
///
/// Statements, result sets and rows belong to the access they were made in; used after it, they throw
/// ``ResultCode/expired``.
public protocol DatabaseAccess: Sendable {
    /// The connections that the methods use. It has no methods of its own.
    var connections: DatabaseConnections { get }
}

extension DatabaseAccess {
    /// Where the database lives.
    public var location: DatabaseLocation { connections.location }

    /// What its connections are opened with.
    public var configuration: DatabaseConfiguration { connections.configuration }

    /// Runs `body` in a read transaction: everything it reads is of one snapshot, and it can't write.
    ///
    /// In a pool that moment is when `body` begins.
    ///
    /// - Parameter body: What to do with the connection.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, or an ``SQLiteError``: ``ResultCode/closed``, ``ResultCode/accessTimeout``,
    ///   ``ResultCode/deadlock``.
    @_disfavoredOverload
    public func read<T>(_ body: (Database) throws -> T) throws -> T {
        let connections = connections
        if let db = try connections.joined() { return try db.reading(body) }
        return try connections.readers.lend { db in try db.reading(pinned: connections.isPool, body) }
    }

    /// Runs `body` in a write transaction: commits when it returns, rolls back when it throws.
    ///
    /// - Parameter body: What to do with the connection.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, or an ``SQLiteError``, of BEGIN and COMMIT too; see
    ///   ``Database/transaction(_:_:)``. ``ResultCode/notAllowedHere`` inside a read: what that has read may be out of
    ///   date, and a write that rests on it would undo the work of others.
    @_disfavoredOverload @discardableResult
    public func write<T>(_ body: (Database) throws -> T) throws -> T {
        let connections = connections
        if let db = try connections.joined() { return try db.writing(body) }
        return try connections.writer.lend { db in try db.writing(body) }
    }

    /// Runs `body` without a transaction: each statement is a transaction by itself. VACUUM and some pragmas need it.
    ///
    /// In a pool it has the writer. Inside a closure that is in a transaction, `body` joins that. A transaction that
    /// `body` begins by SQL text must be ended by it; its rollback isn't reported, ``Database/afterRollback(_:)``
    /// included.
    ///
    /// - Throws: What `body` throws; ``ResultCode/notAllowedHere`` when it leaves a transaction open, which is then
    ///   rolled back.
    @_disfavoredOverload @discardableResult
    public func withoutTransaction<T>(_ body: (Database) throws -> T) throws -> T {
        let connections = connections
        if let db = try connections.joined() { return try body(db) }
        return try connections.writer.lend(body)
    }

    /// Runs `body` in a read transaction, while the task is suspended.
    ///
    /// - Parameter body: What to do with the connection. It runs on the database's side: what it captures is `Sendable`
    ///   or sent.
    /// - Throws: What `body` throws, an ``SQLiteError``, or `CancellationError` when the task is cancelled: a statement
    ///   that runs is interrupted.
    public func read<T>(_ body: sending @escaping (Database) throws -> sending T) async throws -> sending T {
        let isPool = connections.isPool
        return try await connections.readers.suspended { db in try db.reading(pinned: isPool, body) }
    }

    /// Runs `body` in a write transaction, while the task is suspended.
    ///
    /// - Parameter body: What to do with the connection. It runs on the database's side: what it captures is `Sendable`
    ///   or sent.
    /// - Throws: What `body` throws, an ``SQLiteError``, or `CancellationError` when the task is cancelled before the
    ///   commit: all is rolled back. A commit that has begun is not called off.
    @discardableResult
    public func write<T>(_ body: sending @escaping (Database) throws -> sending T) async throws -> sending T {
        try await connections.writer.suspended { db in try db.writing(body) }
    }

    /// Runs `body` without a transaction, while the task is suspended: each statement is a transaction by itself. In a
    /// pool, it uses the writer.
    ///
    /// - Parameter body: What to do with the connection. It runs on the database's side, so what it captures is
    ///   `Sendable`, or sent.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, an ``SQLiteError``, such as ``ResultCode/notAllowedHere`` when `body` leaves a
    ///   transaction open, which is then rolled back; `CancellationError` when the task is cancelled: a statement
    ///   that runs is interrupted, and those before it have been committed.
    @discardableResult
    public func withoutTransaction<T>(
        _ body: sending @escaping (Database) throws -> sending T
    ) async throws -> sending T {
        try await connections.writer.suspended(body)
    }

    /// Runs a function in a read transaction, while the task is suspended; see `read(_:)`.
    ///
    /// - Parameters:
    ///   - body: A function, whose result stays in the caller's isolation; a closure's may go anywhere.
    ///   - isolation: The caller's actor.
    /// - Throws: What `read(_:)` throws.
    @_disfavoredOverload
    public func read<T>(
        _ body: sending @escaping (Database) throws -> T, isolation: isolated (any Actor)? = #isolation
    ) async throws -> T {
        let isPool = connections.isPool
        return try await connections.readers.suspended { db in try db.reading(pinned: isPool, body) }
    }

    /// Runs a function in a write transaction, while the task is suspended; see `write(_:)`.
    ///
    /// - Parameters:
    ///   - body: A function, whose result stays in the caller's isolation; a closure's may go anywhere.
    ///   - isolation: The caller's actor.
    /// - Throws: What `write(_:)` throws.
    @_disfavoredOverload @discardableResult
    public func write<T>(
        _ body: sending @escaping (Database) throws -> T, isolation: isolated (any Actor)? = #isolation
    ) async throws -> T {
        try await connections.writer.suspended { db in try db.writing(body) }
    }

    /// Runs a function without a transaction, while the task is suspended; see `withoutTransaction(_:)`.
    ///
    /// - Parameters:
    ///   - body: A function, whose result stays in the caller's isolation; a closure's may go anywhere.
    ///   - isolation: The caller's actor.
    /// - Throws: What `withoutTransaction(_:)` throws.
    @_disfavoredOverload @discardableResult
    public func withoutTransaction<T>(
        _ body: sending @escaping (Database) throws -> T, isolation: isolated (any Actor)? = #isolation
    ) async throws -> T {
        try await connections.writer.suspended(body)
    }

    /// Runs `body` in a read transaction on the task's own thread, if it needn't wait.
    ///
    /// - Returns: Nil when all connections are in use, and where a reader may have to wait for another connection's
    ///   lock: only a write-ahead log and a database of one connection are without such locks.
    @concurrent
    package func readWithoutWaiting<T>(_ body: (Database) throws -> sending T) async throws -> sending T? {
        let isPool = connections.isPool
        guard isPool || !location.isShared else { return nil }
        // The closure hands its result over, which the functions between here and there cannot repeat.
        nonisolated(unsafe) let result = try await connections.readers.lendFree { db in
            try db.reading(pinned: isPool, body)
        }
        return result
    }

    /// Runs `body`, whose queries need not be of one moment, without a transaction, while the task is suspended.
    package func query<T>(_ body: sending @escaping (Database) throws -> sending T) async throws -> sending T {
        try await connections.readers.suspended(body)
    }

    /// Whether the calling thread is inside a closure of this queue or pool.
    package var isMine: Bool { connections.isMine }

    /// How many calls wait for access.
    package var waiterCount: Int { connections.waiterCount }

    /// Closes the connections when they are no longer in use. Closing a closed database does nothing; every other call
    /// throws ``ResultCode/closed`` until `reopen()`.
    ///
    /// - Throws: ``ResultCode/busy`` when a statement is still held by someone, in which case the database stays open;
    ///   ``ResultCode/notAllowedHere`` inside a closure; ``ResultCode/accessTimeout`` or ``ResultCode/deadlock``.
    public func close() throws {
        try connections.close()
    }

    /// Opens the database again after `close()`. An open one stays as it is.
    ///
    /// - Throws: ``SQLiteError``.
    public func reopen() throws {
        try connections.reopen()
    }

    /// Closes the connections when they are no longer in use, while the task is suspended.
    ///
    /// A task that is cancelled before the call closes nothing; one that is cancelled later still closes them.
    ///
    /// - Throws: ``ResultCode/busy`` when a statement is still held by someone, in which case the database stays open;
    ///   ``ResultCode/accessTimeout``, or `CancellationError`.
    public func close() async throws {
        let connections = connections
        try await workerThreads.perform { try connections.close() }
    }

    /// Encrypts the file with another key, when none of the connections is in use; those that follow use that one.
    ///
    /// No one else may have the file open, in this process or another.
    ///
    /// - Parameter key: The new key. ``DatabaseKey/plain`` decrypts the file, which SQLCipher can't: there,
    ///   ``Database/vacuum(into:from:key:)`` writes a plain copy.
    /// - Throws: ``ResultCode/missingFeature`` where SQLite has no cipher, or one that can't do that;
    ///   ``ResultCode/misuse`` for what can be no key, and of a database without a file; ``ResultCode/busy`` when
    ///   another connection has the file open, which is noticed where it has a write-ahead log;
    ///   ``ResultCode/notAllowedHere`` inside a closure. Then the key is as it was.
    public func rekey(_ key: DatabaseKey) throws {
        try connections.rekey(key)
    }

    /// Encrypts the file with another key, while the task is suspended.
    ///
    /// - Parameter key: The new key; ``DatabaseKey/plain`` decrypts the file.
    /// - Throws: What the synchronous form throws, or `CancellationError` when the task has been cancelled before the
    ///   call.
    public func rekey(_ key: DatabaseKey) async throws {
        let connections = connections
        try await workerThreads.perform { try connections.rekey(key) }
    }

    /// Opens the database again after `close()`, while the task is suspended. An open one stays as it is.
    ///
    /// - Throws: ``SQLiteError`` when the database can't be opened, or `CancellationError` when the task has been
    ///   cancelled before the call.
    public func reopen() async throws {
        let connections = connections
        try await workerThreads.perform { try connections.reopen() }
    }
}

extension Database {
    /// Runs `body` in a read transaction, or in the transaction that is open.
    ///
    /// - Parameter pinned: Whether to take the snapshot immediately. BEGIN leaves it to the first statement that reads.
    func reading<T>(pinned: Bool = false, _ body: (Database) throws -> T) throws -> T {
        let wasReading = connection.isReading
        defer { connection.isReading = wasReading }
        if isInTransaction {
            connection.isReading = true
            return try body(self)
        }
        return try transaction(.deferred) {
            if pinned { try takeSnapshot() }
            connection.isReading = true
            return try body(self)
        }
    }

    /// Runs `body` in a write transaction, or in a savepoint of the one that is open.
    fileprivate func writing<T>(_ body: (Database) throws -> T) throws -> T {
        guard !connection.isReading else {
            throw connection.failure(.notAllowedHere, "a write cannot begin inside a read")
        }
        return try transaction { try body(self) }
    }
}

extension DatabaseAccess {
    /// The rows of a query, read as they are asked for.
    ///
    /// ```swift
    /// for try await row in pool.rows("SELECT title, price FROM book") {
    ///     let title: String = try row["title"]
    /// }
    /// ```
    ///
    /// Nothing runs before the first row is asked for; ``RowSequence`` says what is held from then on.
    ///
    /// - Parameters:
    ///   - sql: One statement that does not write.
    ///   - arguments: Values for its parameters.
    public func rows(_ sql: SQL, _ arguments: Arguments = []) -> RowSequence {
        RowSequence(connections: connections, sql: sql, arguments: arguments)
    }
}
