internal import Foundation

/// Pages by key: what comes after or before an object, found by its values and not by counting rows.
///
/// However far a page is, it costs what the first one does where an index has the order; and rows that are inserted or
/// deleted between two pages neither repeat an object nor skip one.
extension PersistenceManager {
    /// The objects that come after one in a query's order, or before one, as many as a page has.
    ///
    /// ```swift
    /// let first = try manager.fetchPage(User.sorted(by: \.lastName), limit: 50)
    /// let second = try manager.fetchPage(
    ///     User.sorted(by: \.lastName), after: first.last, limit: 50)
    /// // the first page
    /// let again = try manager.fetchPage(
    ///     User.sorted(by: \.lastName), before: second.first, limit: 50)
    /// ```
    ///
    /// Objects that the order leaves equal are ordered by their primary key. The object's values are those that its row
    /// had when it was last read or written, and the row may be gone or changed. A related or calculated value, or one
    /// inside of JSON, is that of the row now; in a query of the past, that of the row at its time.
    ///
    /// - Parameters:
    ///   - query: Which rows, without a limit and an offset. Without an order it is that of the primary key.
    ///   - last: The last object of the page before; nil for the first page.
    ///   - first: The first object of the page after: the objects are those nearest to it, in the query's order. Nil is
    ///     no end. With both, the objects between are counted from `last`.
    ///   - limit: How many objects at most.
    /// - Returns: The objects; fewer than `limit`, or none, at the end.
    /// - Throws: ``PersistenceError/Code/noPrimaryKey`` for a class without one,
    ///   ``PersistenceError/Code/invalidOrdering`` for an order by SQL, a deferred property or bits of one whose NULL
    ///   is its default, which an object doesn't tell, and for an object whose value wasn't read,
    ///   ``PersistenceError/Code/notPersisted`` for an object that has been in no table,
    ///   ``PersistenceError/Code/notFound`` for one whose row is gone, where the order is by a related or calculated
    ///   value or one inside of JSON, or that a search whose rank is the order doesn't find any more,
    ///   ``PersistenceError/Code/invalidRange``.
    public func fetchPage<Model: PersistingModel>(
        _ query: Query<Model>, after last: Model? = nil, before first: Model? = nil, limit: Int
    ) throws -> [Model] {
        try page(query, after: last, before: first, limit).objects(self)
    }

    /// The same, while the task is suspended.
    public func fetchPage<Model: PersistingModel>(
        _ query: Query<Model>, after last: Model? = nil, before first: Model? = nil, limit: Int
    ) async throws -> sending [Model] {
        try await discoverKey(of: query.modelType)
        let page = try page(query, after: last, before: first, limit)
        return try await onReadingSide(of: query.modelType) { manager in try page.objects(manager) }
    }
}

/// The same methods of a query. They use the manager that ``ActiveRecord`` describes.
extension Query {
    /// The objects that come after one in the query's order, or before one. See
    /// `PersistenceManager.fetchPage(_:after:before:limit:)`.
    ///
    /// - Parameters:
    ///   - last: The last object of the page before; nil starts at the first.
    ///   - first: The first object of the page after; nil is no end.
    ///   - limit: The number of objects in a page.
    /// - Throws: What the manager's method throws.
    public func page(after last: Model? = nil, before first: Model? = nil, limit: Int) throws -> [Model] {
        try PersistenceManager.current(for: modelType).fetchPage(
            self, after: last, before: first, limit: limit)
    }

    /// The same, while the task is suspended.
    public func page(after last: Model? = nil, before first: Model? = nil, limit: Int) async throws -> sending [Model] {
        try await PersistenceManager.current(for: modelType).fetchPage(
            self, after: last, before: first, limit: limit)
    }
}

extension PersistenceManager {
    private func page<Model: PersistingModel>(
        _ query: Query<Model>, after last: Model?, before first: Model?, _ limit: Int
    ) throws -> Page<Model> {
        let table = try table(of: query.modelType)
        guard !query.isPartial else {
            throw PersistenceError(
                .invalidRange, "fetchPage has its own limit: remove the query's limit and offset",
                model: table.mapping.modelName)
        }
        let order = try PageOrder(query.terms, of: query.node, table.mapping)
        let isBackward = last == nil && first != nil
        let terms = isBackward ? order.reversed.terms : order.terms
        let ordered = query.sorted(by: Ordering(terms: terms.map(\.term))).limit(limit)
        var ends: [(order: PageOrder, place: PageOrder.Place)] = []
        if let last { ends.append((order, try order.place(of: last))) }
        if let first { ends.append((order.reversed, try order.place(of: first))) }
        return Page(
            table: table, query: ordered, ends: ends, isBackward: isBackward,
            rows: table.mapping.rowID == nil ? [] : [last, first].compactMap { $0?.trackedRow })
    }
}

