/// One connection that writes and some that read, on a file with a write-ahead log: reads run in parallel with each
/// other and with a write.
///
/// ```swift
/// let pool = try DatabasePool(.file("library.sqlite"))
/// try await pool.write { db in  // in order, one at a time
///     try db.execute("INSERT INTO book (title) VALUES (?)", ["Momo"])
/// }
/// let titles = try await pool.read { db in  // never waits for a write
///     try db.column("SELECT title FROM book", as: String.self)
/// }
/// ```
///
/// ``DatabaseAccess`` has its methods, and says what calls inside closures do. Each `read` has one of
/// ``DatabaseConfiguration/maximumReaders`` connections and sees the database as the last commit before it left it;
/// when all are busy it waits, in the order of the calls. `write` and `withoutTransaction` have the one connection that
/// writes. A `read` inside a `write` uses that connection too, so it sees what has been written. The connections that
/// read are opened when they are first needed, and ``DatabaseConfiguration/prepare`` is called with each.
///
/// A file that is not in WAL mode is switched to it, and stays so. A read-only file is read in the mode it has: without
/// WAL its readers do not wait for each other, but for other programs that write.
///
/// See [Write-Ahead Logging](https://www.sqlite.org/wal.html).
public final class DatabasePool: DatabaseAccess {
    /// The connections that the methods use.
    public let connections: DatabaseConnections

    /// Opens a database, with the connection that writes.
    ///
    /// - Parameters:
    ///   - location: A file.
    ///   - configuration: How to open it, and what to set. Its ``DatabaseConfiguration/journalMode`` is nil or WAL, but
    ///     for a read-only file.
    /// - Throws: ``ResultCode/cannotOpen`` when there is no file, another journal mode is asked for, or the number of
    ///   readers is not from 1 to 1000; what ``Database/init(_:configuration:)`` throws, as when WAL is unavailable.
    public init(
        _ location: DatabaseLocation, configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) throws {
        func openingError(_ message: String) -> SQLiteError { SQLiteError(.cannotOpen, message, path: location.path) }
        guard location.path != nil else {
            throw openingError(
                "a pool needs a file, since each connection to \(location) has a database of its own: "
                    + "use a DatabaseQueue")
        }
        if let mode = configuration.journalMode, mode != .wal,
            ![.readOnly, .immutable].contains(configuration.openMode)
        {
            throw openingError(
                "a pool needs the journal mode wal, and \(mode.rawValue) is asked for: use a DatabaseQueue, "
                    + "or leave the mode to the pool")
        }
        try Self.checkReaders(location, configuration)
        connections = try DatabaseConnections(pool: location, configuration)
    }

    private init(_ connections: DatabaseConnections) {
        self.connections = connections
    }

    private static func checkReaders(
        _ location: DatabaseLocation, _ configuration: DatabaseConfiguration
    ) throws(SQLiteError) {
        let count = configuration.maximumReaders
        guard !(1...1000).contains(count) else { return }
        throw SQLiteError(
            .cannotOpen, "a pool has 1 to 1000 readers, and \(count) are asked for", path: location.path)
    }

    /// A pool for a file with a write-ahead log, and a queue for any other database.
    package static func orQueue(
        _ location: DatabaseLocation, configuration: DatabaseConfiguration
    ) throws -> any DatabaseAccess {
        guard location.path != nil else { return try DatabaseQueue(location, configuration: configuration) }
        try checkReaders(location, configuration)
        let connections = try DatabaseConnections(any: location, configuration)
        return connections.isPool ? DatabasePool(connections) : DatabaseQueue(connections)
    }

    /// The same, while the task is suspended.
    package static func orQueue(
        _ location: DatabaseLocation, configuration: DatabaseConfiguration
    ) async throws -> any DatabaseAccess {
        try await workerThreads.perform { () throws -> any DatabaseAccess in
            try orQueue(location, configuration: configuration)
        }
    }
}
