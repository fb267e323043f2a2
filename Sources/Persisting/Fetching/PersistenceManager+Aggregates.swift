/// Sums, averages and extremes of a property over the rows that a condition takes.
///
/// NULL counts for nothing. Each is nil when no row has a value, and throws ``PersistenceError``.
extension PersistenceManager {
    /// The sum of a property. A sum of Decimals is exact.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - criteria: The condition; nil matches every row.
    /// - Throws: ``PersistenceError``, also when a sum of integers is beyond Int64 and for a property that is no
    ///   number.
    public func sum<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, where criteria: Criteria<Model>? = nil
    ) throws -> Value.NonOptional? {
        try sum(Query(type, where: criteria), keyPath)
    }

    /// The average of a property, as a floating-point number.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - criteria: The condition; nil matches every row.
    /// - Throws: ``PersistenceError``.
    public func average<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, where criteria: Criteria<Model>? = nil
    ) throws -> Double? {
        try average(Query(type, where: criteria), keyPath)
    }

    /// The least value of a property, in the column's order.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - criteria: The condition; nil matches every row.
    /// - Throws: ``PersistenceError``.
    public func min<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, where criteria: Criteria<Model>? = nil
    ) throws -> Value.NonOptional? {
        try min(Query(type, where: criteria), keyPath)
    }

    /// The greatest value of a property, in the column's order.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - criteria: The condition; nil matches every row.
    /// - Throws: ``PersistenceError``.
    public func max<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, where criteria: Criteria<Model>? = nil
    ) throws -> Value.NonOptional? {
        try max(Query(type, where: criteria), keyPath)
    }
}

/// The same, while the task is suspended.
extension PersistenceManager {
    /// The sum of a property. A sum of Decimals is exact.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - criteria: The condition; nil matches every row.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func sum<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, where criteria: Criteria<Model>? = nil
    ) async throws -> Value.NonOptional? {
        try await sum(Query(type, where: criteria), keyPath)
    }

    /// The average of a property, as a floating-point number.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - criteria: The condition; nil matches every row.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func average<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, where criteria: Criteria<Model>? = nil
    ) async throws -> Double? {
        try await average(Query(type, where: criteria), keyPath)
    }

    /// The least value of a property, in the column's order.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - criteria: The condition; nil matches every row.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func min<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, where criteria: Criteria<Model>? = nil
    ) async throws -> Value.NonOptional? {
        try await min(Query(type, where: criteria), keyPath)
    }

    /// The greatest value of a property, in the column's order.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - criteria: The condition; nil matches every row.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func max<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, where criteria: Criteria<Model>? = nil
    ) async throws -> Value.NonOptional? {
        try await max(Query(type, where: criteria), keyPath)
    }
}
