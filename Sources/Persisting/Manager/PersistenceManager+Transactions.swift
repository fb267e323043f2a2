/// Transactions, and the connection itself.
extension PersistenceManager {
    /// Runs `body` in a transaction: commits when it returns, rolls back when it throws. Inside a transaction it is a
    /// savepoint.
    ///
    /// Any call of this manager inside, also on the model classes, takes part in it.
    ///
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, or `SQLiteError` of BEGIN or COMMIT. Objects then have the keys, the state, the
    ///   times and the versions that they had before; values that were set on them stay, and count as changes that are
    ///   not saved.
    @discardableResult
    public func transaction<T>(_ body: () throws -> T) throws -> T {
        try database.write { _ in try running(body) }
    }

    /// Runs `body` in a transaction, while the task is suspended. It runs on the database's side: what it captures is
    /// `Sendable` or given up.
    @discardableResult
    public func transaction<T>(_ body: sending @escaping () throws -> sending T) async throws -> sending T {
        let current = Self.ofTask
        return try await database.write { _ in try self.handingOver(current, body) }
    }

    /// Runs `body` with the connection in a read transaction: all it reads is of one moment, and it cannot write.
    public func read<T>(_ body: (Database) throws -> T) throws -> T {
        try database.read { db in try running { try body(db) } }
    }

    /// Runs `body` with the connection in a read transaction, while the task is suspended.
    public func read<T>(_ body: sending @escaping (Database) throws -> sending T) async throws -> sending T {
        let current = Self.ofTask
        return try await database.read { db in try self.handingOver(current) { try body(db) } }
    }

    /// Runs `body` with the connection in a transaction, as `transaction(_:)` does.
    @discardableResult
    public func write<T>(_ body: (Database) throws -> T) throws -> T {
        try database.write { db in
            let result = try running { try body(db) }
            try lookForNewSchema(db)
            return result
        }
    }

    /// Runs `body` with the connection in a transaction, while the task is suspended.
    @discardableResult
    public func write<T>(_ body: sending @escaping (Database) throws -> sending T) async throws -> sending T {
        let current = Self.ofTask
        return try await database.write { db in
            let result = try self.handingOver(current) { try body(db) }
            try self.lookForNewSchema(db)
            return result
        }
    }
}
