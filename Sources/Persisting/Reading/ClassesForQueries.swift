/// A class where a verb wants a query: it doesn't compile, and the error says what to write.
///
/// Like those in BoolsForConditions.swift, these declarations also keep the compiler from giving up in long
/// conditions: `sum(Album.where(…), \.price)` would have two declarations that differ in `async` alone.
extension PersistenceManager {
    /// The verb takes a query: `Model.rows`.
    @available(*, unavailable, message: "pass a query: Album.rows, or Album.where(…)")
    public func sum<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, where criteria: Criteria<Model>? = nil
    ) throws -> Value.NonOptional? { throw neverCalled }

    /// The verb takes a query: `Model.rows`.
    @available(*, unavailable, message: "pass a query: Album.rows, or Album.where(…)")
    public func average<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, where criteria: Criteria<Model>? = nil
    ) throws -> Double? { throw neverCalled }

    /// The verb takes a query: `Model.rows`.
    @available(*, unavailable, message: "pass a query: Album.rows, or Album.where(…)")
    public func min<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, where criteria: Criteria<Model>? = nil
    ) throws -> Value.NonOptional? { throw neverCalled }

    /// The verb takes a query: `Model.rows`.
    @available(*, unavailable, message: "pass a query: Album.rows, or Album.where(…)")
    public func max<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, where criteria: Criteria<Model>? = nil
    ) throws -> Value.NonOptional? { throw neverCalled }

    /// The verb takes a query: `Model.rows`.
    @available(*, unavailable, message: "pass a query: Album.rows, or Album.where(…)")
    public func values<Model: PersistingModel, Value>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, distinct: Bool = false,
        where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil
    ) throws -> [Value] { throw neverCalled }

    /// The verb takes a query: `Model.rows`.
    @available(*, unavailable, message: "pass a query: Album.rows, or Album.where(…)")
    public func select<Model: PersistingModel, each Value>(
        _ type: Model.Type, distinct: Bool = false, _ keyPaths: repeat KeyPath<Model, each Value>,
        where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil
    ) throws -> [(repeat each Value)] { throw neverCalled }

    /// The verb takes a query: `Model.rows`.
    @available(*, unavailable, message: "pass a query: Album.rows, or Album.where(…)")
    public func groups<Model: PersistingModel, each Key, each Value>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, by keys: repeat GroupKey<Model, each Key>,
        computing aggregates: repeat Aggregate<Model, each Value>, having condition: Criteria<Model>? = nil,
        sortedBy ordering: Ordering<Model>? = nil, limit: Int? = nil, offset: Int? = nil
    ) throws -> [(repeat each Key, repeat each Value)] { throw neverCalled }

    /// The verb takes a query: `Model.rows`.
    @available(*, unavailable, message: "pass a query: Album.rows, or Album.where(…)")
    public func compute<Model: PersistingModel, each Value>(
        _ type: Model.Type, _ aggregates: repeat Aggregate<Model, each Value>, where criteria: Criteria<Model>? = nil
    ) throws -> (repeat each Value) { throw neverCalled }

    /// The verb takes a query: `Model.where(…)`.
    @available(*, unavailable, message: "pass a query, as in Album.where(…); updateAll(_:set:) takes all rows")
    public func update<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, set values: [String: (any Sendable)?]
    ) throws -> Int { throw neverCalled }

    /// The verb takes a query: `Model.rows`.
    @available(*, unavailable, message: "pass a query: Album.rows, or Album.where(…)")
    public func forEach<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil,
        tracked: Bool = true, _ body: (Model) throws -> Void
    ) throws { throw neverCalled }

    /// The verb takes a query: `Model.rows`.
    @available(*, unavailable, message: "pass a query: Album.rows, or Album.sorted(by:)")
    public func fetchPage<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil,
        after last: Model? = nil, before first: Model? = nil, limit: Int
    ) throws -> [Model] { throw neverCalled }

    /// The verb takes a query: `Model.rows`.
    @available(*, unavailable, message: "pass a query: Album.sorted(by:)")
    public func sections<Model: PersistingModel, Name: Hashable>(
        _ type: Model.Type, by keyPath: KeyPath<Model, Name>, where criteria: Criteria<Model>? = nil,
        sortedBy ordering: Ordering<Model>? = nil
    ) throws -> Sections<Model, Name> { throw neverCalled }

    /// The verb takes a query: `Model.rows`.
    @available(*, unavailable, message: "pass a query: Album.sorted(by:)")
    public func sections<Model: PersistingModel, Value, Name: Hashable>(
        _ type: Model.Type, by keyPath: KeyPath<Model, Value>, _ name: (Value) throws -> Name
    ) throws -> Sections<Model, Name> { throw neverCalled }

    /// The verb takes a query: `Model.rows`.
    @available(*, unavailable, message: "pass a query: Album.rows, or Album.where(…)")
    public func values<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ expression: ModelExpression<Model>, as valueType: Value.Type, distinct: Bool = false
    ) throws -> [Value?] { throw neverCalled }
}
