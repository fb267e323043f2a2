/// Storing single properties of an object.
extension ActiveRecord {
    /// Sets a property, and stores just its column. Other changes remain unsaved.
    ///
    /// ```swift
    /// try album.update(\.title, to: "Blue")       // UPDATE ALBUM SET TITLE = ? WHERE ID = ?
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - value: The value; nil is NULL.
    /// - Throws: ``PersistenceError/Code/notPersisted`` for a new object, and what `PersistenceManager.update(_:keys:)`
    ///   throws. The property then has its old value, as it has when the transaction around is rolled back, unless it
    ///   has been set again since.
    public func update<Value>(_ keyPath: ReferenceWritableKeyPath<Self, Value>, to value: Value) throws {
        try managerOfRow(to: "update").update(self, keyPath, to: value)
    }

    /// Sets a property by its name, and stores just its column. Other changes remain unsaved.
    ///
    /// - Parameters:
    ///   - key: The property's name.
    ///   - value: The value, of the property's type or one that it can be made from without loss; nil is NULL.
    /// - Throws: ``PersistenceError/Code/unknownKey``, ``PersistenceError/Code/typeMismatch``, and what the form with a
    ///   key path throws. The property then has its old value.
    public func update(key: String, to value: (any Sendable)?) throws {
        try managerOfRow(to: "update").update(self, key: key, to: value)
    }

    /// Stores the values of some properties, changed or not, and no others: `try album.update([\.title, \.artist])`.
    ///
    /// - Parameter keyPaths: The properties. Without any nothing is done.
    /// - Throws: What `PersistenceManager.update(_:keys:)` throws.
    public func update(_ keyPaths: [PartialKeyPath<Self>]) throws {
        try managerOfRow(to: "update").update(self, keyPaths)
    }

    /// Sets a property, and stores just its column, while the task is suspended.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - value: The new value.
    /// - Throws: What the synchronous form throws; `CancellationError` when the task is cancelled.
    public func update<Value>(_ keyPath: ReferenceWritableKeyPath<Self, Value>, to value: Value) async throws {
        try await managerOfRow(to: "update").update(self, keyPath, to: value)
    }

    /// Sets a property by its name, and stores just its column, while the task is suspended.
    ///
    /// - Parameters:
    ///   - key: The property's name.
    ///   - value: The new value.
    /// - Throws: What the synchronous form throws; `CancellationError` when the task is cancelled.
    public func update(key: String, to value: (any Sendable)?) async throws {
        try await managerOfRow(to: "update").update(self, key: key, to: value)
    }

    /// Stores the values of some properties, and no others, while the task is suspended.
    ///
    /// - Parameter keyPaths: The properties. Without any nothing is done.
    /// - Throws: What the synchronous form throws; `CancellationError` when the task is cancelled.
    public func update(_ keyPaths: [PartialKeyPath<Self>]) async throws {
        try await managerOfRow(to: "update").update(self, keyPaths)
    }
}
