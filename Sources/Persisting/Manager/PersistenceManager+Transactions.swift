/// Transactions, and the connection itself.
extension PersistenceManager {
    /// Runs `body` in a transaction: commits when it returns, rolls back when it throws. Inside a transaction it is a
    /// savepoint.
    ///
    /// Any call of this manager inside, also on the model classes, takes part in it.
    ///
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, or ``/SQLiteKit/SQLiteError`` of BEGIN or COMMIT. Objects then have the keys, the
    ///   state, the times and the versions that they had before; values that were set on them stay, and count as
    ///   changes that are not saved.
    @_disfavoredOverload @discardableResult
    public func transaction<T>(_ body: () throws -> T) throws -> T {
        try engine.write { db in
            try openRecordIfNecessary(db)
            return try running(body)
        }
    }

    /// The same, while the task is suspended. `body` runs on the database's side: what it captures is `Sendable` or
    /// sent.
    @discardableResult
    public func transaction<T>(_ body: sending @escaping () throws -> sending T) async throws -> sending T {
        try await engine.write { db in
            try self.openRecordIfNecessary(db)
            return try self.handingOver(body)
        }
    }

    /// The same for a function, whose result stays in the caller's isolation; a closure's may go anywhere.
    @_disfavoredOverload @discardableResult
    public func transaction<T>(
        _ body: sending @escaping () throws -> T, isolation: isolated (any Actor)? = #isolation
    ) async throws -> T {
        let write = { (db: any EngineConnection) in
            try self.openRecordIfNecessary(db)
            return try self.running(body)
        }
        return try await engine.write(write, isolation: isolation)
    }

    /// Runs `body` in a transaction, as `transaction(_:)` does, that has a name and an author in the histories of
    /// classes.
    ///
    /// ```swift
    /// try manager.transaction("Rename", by: "ada") {
    ///     note.title = "Plan"
    ///     try note.save()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: What the user would call it, as in "Undo Rename"; nil is no name.
    ///   - author: Who makes it; nil is nobody. Where a transaction is inside another one, the outer one's name and
    ///     author count, if it has any.
    ///   - body: What to do.
    /// - Returns: What `body` returns.
    /// - Throws: What `transaction(_:)` throws.
    @_disfavoredOverload @discardableResult
    public func transaction<T>(_ name: String?, by author: String? = nil, _ body: () throws -> T) throws -> T {
        try engine.write { db in
            try openRecordIfNecessary(db)
            label(name, author, db)
            return try running(body)
        }
    }

    /// The same, while the task is suspended. `body` runs on the database's side: what it captures is `Sendable` or
    /// sent.
    @discardableResult
    public func transaction<T>(
        _ name: String?, by author: String? = nil, _ body: sending @escaping () throws -> sending T
    ) async throws -> sending T {
        try await engine.write { db in
            try self.openRecordIfNecessary(db)
            self.label(name, author, db)
            return try self.handingOver(body)
        }
    }

    /// Runs `body` with the connection in a read transaction: everything it reads is of one snapshot, and it can't
    /// write.
    ///
    /// - Throws: ``PersistenceError``.
    @_disfavoredOverload
    public func read<T>(_ body: (Database) throws -> T) throws -> T {
        try database.read { db in try running { try body(db) } }
    }

    /// Runs `body` in a read transaction: all that the manager reads in it is of one moment, and it cannot write.
    ///
    /// ```swift
    /// let (albums, count) = try manager.read(.linearizable) {
    ///     (try manager.fetchAll(Album.all), try manager.count(Album.self))
    /// }
    /// ```
    ///
    /// Unlike `read(_:)` it needs no local connection: the closure calls the manager, whose methods take part, as do
    /// those on the model classes.
    ///
    /// - Parameters:
    ///   - consistency: How current the read is to be. On a local database it makes no difference.
    ///   - body: What to read.
    /// - Throws: What `body` throws, or ``/SQLiteKit/SQLiteError``: of a linearizable read also when it can't be known
    ///   whether what was read was current, so that it has to be repeated.
    @_disfavoredOverload
    public func read<T>(_ consistency: ReadConsistency, _ body: () throws -> T) throws -> T {
        switch consistency {
        case .linearizable: try engine.linearizableRead { _ in try running(body) }
        default: try engine.read { _ in try running(body) }
        }
    }

    /// The same, while the task is suspended. `body` runs on the database's side: what it captures is `Sendable` or
    /// sent.
    public func read<T>(_ body: sending @escaping (Database) throws -> sending T) async throws -> sending T {
        try await database.read { db in try self.handingOver { try body(db) } }
    }

    /// The same for a function, whose result stays in the caller's isolation; a closure's may go anywhere.
    @_disfavoredOverload
    public func read<T>(
        _ body: sending @escaping (Database) throws -> T, isolation: isolated (any Actor)? = #isolation
    ) async throws -> T {
        try await database.read({ db in try self.running { try body(db) } }, isolation: isolation)
    }

    /// The same, while the task is suspended. `body` runs on the database's side: what it captures is `Sendable` or
    /// sent.
    public func read<T>(
        _ consistency: ReadConsistency, _ body: sending @escaping () throws -> sending T
    ) async throws -> sending T {
        switch consistency {
        case .linearizable: try await engine.linearizableRead { _ in try self.handingOver(body) }
        default: try await engine.read { _ in try self.handingOver(body) }
        }
    }

    /// Runs `body` with the connection in a transaction, as `transaction(_:)` does.
    ///
    /// - Throws: ``PersistenceError``.
    @_disfavoredOverload @discardableResult
    public func write<T>(_ body: (Database) throws -> T) throws -> T {
        try database.write { db in
            try openRecordIfNecessary(db)
            let result = try running { try body(db) }
            lookForNewSchema(db)
            return result
        }
    }

    /// The same, while the task is suspended. `body` runs on the database's side: what it captures is `Sendable` or
    /// sent.
    @discardableResult
    public func write<T>(_ body: sending @escaping (Database) throws -> sending T) async throws -> sending T {
        try await database.write { db in
            try self.openRecordIfNecessary(db)
            let result = try self.handingOver { try body(db) }
            self.lookForNewSchema(db)
            return result
        }
    }

    /// The same for a function, whose result stays in the caller's isolation; a closure's may go anywhere.
    @_disfavoredOverload @discardableResult
    public func write<T>(
        _ body: sending @escaping (Database) throws -> T, isolation: isolated (any Actor)? = #isolation
    ) async throws -> T {
        let write = { (db: Database) in
            try self.openRecordIfNecessary(db)
            let result = try self.running { try body(db) }
            self.lookForNewSchema(db)
            return result
        }
        return try await database.write(write, isolation: isolation)
    }
}
