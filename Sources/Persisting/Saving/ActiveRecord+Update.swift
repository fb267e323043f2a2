/// Storing single properties of an object, on the object. Each throws what the manager's method throws.
extension ActiveRecord {
    /// Sets a property, and stores just its column. See `PersistenceManager.update(_:_:to:)`.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - value: The new value.
    /// - Throws: What the manager's method throws.
    public func update<Value>(_ keyPath: ReferenceWritableKeyPath<Self, Value>, to value: Value) throws {
        try ownManager().update(self, keyPath, to: value)
    }

    /// Sets a property by its name, and stores just its column. See `PersistenceManager.update(_:key:to:)`.
    ///
    /// - Parameters:
    ///   - key: The property's name.
    ///   - value: The new value.
    /// - Throws: What the manager's method throws.
    public func update(key: String, to value: (any Sendable)?) throws {
        try ownManager().update(self, key: key, to: value)
    }

    /// Stores the values of some properties, and no others.
    ///
    /// - Parameter keyPaths: The properties. Without any nothing is done.
    /// - Throws: What the manager's method throws.
    public func update(_ keyPaths: [PartialKeyPath<Self>]) throws {
        try ownManager().update(self, keyPaths)
    }

    /// Sets a property, and stores just its column, while the task is suspended.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - value: The new value.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func update<Value>(_ keyPath: ReferenceWritableKeyPath<Self, Value>, to value: Value) async throws {
        try await ownManager().update(self, keyPath, to: value)
    }

    /// Sets a property by its name, and stores just its column, while the task is suspended.
    ///
    /// - Parameters:
    ///   - key: The property's name.
    ///   - value: The new value.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func update(key: String, to value: (any Sendable)?) async throws {
        try await ownManager().update(self, key: key, to: value)
    }

    /// Stores the values of some properties, and no others, while the task is suspended.
    ///
    /// - Parameter keyPaths: The properties. Without any nothing is done.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func update(_ keyPaths: [PartialKeyPath<Self>]) async throws {
        try await ownManager().update(self, keyPaths)
    }

    /// Stores the values of some properties of the object, and no others. See `PersistenceManager.update(_:keys:)`.
    ///
    /// - Parameter keys: The properties' names.
    /// - Throws: What the manager's method throws.
    public func update(keys: [String]) throws {
        try ownManager().update(self, keys: keys)
    }

    /// Stores the values of some properties of the object, and no others, while the task is suspended.
    ///
    /// - Parameter keys: The properties' names.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func update(keys: [String]) async throws {
        try await ownManager().update(self, keys: keys)
    }
}
