/// Groups as values of a `Decodable` type.
extension PersistenceManager {
    /// Aggregates of each group of a query's rows, as values of a `Decodable` type.
    ///
    /// ```swift
    /// struct Sales: Decodable {
    ///     var country: String; var count: Int; var revenue: Double?
    /// }
    /// let sales = try manager.groups(
    ///     decoding: Sales.self, Query(Invoice.self), by: .key(\.country),
    ///     computing: .count,
    ///     .sum(\.total).named("revenue"))
    /// ```
    ///
    /// A key is found by its property's name, an aggregate by that of its function: `count`, `sum`, `total`, `average`,
    /// `min`, `max` or `joined`; `named(_:)` gives either another. Values are decoded in their stored form, and dates
    /// whatever the form of their column.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - query: The rows; of a query with a limit, that many in its order.
    ///   - keys: What makes the groups.
    ///   - aggregates: What is computed of each group, in one pass.
    ///   - condition: Which groups to take; nil is all.
    ///   - ordering: The groups' order; nil is the order of the keys, NULL first.
    ///   - limit: The greatest number of groups; nil is no limit.
    ///   - offset: How many of the first groups to leave out; nil is none.
    /// - Throws: ``PersistenceError/Code/invalidCriteria`` for two columns of one name, and other mistakes in what is
    ///   asked for; ``/SQLiteKit/SQLiteError``, which names the column that is missing or doesn't fit; or what the
    ///   type's own `init(from:)` throws.
    public func groups<Result: Decodable, Model: PersistingModel, each Key, each Value>(
        decoding type: Result.Type, _ query: Query<Model>, by keys: repeat GroupKey<Model, each Key>,
        computing aggregates: repeat Aggregate<Model, each Value>, having condition: Criteria<Model>? = nil,
        sortedBy ordering: Ordering<Model>? = nil, limit: Int? = nil, offset: Int? = nil
    ) throws -> [Result] {
        let groups = try GroupedRows(
            table(of: query.modelType), query, keys: terms(repeat each keys), aggregates: terms(repeat each aggregates),
            condition, ordering, limit, offset)
        let names = try groups.names(repeat each keys, aggregates: repeat each aggregates)
        return try groups.decode(type, rows(groups), names, dates)
    }

    /// The same, while the task is suspended.
    public func groups<Result: Decodable, Model: PersistingModel, each Key, each Value>(
        decoding type: Result.Type, _ query: Query<Model>, by keys: repeat GroupKey<Model, each Key>,
        computing aggregates: repeat Aggregate<Model, each Value>, having condition: Criteria<Model>? = nil,
        sortedBy ordering: Ordering<Model>? = nil, limit: Int? = nil, offset: Int? = nil
    ) async throws -> [Result] {
        try await discoverKey(of: query.modelType)
        let groups = try GroupedRows(
            table(of: query.modelType), query, keys: terms(repeat each keys), aggregates: terms(repeat each aggregates),
            condition, ordering, limit, offset)
        let names = try groups.names(repeat each keys, aggregates: repeat each aggregates)
        return try groups.decode(type, await rows(groups), names, dates)
    }
}

extension GroupedRows {
    /// What the columns are called.
    ///
    /// - Throws: ``PersistenceError/Code/invalidCriteria`` for two of one name.
    func names<each Key, each Value>(
        _ keys: repeat GroupKey<Model, each Key>, aggregates: repeat Aggregate<Model, each Value>
    ) throws -> [String] {
        var names: [String] = []
        for key in repeat each keys { names.append(key.name) }
        for aggregate in repeat each aggregates { names.append(aggregate.name) }
        var known: Set<String> = []
        for name in names where !known.insert(asciiLowercased(name)).inserted {
            throw PersistenceError(
                .invalidCriteria, "two columns of the groups are called \(name): give one another name by .named(…)",
                model: table.mapping.modelName)
        }
        return names
    }

    func decode<Result: Decodable>(
        _ type: Result.Type, _ rows: [[SQLiteValue]], _ names: [String], _ dates: DateStorage
    ) throws -> [Result] {
        let columns = ColumnNames(names: names)
        let operands = selection.keys + selection.aggregates.map { .aggregate($0) }
        let forms = operands.map { $0.column?.column.codec.dateForm }
        return try rows.map { row in
            var values = row
            for (index, form) in forms.enumerated() {
                if let form, form != dates, !row[index].isNull {
                    values[index] = try dates.value(for: form.date(from: row[index]))
                } else if case .aggregate(let aggregate) = operands[index], aggregate.options.isExact {
                    values[index] = try table.mapping.exact(aggregate, row[index])
                }
            }
            return try RowSnapshot(columns: columns, values: values).decode(type, dates: dates)
        }
    }
}
