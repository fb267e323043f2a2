/// Storing and reading single properties of an object, on the object. Each throws what the manager's verb of the name
/// throws.
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

    /// Stores what some properties hold, and no others.
    ///
    /// - Parameter keyPaths: The properties. Without any nothing is done.
    /// - Throws: What the manager's method throws.
    public func update(_ keyPaths: [PartialKeyPath<Self>]) throws {
        try ownManager().update(self, keyPaths)
    }

    /// Reads one column of the object's row, a deferred one as a rule.
    ///
    /// - Parameter keyPath: The property. What was set on it and not saved is lost.
    /// - Throws: What the manager's method throws.
    public func load<Value>(_ keyPath: KeyPath<Self, Value>) throws {
        try ownManager().load(self, keyPath)
    }

    /// Reads one column of the object's row by its property's name.
    ///
    /// - Parameter key: The property's name.
    /// - Throws: What the manager's method throws.
    public func load(key: String) throws {
        try ownManager().load(self, key: key)
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

    /// Stores what some properties hold, and no others, while the task is suspended.
    ///
    /// - Parameter keyPaths: The properties. Without any nothing is done.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func update(_ keyPaths: [PartialKeyPath<Self>]) async throws {
        try await ownManager().update(self, keyPaths)
    }

    /// Reads one column of the object's row, while the task is suspended.
    ///
    /// - Parameter keyPath: The property. What was set on it and not saved is lost.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func load<Value>(_ keyPath: KeyPath<Self, Value>) async throws {
        try await ownManager().load(self, keyPath)
    }

    /// Reads one column of the object's row by its property's name, while the task is suspended.
    ///
    /// - Parameter key: The property's name.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func load(key: String) async throws {
        try await ownManager().load(self, key: key)
    }
}
