public import Foundation

/// A query for rows of a class: a condition, an order, a limit and an offset, all optional.
///
/// ```swift
/// let query = User.where(\.luckyNumber > 7).sorted(by: \.lastName).limit(20)
/// let users = try manager.fetchAll(query)
/// let count = try manager.count(query)
/// ```
///
/// A query is a value: each of its methods returns another query, and nothing runs until you pass it to a manager. You
/// can send it to other tasks. A mistake in it, such as an unknown key or a negative limit, throws when the query is
/// used.
public struct Query<Model: PersistingModel>: Sendable {
    // The class, which may be a subclass of Model.
    let modelType: PersistingModel.Type
    // Its type doesn't depend on Model, because that would cost each unspecialized function a look-up.
    var tree: CriteriaTree?
    private(set) var terms: [OrderingTerm] = []
    var limit: Int?
    var offset: Int?
    /// The moment that the rows are read at; nil for the present.
    var past: HistoryMoment?
    private var related: Related?

    /// What the query says about relations; usually nothing.
    private final class Related: Sendable {
        let loads: [RelatedLoad]
        let loading: RelationLoading?

        init(_ loads: [RelatedLoad], _ loading: RelationLoading?) {
            self.loads = loads
            self.loading = loading
        }
    }

    /// The relations that are loaded with the objects.
    var loads: [RelatedLoad] { related?.loads ?? [] }

    /// The same rows, without loading relations in advance.
    var withoutLoads: Query { with { $0.related = Related([], related?.loading) } }

    var node: CriteriaNode? { tree?.node }

    /// All rows of a class.
    ///
    /// - Parameter type: The class.
    public init(_ type: Model.Type) {
        modelType = type
    }

    init(
        _ type: Model.Type, where criteria: Criteria<Model>?, sortedBy ordering: Ordering<Model>? = nil,
        limit: Int? = nil, offset: Int? = nil
    ) {
        modelType = type
        tree = criteria?.tree
        if let ordering { terms = ordering.terms }
        self.limit = limit
        self.offset = offset
    }

    /// The rows that a relation's refinement selects.
    init(_ type: Model.Type, _ refinement: RelationDeclaration.Refinement) {
        modelType = type
        tree = refinement.tree
        terms = refinement.terms
        limit = refinement.limit
        offset = refinement.offset
        if !refinement.loads.isEmpty { related = Related(refinement.loads, nil) }
    }

    /// The rows that match both the query's condition and this one.
    ///
    /// - Parameter criteria: The condition to add.
    public func `where`(_ criteria: Criteria<Model>) -> Query {
        with { $0.tree = tree.map { $0.joined(.and, with: criteria.tree) } ?? criteria.tree }
    }

    /// The rows of the query in which a `Bool` property is true: `query.where(\.isLoved)`.
    ///
    /// - Parameter keyPath: The property.
    public func `where`(_ keyPath: KeyPath<Model, Bool>) -> Query { `where`(keyPath == true) }

    /// The rows of the query that match a predicate of Foundation: `query.where(#Predicate { $0.age > 7 })`.
    ///
    /// - Parameter predicate: The predicate. If it uses an unsupported expression, using the query throws.
    public func `where`(_ predicate: Predicate<Model>) -> Query { `where`(.predicate(predicate)) }

    /// The rows in a new order, which replaces the earlier one.
    ///
    /// - Parameter ordering: The order.
    public func sorted(by ordering: Ordering<Model>) -> Query {
        with { $0.terms = ordering.terms }
    }

    /// The rows ordered by a property. This replaces the earlier order.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - direction: Ascending by default.
    public func sorted<Value>(
        by keyPath: KeyPath<Model, Value>, _ direction: SortDirection = .ascending
    ) -> Query {
        sorted(by: direction == .ascending ? .ascending(keyPath) : .descending(keyPath))
    }

    /// At most this many rows.
    ///
    /// - Parameter count: The number of rows. Nil means no limit, and 0 no rows; a negative number throws when the
    ///   query is used.
    public func limit(_ count: Int?) -> Query {
        with { $0.limit = count }
    }

    /// The rows without the first ones.
    ///
    /// - Parameter count: The number of rows to skip. Nil skips none; a negative number throws when the query is used.
    public func offset(_ count: Int?) -> Query {
        with { $0.offset = count }
    }

    /// The rows with their related objects, which are loaded with one query for each relation, from the same snapshot.
    ///
    /// ```swift
    /// let shows = try manager.fetchAll(
    ///     Show.with(Show.episodes.sorted(by: \.title).with(Episode.tags)))
    /// for show in shows {
    ///     print(show.title, try show.related(Show.episodes.sorted(by: \.title)).count)
    /// }
    /// ```
    ///
    /// Methods that count or write rows don't load relations. A stream loads them for each of its batches.
    ///
    /// - Parameter relations: Relations of the class or a superclass, and values computed from them. To get the objects
    ///   of a relation with a condition, an order or a limit, pass the same relation to `related(_:)`. A relation of
    ///   another class throws when the query is used.
    public func with(_ relations: any Loadable...) -> Query {
        with { $0.related = Related(loads + relations.map(\.load), related?.loading) }
    }

