internal import Foundation

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
    /// had when it was last read or written, and the row may be gone or changed.
    ///
    /// - Parameters:
    ///   - query: Which rows, without a limit and an offset. Without an order it is that of the primary key.
    ///   - last: The last object of the page before; nil for the first page.
    ///   - limit: How many objects at most.
    /// - Returns: The objects; fewer than `limit`, or none, at the end.
    /// - Throws: ``PersistenceError/Code/noPrimaryKey`` for a class without one,
    ///   ``PersistenceError/Code/invalidOrdering`` for an order by SQL, a deferred property or bits of one whose NULL
    ///   is its default, which an object does not tell, ``PersistenceError/Code/notPersisted`` for an object that has
    ///   been in no table, ``PersistenceError/Code/invalidRange``.
    public func fetchPage<Model: PersistingModel>(
        _ query: Query<Model>, after last: Model? = nil, limit: Int
    ) throws -> [Model] {
        try page(query, after: last, limit).objects(self)
    }

    /// The objects that come after one in a query's order, while the task is suspended.
    ///
    /// - Parameters:
    ///   - query: Which rows, without a limit and an offset. Without an order it is that of the primary key.
    ///   - last: The last object of the page before; nil for the first page.
    ///   - limit: How many objects at most.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func fetchPage<Model: PersistingModel>(
        _ query: Query<Model>, after last: Model? = nil, limit: Int
    ) async throws -> sending [Model] {
        try await discoverKey(of: query.modelType)
        let page = try page(query, after: last, limit)
        return try await onReadingSide(of: query.modelType) { manager in try page.objects(manager) }
    }

    private func page<Model: PersistingModel>(
        _ query: Query<Model>, after last: Model?, _ limit: Int
    ) throws -> Page<Model> {
        let table = try table(of: query.modelType)
        guard !query.isPartial else {
            throw PersistenceError(
                .invalidRange, "fetchPage has its own limit: remove the query's limit and offset",
                model: table.mapping.modelName)
        }
        let order = try PageOrder(query.terms, table.mapping)
        let ordered = query.sorted(by: Ordering(terms: order.terms.map(\.term))).limit(limit)
        return Page(
            table: table, query: ordered, order: order, last: try last.map { try order.place(of: $0) },
            lastRow: table.mapping.rowID == nil ? nil : last?.trackedRow)
    }
}

/// A page on its way to the database's side.
private struct Page<Model: PersistingModel>: Sendable {
    let table: ModelTable
    let query: Query<Model>
    let order: PageOrder
    let last: PageOrder.Place?
    /// What was read of the last object, of a class that is kept by its rows' identifiers.
    let lastRow: TrackedRow?

    func objects(_ manager: PersistenceManager) throws -> [Model] {
        guard let last else { return try manager.fetchAll(query) }
        return try table.mapping.naming {
            try manager.engine.read { db in
                try table.check(db)
                if let lastRow { try KnownRow(table, lastRow).checkIsSameRow(db) }
                let forms = try table.forms(db, query.node)
                let values = try order.values(at: last, forms, db)
                return try manager.fetchAll(query.where(Criteria(order.condition(after: values, forms))))
            }
        }
    }
}

/// An order in which no two rows are equal.
private struct PageOrder: Sendable {
    struct Term: Sendable {
        let column: OrderingTerm.Column
        /// The column, or the bits of it that are asked for.
        let operand: ColumnOperand
        let mayBeNull: Bool

        var term: OrderingTerm { .column(column) }
        var index: Int { operand.index }
        /// What SQLite orders by.
        func sql(_ forms: StoredForms) throws -> String { try column.compared(operand, forms) }
        /// What stands in a row for it.
        func stored(_ forms: StoredForms) throws -> String {
            column.comparison == .stored ? try forms.ordered(operand) : operand.sql
        }
        var isNullFirst: Bool { column.nils.map { $0 == .first } ?? (column.direction == .ascending) }
        /// Whether the rows after one with a value are those with a greater or less one alone.
        var endsWithValues: Bool { !mayBeNull || isNullFirst }
        var sign: String { column.direction == .ascending ? ">" : "<" }
    }

    /// Where an object's row was in the order when it was last read or written.
    struct Place: Sendable {
        let key: [SQLiteValue]
        /// For each term, as this class writes it.
        let values: [SQLiteValue]
    }

    let mapping: Mapping
    private(set) var terms: [Term] = []

    /// The order with the primary key after it.
    init(_ terms: [OrderingTerm], _ mapping: Mapping) throws {
        self.mapping = mapping
        try mapping.requireKey()
        for term in terms {
            switch term {
            case .column(let column): try append(column)
            case .sql(let sql): throw failure("the order \"\(sql.sql)\" is SQL, which an object does not tell", nil)
            case .invalid(let error): throw error
            }
        }
        for index in mapping.key { try append(.init(mapping.columns[index].key, .ascending)) }
    }