/// A page on its way to the database's side.
private struct Page<Model: PersistingModel>: Sendable {
    let table: ModelTable
    let query: Query<Model>
    /// The objects that it is between: each with the order in which the page's rows come after it.
    let ends: [(order: PageOrder, place: PageOrder.Place)]
    /// Whether the rows nearest to the end come first.
    let isBackward: Bool
    /// What was read of those objects, of a class that is kept by its rows' identifiers.
    let rows: [TrackedRow]

    func objects(_ manager: PersistenceManager) throws -> [Model] {
        if ends.isEmpty { return try manager.fetchAll(query) }
        let objects = try table.mapping.naming {
            try manager.engine.read { db in
                try table.check(db)
                for row in rows { try KnownRow(table, row).checkIsSameRow(db) }
                // The row of the same time tells what the object doesn't.
                return try manager.reading(table, asOf: query.past) { db in
                    let forms = try table.forms(db, query.node)
                    let query = try ends.reduce(query) { query, end in
                        let values = try end.order.values(at: end.place, forms, db)
                        return query.where(Criteria(try end.order.condition(after: values, forms)))
                    }
                    return try manager.fetchAll(query)
                }
            }
        }
        return isBackward ? objects.reversed() : objects
    }
}

/// An order in which no two rows are equal.
private struct PageOrder: Sendable {
    struct Term: Sendable {
        /// What is ordered by: a column, or the bits of it that are asked for, or a value that only the row leads to.
        enum Content: Sendable {
            case column(ColumnOperand)
            case other(Operand)
            /// How well the row fits what is searched for.
            case rank(FullTextDeclaration)
        }

        var column: OrderingTerm.Column
        let content: Content
        let mayBeNull: Bool

        var term: OrderingTerm {
            if case .rank(let declaration) = content { .rank(declaration, column.direction) } else { .column(column) }
        }
        /// What SQLite orders by.
        func sql(_ mapping: Mapping, _ forms: StoredForms) throws -> CriteriaSQL {
            var sql = CriteriaSQL(mapping, forms)
            switch content {
            case .column(let operand): sql.append(try column.compared(operand, forms))
            case .other(let operand): try sql.append(operand, comparedBy: column)
            case .rank(let declaration):
                sql.ranked = declaration
                try sql.append(rank: declaration, of: nil)
            }
            return sql
        }
        /// Adds what stands in a row for it.
        ///
        /// - Parameter node: The condition of the pages.
        func appendStored(to sql: inout CriteriaSQL, of node: CriteriaNode?) throws {
            switch content {
            case .column(let operand):
                sql.append(column.comparison == .stored ? try sql.forms.ordered(operand) : operand.sql)
            case .other(let operand): try sql.append(operand)
            case .rank(let declaration): try sql.append(rank: declaration, of: node)
            }
        }
        var isNullFirst: Bool { column.nils.map { $0 == .first } ?? (column.direction == .ascending) }
        /// Whether the rows after one with a value are those with a greater or less one alone.
        var endsWithValues: Bool { !mayBeNull || isNullFirst }
        var sign: String { column.direction == .ascending ? ">" : "<" }
    }

    /// Where an object's row was in the order when it was last read or written.
    struct Place: Sendable {
        let key: [SQLiteValue]
        /// For each term, as this class writes it; nil for what only the row leads to.
        let values: [SQLiteValue?]
    }

    let mapping: Mapping
    /// The condition of the pages.
    private let node: CriteriaNode?
    private(set) var terms: [Term] = []

    /// The order with the primary key after it.
    init(_ terms: [OrderingTerm], of node: CriteriaNode?, _ mapping: Mapping) throws {
        (self.mapping, self.node) = (mapping, node)
        try mapping.requireKey()
        for term in terms {
            switch term {
            case .column(let column): try append(column)
            case .sql(let sql): throw failure("the order \"\(sql.sql)\" is SQL, which an object doesn't tell", nil)
            case .rank(let declaration, let direction):
                guard terms.ranked?.isSame(as: declaration) == true, terms.ranked?.rank == declaration.rank else {
                    throw failure("the order is by two ranks", nil)
                }
                try add(Term(column: .init("rank", direction), content: .rank(declaration), mayBeNull: false))
            case .invalid(let error): throw error
            }
        }
        for index in mapping.key { try append(.init(mapping.columns[index].key, .ascending)) }
    }