    /// The rows, whose objects load relations in this way if they weren't loaded in advance.
    ///
    /// - Parameter loading: How to load them. Nil means what ``PersistenceManager/relationLoading`` says.
    public func relations(_ loading: RelationLoading?) -> Query {
        with { $0.related = Related(loads, loading) }
    }

    /// At most `count` of the query's rows.
    func atMost(_ count: Int) -> Query {
        limit(Swift.min(limit ?? count, count))
    }

    func with(_ change: (inout Query) -> Void) -> Query {
        var query = self
        change(&query)
        return query
    }
}

/// The SQL of queries.
extension Query {
    /// Whether the query is for only a part of the rows that match its condition.
    var isPartial: Bool { limit != nil || offset != nil }

    /// How the objects of the rows are fetched together.
    ///
    /// - Throws: ``PersistenceError/Code/invalidRelation``.
    func traits(_ mapping: Mapping) throws -> FetchTraits {
        guard try mapping.mayBeRelated else { return FetchTraits() }
        return FetchTraits(
            isTogether: true, isWholeTable: !isPartial && node?.isEveryRow ?? true, loading: related?.loading)
    }

    /// A SELECT of the query's rows, in its order.
    ///
    /// - Parameters:
    ///   - select: The text up to the table's name.
    ///   - forms: What is known of the table's values.
    func sql(
        _ select: String, _ mapping: Mapping, _ forms: StoredForms = .declared, isOrdered: Bool = true
    ) throws -> CriteriaSQL {
        try sql(mapping, forms, isOrdered: isOrdered) { $0.append(select) }
    }

    /// A SELECT of the query's rows, in its order. A function writes the text up to the table's name.
    func sql(
        _ mapping: Mapping, _ forms: StoredForms, isOrdered: Bool = true, _ select: (inout CriteriaSQL) throws -> Void
    ) throws -> CriteriaSQL {
        var sql = CriteriaSQL(mapping, forms)
        try select(&sql)
        try append(to: &sql, isOrdered: isOrdered)
        return sql
    }

    /// Adds ` FROM (SELECT * …) AS T`: only the query's part of the rows, as if the table had no others.
    func appendPart(to sql: inout CriteriaSQL) throws {
        let mapping = sql.mapping
        // Of what is selected, SQLite reads what is used. `*` is without the rows' identifiers.
        let rowID = mapping.rowID.map { ", " + mapping.sql.columns[$0] } ?? ""
        sql.append(" FROM (SELECT *\(rowID) FROM \(mapping.sql.table)")
        try append(to: &sql)
        sql.append(") AS \(mapping.sql.name)")
    }

    /// `SELECT count(*)` of the query's rows.
    func countSQL(_ mapping: Mapping, _ forms: StoredForms = .declared) throws -> CriteriaSQL {
        let table = mapping.sql.table
        guard isPartial else { return try sql("SELECT count(*) FROM \(table)", mapping, forms, isOrdered: false) }
        var sql = try sql("SELECT count(*) FROM (SELECT 1 FROM \(table)", mapping, forms)
        sql.append(")")
        return sql
    }

    /// Adds the condition of a write, which must have one.
    ///
    /// - Parameter columns: What a row is identified by.
    /// - Throws: ``PersistenceError/Code/missingCondition``.
    func appendCondition(to sql: inout CriteriaSQL, identifiedBy columns: [String], _ verb: String) throws {
        let mapping = sql.mapping
        guard past == nil else {
            throw PersistenceError(.past, "the past can't be written", model: mapping.modelName)
        }
        guard let node, !node.mayTakeEveryRow() else {
            throw PersistenceError(
                .missingCondition,
                "\(verb) needs a condition: use \(verb)All for all rows of \(mapping.modelName)",
                model: mapping.modelName)
        }
        guard isPartial else {
            try sql.appendWhere(node)
            return
        }
        let identifiers = columns.joined(separator: ", ")
        let selected = qualified(columns, mapping).joined(separator: ", ")
        sql.append(" WHERE (\(identifiers)) IN (SELECT \(selected) FROM \(mapping.sql.table)")
        try append(to: &sql)
        sql.append(")")
    }

    /// Columns as the query's SELECT names them: `_rowid_` alone is none where the table is joined with an index.
    func qualified(_ columns: [String], _ mapping: Mapping) -> [String] {
        terms.ranked == nil ? columns : columns.map { "\(mapping.sql.name).\($0)" }
    }

    /// Adds the condition, the order and the limit.
    ///
    /// - Throws: ``PersistenceError/Code/past`` for a query of the past, which few verbs take.
    func append(to sql: inout CriteriaSQL, isOrdered: Bool = true) throws {
        guard past == nil else {
            throw PersistenceError(
                .past, "a query of the past can be fetched, counted, grouped and selected: copy the rows to do more",
                model: sql.mapping.modelName)
        }
        let rest = if isOrdered, let ranked = terms.ranked { try sql.appendJoin(ranked, node) } else { node }
        try sql.appendWhere(rest)
        if isOrdered { try sql.appendOrder(terms, of: node) }
        try sql.appendLimit(limit, offset: offset)
    }
}
