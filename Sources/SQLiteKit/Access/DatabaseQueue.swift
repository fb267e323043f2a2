internal import Dispatch
internal import Foundation

/// One connection, shared by any number of threads and tasks: they take turns, in the order they came.
///
/// ```swift
/// let queue = try DatabaseQueue(.file("library.sqlite"))
/// try queue.write { db in                                       // a transaction
///     try db.execute("INSERT INTO book (title) VALUES (?)", ["Momo"])
/// }
/// let titles = try await queue.read { db in                     // one snapshot, suspended until its turn
///     try db.column("SELECT title FROM book", as: String.self)
/// }
/// ```
///
/// A call from inside one of its closures joins: it uses the same connection at once. A `write` inside a `write` is a
/// savepoint, a `read` inside a `write` sees what has been written; a `write` inside a `read` throws, since a read's
/// snapshot may be out of date.
///
/// Statements, result sets and rows belong to the access they were made in; used after it, they throw
/// ``ResultCode/expired``.
public final class DatabaseQueue: Sendable {
    /// Where the database lives.
    public let location: DatabaseLocation
    /// What the connection is opened with.
    public let configuration: DatabaseConfiguration

    private let turn: AccessLock
    private let background: DispatchQueue
    // Used by the holder of the turn alone. Nil once closed.
    nonisolated(unsafe) private var database: Database?

    /// Opens a database.
    ///
    /// - Parameters:
    ///   - location: A file, memory, or a temporary file.
    ///   - configuration: How to open it, and what to set.
    /// - Throws: What ``Database/init(_:configuration:)`` throws.
    public init(
        _ location: DatabaseLocation, configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) throws {
        self.location = location
        self.configuration = configuration
        turn = AccessLock(name: "the database \(location)")
        background = DispatchQueue(label: "SQLiteKit.\(location)", target: .global(qos: .userInitiated))
        database = try open()
    }

    private func open() throws -> Database {
        let database = try Database(location, configuration: configuration)
        database.connection.turn = turn
        return database
    }

    /// Runs `body` in a read transaction: all it reads is of one moment, and it cannot write.
    ///
    /// - Parameter body: What to do with the connection.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, or an ``SQLiteError``: ``ResultCode/closed``, ``ResultCode/accessTimeout``,
    ///   ``ResultCode/deadlock``.
    public func read<T>(_ body: (Database) throws -> T) throws -> T {
        try withTurn { db in try db.reading(body) }
    }

    /// Runs `body` in a write transaction: commits when it returns, rolls back when it throws.
    ///
    /// - Parameter body: What to do with the connection.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, or an ``SQLiteError``, of BEGIN and COMMIT too; see
    ///   ``Database/transaction(_:_:)``.
    @discardableResult
    public func write<T>(_ body: (Database) throws -> T) throws -> T {
        try withTurn { db in try db.writing(body) }
    }

    /// Runs `body` without a transaction: each statement is one by itself, as SQLite has it. VACUUM and some pragmas
    /// need it.
    ///
    /// Inside a closure of this queue that is in a transaction, `body` joins that. A transaction that `body` begins by
    /// SQL text must be ended by it; of its rollback nobody is told, ``Database/afterRollback(_:)`` included.
    ///
    /// - Throws: What `body` throws; ``ResultCode/notAllowedHere`` when it leaves a transaction open, which is then
    ///   rolled back.
    @discardableResult
    public func withoutTransaction<T>(_ body: (Database) throws -> T) throws -> T {
        try withTurn(body)
    }

    /// Runs `body` in a read transaction, while the task is suspended.
    ///
    /// - Parameter body: What to do with the connection. It runs on the database's side: what it captures is `Sendable`
    ///   or given up.
    /// - Throws: What `body` throws, an ``SQLiteError``, or `CancellationError` when the task is cancelled: a statement
    ///   that runs is interrupted.
    public func read<T>(_ body: sending @escaping (Database) throws -> sending T) async throws -> sending T {
        try await suspended { db in try db.reading(body) }
    }

    /// Runs `body` in a write transaction, while the task is suspended.
    ///
    /// - Parameter body: What to do with the connection. It runs on the database's side: what it captures is `Sendable`
    ///   or given up.
    /// - Throws: What `body` throws, an ``SQLiteError``, or `CancellationError` when the task is cancelled before the
    ///   commit: all is rolled back. A commit that has begun is not called off.
    @discardableResult
    public func write<T>(_ body: sending @escaping (Database) throws -> sending T) async throws -> sending T {
        try await suspended { db in try db.writing(body) }
    }

