/// Writing all rows of a query by one statement.
///
/// No hook of an object runs, and none is validated. Objects in memory are not told: those of the rows hold what they
/// were read with, until they are refreshed. A query without a condition throws, in any syntax, if it takes every row.
extension PersistenceManager {
    /// Sets properties of a query's rows.
    ///
    /// ```swift
    /// try manager.update(User.where(\.luckyNumber == 13), set: ["luckyNumber": 0])
    /// ```
    ///
    /// The columns of times that are declared `.updated` are set too, unless they are named, and the version of each
    /// row counts one more.
    ///
    /// - Parameters:
    ///   - query: Which rows. With a limit or an offset it is those that a fetch would return.
    ///   - values: Values by the names of properties; nil is NULL. A bit field sets or clears its bits and leaves the
    ///     others. Without any, nothing is written.
    /// - Returns: The number of rows that met the condition, those included that had the values already.
    /// - Throws: ``PersistenceError/Code/missingCondition`` for a query without a condition: `updateAll(_:set:)` takes
    ///   all rows. ``PersistenceError/Code/unknownKey``, ``PersistenceError/Code/typeMismatch``;
    ///   ``PersistenceError/Code/invalidCriteria`` for two keys that set one column,
    ///   ``PersistenceError/Code/notWritable`` for the version and a generated column; ``PersistenceError`` of a
    ///   constraint. Nothing is written then.
    @discardableResult
    public func update<Model: PersistingModel>(
        _ query: Query<Model>, set values: [String: (any Sendable)?]
    ) throws -> Int {
        try update(query, values) { sql, columns in
            try query.appendCondition(to: &sql, identifiedBy: columns, "update")
        }
    }

    /// The same, while the task is suspended.
    @discardableResult
    public func update<Model: PersistingModel>(
        _ query: Query<Model>, set values: [String: (any Sendable)?]
    ) async throws -> Int {
        try await onDatabaseSide(of: query.modelType) { manager in try manager.update(query, set: values) }
    }

    /// Sets a property of a query's rows.
    ///
    /// A key path that goes on inside of a column of JSON sets that value alone, by
    /// [json_set](https://www.sqlite.org/json1.html#jset): the rest of the JSON stays as it is in each row. Nil is
    /// written as null. A row in which the value has no place, since what it is a part of is nil, stays as it is.
    ///
    /// - Parameters:
    ///   - query: Which rows. With a limit or an offset it is those that a fetch would return.
    ///   - keyPath: The property, such as `\.name` or `\.settings.theme`.
    ///   - value: The new value.
    /// - Returns: The number of rows that met the condition.
    /// - Throws: What `update(_:set:)` throws.
    @discardableResult
    public func update<Model: PersistingModel, Value: Sendable>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>, to value: Value
    ) throws -> Int {
        try update(query, set: [table(of: query.modelType).mapping.key(of: keyPath, sample: value): value])
    }

    /// The same, while the task is suspended.
    @discardableResult
    public func update<Model: PersistingModel, Value: Sendable>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>, to value: Value
    ) async throws -> Int {
        let key = try Mapping.of(query.modelType, dates: dates).key(of: keyPath, sample: value)
        return try await update(query, set: [key: value])
    }

    /// Sets a property of a query's rows to what is calculated for each.
    ///
    /// ```swift
    /// try manager.update(User.where(\.isActive), \.score, to: \.score + 1)
    /// ```
    ///
    /// An integer property is set to integers alone: a value with a fraction, or beyond the property's type, is an
    /// error, and no row is changed.
    ///
    /// - Parameters:
    ///   - query: Which rows. With a limit or an offset it is those that a fetch would return.
    ///   - keyPath: The property: a number or a text, or one of the type of another that the expression is.
    ///   - expression: What it is set to, of the values before.
    /// - Returns: The number of rows that met the condition.
    /// - Throws: What `update(_:set:)` throws, in which an expression may stand for a value, too.
    @_disfavoredOverload @discardableResult
    public func update<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>, to expression: ModelExpression<Model>
    ) throws -> Int {
        try update(query, set: [table(of: query.modelType).mapping.key(of: keyPath): expression])
    }

    /// The same, while the task is suspended.
    @_disfavoredOverload @discardableResult
    public func update<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>, to expression: ModelExpression<Model>
    ) async throws -> Int {
        let key = try Mapping.of(query.modelType, dates: dates).key(of: keyPath)
        return try await update(query, set: [key: expression])
    }

    /// Sets properties of all rows of a class's table.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - values: The values by the properties' names.
    /// - Returns: The number of rows.
    /// - Throws: What `update(_:set:)` throws, except for a condition.
    @discardableResult
    public func updateAll<Model: PersistingModel>(
        _ type: Model.Type, set values: [String: (any Sendable)?]
    ) throws -> Int {
        try update(Query(type), values) { sql, _ in try sql.appendWhere(nil) }
    }

    /// The same, while the task is suspended.
    @discardableResult
    public func updateAll<Model: PersistingModel>(
        _ type: Model.Type, set values: [String: (any Sendable)?]
    ) async throws -> Int {
        try await onDatabaseSide(of: type) { manager in try manager.updateAll(type, set: values) }
    }
}

/// The same methods of a query. They use the manager that ``ActiveRecord`` describes.
extension Query {
    /// Sets properties of the query's rows. See `PersistenceManager.update(_:set:)`.
    ///
    /// - Parameter values: The new values, by property name.
    /// - Throws: What the manager's method throws.
    @discardableResult
    public func update(set values: [String: (any Sendable)?]) throws -> Int {
        try PersistenceManager.current(for: modelType).update(self, set: values)
    }

    /// The same, while the task is suspended.
    @discardableResult
    public func update(set values: [String: (any Sendable)?]) async throws -> Int {
        try await PersistenceManager.current(for: modelType).update(self, set: values)
    }
}

extension PersistenceManager {
    private func update<Model: PersistingModel>(
        _ query: Query<Model>, _ values: [String: (any Sendable)?],
        _ appendCondition: (inout CriteriaSQL, [String]) throws -> Void
    ) throws -> Int {
        let table = try table(of: query.modelType)
        return try writing(table) { db in
            let key = try query.isPartial ? RowLookup(query.modelType, table, rowsOf: db).columns : []
            return try table.withForms(db, query.node, nil) { forms in
                var sql = CriteriaSQL(table.mapping, forms)
                sql.append("UPDATE \(table.mapping.sql.table) SET ")
                try ColumnSettings(values, of: table).append(to: &sql, db)
                try appendCondition(&sql, key)
                return sql
            } run: { sql in
                values.isEmpty ? 0 : try db.execute(SQL(sql.text), sql.arguments)
            }
        }
    }
}
