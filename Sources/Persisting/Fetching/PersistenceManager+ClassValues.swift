/// Groups and values of a class's rows: what the methods that take a ``Query`` do, with `Album.self` in the place of
/// the query.
///
/// ```swift
/// for (artist, count) in try manager.count(Album.self, by: \.artist) { … }
/// let titles = try manager.values(Album.self, \.title, where: \.artist == "Miles Davis")
/// ```
extension PersistenceManager {
    /// The number of rows for each value of a property. See `count(_:by:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - group: The property whose values make the groups.
    ///   - criteria: Which rows; nil is all.
    /// - Throws: ``PersistenceError``.
    public func count<Model: PersistingModel, Group>(
        _ type: Model.Type, by group: KeyPath<Model, Group>, where criteria: Criteria<Model>? = nil
    ) throws -> [(group: Group, count: Int)] {
        try count(Query(type, where: criteria), by: group)
    }

    /// The number of different values that a property has. NULL isn't one of them. See `count(_:distinct:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - criteria: Which rows; nil is all.
    /// - Throws: ``PersistenceError``.
    public func count<Model: PersistingModel, Value>(
        _ type: Model.Type, distinct keyPath: KeyPath<Model, Value>, where criteria: Criteria<Model>? = nil
    ) throws -> Int {
        try count(Query(type, where: criteria), distinct: keyPath)
    }

    /// The sum of a property for each value of another. See `sum(_:_:by:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - group: The property whose values make the groups.
    ///   - criteria: The condition; nil matches every row.
    /// - Throws: ``PersistenceError``.
    public func sum<Model: PersistingModel, Value: SQLiteValueConvertible, Group>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, by group: KeyPath<Model, Group>,
        where criteria: Criteria<Model>? = nil
    ) throws -> [(group: Group, value: Value.NonOptional?)] {
        try sum(Query(type, where: criteria), keyPath, by: group)
    }

    /// The average of a property for each value of another. See `average(_:_:by:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - group: The property whose values make the groups.
    ///   - criteria: The condition; nil matches every row.
    /// - Throws: ``PersistenceError``.
    public func average<Model: PersistingModel, Value: SQLiteValueConvertible, Group>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, by group: KeyPath<Model, Group>,
        where criteria: Criteria<Model>? = nil
    ) throws -> [(group: Group, value: Double?)] {
        try average(Query(type, where: criteria), keyPath, by: group)
    }

    /// The least value of a property for each value of another. See `min(_:_:by:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - group: The property whose values make the groups.
    ///   - criteria: The condition; nil matches every row.
    /// - Throws: ``PersistenceError``.
    public func min<Model: PersistingModel, Value: SQLiteValueConvertible, Group>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, by group: KeyPath<Model, Group>,
        where criteria: Criteria<Model>? = nil
    ) throws -> [(group: Group, value: Value.NonOptional?)] {
        try min(Query(type, where: criteria), keyPath, by: group)
    }

    /// The greatest value of a property for each value of another. See `max(_:_:by:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - group: The property whose values make the groups.
    ///   - criteria: The condition; nil matches every row.
    /// - Throws: ``PersistenceError``.
    public func max<Model: PersistingModel, Value: SQLiteValueConvertible, Group>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, by group: KeyPath<Model, Group>,
        where criteria: Criteria<Model>? = nil
    ) throws -> [(group: Group, value: Value.NonOptional?)] {
        try max(Query(type, where: criteria), keyPath, by: group)
    }

    /// The values of a property, in order. See `values(_:_:distinct:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - distinct: Whether to leave out a value that there was before; what is the same is up to the column's
    ///     collation.
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; nil leaves it to SQLite.
    /// - Throws: ``PersistenceError``.
    public func values<Model: PersistingModel, Value>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, distinct: Bool = false,
        where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil
    ) throws -> [Value] {
        try values(Query(type, where: criteria, sortedBy: ordering), keyPath, distinct: distinct)
    }

    /// The values of some properties, in order: a tuple for each row. See `select(_:distinct:_:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - distinct: Whether to leave out a row that is the same as one before.
    ///   - keyPaths: The properties.
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; nil leaves it to SQLite.
    /// - Throws: ``PersistenceError``.
    public func select<Model: PersistingModel, each Value>(
        _ type: Model.Type, distinct: Bool = false, _ keyPaths: repeat KeyPath<Model, each Value>,
        where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil
    ) throws -> [(repeat each Value)] {
        try select(Query(type, where: criteria, sortedBy: ordering), distinct: distinct, repeat each keyPaths)
    }

    /// Some properties as dictionaries, in order. See `dictionaries(_:keys:distinct:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keys: The properties' names, bit fields and aliases among them; nil is all properties with a column,
    ///     but for deferred ones.
    ///   - distinct: Whether to leave out a row that is the same as one before.
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; nil leaves it to SQLite.
    /// - Throws: ``PersistenceError``.
    public func dictionaries<Model: PersistingModel>(
        _ type: Model.Type, keys: [String]? = nil, distinct: Bool = false, where criteria: Criteria<Model>? = nil,
        sortedBy ordering: Ordering<Model>? = nil
    ) throws -> [[String: Any]] {
        try dictionaries(Query(type, where: criteria, sortedBy: ordering), keys: keys, distinct: distinct)
    }
}

