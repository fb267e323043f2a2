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
        try sum(query, column(keyPath, query))
    }

    /// The same, while the task is suspended.
    public func sum<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>
    ) async throws -> Value.NonOptional? {
        let column = try column(keyPath, query)
        return try await onReadingSide(of: query.modelType) { manager in try manager.sum(query, column) }
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
        try average(query, column(keyPath, query))
    }

    /// The same, while the task is suspended.
    public func average<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>
    ) async throws -> Double? {
        let column = try column(keyPath, query)
        return try await onReadingSide(of: query.modelType) { manager in try manager.average(query, column) }
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
        try extreme("min", query, column(keyPath, query))
    }

    /// The same, while the task is suspended.
    public func min<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>
    ) async throws -> Value.NonOptional? {
        let column = try column(keyPath, query)
        return try await onReadingSide(of: query.modelType) { manager in try manager.extreme("min", query, column) }
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
        try extreme("max", query, column(keyPath, query))
    }

    /// The same, while the task is suspended.
    public func max<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>
    ) async throws -> Value.NonOptional? {
        let column = try column(keyPath, query)
        return try await onReadingSide(of: query.modelType) { manager in try manager.extreme("max", query, column) }
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
    /// The column of a key path, which does not cross to the database's side.
    private func column<Model: PersistingModel>(_ keyPath: PartialKeyPath<Model>, _ query: Query<Model>) throws -> Int {
        let mapping = try Mapping.of(query.modelType, dates: dates)
        guard case .json(let term) = try mapping.term(of: keyPath) else { return try mapping.index(of: keyPath) }
        throw PersistenceError(
            .unsupported,
            "\(term.name) is inside of a column of JSON: ask compute(…), as in compute(query, .max(\\.\(term.name)))",
            model: mapping.modelName, key: term.name)
    }

    private func sum<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ query: Query<Model>, _ index: Int
    ) throws -> Value? {
        let table = try table(of: query.modelType)
        let mapping = table.mapping
        try mapping.checkIsNumber(mapping.columns[index])
        let name = mapping.sql.columns[index]
        guard Value.self == Decimal.self else {
            do {
                return try scalar(query, of: [name], as: Value.self) { _ in "sum(\(name))" }
            } catch {
                throw mapping.overflow(error, index)
            }
        }
        return try mapping.sum(decimals(query, table, name), index) as? Value
    }

    /// A column's numbers. SQLite adds texts as floating-point numbers.
    private func decimals<Model: PersistingModel>(
        _ query: Query<Model>, _ table: ModelTable, _ name: String
    ) throws -> [Decimal] {
        try reading(table, asOf: query.past) { db in
            try table.withForms(db, query.node) { forms in
                try query.ofNow.sql(computing: name, of: [name], table.mapping, forms)
            } run: { sql in
                try db.column(SQL(sql.text), sql.arguments, as: Decimal?.self)
            }
        }.compactMap { $0 }
    }

    private func average<Model: PersistingModel>(_ query: Query<Model>, _ index: Int) throws -> Double? {
        let table = try table(of: query.modelType)
        let mapping = table.mapping
        try mapping.checkIsNumber(mapping.columns[index])
        let name = mapping.sql.columns[index]
        if unwrapped(mapping.columns[index].type) == Decimal.self {
            return Decimal.average(of: try decimals(query, table, name))
        }
        return try scalar(query, of: [name], as: Double.self) { _ in "avg(\(name))" }
    }

    /// The least or greatest value, as the column's codec reads it.
    private func extreme<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ function: String, _ query: Query<Model>, _ index: Int
    ) throws -> Value? {
        let mapping = try table(of: query.modelType).mapping
        let operand = mapping.operands[index]
        try mapping.checkOrder(operand.column)
        let stored = try scalar(query, of: [operand.sql], as: SQLiteValue.self) {
            try "\(function)(\($0.ordered(operand)))"
        }
        guard let stored else { return nil }
        return try mapping.extreme(stored, index)
    }
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

    /// The least or greatest of a column's values, as its codec reads it; nil for NULL.
    func extreme<Value>(_ stored: SQLiteValue, _ index: Int) throws -> Value? {
        guard !stored.isNull else { return nil }
        do {
            return try columns[index].codec.decode(stored) as? Value
        } catch {
            throw columns[index].failure(error, self)
        }
    }
}

extension SQLiteError {
    fileprivate var isIntegerOverflow: Bool { code == .error && message == "integer overflow" }
}
