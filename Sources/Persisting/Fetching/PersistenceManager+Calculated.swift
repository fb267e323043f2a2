/// Calculated values of a query's rows, without objects.
extension PersistenceManager {
    /// The values of an expression in a query's rows, in order.
    ///
    /// ```swift
    /// let line = OrderLine.row
    /// let totals = try manager.values(OrderLine.where(line.quantity > 1), line.price * line.quantity, as: Double.self)
    /// ```
    ///
    /// - Parameters:
    ///   - query: Which rows.
    ///   - expression: What is calculated.
    ///   - type: The values' type.
    ///   - distinct: Whether to leave out a value that there was before.
    /// - Returns: A value for each row, nil where it is NULL.
    /// - Throws: ``PersistenceError/Code/typeMismatch`` for a value that isn't of the type; what a condition with the
    ///   expression throws.
    public func values<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ query: Query<Model>, _ expression: ModelExpression<Model>, as type: Value.Type, distinct: Bool = false
    ) throws -> [Value?] {
        let table = try table(of: query.modelType)
        let calculated = try CalculatedValue<Model, Value>(expression, table.mapping)
        return try rows(table, query.node) { try calculated.sql(query, distinct, $0) }.map {
            try calculated.read($0[0])
        }
    }

    /// The values of an expression in a query's rows, in order, while the task is suspended.
    ///
    /// - Parameters:
    ///   - query: Which rows.
    ///   - expression: What is calculated.
    ///   - type: The values' type.
    ///   - distinct: Whether to leave out a value that there was before.
    /// - Returns: A value for each row, nil where it is NULL.
    /// - Throws: What the synchronous form throws; `CancellationError` when the task is cancelled.
    public func values<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ query: Query<Model>, _ expression: ModelExpression<Model>, as type: Value.Type, distinct: Bool = false
    ) async throws -> [Value?] {
        try await discoverKey(of: query.modelType)
        let table = try table(of: query.modelType)
        let calculated = try CalculatedValue<Model, Value>(expression, table.mapping)
        let rows = try await rows(table, query.node) { try calculated.sql(query, distinct, $0) }
        return try rows.map { try calculated.read($0[0]) }
    }
}

/// An expression, and how its values are read.
private struct CalculatedValue<Model: PersistingModel, Value: SQLiteValueConvertible>: Sendable {
    let mapping: Mapping
    let operand: Operand

    init(_ expression: ModelExpression<Model>, _ mapping: Mapping) throws {
        self.mapping = mapping
        operand = try CriteriaResolver(mapping: mapping).operand(expression.content.get(), .none)
    }

    func sql(_ query: Query<Model>, _ distinct: Bool, _ forms: StoredForms) throws -> CriteriaSQL {
        try query.sql(mapping, forms) { sql in
            sql.append(distinct ? "SELECT DISTINCT " : "SELECT ")
            try sql.append(operand)
            sql.append(" FROM \(mapping.sql.table)")
        }
    }

    func read(_ stored: SQLiteValue) throws -> Value? {
        if stored.isNull { return nil }
        do {
            if let column = operand.column, let value = flattened(try column.column.codec.decode(stored)) as? Value {
                return value
            }
            return try Value(sqliteValue: stored)
        } catch let error as OtherForm {
            guard let column = operand.column else { throw error }
            throw column.column.failure(error, operand.owner ?? mapping)
        } catch let error as SQLiteError {
            throw PersistenceError(
                .typeMismatch, "a calculated value isn't a \(Value.self): \(error.message)", model: mapping.modelName,
                expected: Value.self, stored: stored.storageClass, underlying: error)
        }
    }
}