/// The same, while the task is suspended.
extension PersistenceManager {
    /// The number of rows for each value of a property. See `count(_:by:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - group: The property whose values make the groups.
    ///   - criteria: Which rows; nil is all.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func count<Model: PersistingModel, Group>(
        _ type: Model.Type, by group: KeyPath<Model, Group>, where criteria: Criteria<Model>? = nil
    ) async throws -> [(group: Group, count: Int)] {
        try await count(Query(type, where: criteria), by: group)
    }

    /// The number of different values that a property has. NULL isn't one of them. See `count(_:distinct:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - criteria: Which rows; nil is all.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func count<Model: PersistingModel, Value>(
        _ type: Model.Type, distinct keyPath: KeyPath<Model, Value>, where criteria: Criteria<Model>? = nil
    ) async throws -> Int {
        try await count(Query(type, where: criteria), distinct: keyPath)
    }

    /// The sum of a property for each value of another. See `sum(_:_:by:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - group: The property whose values make the groups.
    ///   - criteria: The condition; nil matches every row.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func sum<Model: PersistingModel, Value: SQLiteValueConvertible, Group>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, by group: KeyPath<Model, Group>,
        where criteria: Criteria<Model>? = nil
    ) async throws -> [(group: Group, value: Value.NonOptional?)] {
        try await sum(Query(type, where: criteria), keyPath, by: group)
    }

    /// The average of a property for each value of another. See `average(_:_:by:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - group: The property whose values make the groups.
    ///   - criteria: The condition; nil matches every row.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func average<Model: PersistingModel, Value: SQLiteValueConvertible, Group>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, by group: KeyPath<Model, Group>,
        where criteria: Criteria<Model>? = nil
    ) async throws -> [(group: Group, value: Double?)] {
        try await average(Query(type, where: criteria), keyPath, by: group)
    }

    /// The least value of a property for each value of another. See `min(_:_:by:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - group: The property whose values make the groups.
    ///   - criteria: The condition; nil matches every row.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func min<Model: PersistingModel, Value: SQLiteValueConvertible, Group>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, by group: KeyPath<Model, Group>,
        where criteria: Criteria<Model>? = nil
    ) async throws -> [(group: Group, value: Value.NonOptional?)] {
        try await min(Query(type, where: criteria), keyPath, by: group)
    }

    /// The greatest value of a property for each value of another. See `max(_:_:by:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - group: The property whose values make the groups.
    ///   - criteria: The condition; nil matches every row.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func max<Model: PersistingModel, Value: SQLiteValueConvertible, Group>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, by group: KeyPath<Model, Group>,
        where criteria: Criteria<Model>? = nil
    ) async throws -> [(group: Group, value: Value.NonOptional?)] {
        try await max(Query(type, where: criteria), keyPath, by: group)
    }

    /// The values of a property, in order. See `values(_:_:distinct:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - distinct: Whether to leave out a value that there was before; what is the same is up to the column's
    ///     collation.
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; nil leaves it to SQLite.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func values<Model: PersistingModel, Value>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, distinct: Bool = false,
        where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil
    ) async throws -> [Value] {
        try await values(Query(type, where: criteria, sortedBy: ordering), keyPath, distinct: distinct)
    }

    /// The values of some properties, in order: a tuple for each row. See `select(_:distinct:_:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - distinct: Whether to leave out a row that is the same as one before.
    ///   - keyPaths: The properties.
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; nil leaves it to SQLite.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func select<Model: PersistingModel, each Value>(
        _ type: Model.Type, distinct: Bool = false, _ keyPaths: repeat KeyPath<Model, each Value>,
        where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil
    ) async throws -> [(repeat each Value)] {
        try await select(Query(type, where: criteria, sortedBy: ordering), distinct: distinct, repeat each keyPaths)
    }

    /// Some properties as dictionaries, in order. See `dictionaries(_:keys:distinct:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keys: The properties' names, bit fields and aliases among them; nil is all properties with a column,
    ///     but for deferred ones.
    ///   - distinct: Whether to leave out a row that is the same as one before.
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; nil leaves it to SQLite.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func dictionaries<Model: PersistingModel>(
        _ type: Model.Type, keys: [String]? = nil, distinct: Bool = false, where criteria: Criteria<Model>? = nil,
        sortedBy ordering: Ordering<Model>? = nil
    ) async throws -> [[String: Any]] {
        try await dictionaries(Query(type, where: criteria, sortedBy: ordering), keys: keys, distinct: distinct)
    }
}
