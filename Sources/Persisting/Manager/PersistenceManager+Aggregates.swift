internal import Foundation

/// Sums, averages and extremes of a property over the rows that a condition takes.
///
/// NULL counts for nothing. Each is nil when no row has a value, and throws ``PersistenceError``.
extension PersistenceManager {
    /// The sum of a property. A sum of Decimals is exact.
    ///
    /// - Throws: ``PersistenceError``, also when a sum of integers is beyond Int64 and for a property that is no
    ///   number.
    public func sum<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, where criteria: Criteria<Model>? = nil
    ) throws -> Value? {
        try sum(type, column(keyPath, type), criteria)
    }

    /// The sum of an Optional property. A sum of Decimals is exact.
    public func sum<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value?>, where criteria: Criteria<Model>? = nil
    ) throws -> Value? {
        try sum(type, column(keyPath, type), criteria)
    }

    /// The average of a property, as a floating point number.
    public func average<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, where criteria: Criteria<Model>? = nil
    ) throws -> Double? {
        try average(type, column(keyPath, type), criteria)
    }

    /// The least value of a property, in the column's order.
    public func min<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, where criteria: Criteria<Model>? = nil
    ) throws -> Value? {
        try extreme("min", type, column(keyPath, type), criteria)
    }

    /// The least value of an Optional property, in the column's order.
    public func min<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value?>, where criteria: Criteria<Model>? = nil
    ) throws -> Value? {
        try extreme("min", type, column(keyPath, type), criteria)
    }

    /// The greatest value of a property, in the column's order.
    public func max<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, where criteria: Criteria<Model>? = nil
    ) throws -> Value? {
        try extreme("max", type, column(keyPath, type), criteria)
    }

    /// The greatest value of an Optional property, in the column's order.
    public func max<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value?>, where criteria: Criteria<Model>? = nil
    ) throws -> Value? {
        try extreme("max", type, column(keyPath, type), criteria)
    }
}

/// The same, while the task is suspended.
extension PersistenceManager {
    /// The sum of a property. A sum of Decimals is exact.
    public func sum<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, where criteria: Criteria<Model>? = nil
    ) async throws -> Value? {
        let column = try column(keyPath, type)
        return try await onReadingSide { manager in try manager.sum(type, column, criteria) }
    }

    /// The sum of an Optional property. A sum of Decimals is exact.
    public func sum<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value?>, where criteria: Criteria<Model>? = nil
    ) async throws -> Value? {
        let column = try column(keyPath, type)
        return try await onReadingSide { manager in try manager.sum(type, column, criteria) }
    }

    /// The average of a property, as a floating point number.
    public func average<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, where criteria: Criteria<Model>? = nil
    ) async throws -> Double? {
        let column = try column(keyPath, type)
        return try await onReadingSide { manager in try manager.average(type, column, criteria) }
    }

    /// The least value of a property, in the column's order.
    public func min<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, where criteria: Criteria<Model>? = nil
    ) async throws -> Value? {
        let column = try column(keyPath, type)
        return try await onReadingSide { manager in try manager.extreme("min", type, column, criteria) }
    }

    /// The least value of an Optional property, in the column's order.
    public func min<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value?>, where criteria: Criteria<Model>? = nil
    ) async throws -> Value? {
        let column = try column(keyPath, type)
        return try await onReadingSide { manager in try manager.extreme("min", type, column, criteria) }
    }

    /// The greatest value of a property, in the column's order.
    public func max<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value>, where criteria: Criteria<Model>? = nil
    ) async throws -> Value? {
        let column = try column(keyPath, type)
        return try await onReadingSide { manager in try manager.extreme("max", type, column, criteria) }
    }

    /// The greatest value of an Optional property, in the column's order.
    public func max<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ keyPath: KeyPath<Model, Value?>, where criteria: Criteria<Model>? = nil
    ) async throws -> Value? {
        let column = try column(keyPath, type)
        return try await onReadingSide { manager in try manager.extreme("max", type, column, criteria) }
    }
}

extension PersistenceManager {
    /// The column of a key path, which does not cross to the database's side.
    private func column<Model: PersistingModel>(_ keyPath: PartialKeyPath<Model>, _ type: Model.Type) throws -> Int {
        let mapping = try table(of: type).mapping
        return try mapping.index(of: keyPath)
    }

    private func sum<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ type: Model.Type, _ index: Int, _ criteria: Criteria<Model>?
    ) throws -> Value? {
        let mapping = try table(of: type).mapping
        try checkNumber(index, mapping)
        let name = mapping.sql.columns[index]
        guard Value.self == Decimal.self else { return try scalar(type, "sum(\(name))", criteria, as: Value.self) }
        // SQLite adds texts as floating point numbers.
        var sql = CriteriaSQL(mapping)
        sql.append("SELECT \(name) FROM \(mapping.sql.table)")
        try sql.appendWhere(criteria?.node)
        let values = try reading(table(of: type)) { db in
            try db.column(SQL(sql.text), sql.arguments, as: Decimal?.self)
        }
        let present = values.compactMap(\.self)
        let total = try present.dropFirst().reduce(present.first) { total, value in
            try total.map { try adding($0, value, mapping, index) }
        }
        return total as? Value
    }

    private func adding(_ lhs: Decimal, _ rhs: Decimal, _ mapping: Mapping, _ index: Int) throws -> Decimal {
        var (lhs, rhs, sum) = (lhs, rhs, Decimal())
        guard NSDecimalAdd(&sum, &lhs, &rhs, .plain) == .noError else {
            throw PersistenceError(
                .typeMismatch, "the sum has more digits than a Decimal holds", model: mapping.modelName,
                key: mapping.columns[index].key, expected: Decimal.self)
        }
        return sum
    }

    private func average<Model: PersistingModel>(
        _ type: Model.Type, _ index: Int, _ criteria: Criteria<Model>?
    ) throws -> Double? {
        let mapping = try table(of: type).mapping
        try checkNumber(index, mapping)
        return try scalar(type, "avg(\(mapping.sql.columns[index]))", criteria, as: Double.self)
    }

    private func checkNumber(_ index: Int, _ mapping: Mapping) throws {
        let column = mapping.columns[index]
        let isNumber =
            [.integer, .real].contains(column.codec.columnType) && unwrapped(column.type) != Date.self
            && unwrapped(column.type) != Bool.self
            || unwrapped(column.type) == Decimal.self
        guard isNumber else {
            throw PersistenceError(
                .unsupportedType, "a sum or an average needs numbers", model: mapping.modelName, key: column.key,
                found: column.type)
        }
    }

    /// The least or greatest value, as the column's codec reads it.
    private func extreme<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ function: String, _ type: Model.Type, _ index: Int, _ criteria: Criteria<Model>?
    ) throws -> Value? {
        let mapping = try table(of: type).mapping
        let expression = "\(function)(\(mapping.sql.columns[index]))"
        guard let stored = try scalar(type, expression, criteria, as: SQLiteValue.self), !stored.isNull else {
            return nil
        }
        do {
            return try mapping.columns[index].codec.decode(stored) as? Value
        } catch {
            throw mapping.columns[index].failure(error, mapping)
        }
    }
}