    /// The order from the last row to the first.
    var reversed: PageOrder {
        var order = self
        for index in terms.indices {
            let column = terms[index].column
            order.terms[index].column = OrderingTerm.Column(
                column.key, column.direction == .ascending ? .descending : .ascending, column.comparison,
                column.nils.map { $0 == .first ? .last : .first }, related: column.related)
        }
        return order
    }

    private mutating func append(_ term: OrderingTerm.Column) throws {
        let value = try CriteriaResolver(mapping: mapping).operand(of: term)
        guard case .column(let operand) = value, operand.json == nil, operand.index != ColumnOperand.nowhere else {
            return try add(Term(column: term, content: .other(value), mayBeNull: true))
        }
        let field = mapping.fields[operand.index]
        guard !field.isDeferred else {
            throw failure("\(term.key) is deferred, so that an object may not have its value", term.key)
        }
        // Bits of NULL are not set, whatever those of the default are.
        guard operand.mask == nil || !field.keepsDefaultOnNull else {
            throw failure("\(term.key) is kept in a property declared .onNull(.default)", term.key)
        }
        try add(
            Term(
                column: term, content: .column(operand),
                mayBeNull: operand.mask == nil && (operand.column.isOptional || field.keepsDefaultOnNull)))
    }

    /// Adds a term; what is ordered already is not ordered again.
    private mutating func add(_ new: Term) throws {
        let sql = try new.sql(mapping, .declared)
        let isKnown = try terms.contains { term in
            let known = try term.sql(mapping, .declared)
            return known.text == sql.text && known.values == sql.values
        }
        if !isKnown { terms.append(new) }
    }

    private func failure(_ reason: String, _ key: String?) -> PersistenceError {
        PersistenceError(
            .invalidOrdering, "\(reason): a page is found by the values of its last object", model: mapping.modelName,
            key: key)
    }

    func place(of object: PersistingModel) throws -> Place {
        guard object.record.state != .new else { throw mapping.notPersisted(object, to: "continue from") }
        return Place(
            key: try mapping.key.map { try mapping.storedInRow(mapping.columns[$0].key, object) },
            values: try terms.map { term in
                guard case .column(let operand) = term.content else { return nil }
                let key = term.column.key
                guard mapping.wasRead(key, of: object) else {
                    throw failure(
                        "the object was read without \(key): read it as a whole, or refresh it, to continue from it",
                        key)
                }
                let stored = try mapping.storedInRow(key, object)
                // A value of the key is kept as it is stored, and so is JSON.
                let mayDiffer = mapping.fields[operand.index].isKey && operand.mask == nil || operand.isNormalized
                return mayDiffer && !stored.isNull ? try operand.column.codec.canonical(stored) : stored
            })
    }

    /// What the row at a place is ordered by. Another writer may have stored a value in another form than this class
    /// writes, such as a date as text: so what is stored counts where the object would have the same value of it.
    func values(at place: Place, _ forms: StoredForms, _ db: any EngineConnection) throws -> [SQLiteValue] {
        var sql = CriteriaSQL(mapping, forms)
        sql.append("SELECT ")
        for (position, term) in terms.enumerated() {
            if position > 0 { sql.append(", ") }
            try term.appendStored(to: &sql, of: node)
        }
        sql.append(" FROM \(mapping.sql.table) \(mapping.sql.whereKey)")
        for value in place.key { sql.bind(value) }
        let statement = try db.statement(CachedSQL(sql.text)).any
        try statement.bind(sql.arguments)
        defer { statement.clear() }
        guard try statement.step() else {
            // Of a row that is gone, it is known where it was.
            return try zip(terms, place.values).map { term, known in
                if let known, try !isOrderedByTexts(term, forms) { return known }
                throw PersistenceError(
                    .notFound,
                    "the row of the object is gone, and only that leads to \(term.column.key), by which the page is "
                        + "ordered: continue from another object, or begin again", model: mapping.modelName)
            }
        }
        return try zip(terms, place.values).enumerated().map { position, pair in
            let (term, known) = pair
            let stored = try statement.value(at: position)
            if case .rank = term.content, stored.isNull {
                throw PersistenceError(
                    .notFound,
                    "the object is no longer among those that the search finds, so that it has no rank to continue from: "
                        + "continue from another object, or begin again", model: mapping.modelName)
            }
            guard let known, case .column(let operand) = term.content else { return stored }
            let isNormalized = operand.isNormalized && forms.canCall
            return try !isNormalized && isSame(stored, known, operand.index) ? stored : known
        }
    }

