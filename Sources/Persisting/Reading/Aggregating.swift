internal import Foundation

/// Sums, averages and extremes of a property over the rows of a query: of one with a limit, over that many.
///
/// NULL counts for nothing. Each is nil when no row has a value, and throws ``PersistenceError``.
extension PersistenceManager {
    /// The sum of a property, Optional or not. A sum of Decimals is exact.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - keyPath: The property.
    /// - Throws: ``PersistenceError``, also when a sum of integers is beyond Int64 and for a property that is no
    ///   number.
    public func sum<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>
    ) throws -> Value.NonOptional? {
        try value(of: .sum(keyPath), query)
    }

    /// The same, while the task is suspended.
    public func sum<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>
    ) async throws -> Value.NonOptional? {
        try await value(of: .sum(keyPath), query)
    }

    /// The average of a property, as a floating-point number.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - keyPath: The property.
    /// - Throws: ``PersistenceError``.
    public func average<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>
    ) throws -> Double? {
        try value(of: .average(keyPath), query)
    }

    /// The same, while the task is suspended.
    public func average<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>
    ) async throws -> Double? {
        try await value(of: .average(keyPath), query)
    }

    /// The least value of a property, in the column's order.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - keyPath: The property.
    /// - Throws: ``PersistenceError``.
    public func min<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>
    ) throws -> Value.NonOptional? {
        try value(of: .min(keyPath), query)
    }

    /// The same, while the task is suspended.
    public func min<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>
    ) async throws -> Value.NonOptional? {
        try await value(of: .min(keyPath), query)
    }

    /// The greatest value of a property, in the column's order.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - keyPath: The property.
    /// - Throws: ``PersistenceError``.
    public func max<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>
    ) throws -> Value.NonOptional? {
        try value(of: .max(keyPath), query)
    }

    /// The same, while the task is suspended.
    public func max<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>
    ) async throws -> Value.NonOptional? {
        try await value(of: .max(keyPath), query)
    }
}

/// The same methods of a query. They use the manager that ``ActiveRecord`` describes.
extension Query {
    /// The sum of a property; nil when no row has a value. A sum of Decimals is exact.
    ///
    /// - Parameter keyPath: The property.
    /// - Throws: What the manager's method throws.
    public func sum<Value: SQLiteValueConvertible>(_ keyPath: KeyPath<Model, Value>) throws -> Value.NonOptional? {
        try PersistenceManager.current(for: modelType).sum(self, keyPath)
    }

    /// The same, while the task is suspended.
    public func sum<Value: SQLiteValueConvertible>(_ keyPath: KeyPath<Model, Value>) async throws -> Value.NonOptional?
    {
        try await PersistenceManager.current(for: modelType).sum(self, keyPath)
    }

    /// The average of a property, as a floating-point number; nil when no row has a value.
    ///
    /// - Parameter keyPath: The property.
    /// - Throws: What the manager's method throws.
    public func average<Value: SQLiteValueConvertible>(_ keyPath: KeyPath<Model, Value>) throws -> Double? {
        try PersistenceManager.current(for: modelType).average(self, keyPath)
    }

    /// The same, while the task is suspended.
    public func average<Value: SQLiteValueConvertible>(_ keyPath: KeyPath<Model, Value>) async throws -> Double? {
        try await PersistenceManager.current(for: modelType).average(self, keyPath)
    }

    /// The least value of a property, in its column's order; nil when no row has one.
    ///
    /// - Parameter keyPath: The property.
    /// - Throws: What the manager's method throws.
    public func min<Value: SQLiteValueConvertible>(_ keyPath: KeyPath<Model, Value>) throws -> Value.NonOptional? {
        try PersistenceManager.current(for: modelType).min(self, keyPath)
    }

    /// The same, while the task is suspended.
    public func min<Value: SQLiteValueConvertible>(_ keyPath: KeyPath<Model, Value>) async throws -> Value.NonOptional?
    {
        try await PersistenceManager.current(for: modelType).min(self, keyPath)
    }

    /// The greatest value of a property, in its column's order; nil when no row has one.
    ///
    /// - Parameter keyPath: The property.
    /// - Throws: What the manager's method throws.
    public func max<Value: SQLiteValueConvertible>(_ keyPath: KeyPath<Model, Value>) throws -> Value.NonOptional? {
        try PersistenceManager.current(for: modelType).max(self, keyPath)
    }

    /// The same, while the task is suspended.
    public func max<Value: SQLiteValueConvertible>(_ keyPath: KeyPath<Model, Value>) async throws -> Value.NonOptional?
    {
        try await PersistenceManager.current(for: modelType).max(self, keyPath)
    }
}

extension PersistenceManager {
    private func value<Model: PersistingModel, Value>(
        of aggregate: Aggregate<Model, Value>, _ query: Query<Model>
    ) throws -> Value { try compute(query, aggregate) }

    private func value<Model: PersistingModel, Value>(
        of aggregate: Aggregate<Model, Value>, _ query: Query<Model>
    ) async throws -> Value { try await compute(query, aggregate) }
}

extension Mapping {
    /// The error of a sum, where it is beyond its type; any other as it is.
    func overflow(_ error: any Error, _ index: Int) -> any Error {
        let cause = (error as? PersistenceError)?.sqliteError ?? error as? SQLiteError
        if cause?.isIntegerOverflow ?? false { return integerOverflow([columns[index].key], cause) }
        guard cause?.mismatch != nil || cause?.extendedCode == .typeMismatch else { return error }
        let type = unwrapped(columns[index].type)
        return overflow("the sum is beyond \(source: type)", columns[index].key, type, cause)
    }

    /// The error of several sums, where one is beyond Int64; any other as it is.
    func overflow(_ error: any Error, keys: [String]) -> any Error {
        let cause = (error as? PersistenceError)?.sqliteError ?? error as? SQLiteError
        return cause?.isIntegerOverflow ?? false ? integerOverflow(keys, cause) : error
    }

    private func integerOverflow(_ keys: [String], _ cause: (any Error)?) -> PersistenceError {
        let sum = keys.count > 1 ? "the sum of \(keys.joined(separator: " or "))" : "the sum"
        return overflow("\(sum) is beyond Int64, in which SQLite adds integers", keys.first, Int64.self, cause)
    }

    private func overflow(
        _ message: String, _ key: String?, _ type: any Any.Type, _ cause: (any Error)? = nil
    ) -> PersistenceError {
        let total = key.map { ".total(\\.\($0))" } ?? ".total(…)"
        return PersistenceError(
            .overflow, "\(key.map { "\($0): " } ?? "")\(message): sum fewer rows, or compute \(total), a Double",
            model: modelName, key: key, expected: type, underlying: cause)
    }

    /// The exact sum of values; nil without any.
    ///
    /// - Parameter index: The column that they are of; nil is a calculation.
    func sum(_ values: some Sequence<Decimal>, _ index: Int?) throws -> Decimal? {
        try values.reduce(nil as Decimal?) { total, value in
            do {
                return try total?.adding(value) ?? value
            } catch {
                throw overflow(
                    "the sum has more digits than a Decimal holds", index.map { columns[$0].key }, Decimal.self)
            }
        }
    }
}

extension SQLiteError {
    fileprivate var isIntegerOverflow: Bool { code == .error && message == "integer overflow" }
}
