/// The methods that fetch objects and count rows, while the task is suspended: the synchronous ones, on the database's
/// side.
extension PersistenceManager {
    /// Fetches the objects whose rows match a condition, in an order, while the task is suspended.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; without one it is SQLite's choice.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of matching rows to skip first; nil skips none.
    ///   - tracked: Whether each object remembers its stored values, so that a save writes only what has changed. An
    ///     object that isn't tracked takes less memory, and a save writes all its columns.
    /// - Returns: The objects; an empty array when no row matches.
    /// - Throws: ``PersistenceError``: a mistake in the condition or order, a missing table or column, or a row that
    ///   doesn't fit its class; `CancellationError` when the task is cancelled.
    public func fetchAll<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil,
        limit: Int? = nil, offset: Int? = nil, tracked: Bool = true
    ) async throws -> sending [Model] {
        try await onReadingSide(of: type) { manager in
            try manager.fetchAll(
                type, where: criteria, sortedBy: ordering, limit: limit, offset: offset, tracked: tracked)
        }
    }

    /// Fetches the first object whose row matches a condition, in an order, while the task is suspended.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; without one, the first is SQLite's choice.
    /// - Returns: The object; nil when no row matches.
    /// - Throws: ``PersistenceError``: a mistake in the condition or order, a missing table or column, or a row that
    ///   doesn't fit its class; `CancellationError` when the task is cancelled.
    public func fetchOne<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil
    ) async throws -> sending Model? {
        try await onReadingSide(of: type) { manager in try manager.fetchOne(type, where: criteria, sortedBy: ordering) }
    }

    /// Fetches the object with a primary key, while the task is suspended.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - key: The key, of the property's type. Nil finds nothing.
    /// - Returns: The object; nil when no row has the key.
    /// - Throws: ``PersistenceError``: ``PersistenceError/Code/noPrimaryKey`` for a class without a key,
    ///   ``PersistenceError/Code/typeMismatch`` for a key of another type, or a row that doesn't fit its class;
    ///   `CancellationError` when the task is cancelled.
    public func find<Model: PersistingModel>(
        _ type: Model.Type, _ key: (any SQLiteValueConvertible)?
    ) async throws -> sending Model? {
        try await onReadingSide(of: type) { manager in try manager.find(type, key) }
    }

    /// Fetches the object of a class that this manager inserted last, while the task is suspended.
    ///
    /// - Parameter type: The model class.
    /// - Returns: The object as its row is now; nil when the manager has inserted none, or the row is gone.
    /// - Throws: ``PersistenceError``: ``PersistenceError/Code/noPrimaryKey`` for a class without a key, or a row that
    ///   doesn't fit its class; `CancellationError` when the task is cancelled.
    public func lastInserted<Model: PersistingModel>(_ type: Model.Type) async throws -> sending Model? {
        try await onDatabaseSide(of: type) { manager in try manager.lastInserted(type) }
    }

    /// Counts the rows that match a condition, while the task is suspended.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    /// - Returns: The number of rows.
    /// - Throws: ``PersistenceError``: a mistake in the condition, or a missing table;
    ///   `CancellationError` when the task is cancelled.
    public func count<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil
    ) async throws -> Int {
        try await onReadingSide(of: type) { manager in try manager.count(type, where: criteria) }
    }

    /// Returns whether any row matches a condition, while the task is suspended.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    /// - Throws: ``PersistenceError``: a mistake in the condition, or a missing table;
    ///   `CancellationError` when the task is cancelled.
    public func exists<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil
    ) async throws -> Bool {
        try await onReadingSide(of: type) { manager in try manager.exists(type, where: criteria) }
    }
}