    /// Whether the order is that of another writer's texts of dates, which a date of the class doesn't tell.
    private func isOrderedByTexts(_ term: Term, _ forms: StoredForms) throws -> Bool {
        guard case .column(let operand) = term.content, try forms.dates(in: operand) != nil else { return false }
        return try forms.ordered(operand) == operand.sql
    }

    /// Whether an object has the value that is known of it when this is stored.
    private func isSame(_ stored: SQLiteValue, _ known: SQLiteValue, _ index: Int) throws -> Bool {
        if stored == known { return true }
        if stored.isNull, mapping.fields[index].keepsDefaultOnNull {
            // A default that each object has for itself, such as a date, is not known again.
            return try mapping.stored(index, of: mapping.modelType.init()) == known || hasDefaultOfItsOwn(index)
        }
        // A value that the property cannot hold has been stored since.
        return (try? mapping.columns[index].codec.canonical(stored)) == known
    }

    /// Whether each object begins with another value of a property, such as the time.
    private func hasDefaultOfItsOwn(_ index: Int) throws -> Bool {
        func made() throws -> SQLiteValue {
            let object = mapping.modelType.init()
            // The stored form of a date may be too coarse to tell.
            if let date = mapping.value(index, of: object) as? Date {
                return .real(date.timeIntervalSinceReferenceDate)
            }
            return try mapping.stored(index, of: object)
        }
        let first = try made()
        // Several are made in one tick of the clock.
        let end = ContinuousClock.now + .milliseconds(1)
        repeat {
            if try made() != first { return true }
        } while ContinuousClock.now < end
        return false
    }

    /// The rows after one with these values: that are after it by the first term, or equal by that and after it by
    /// the second, and so on.
    func condition(after values: [SQLiteValue], _ forms: StoredForms) throws -> CriteriaNode {
        // SQLite 3.40 may miss rows of an OR in which FALSE stands beside subqueries.
        let choices = try terms.indices.map { index in
            CriteriaNode.and(
                try zip(terms, values).prefix(index).map { try compares($0, "IS", $1, forms) }
                    + [after(terms[index], values[index], forms)])
        }.filter { !$0.isNoRow }
        guard terms.count > 1, let first = terms.first, !values[0].isNull, first.endsWithValues else {
            return .or(choices)
        }
        // Said once more by the first term alone, for which an index can be used.
        return .and([try compares(first, first.sign + "=", values[0], forms), .or(choices)])
    }

    /// The rows that a term puts after a value.
    private func after(_ term: Term, _ value: SQLiteValue, _ forms: StoredForms) throws -> CriteriaNode {
        let sql = try term.sql(mapping, forms)
        if value.isNull { return term.isNullFirst ? .sql("\(sql.text) IS NOT NULL", sql.arguments) : .or([]) }
        let byValue = try compares(term, term.sign, value, forms)
        return term.endsWithValues ? byValue : .or([byValue, .sql("\(sql.text) IS NULL", sql.arguments)])
    }

    private func compares(
        _ term: Term, _ sign: String, _ value: SQLiteValue, _ forms: StoredForms
    ) throws -> CriteriaNode {
        var sql = try term.sql(mapping, forms)
        sql.append(" \(sign) \(term.column.compared("?", forms))")
        sql.bind(value)
        return .sql(sql.text, sql.arguments)
    }
}

extension Mapping {
    /// Whether an object has the value of a key, as far as it was read.
    fileprivate func wasRead(_ key: String, of object: PersistingModel) -> Bool {
        guard let rows = object.record.trackedRows else { return true }
        // Another manager's object has a mapping of its own.
        guard let index = try? rows.mapping.index(ofKey: key) else { return true }
        return !rows.fetch.unread.contains(index)
    }

    /// The stored form of a key's value in an object's row, as it was last read or written.
    fileprivate func storedInRow(_ key: String, _ object: PersistingModel) throws -> SQLiteValue {
        let index = try index(ofKey: key)
        let stored: SQLiteValue
        // Only their own mapping can read tracked values: an object may be of a subclass, or another manager's.
        if let rows = object.record.trackedRows, let own = try? rows.mapping.index(ofKey: key),
            rows.columns.contains(own),
            rows.mapping.columns[own].codec.dateForm == columns[index].codec.dateForm
        {
            stored = try rows.mapping.stored(own, in: rows[Int(object.record.slot)])
        } else {
            stored = try self.stored(index, of: object)
        }
        guard case .bits(let mask) = virtualKeys[key]?.kind else {
            // SQLite has stored NaN as NULL.
            if case .real(let real) = stored, real.isNaN { return .null }
            return stored
        }
        if case .integer(let bits) = stored { return .integer(bits & mask == mask ? 1 : 0) }
        return .integer(0)
    }
}