    private mutating func append(_ term: OrderingTerm.Column) throws {
        guard try CriteriaResolver(mapping: mapping).operand(of: term) == nil else {
            throw failure("\(term.key) is a calculated or a related value, which an object does not tell", term.key)
        }
        let operand = try mapping.operand(of: term)
        let field = mapping.fields[operand.index]
        guard !field.isDeferred else {
            throw failure("\(term.key) is deferred, so that an object may not have its value", term.key)
        }
        // Bits of NULL are not set, whatever those of the default are.
        guard operand.mask == nil || !field.keepsDefaultOnNull else {
            throw failure("\(term.key) is kept in a property declared .onNull(.default)", term.key)
        }
        let new = Term(
            column: term, operand: operand,
            mayBeNull: operand.mask == nil && (operand.column.isOptional || field.keepsDefaultOnNull))
        // What is ordered already is not ordered again.
        if try !terms.contains(where: { try $0.sql(.declared) == new.sql(.declared) }) { terms.append(new) }
    }

    private func failure(_ reason: String, _ key: String?) -> PersistenceError {
        PersistenceError(
            .invalidOrdering, "\(reason): a page is found by the values of its last object", model: mapping.modelName,
            key: key)
    }

    func place(of object: PersistingModel) throws -> Place {
        guard object.record.state != .new else { throw mapping.notPersisted(to: "continue from") }
        return Place(
            key: try mapping.key.map { try mapping.storedInRow(mapping.columns[$0].key, object) },
            values: try terms.map { try mapping.storedInRow($0.column.key, object) })
    }

    /// What the row at a place is ordered by. Another writer may have stored a value in another form than this class
    /// writes, such as a Bool of 2: so what is stored counts where the object would have the same value of it.
    func values(at place: Place, _ forms: StoredForms, _ db: any EngineConnection) throws -> [SQLiteValue] {
        let text = try mapping.sql.select(terms.map { try $0.stored(forms) }.joined(separator: ", "))
        let statement = try db.statement(CachedSQL(text)).any
        try statement.bind(Arguments(place.key))
        defer { statement.clear() }
        // Of a row that is gone, it is known where it was.
        guard try statement.step() else { return place.values }
        return try zip(terms.indices, place.values).map { position, known in
            let stored = try statement.value(at: position)
            return try isSame(stored, known, terms[position]) ? stored : known
        }
    }

    /// Whether an object has the value that is known of it when this is stored.
    private func isSame(_ stored: SQLiteValue, _ known: SQLiteValue, _ term: Term) throws -> Bool {
        if stored == known { return true }
        if stored.isNull, mapping.fields[term.index].keepsDefaultOnNull {
            // A default that each object has for itself, such as a date, is not known again.
            return try mapping.stored(term.index, of: mapping.modelType.init()) == known
                || hasDefaultOfItsOwn(term.index)
        }
        // A value that the property cannot hold has been stored since.
        return (try? mapping.taken(stored, term.index)) == known
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
        let choices = try terms.indices.map { index in
            CriteriaNode.and(
                try zip(terms, values).prefix(index).map { try compares($0, "IS", $1, forms) }
                    + [after(terms[index], values[index], forms)])
        }
        guard terms.count > 1, let first = terms.first, !values[0].isNull, first.endsWithValues else {
            return .or(choices)
        }
        // Said once more by the first term alone, for which an index can be used.
        return .and([try compares(first, first.sign + "=", values[0], forms), .or(choices)])
    }

    /// The rows that a term puts after a value.
    private func after(_ term: Term, _ value: SQLiteValue, _ forms: StoredForms) throws -> CriteriaNode {
        let sql = try term.sql(forms)
        if value.isNull { return term.isNullFirst ? .sql("\(sql) IS NOT NULL", []) : .or([]) }
        let byValue = try compares(term, term.sign, value, forms)
        return term.endsWithValues ? byValue : .or([byValue, .sql("\(sql) IS NULL", [])])
    }

    private func compares(
        _ term: Term, _ sign: String, _ value: SQLiteValue, _ forms: StoredForms
    ) throws -> CriteriaNode {
        .sql("\(try term.sql(forms)) \(sign) \(term.column.compared("?", forms))", [value])
    }
}

extension Mapping {
    /// The stored form of a key's value in an object's row, as it was last read or written.
    fileprivate func storedInRow(_ key: String, _ object: PersistingModel) throws -> SQLiteValue {
        let index = try index(ofKey: key)
        let stored: SQLiteValue
        // Only their own mapping can read tracked values: an object may be another manager's.
        if let trackedRows = object.record.trackedRows, trackedRows.mapping === self,
            trackedRows.columns.contains(index)
        {
            stored = try self.stored(index, in: trackedRows[Int(object.record.slot)])
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
