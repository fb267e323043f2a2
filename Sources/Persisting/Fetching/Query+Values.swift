/// The methods of a manager that read values and pages, on a query. ``ActiveRecord`` says which manager they use; each
/// throws what the manager's method of the same name throws.
///
/// ```swift
/// let names = try User.where(\.age > 17).sorted(by: \.name).values(\.name)
/// let total = try Order.where(\.isPaid == true).sum(\.price)
/// ```
extension Query {
    /// The values of a property in the query's rows, in order. See `PersistenceManager.values(_:_:distinct:)`.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - distinct: Whether to leave out a value that there was before; what is the same is up to the column's
    ///     collation.
    /// - Throws: What the manager's method throws.
    public func values<Value>(_ keyPath: KeyPath<Model, Value>, distinct: Bool = false) throws -> [Value] {
        try PersistenceManager.current(for: modelType).values(self, keyPath, distinct: distinct)
    }

    /// The values of some properties in the query's rows, in order. See `PersistenceManager.select(_:distinct:_:)`.
    ///
    /// - Parameters:
    ///   - distinct: Whether to leave out a row that is the same as one before.
    ///   - keyPaths: The properties.
    /// - Throws: What the manager's method throws.
    public func select<each Value>(
        distinct: Bool = false, _ keyPaths: repeat KeyPath<Model, each Value>
    ) throws -> [(repeat each Value)] {
        try PersistenceManager.current(for: modelType).select(self, distinct: distinct, repeat each keyPaths)
    }

    /// The sum of a property; nil when no row has a value. A sum of Decimals is exact.
    ///
    /// - Parameter keyPath: The property.
    /// - Throws: What the manager's method throws.
    public func sum<Value: SQLiteValueConvertible>(_ keyPath: KeyPath<Model, Value>) throws -> Value.NonOptional? {
        try PersistenceManager.current(for: modelType).sum(self, keyPath)
    }

    /// The average of a property, as a floating-point number; nil when no row has a value.
    ///
    /// - Parameter keyPath: The property.
    /// - Throws: What the manager's method throws.
    public func average<Value: SQLiteValueConvertible>(_ keyPath: KeyPath<Model, Value>) throws -> Double? {
        try PersistenceManager.current(for: modelType).average(self, keyPath)
    }

    /// The least value of a property, in its column's order; nil when no row has one.
    ///
    /// - Parameter keyPath: The property.
    /// - Throws: What the manager's method throws.
    public func min<Value: SQLiteValueConvertible>(_ keyPath: KeyPath<Model, Value>) throws -> Value.NonOptional? {
        try PersistenceManager.current(for: modelType).min(self, keyPath)
    }

    /// The greatest value of a property, in its column's order; nil when no row has one.
    ///
    /// - Parameter keyPath: The property.
    /// - Throws: What the manager's method throws.
    public func max<Value: SQLiteValueConvertible>(_ keyPath: KeyPath<Model, Value>) throws -> Value.NonOptional? {
        try PersistenceManager.current(for: modelType).max(self, keyPath)
    }

    /// The objects that come after one in the query's order, or before one. See
    /// `PersistenceManager.fetchPage(_:after:before:limit:)`.
    ///
    /// - Parameters:
    ///   - last: The last object of the page before; nil starts at the first.
    ///   - first: The first object of the page after; nil is no end.
    ///   - limit: The number of objects in a page.
    /// - Throws: What the manager's method throws.
    public func page(after last: Model? = nil, before first: Model? = nil, limit: Int) throws -> [Model] {
        try PersistenceManager.current(for: modelType).fetchPage(
            self, after: last, before: first, limit: limit)
    }
}

/// The same, while the task is suspended.
extension Query {
    /// The values of a property in the query's rows, in order.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - distinct: Whether to leave out a value that there was before; what is the same is up to the column's
    ///     collation.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func values<Value>(_ keyPath: KeyPath<Model, Value>, distinct: Bool = false) async throws -> [Value] {
        try await PersistenceManager.current(for: modelType).values(self, keyPath, distinct: distinct)
    }

    /// The values of some properties in the query's rows, in order.
    ///
    /// - Parameters:
    ///   - distinct: Whether to leave out a row that is the same as one before.
    ///   - keyPaths: The properties.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func select<each Value>(
        distinct: Bool = false, _ keyPaths: repeat KeyPath<Model, each Value>
    ) async throws -> [(repeat each Value)] {
        try await PersistenceManager.current(for: modelType).select(self, distinct: distinct, repeat each keyPaths)
    }

    /// The sum of a property; nil when no row has a value. A sum of Decimals is exact.
    ///
    /// - Parameter keyPath: The property.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func sum<Value: SQLiteValueConvertible>(_ keyPath: KeyPath<Model, Value>) async throws -> Value.NonOptional?
    {
        try await PersistenceManager.current(for: modelType).sum(self, keyPath)
    }

    /// The average of a property, as a floating-point number; nil when no row has a value.
    ///
    /// - Parameter keyPath: The property.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func average<Value: SQLiteValueConvertible>(_ keyPath: KeyPath<Model, Value>) async throws -> Double? {
        try await PersistenceManager.current(for: modelType).average(self, keyPath)
    }

    /// The least value of a property, in its column's order; nil when no row has one.
    ///
    /// - Parameter keyPath: The property.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func min<Value: SQLiteValueConvertible>(_ keyPath: KeyPath<Model, Value>) async throws -> Value.NonOptional?
    {
        try await PersistenceManager.current(for: modelType).min(self, keyPath)
    }

    /// The greatest value of a property, in its column's order; nil when no row has one.
    ///
    /// - Parameter keyPath: The property.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func max<Value: SQLiteValueConvertible>(_ keyPath: KeyPath<Model, Value>) async throws -> Value.NonOptional?
    {
        try await PersistenceManager.current(for: modelType).max(self, keyPath)
    }

    /// The objects that come after one in the query's order, or before one.
    ///
    /// - Parameters:
    ///   - last: The last object of the page before; nil starts at the first.
    ///   - first: The first object of the page after; nil is no end.
    ///   - limit: The number of objects in a page.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func page(after last: Model? = nil, before first: Model? = nil, limit: Int) async throws -> sending [Model] {
        try await PersistenceManager.current(for: modelType).fetchPage(
            self, after: last, before: first, limit: limit)
    }
}
