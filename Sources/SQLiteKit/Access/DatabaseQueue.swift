/// One connection that any number of threads and tasks share, one at a time, in the order of their calls.
///
/// ```swift
/// let queue = try DatabaseQueue(.file("library.sqlite"))
/// try queue.write { db in                                       // a transaction
///     try db.execute("INSERT INTO book (title) VALUES (?)", ["Momo"])
/// }
/// // one snapshot, suspended until it runs
/// let titles = try await queue.read { db in
///     try db.column("SELECT title FROM book", as: String.self)
/// }
/// ```
///
/// ``DatabaseAccess`` has its methods, and says what calls inside closures do. Where reads should not wait for each
/// other and for a write, there is ``DatabasePool``.
public final class DatabaseQueue: DatabaseAccess {
    /// The connection that the methods use.
    public let connections: DatabaseConnections

    /// Opens a database.
    ///
    /// - Parameters:
    ///   - location: A file, memory, or a temporary file.
    ///   - configuration: How to open it, and what to set.
    /// - Throws: What ``Database/init(_:configuration:)`` throws.
    public init(
        _ location: DatabaseLocation, configuration: DatabaseConfiguration = DatabaseConfiguration()
    ) throws {
        connections = try DatabaseConnections(queue: location, configuration)
    }

    init(_ connections: DatabaseConnections) {
        self.connections = connections
    }
}