    /// Runs `body` without a transaction, while the task is suspended.
    @discardableResult
    public func withoutTransaction<T>(
        _ body: sending @escaping (Database) throws -> sending T
    ) async throws -> sending T {
        try await suspended(body)
    }

    /// Whether the calling thread is inside a closure of this queue.
    package var isMine: Bool { turn.isMine }

    /// Closes the connection when its turn comes. Closing a closed queue does nothing; every other call throws
    /// ``ResultCode/closed`` until ``reopen()``.
    ///
    /// - Throws: ``ResultCode/busy`` when a statement is still held by someone, or ``ResultCode/notAllowedHere`` inside
    ///   a closure of this queue.
    public func close() throws {
        try outsideClosures { try closeDatabase() }
    }

    /// Opens the database again after ``close()``. An open one stays as it is.
    public func reopen() throws {
        try outsideClosures {
            if database == nil { database = try open() }
        }
    }

    private func outsideClosures(_ body: () throws -> Void) throws {
        guard !turn.isMine else {
            throw SQLiteError(
                .notAllowedHere, "a queue cannot be closed or reopened from inside its own closure",
                path: location.path)
        }
        try turn.wait(configuration.accessTimeout)
        defer { turn.release() }
        try body()
    }

    private func closeDatabase() throws(SQLiteError) {
        guard let database else { return }
        try database.closeConnection()
        self.database = nil
    }
}

extension DatabaseQueue {
    /// Runs `body` when the turn comes; at once when the calling thread has it.
    private func withTurn<T>(_ body: (Database) throws -> T) throws -> T {
        if turn.isMine { return try body(opened()) }
        try turn.wait(configuration.accessTimeout)
        defer { turn.release() }
        return try access(nil, body)
    }

    private func opened() throws(SQLiteError) -> Database {
        guard let database else { throw SQLiteError(.closed, "the database is closed", path: location.path) }
        return database
    }

    private func access<T>(_ interruption: Interruption?, _ body: (Database) throws -> T) throws -> T {
        let db = try opened()
        db.connection.beginAccess(interruption: interruption)
        defer { db.connection.endAccess() }
        let result: T
        do {
            result = try body(db)
            try db.connection.endResources()
        } catch {
            if db.isInTransaction { endLeftTransaction(of: db) }
            throw error
        }
        if db.isInTransaction {
            endLeftTransaction(of: db)
            throw SQLiteError(
                .notAllowedHere, "the closure left a transaction open; it has been rolled back", path: location.path)
        }
        return result
    }

    /// A transaction that a closure has begun by SQL text must not reach those who come after.
    private func endLeftTransaction(of db: Database) {
        db.connection.resetRunningStatements()
        do throws(SQLiteError) {
            try db.rollbackLeftTransaction()
        } catch {
            // The connection cannot be used any more; closing it rolls back.
            database = nil
        }
    }

    /// Waits for the turn without a thread, and runs `body` on one that may block: none of the threads that run Swift's
    /// tasks.
    ///
    /// The callers' closures return what no one else holds, which a function between here and there cannot repeat.
    private func suspended<T>(
        _ body: sending @escaping (Database) throws -> T
    ) async throws -> sending T {
        try Task.checkCancellation()
        let waiter = AccessLock.Waiter()
        let interruption = Interruption()
        // Handed over once, to the one closure that calls it; Dispatch has no way to say so.
        nonisolated(unsafe) let body = body
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                turn.request(waiter, configuration.accessTimeout) { isGranted in
                    guard isGranted else {
                        let isCancelled = interruption.isRequested
                        continuation.resume(throwing: isCancelled ? CancellationError() : self.turn.timedOut())
                        return
                    }
                    self.background.async {
                        self.turn.adopt()
                        do {
                            let value = try self.access(interruption, body)
                            self.turn.release()
                            nonisolated(unsafe) let result = value
                            continuation.resume(returning: result)
                        } catch {
                            self.turn.release()
                            continuation.resume(throwing: interruption.translate(error))
                        }
                    }
                }
            }
        } onCancel: {
            interruption.request()
            turn.giveUp(waiter)
        }
    }
}

extension Interruption {
    /// What a task that was cancelled throws in place of SQLite's error about it.
    fileprivate func translate(_ error: any Error) -> any Error {
        if isRequested, let error = error as? SQLiteError, error.code == .interrupt { return CancellationError() }
        return error
    }
}

extension Database {
    /// Runs `body` in a read transaction, or in the transaction that is open.
    fileprivate func reading<T>(_ body: (Database) throws -> T) throws -> T {
        let wasReading = connection.isReading
        defer { connection.isReading = wasReading }
        if isInTransaction {
            connection.isReading = true
            return try body(self)
        }
        return try transaction(.deferred) {
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
