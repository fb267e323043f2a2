/// The values of another query's rows, to compare with in a condition.
///
/// ```swift
/// let sold = Invoice.where(\.year == 2026).values(\.trackID)
/// let unsold = try manager.fetchAll(Track.where(!.in(\.id, sold)))
/// let track = Track.row
/// let expensive = try manager.fetchAll(
///     Track.where(track.price > .computed(.average(\.price), of: Track.rows)))
/// ```
///
/// In SQL, it is a subquery, which runs once and not for each row. A condition with a subquery can't be evaluated in
/// memory, where it throws.
public struct Subquery<Value>: Sendable {
    let term: SubqueryTerm
}

extension Query {
    /// The values of a property in the query's rows, for a condition such as `.in(\.id, query.values(\.trackID))`.
    ///
    /// - Parameter keyPath: The property. A NULL among its values equals nothing.
    public func values<Value: SQLiteValueConvertible>(
        _ keyPath: KeyPath<Model, Value>
    ) -> Subquery<Value.NonOptional> {
        Subquery(term: subqueryTerm(ModelExpression(keyPath).content))
    }

    /// The rows of this query and those of another, each row once, in this query's order.
    ///
    /// ```swift
    /// let shown = Track.where(\.isLoved).union(
    ///     Track.sorted(by: .descending(\.playCount)).limit(10))
    /// ```
    ///
    /// - Parameter other: The other query. If it has a limit or an offset, its rows are identified by their primary
    ///   key: for a class without a primary key, it throws when the query is used. Both are of the present, or of the
    ///   same time; otherwise it throws ``PersistenceError/Code/past``. Both are of one class, and not of one and its
    ///   subclass; otherwise it throws ``PersistenceError/Code/invalidCriteria``.
    public func union(_ other: Query) -> Query {
        func rows(_ query: Query) -> CriteriaNode {
            if query.past != past { return .invalid(.innerPast(of: modelType)) }
            if query.modelType != modelType { return .invalid(.otherClass(query.modelType, than: modelType)) }
            return query.isPartial ? .isRow(query.ofNow.subqueryTerm(nil)) : query.node ?? .and([])
        }
        return with { union in
            union.tree = CriteriaTree(.or([rows(self), rows(other)]))
            (union.limit, union.offset) = (nil, nil)
        }
    }

    func subqueryTerm(_ value: Result<CriteriaTerm, PersistenceError>?) -> SubqueryTerm {
        SubqueryTerm(
            modelType: modelType, node: node, ordering: terms, limit: limit, offset: offset, past: past, value: value)
    }
}

extension Criteria where Model: PersistingModel {
    /// The rows whose property has one of the values of another query.
    ///
    /// - Parameters:
    ///   - keyPath: The property. A row in which it is NULL doesn't match.
    ///   - values: The values, such as `Invoice.where(\.year == 2026).values(\.customerID)`.
    public static func `in`<Value: SQLiteValueConvertible>(
        _ keyPath: KeyPath<Model, Value>, _ values: Subquery<Value.NonOptional>
    ) -> Criteria {
        ModelExpression(keyPath).isIn(values)
    }

    /// Every row if another query has any rows; otherwise none.
    ///
    /// - Parameter query: The other query.
    public static func exists<Other: PersistingModel>(_ query: Query<Other>) -> Criteria {
        Criteria(.queryHasRow(query.subqueryTerm(nil), []))
    }

    /// The rows for which another query has a row whose property equals a property of this row. If there is a relation
    /// to the other class, its `contains` is shorter.
    ///
    /// ```swift
    /// let late = Order.where(\.isLate)
    /// let waiting = try manager.fetchAll(
    ///     Customer.where(.exists(late, where: \.customerID, equals: \.id)))
    /// ```
    ///
    /// - Parameters:
    ///   - query: The other query. Its limit and offset apply to all its rows, before they are compared.
    ///   - inner: The property of the other class.
    ///   - outer: The property of this class, by whose collation the two are compared. NULL equals nothing.
    public static func exists<Other: PersistingModel, Value: SQLiteValueConvertible, Key: SQLiteValueConvertible>(
        _ query: Query<Other>, where inner: KeyPath<Other, Value>, equals outer: KeyPath<Model, Key>
    ) -> Criteria where Value.NonOptional == Key.NonOptional {
        Criteria(catching: {
            let pair = (
                inner: try ModelExpression(inner).content.get(), outer: try ModelExpression(outer).content.get()
            )
            return .queryHasRow(query.subqueryTerm(nil), [pair])
        })
    }
}

extension ModelExpression {
    /// The value of another query's first row; NULL if the query has no rows.
    ///
    /// - Parameter values: The values, such as `Price.sorted(by: \.date, .descending).values(\.amount)`.
    public static func first<Value>(of values: Subquery<Value>) -> ModelExpression {
        ModelExpression(.subquery(values.term))
    }

    /// The rows for which this expression equals one of another query's values.
    ///
    /// - Parameter values: The values.
    public func isIn<Value>(_ values: Subquery<Value>) -> Criteria<Model> {
        condition { .isInQuery($0, values.term) }
    }
}

extension PersistenceError {
    fileprivate static func innerPast(of type: PersistingModel.Type) -> PersistenceError {
        PersistenceError(
            .past,
            "a query inside of another can't have a time of its own: use asOf of the whole query, which is of that time "
                + "with all that is in it, or fetch the values of the past first",
            model: ModelDescription.name(of: type))
    }

    fileprivate static func otherClass(
        _ other: PersistingModel.Type, than type: PersistingModel.Type
    ) -> PersistenceError {
        let (name, otherName) = (ModelDescription.name(of: type), ModelDescription.name(of: other))
        return PersistenceError(
            .invalidCriteria,
            "a union is of queries of one class, and these are of \(name) and \(otherName): make both with the same "
                + "class", model: name)
    }
}

