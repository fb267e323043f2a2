/// Where a database is kept and SQL runs: this process's SQLite, for which ``EngineAccess`` stands, or one elsewhere.
///
/// An engine lends a connection to one closure after the other. A call from inside a closure joins it.
package protocol Engine: AnyObject, Sendable {
    /// What errors call it, such as "the cluster".
    var name: String { get }
    /// Whether its connections enforce foreign keys.
    var enforcesForeignKeys: Bool { get }

    /// Runs `body` once, with a connection. Throws what it throws.
    func lend(_ access: AccessKind, _ body: (any EngineConnection) throws -> Void) throws
    /// Runs `body` once, while the task is suspended, as the task: it has the task's local values.
    func lend(_ access: AccessKind, _ body: sending @escaping (any EngineConnection) throws -> Void) async throws

    /// Whether the calling thread is inside a closure.
    var isMine: Bool { get }
    /// The connection, where the calling thread is inside a closure that may write.
    var mineToWrite: (any EngineConnection)? { get }

    func close() throws
    func reopen() throws
}

/// What a closure does with a connection.
package enum AccessKind: Sendable {
    /// Reads, each query by itself.
    case query
    /// Reads, all of one moment.
    case read
    /// Reads, all of one moment, and not older than any commit that was acknowledged before.
    case linearizableRead
    /// Writes, all or nothing. Inside another write it is a savepoint.
    case write
    /// Writes, each statement by itself. Inside a write it joins that.
    case plain
}
