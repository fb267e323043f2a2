/// A value that is computed from many rows: those of each group, or all rows of a query.
///
/// ```swift
/// let revenue = Aggregate.sum(\Invoice.total)
/// for (country, invoices, sum) in try manager.groups(
///     Invoice.self, by: .key(\.country), computing: .count, revenue,
///     having: revenue > 100,
///     sortedBy: .descending(revenue))
/// { … }
/// let (count, last) = try manager.compute(Invoice.self, .count, .max(\.date))
/// ```
///
/// NULL counts for nothing, except for ``count``. See [Built-in Aggregate
/// Functions](https://www.sqlite.org/lang_aggfunc.html).
///
/// An aggregate stands in `groups(_:by:computing:having:sortedBy:limit:offset:)` and in
/// `compute(_:_:)`. In the condition or the ordering of a query it throws
/// ``PersistenceError/Code/invalidCriteria``, as does any mistake in it, when it is used.
public struct Aggregate<Model: PersistingModel, Value: SQLiteValueConvertible>: Sendable {
    private let function: AggregateTerm.Function
    private let operand: ModelExpression<Model>?
    private let options: AggregateOptions
    private var filter: Criteria<Model>?
    /// What a column of it is called.
    private(set) var name: String

    /// - Parameter operand: What it is computed of; nil is the rows themselves.
    init(
        _ function: AggregateTerm.Function, _ operand: ModelExpression<Model>?,
        _ options: AggregateOptions = AggregateOptions(), name: String
    ) {
        self.function = function
        self.operand = operand
        self.options = options
        self.name = name
    }

    /// The same, computed from those rows of a group that also match a condition: `.count.where(\.isPaid == true)`.
    /// Others stay in the group, and count for the other aggregates.
    ///
    /// - Parameter criteria: The condition.
    public func `where`(_ criteria: Criteria<Model>) -> Aggregate {
        var aggregate = self
        aggregate.filter = filter.map { Criteria($0.tree.joined(.and, with: criteria.tree)) } ?? criteria
        return aggregate
    }

    /// The same with another name, by which a `Decodable` type finds it.
    ///
    /// - Parameter name: The name, which is found without regard to the case of ASCII letters.
    public func named(_ name: String) -> Aggregate {
        var aggregate = self
        aggregate.name = name
        return aggregate
    }

    /// The value in calculations with others: `revenue.expression / customers.expression > 50`.
    public var expression: ModelExpression<Model> {
        ModelExpression(operand.map { [$0] } ?? []) {
            .aggregate(AggregateTerm(function: function, term: $0.first, options: options, filter: filter?.node))
        }
    }
}

extension ModelExpression {
    /// What is computed of another query's rows: `.computed(.average(\.price), of: Track.rows)`.
    ///
    /// - Parameters:
    ///   - aggregate: Any aggregate of the other class: ``Aggregate/count``, a sum with a condition of its own, …. It
    ///     is NULL where that of no values is nil.
    ///   - query: The query. With a limit or an offset, those rows count that a fetch would return.
    public static func computed<Other: PersistingModel, Value>(
        _ aggregate: Aggregate<Other, Value>, of query: Query<Other>
    ) -> ModelExpression {
        ModelExpression(.subquery(query.subqueryTerm(aggregate.expression.content)))
    }
}

extension Aggregate: ComparedValue {
    /// The groups whose value compares so with another. For the library's use.
    public func compared(_ comparison: ValueComparison, with value: Value?) -> Criteria<Model> {
        expression.compared(comparison.comparison, with: ModelExpression(value: value))
    }
}

extension Ordering {
    /// From the least to the greatest value of an aggregate: the order of groups.
    ///
    /// - Parameters:
    ///   - aggregate: The aggregate.
    ///   - nils: Where groups without a value come; nil is before any value.
    public static func ascending<Value>(_ aggregate: Aggregate<Model, Value>, nils: NilPlacement? = nil) -> Ordering {
        term(aggregate.expression, .ascending, nils)
    }

    /// From the greatest to the least value of an aggregate: the order of groups.
    ///
    /// - Parameters:
    ///   - aggregate: The aggregate.
    ///   - nils: Where groups without a value come; nil is after all values.
    public static func descending<Value>(_ aggregate: Aggregate<Model, Value>, nils: NilPlacement? = nil) -> Ordering {
        term(aggregate.expression, .descending, nils)
    }

    /// From the least to the greatest value of a key: the order of groups.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - nils: Where the group of NULL comes; nil is before any value.
    public static func ascending<Value>(_ key: GroupKey<Model, Value>, nils: NilPlacement? = nil) -> Ordering {
        term(key.expression, .ascending, nils)
    }

    /// From the greatest to the least value of a key: the order of groups.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - nils: Where the group of NULL comes; nil is after all values.
    public static func descending<Value>(_ key: GroupKey<Model, Value>, nils: NilPlacement? = nil) -> Ordering {
        term(key.expression, .descending, nils)
    }

    private static func term(
        _ expression: ModelExpression<Model>, _ direction: SortDirection, _ nils: NilPlacement?
    ) -> Ordering {
        switch expression.content {
        case .success(let term):
            Ordering(terms: [.column(.init(term.key ?? "the aggregate", direction, .stored, nils, related: term))])
        case .failure(let error): Ordering(terms: [.invalid(error)])
        }
    }
}