/// A query inside of a ``Condition``, made ready for its class.
struct ResolvedQuery: Sendable {
    let term: SubqueryTerm
    let mapping: Mapping
    let condition: Condition?
    let value: Operand?

    /// The same with its value in another form.
    func with(_ value: Operand?) -> ResolvedQuery {
        ResolvedQuery(term: term, mapping: mapping, condition: condition, value: value)
    }
}

extension CriteriaResolver {
    func subquery(_ term: SubqueryTerm) throws -> ResolvedQuery {
        let target = resolver(of: try Mapping.of(term.modelType, dates: mapping.dates))
        if term.past != nil { throw PersistenceError.innerPast(of: term.modelType) }
        let value = try term.value.map { value in
            let value = try value.get()
            var values = target
            // All rows are one group without a key.
            if case .aggregate = value { values.subject = .groups(GroupKeys()) }
            return try values.operand(value, .none)
        }
        try target.mapping.checkLimit(term.limit, offset: term.offset)
        return ResolvedQuery(
            term: term, mapping: target.mapping, condition: try term.node.map(target.condition), value: value)
    }

    func isIn(_ term: CriteriaTerm, _ query: SubqueryTerm) throws -> Condition {
        let (query, operand) = (try subquery(query), try operand(term, .none))
        if let kind = operand.kind, let other = query.value?.kind, kind != other {
            throw criteriaError(
                "a \(kind) can't be among the query's values, which are of kind \(other)", key: term.key)
        }
        if let value = query.value { try checkForms(operand, value) }
        return .isInQuery(operand, query, operand.column?.collation ?? .binary)
    }

    func hasRow(
        _ query: SubqueryTerm, _ pairs: [(inner: CriteriaTerm, outer: CriteriaTerm)]
    ) throws -> Condition {
        let query = try subquery(query)
        let target = resolver(of: query.mapping)
        return .queryHasRow(
            query,
            try pairs.map { pair in
                guard case .column(let inner) = try target.operand(pair.inner, .none),
                    case .column(let outer) = try operand(pair.outer, .none), inner.kind == outer.kind,
                    inner.mask == nil, outer.mask == nil
                else {
                    throw criteriaError(
                        "the properties by which the rows are found must be columns of one kind", key: pair.outer.key)
                }
                try checkForms(.column(outer), .column(inner))
                return (inner, outer)
            })
    }
}

extension CriteriaSQL {
    /// Adds `(SELECT … FROM … WHERE …)`: the query's values, or the one that is computed.
    mutating func append(valueOf query: ResolvedQuery) throws {
        let rows = query.term.isPartial && query.isAggregate
        try append(
            subqueryOf: query.mapping, isCorrelated: false,
            { sql in
                if let value = query.value { try sql.append(value) } else { sql.append("1") }
            },
            // Of some rows alone, these are told by their key.
            where: rows ? [{ try $0.append(isRowOf: query) }] : query.conditions,
            end: query.isAggregate ? nil : query.end)
    }

    mutating func append(_ operand: Operand, inQuery query: ResolvedQuery, _ collation: Collation) throws {
        try append(operand)
        append(collation, unless: operand.plainColumn)
        append(" IN ")
        try append(valueOf: query)
    }

    mutating func append(
        rowOf query: ResolvedQuery, _ pairs: [(inner: ColumnOperand, outer: ColumnOperand)]
    ) throws {
        let (name, outside) = (scope, forms)
        let joins = pairs.map { pair -> Writing in
            { sql in
                let (inner, outer) = (pair.inner.qualified(by: sql.scope), pair.outer.qualified(by: name))
                sql.append("\(try sql.forms.value(inner)) = \(try outside.value(outer))")
                let isOwn = [inner.ownCollation, outer.ownCollation].allSatisfy { $0 == outer.collation }
                if !isOwn { sql.append(" COLLATE \(SQLText.identifier(outer.collation.rawValue))") }
            }
        }
        for pair in pairs { noteJSON(pair.outer) }
        append("EXISTS ")
        let conditions = query.term.isPartial ? [{ try $0.append(isRowOf: query) }] : query.conditions
        try append(
            subqueryOf: query.mapping, { $0.append("1") }, where: joins + conditions)
    }

    /// Adds the condition that a row is one of a query's.
    mutating func append(isRowOf query: ResolvedQuery) throws {
        let target = try forms.related(query.mapping).mapping
        let keys = target.key.map { target.sql.columns[$0] }.joined(separator: ", ")
        guard !keys.isEmpty else {
            throw PersistenceError(
                .invalidCriteria, "rows of a query with a limit are found by the primary key, but the class has none",
                model: target.modelName)
        }
        append(target.key.count == 1 ? "\(keys) IN " : "(\(keys)) IN ")
        try append(
            subqueryOf: query.mapping, isCorrelated: false, { $0.append(keys) }, where: query.conditions, end: query.end
        )
    }
}

extension ResolvedQuery {
    fileprivate var isAggregate: Bool {
        switch value {
        case .aggregate?, .real(.aggregate)?, .integer(.aggregate)?: true
        default: false
        }
    }

    fileprivate var conditions: [CriteriaSQL.Writing] {
        condition.map { condition in [{ try $0.append(condition) }] } ?? []
    }

    /// The order and the limit.
    fileprivate var end: CriteriaSQL.Writing {
        { sql in
            if term.isPartial || value != nil { try sql.appendOrder(term.ordering, of: term.node) }
            try sql.appendLimit(term.limit, offset: term.offset)
        }
    }
}
