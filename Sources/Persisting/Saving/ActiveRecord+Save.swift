/// The methods of a manager that write objects, on the classes and the objects; each throws what the manager's method
/// throws.
extension ActiveRecord {
    /// Deletes the rows that a condition takes. See `PersistenceManager.delete(_:where:)`.
    ///
    /// - Parameter criteria: Which rows.
    /// - Throws: What the manager's method throws.
    @discardableResult
    public static func delete(where criteria: Criteria<Self>) throws -> Int {
        try PersistenceManager.current(for: self).delete(self, where: criteria)
    }

    /// Deletes all rows.
    ///
    /// - Throws: What the manager's method throws.
    @discardableResult
    public static func deleteAll() throws -> Int {
        try PersistenceManager.current(for: self).deleteAll(self)
    }

    /// Inserts an object from values by property name, and returns it as it is stored. See
    /// `PersistenceManager.insert(_:values:)`.
    ///
    /// - Parameter values: The values, by property name.
    /// - Throws: What the manager's method throws.
    @discardableResult
    public static func create(_ values: [String: (any Sendable)?]) throws -> Self {
        try PersistenceManager.current(for: self).insert(self, values: values)
    }

    /// Saves the object. See `PersistenceManager.save(_:)`.
    ///
    /// - Throws: What the manager's method throws.
    public func save() throws {
        try ownManager().save(self)
    }

    /// Deletes the object's row. See `PersistenceManager.delete(_:)`.
    ///
    /// - Throws: What the manager's method throws.
    @discardableResult
    public func delete() throws -> Bool {
        try ownManager().delete(self)
    }
}

/// The same, while the task is suspended.
extension ActiveRecord {
    /// Deletes the rows that a condition takes.
    ///
    /// - Parameter criteria: Which rows.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    @discardableResult
    public static func delete(where criteria: Criteria<Self>) async throws -> Int {
        try await PersistenceManager.current(for: self).delete(self, where: criteria)
    }

    /// Deletes all rows.
    ///
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    @discardableResult
    public static func deleteAll() async throws -> Int {
        try await PersistenceManager.current(for: self).deleteAll(self)
    }

    /// Inserts an object from values by property name, and returns it as it is stored.
    ///
    /// - Parameter values: The values, by property name.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    @discardableResult
    public static func create(_ values: [String: (any Sendable)?]) async throws -> sending Self {
        try await PersistenceManager.current(for: self).insert(self, values: values)
    }

    /// Saves the object.
    ///
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func save() async throws {
        try await ownManager().save(self)
    }

    /// Deletes the object's row.
    ///
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    @discardableResult
    public func delete() async throws -> Bool {
        try await ownManager().delete(self)
    }
}
