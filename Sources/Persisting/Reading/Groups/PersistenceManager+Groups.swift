/// Aggregates of a query's groups of rows.
extension PersistenceManager {
    /// Aggregates of each group of a query's rows: of those for which the keys are equal.
    ///
    /// ```swift
    /// let total = Aggregate.sum(\Invoice.price * \Invoice.quantity)
    /// for (country, customer, invoices, sum) in try manager.groups(
    ///     Invoice.where(\.isPaid == true), by: .key(\.country), .key(\.customerID),
    ///     computing: .count, total,
    ///     having: total > 100, sortedBy: .descending(total), limit: 10)
    /// { … }
    /// ```
    ///
    /// It is one SELECT with GROUP BY. See [Aggregate Queries](https://www.sqlite.org/lang_select.html#resultset).
    ///
    /// - Parameters:
    ///   - query: The rows; of a query with a limit, that many in its order.
    ///   - keys: What makes the groups.
    ///   - aggregates: What is computed of each group, in one pass.
    ///   - condition: Which groups to take: comparisons of aggregates and of keys; nil is all.
    ///   - ordering: The groups' order, by aggregates and keys; nil is the order of the keys, NULL first.
    ///   - limit: The greatest number of groups; nil is no limit.
    ///   - offset: How many of the first groups to leave out; nil is none.
    /// - Returns: A tuple for each group: the values of the keys, then those of the aggregates.
    /// - Throws: ``PersistenceError``: ``PersistenceError/Code/overflow`` where a sum is beyond its type, or a mistake
    ///   in what is asked for.
    public func groups<Model: PersistingModel, each Key, each Value>(
        _ query: Query<Model>, by keys: repeat GroupKey<Model, each Key>,
        computing aggregates: repeat Aggregate<Model, each Value>, having condition: Criteria<Model>? = nil,
        sortedBy ordering: Ordering<Model>? = nil, limit: Int? = nil, offset: Int? = nil
    ) throws -> [(repeat each Key, repeat each Value)] {
        let groups = try GroupedRows(
            table(of: query.modelType), query, keys: terms(repeat each keys), aggregates: terms(repeat each aggregates),
            condition, ordering, limit, offset)
        return try groups.read(
            rows(groups), keys: repeat each keys, aggregates: repeat each aggregates)
    }

    /// The same, while the task is suspended.
    public func groups<Model: PersistingModel, each Key, each Value>(
        _ query: Query<Model>, by keys: repeat GroupKey<Model, each Key>,
        computing aggregates: repeat Aggregate<Model, each Value>, having condition: Criteria<Model>? = nil,
        sortedBy ordering: Ordering<Model>? = nil, limit: Int? = nil, offset: Int? = nil
    ) async throws -> [(repeat each Key, repeat each Value)] {
        try await discoverKey(of: query.modelType)
        let groups = try GroupedRows(
            table(of: query.modelType), query, keys: terms(repeat each keys), aggregates: terms(repeat each aggregates),
            condition, ordering, limit, offset)
        return try groups.read(
            await rows(groups), keys: repeat each keys, aggregates: repeat each aggregates)
    }

    /// Aggregates of all rows of a query, in one pass.
    ///
    /// ```swift
    /// let (count, revenue, last) = try manager.compute(
    ///     Invoice.rows, .count, .sum(\.total), .max(\.date))
    /// ```
    ///
    /// - Parameters:
    ///   - query: The rows; of a query with a limit, that many in its order.
    ///   - aggregates: What is computed.
    /// - Returns: A tuple of the values; of one aggregate, its value.
    /// - Throws: ``PersistenceError``: ``PersistenceError/Code/overflow`` where a sum is beyond its type, or a mistake
    ///   in what is asked for.
    public func compute<Model: PersistingModel, each Value>(
        _ query: Query<Model>, _ aggregates: repeat Aggregate<Model, each Value>
    ) throws -> (repeat each Value) {
        let groups = try GroupedRows(
            table(of: query.modelType), query, keys: [], aggregates: terms(repeat each aggregates))
        return try groups.read(rows(groups).first, aggregates: repeat each aggregates)
    }

    /// The same, while the task is suspended.
    public func compute<Model: PersistingModel, each Value>(
        _ query: Query<Model>, _ aggregates: repeat Aggregate<Model, each Value>
    ) async throws -> (repeat each Value) {
        try await discoverKey(of: query.modelType)
        let groups = try GroupedRows(
            table(of: query.modelType), query, keys: [], aggregates: terms(repeat each aggregates))
        return try groups.read(await rows(groups).first, aggregates: repeat each aggregates)
    }
}
