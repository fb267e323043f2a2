/// The methods of a manager that write rows, on a query; each throws what the manager's method throws.
extension Query {
    /// Sets properties of the query's rows. See `PersistenceManager.update(_:set:)`.
    ///
    /// - Parameter values: The new values, by property name.
    /// - Throws: What the manager's method throws.
    @discardableResult
    public func update(set values: [String: (any Sendable)?]) throws -> Int {
        try PersistenceManager.current(for: modelType).update(self, set: values)
    }

    /// Deletes the query's rows. See `PersistenceManager.delete(_:)`.
    ///
    /// - Throws: What the manager's method throws.
    @discardableResult
    public func delete() throws -> Int {
        try PersistenceManager.current(for: modelType).delete(self)
    }
}

/// The same, while the task is suspended.
extension Query {
    /// Sets properties of the query's rows. See `PersistenceManager.update(_:set:)`.
    ///
    /// - Parameter values: The new values, by property name.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    @discardableResult
    public func update(set values: [String: (any Sendable)?]) async throws -> Int {
        try await PersistenceManager.current(for: modelType).update(self, set: values)
    }

    /// Deletes the query's rows. See `PersistenceManager.delete(_:)`.
    ///
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    @discardableResult
    public func delete() async throws -> Int {
        try await PersistenceManager.current(for: modelType).delete(self)
    }
}
