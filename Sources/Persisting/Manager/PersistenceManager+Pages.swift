/// Pages by key: what comes after an object, found by its values and not by counting rows.
///
/// However far a page is, it costs what the first one does where an index has the order; and rows that are inserted or
/// deleted between two pages neither repeat an object nor pass one over.
extension PersistenceManager {
    /// The objects that come after one in a query's order, as many as a page has.
    ///
    /// ```swift
    /// let first = try manager.fetchPage(User.sorted(by: \.lastName), limit: 50)
    /// let second = try manager.fetchPage(User.sorted(by: \.lastName), after: first.last, limit: 50)
    /// ```
    ///
    /// Objects that the order leaves equal are ordered by their primary key. The object's values are those that its row
    /// had when it was last read or written, and the row may be gone. Rows are ordered by what is stored: where another
    /// writer has put a value in another form than the class writes, such as a Bool of 2, pages may miss or repeat rows.
    ///
    /// - Parameters:
    ///   - query: Which rows, without a limit and an offset. Without an order it is that of the primary key.
    ///   - last: The last object of the page before; nil for the first page.
    ///   - limit: How many objects at the most.
    /// - Returns: The objects; fewer than `limit`, or none, at the end.
    /// - Throws: ``PersistenceError/Code/noPrimaryKey`` for a class without one,
    ///   ``PersistenceError/Code/invalidOrdering`` for an order by SQL, by a deferred property, or by one whose NULL is
    ///   its default, which an object does not tell, ``PersistenceError/Code/notPersisted`` for an object that has been in no table,
    ///   ``PersistenceError/Code/invalidRange``.
    public func fetchPage<Model: PersistingModel>(
        _ query: Query<Model>, after last: Model? = nil, limit: Int
    ) throws -> [Model] {
        try fetchAll(page(query, after: last, limit))
    }

    /// The objects that come after one in a query's order, while the task is suspended.
    public func fetchPage<Model: PersistingModel>(
        _ query: Query<Model>, after last: Model? = nil, limit: Int
    ) async throws -> sending [Model] {
        try await discoverKey(of: query.modelType)
        return try await fetchAll(page(query, after: last, limit))
    }

    private func page<Model: PersistingModel>(
        _ query: Query<Model>, after last: Model?, _ limit: Int
    ) throws -> Query<Model> {
        let mapping = try table(of: query.modelType).mapping
        guard !query.isPartial else {
            throw PersistenceError(
                .invalidRange, "a page has its own limit: the query must have none, and no offset",
                model: mapping.modelName)
        }
        let page = try PageOrder(query.ordering?.terms ?? [], mapping)
        let ordered = query.sorted(by: Ordering(terms: page.terms.map(\.term))).limit(limit)
        return try last.map { ordered.where(Criteria(try page.condition(after: $0))) } ?? ordered
    }
}

/// An order in which no two rows are equal.
private struct PageOrder {
    struct Term {
        let column: OrderingTerm.Column
        /// What SQLite orders by.
        let sql: String
        let mayBeNull: Bool

        var term: OrderingTerm { .column(column) }
        var isNullFirst: Bool { column.nils.map { $0 == .first } ?? (column.direction == .ascending) }
        /// Whether the rows behind one with a value are those with a greater or less one alone.
        var endsWithValues: Bool { !mayBeNull || isNullFirst }
        var sign: String { column.direction == .ascending ? ">" : "<" }
    }

    let mapping: Mapping
    private(set) var terms: [Term] = []

    /// The order with the primary key behind it.
    init(_ terms: [OrderingTerm], _ mapping: Mapping) throws {
        self.mapping = mapping
        try mapping.requireKey()
        for term in terms {
            switch term {
            case .column(let column): try append(column)
            case .sql(let text): throw failure("the order \"\(text)\" is SQL, which an object does not tell", nil)
            case .invalid(let error): throw error
            }
        }
        for index in mapping.key { try append(.init(mapping.columns[index].key, .ascending)) }
    }

    private mutating func append(_ term: OrderingTerm.Column) throws {
        let (name, column) = try mapping.operand(ofKey: term.key)
        let index = try mapping.index(ofKey: term.key)
        guard !mapping.fields[index].isDeferred else {
            throw failure("\(term.key) is deferred, so that an object may not have its value", term.key)
        }
        guard !mapping.fields[index].keepsDefaultOnNull else {
            throw failure("\(term.key) is declared .onNull(.default), so that an object does not tell a NULL", term.key)
        }
        let sql = term.compared(name)
        // What is ordered already is not ordered again.
        guard !terms.contains(where: { $0.sql == sql }) else { return }
        let isBits = column.name != mapping.columns[index].name
        // A property that is not Optional may have a column with NULL in it, where the class replaces that.
        let mayBeNull = !isBits && column.isOptional
        terms.append(Term(column: term, sql: sql, mayBeNull: mayBeNull))
    }

    private func failure(_ reason: String, _ key: String?) -> PersistenceError {
        PersistenceError(
            .invalidOrdering, "\(reason): a page is found by the values of its last object", model: mapping.modelName,
            key: key)
    }

    /// The rows behind an object's: that are behind it by the first term, or equal by that and behind it by the second,
    /// and so on.
    func condition(after object: PersistingModel) throws -> CriteriaNode {
        guard object.record.state != .new else { throw mapping.notPersisted(to: "go on from") }
        let values = try terms.map { try mapping.storedInRow(ofKey: $0.column.key, object) }
        let choices = terms.indices.map { index in
            CriteriaNode.and(
                zip(terms, values).prefix(index).map { compares($0, "IS", $1) }
                    + [behind(terms[index], values[index])])
        }
        guard terms.count > 1, let first = terms.first, !values[0].isNull, first.endsWithValues else {
            return .or(choices)
        }
        // Said once more by the first term alone, for which an index can be used.
        return .and([compares(first, first.sign + "=", values[0]), .or(choices)])
    }

    /// The rows that a term puts behind a value.
    private func behind(_ term: Term, _ value: SQLiteValue) -> CriteriaNode {
        if value.isNull { return term.isNullFirst ? .sql("\(term.sql) IS NOT NULL", []) : .or([]) }
        let byValue = compares(term, term.sign, value)
        return term.endsWithValues ? byValue : .or([byValue, .sql("\(term.sql) IS NULL", [])])
    }

    private func compares(_ term: Term, _ sign: String, _ value: SQLiteValue) -> CriteriaNode {
        .sql("\(term.sql) \(sign) \(term.column.compared("?"))", [value])
    }
}

extension Mapping {
    /// The stored form of a key's value in an object's row, as it was last read or written.
    fileprivate func storedInRow(ofKey key: String, _ object: PersistingModel) throws -> SQLiteValue {
        let index = try index(ofKey: key)
        let stored: SQLiteValue
        // An image tells nothing to another mapping than its own: an object may be another manager's.
        if let images = object.record.images, images.mapping === self, images.holds(fields[index]) {
            stored = try self.stored(index, in: images[Int(object.record.slot)])
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
