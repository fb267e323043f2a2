/// Sums, averages, extremes and numbers of a query's rows for each value of a property.
///
/// ```swift
/// for (artist, total) in try manager.sum(query, \.price, by: \.artist) { … }
/// ```
///
/// There is a pair for each value of the property that a row of the query has, in the order of those values, NULL
/// first. Which values are the same is up to the column's collation. A value computed is nil where all those it is of
/// are NULL. ``groups(_:by:computing:having:sortedBy:limit:offset:)`` computes more.
extension PersistenceManager {
    /// The sum of a property for each value of another. A sum of Decimals is exact.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - keyPath: The property.
    ///   - group: The property whose values make the groups.
    /// - Throws: ``PersistenceError``.
    public func sum<Model: PersistingModel, Value: SQLiteValueConvertible, Group>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>, by group: KeyPath<Model, Group>
    ) throws -> [(group: Group, value: Value.NonOptional?)] {
        try groups(query, by: .key(group), computing: .sum(keyPath)).map { ($0, $1) }
    }

    /// The average of a property for each value of another, as a floating-point number.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - keyPath: The property.
    ///   - group: The property whose values make the groups.
    /// - Throws: ``PersistenceError``.
    public func average<Model: PersistingModel, Value: SQLiteValueConvertible, Group>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>, by group: KeyPath<Model, Group>
    ) throws -> [(group: Group, value: Double?)] {
        try groups(query, by: .key(group), computing: .average(keyPath)).map { ($0, $1) }
    }

    /// The least value of a property, in its column's order, for each value of another.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - keyPath: The property.
    ///   - group: The property whose values make the groups.
    /// - Throws: ``PersistenceError``.
    public func min<Model: PersistingModel, Value: SQLiteValueConvertible, Group>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>, by group: KeyPath<Model, Group>
    ) throws -> [(group: Group, value: Value.NonOptional?)] {
        try groups(query, by: .key(group), computing: .min(keyPath)).map { ($0, $1) }
    }

    /// The greatest value of a property, in its column's order, for each value of another.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - keyPath: The property.
    ///   - group: The property whose values make the groups.
    /// - Throws: ``PersistenceError``.
    public func max<Model: PersistingModel, Value: SQLiteValueConvertible, Group>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>, by group: KeyPath<Model, Group>
    ) throws -> [(group: Group, value: Value.NonOptional?)] {
        try groups(query, by: .key(group), computing: .max(keyPath)).map { ($0, $1) }
    }

    /// The number of rows for each value of a property.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - group: The property whose values make the groups.
    /// - Throws: ``PersistenceError``.
    public func count<Model: PersistingModel, Group>(
        _ query: Query<Model>, by group: KeyPath<Model, Group>
    ) throws -> [(group: Group, count: Int)] {
        try groups(query, by: .key(group), computing: .count).map { ($0, $1) }
    }
}

/// The same, while the task is suspended.
extension PersistenceManager {
    /// The sum of a property for each value of another. A sum of Decimals is exact.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - keyPath: The property.
    ///   - group: The property whose values make the groups.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func sum<Model: PersistingModel, Value: SQLiteValueConvertible, Group>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>, by group: KeyPath<Model, Group>
    ) async throws -> [(group: Group, value: Value.NonOptional?)] {
        try await groups(query, by: .key(group), computing: .sum(keyPath)).map { ($0, $1) }
    }

    /// The average of a property for each value of another, as a floating-point number.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - keyPath: The property.
    ///   - group: The property whose values make the groups.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func average<Model: PersistingModel, Value: SQLiteValueConvertible, Group>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>, by group: KeyPath<Model, Group>
    ) async throws -> [(group: Group, value: Double?)] {
        try await groups(query, by: .key(group), computing: .average(keyPath)).map { ($0, $1) }
    }

    /// The least value of a property, in its column's order, for each value of another.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - keyPath: The property.
    ///   - group: The property whose values make the groups.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func min<Model: PersistingModel, Value: SQLiteValueConvertible, Group>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>, by group: KeyPath<Model, Group>
    ) async throws -> [(group: Group, value: Value.NonOptional?)] {
        try await groups(query, by: .key(group), computing: .min(keyPath)).map { ($0, $1) }
    }

    /// The greatest value of a property, in its column's order, for each value of another.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - keyPath: The property.
    ///   - group: The property whose values make the groups.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func max<Model: PersistingModel, Value: SQLiteValueConvertible, Group>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>, by group: KeyPath<Model, Group>
    ) async throws -> [(group: Group, value: Value.NonOptional?)] {
        try await groups(query, by: .key(group), computing: .max(keyPath)).map { ($0, $1) }
    }

    /// The number of rows for each value of a property.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - group: The property whose values make the groups.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func count<Model: PersistingModel, Group>(
        _ query: Query<Model>, by group: KeyPath<Model, Group>
    ) async throws -> [(group: Group, count: Int)] {
        try await groups(query, by: .key(group), computing: .count).map { ($0, $1) }
    }
}
