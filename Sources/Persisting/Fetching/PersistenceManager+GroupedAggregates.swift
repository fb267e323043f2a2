internal import Foundation

/// Sums, averages, extremes and numbers of a query's rows for each value of a property.
///
/// ```swift
/// for (artist, total) in try manager.sum(query, \.price, by: \.artist) { … }
/// ```
///
/// There is a pair for each value of the property that a row of the query has, in the order of those values, NULL
/// first. Which values are the same is up to the column's collation. A value computed is nil where all those it is of
/// are NULL.
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
        let index = try column(keyPath, query)
        let groups: Groups<Group, Value.NonOptional> = try sums(query, index, group)
        do {
            return try groups.read(rows(groups.table, groups.node, groups.sql))
        } catch {
            throw groups.table.mapping.overflow(error, index)
        }
    }

    /// The average of a property for each value of another, as a floating point number.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - keyPath: The property.
    ///   - group: The property whose values make the groups.
    /// - Throws: ``PersistenceError``.
    public func average<Model: PersistingModel, Value: SQLiteValueConvertible, Group>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>, by group: KeyPath<Model, Group>
    ) throws -> [(group: Group, value: Double?)] {
        let groups: Groups<Group, Double> = try averages(query, column(keyPath, query), group)
        return try groups.read(rows(groups.table, groups.node, groups.sql))
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
        let groups: Groups<Group, Value.NonOptional> = try extremes("min", query, column(keyPath, query), group)
        return try groups.read(rows(groups.table, groups.node, groups.sql))
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
        let groups: Groups<Group, Value.NonOptional> = try extremes("max", query, column(keyPath, query), group)
        return try groups.read(rows(groups.table, groups.node, groups.sql))
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
        let groups: Groups<Group, Int> = try counts(query, group)
        return try groups.read(rows(groups.table, groups.node, groups.sql)).map { ($0, $1 ?? 0) }
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
        try await discoverKey(of: query.modelType)
        let index = try column(keyPath, query)
        let groups: Groups<Group, Value.NonOptional> = try sums(query, index, group)
        do {
            return try groups.read(await rows(groups.table, groups.node, groups.sql))
        } catch {
            throw groups.table.mapping.overflow(error, index)
        }
    }

    /// The average of a property for each value of another, as a floating point number.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - keyPath: The property.
    ///   - group: The property whose values make the groups.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func average<Model: PersistingModel, Value: SQLiteValueConvertible, Group>(
        _ query: Query<Model>, _ keyPath: KeyPath<Model, Value>, by group: KeyPath<Model, Group>
    ) async throws -> [(group: Group, value: Double?)] {
        try await discoverKey(of: query.modelType)
        let groups: Groups<Group, Double> = try averages(query, column(keyPath, query), group)
        return try groups.read(await rows(groups.table, groups.node, groups.sql))
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
        try await discoverKey(of: query.modelType)
        let groups: Groups<Group, Value.NonOptional> = try extremes("min", query, column(keyPath, query), group)
        return try groups.read(await rows(groups.table, groups.node, groups.sql))
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
        try await discoverKey(of: query.modelType)
        let groups: Groups<Group, Value.NonOptional> = try extremes("max", query, column(keyPath, query), group)
        return try groups.read(await rows(groups.table, groups.node, groups.sql))
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
        try await discoverKey(of: query.modelType)
        let groups: Groups<Group, Int> = try counts(query, group)
        return try groups.read(await rows(groups.table, groups.node, groups.sql)).map { ($0, $1 ?? 0) }
    }
}

/// What to select for an aggregate by groups, and how to read it.
private struct Groups<Group, Value> {
    let table: ModelTable
    /// The condition of the rows.
    let node: CriteriaNode?
    let sql: @Sendable (StoredForms) throws -> CriteriaSQL
    let group: SelectedColumn<Group>
    let value: (SQLiteValue) throws -> Value?

    func read(_ rows: [[SQLiteValue]]) throws -> [(group: Group, value: Value?)] {
        try rows.map { row in
            (try group.read(row[0]), row[1].isNull ? nil : try table.mapping.naming { try value(row[1]) })
        }
    }
}

extension PersistenceManager {
    /// - Parameters:
    ///   - column: The column that the expression names; nil for none.
    ///   - expression: Writes what is computed of a group.
    ///   - value: Reads what has been computed.
    private func groups<Model: PersistingModel, Group, Value>(
        _ query: Query<Model>, _ group: KeyPath<Model, Group>, of column: String?,
        _ expression: @escaping @Sendable (StoredForms) throws -> String,
        _ value: @escaping (SQLiteValue) throws -> Value?
    ) throws -> Groups<Group, Value> {
        let table = try table(of: query.modelType)
        let group = try table.mapping.selected(group)
        let operand = group.operand
        let name = table.mapping.sql.columns[operand.index]
        let columns = [name] + [column].compactMap(\.self).filter { $0 != name }
        return Groups(
            table: table, node: query.node,
            sql: { forms in
                try query.sql(
                    computing: "\(forms.comparable(operand)), \(expression(forms))", of: columns, table.mapping, forms,
                    end: " GROUP BY 1 ORDER BY 1")
            }, group: group, value: value)
    }

    private func sums<Model: PersistingModel, Value: SQLiteValueConvertible, Group>(
        _ query: Query<Model>, _ index: Int, _ group: KeyPath<Model, Group>
    ) throws -> Groups<Group, Value> {
        let mapping = try table(of: query.modelType).mapping
        try mapping.checkIsNumber(index)
        let name = mapping.sql.columns[index]
        guard Value.self == Decimal.self else {
            return try groups(query, group, of: name) { _ in
                "sum(\(name))"
            } _: {
                try Value(sqliteValue: $0)
            }
        }
        // SQLite adds texts as floating point numbers. A number has no blank in it.
        return try groups(query, group, of: name) { _ in
            "group_concat(\(name), ' ')"
        } _: { stored in
            let texts = try String(sqliteValue: stored).split(separator: " ")
            return try mapping.sum(texts.map { try Decimal(sqliteValue: .text(String($0))) }, index) as? Value
        }
    }

    private func averages<Model: PersistingModel, Group>(
        _ query: Query<Model>, _ index: Int, _ group: KeyPath<Model, Group>
    ) throws -> Groups<Group, Double> {
        let mapping = try table(of: query.modelType).mapping
        try mapping.checkIsNumber(index)
        let name = mapping.sql.columns[index]
        return try groups(query, group, of: name) { _ in
            "avg(\(name))"
        } _: {
            try Double(sqliteValue: $0)
        }
    }

    private func extremes<Model: PersistingModel, Value, Group>(
        _ function: String, _ query: Query<Model>, _ index: Int, _ group: KeyPath<Model, Group>
    ) throws -> Groups<Group, Value> {
        let mapping = try table(of: query.modelType).mapping
        let operand = mapping.operands[index]
        try mapping.checkOrder(operand.column)
        return try groups(query, group, of: operand.sql) {
            try "\(function)(\($0.ordered(operand)))"
        } _: {
            try mapping.extreme($0, index)
        }
    }

    private func counts<Model: PersistingModel, Group>(
        _ query: Query<Model>, _ group: KeyPath<Model, Group>
    ) throws -> Groups<Group, Int> {
        try groups(query, group, of: nil) { _ in
            "count(*)"
        } _: {
            try Int(sqliteValue: $0)
        }
    }
}
