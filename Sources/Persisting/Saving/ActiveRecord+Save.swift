/// The methods of a manager that write objects, on the classes and the objects; each throws what the manager's method
/// throws.
extension ActiveRecord {
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

    /// Inserts the object, which is new. See `PersistenceManager.insert(_:onConflict:)`.
    ///
    /// - Parameter resolution: Whether the object is left new where a row conflicts with it, or replaces the row. Nil
    ///   throws.
    /// - Returns: Whether the object was inserted; false when it was ignored, and is as it was.
    /// - Throws: What the manager's method throws.
    @discardableResult
    public func insert(onConflict resolution: ConflictResolution? = nil) throws -> Bool {
        try ownManager().insert(self, onConflict: resolution)
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

    /// Inserts the object, which is new.
    ///
    /// - Parameter resolution: Whether the object is left new where a row conflicts with it, or replaces the row. Nil
    ///   throws.
    /// - Returns: Whether the object was inserted; false when it was ignored, and is as it was.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    @discardableResult
    public func insert(onConflict resolution: ConflictResolution? = nil) async throws -> Bool {
        try await ownManager().insert(self, onConflict: resolution)
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
