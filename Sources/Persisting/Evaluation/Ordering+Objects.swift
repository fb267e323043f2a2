internal import Foundation

/// Sorting objects as SQLite sorts their rows.
extension Ordering {
    /// The objects in this order. Objects that it leaves equal keep their order.
    ///
    /// Values are compared as in the database, in their stored form and by the column's collation. Related objects are
    /// loaded if they aren't, for all objects of the same fetch.
    ///
    /// - Parameter objects: The objects.
    /// - Throws: ``PersistenceError/Code/invalidOrdering`` for an ordering in SQL;
    ///   ``PersistenceError/Code/invalidCriteria`` for a column with a custom collation, and for a deferred property
    ///   that is not loaded; ``PersistenceError/Code/relationNotLoaded`` where related objects can't be loaded; or the
    ///   mistake in the ordering.
    public func sort(_ objects: some Sequence<Model>) throws -> [Model] {
        let objects = Array(objects)
        guard let first = objects.first else { return [] }
        var mapping = try Mapping.of(first)
        var columns = try terms.map { try SortColumn($0, of: Model.self, mapping) }
        // Each object is read once.
        let rows = try objects.map { object in
            let other = try Mapping.of(object)
            if other !== mapping {
                mapping = other
                columns = try terms.map { try SortColumn($0, of: Model.self, mapping) }
            }
            return (object: object, values: try columns.map { try $0.value(of: object) })
        }
        // Swift's sort keeps the order of equal elements.
        return rows.sorted { left, right in
            for (position, column) in columns.enumerated() {
                let order = column.compare(left.values[position], right.values[position])
                if order != 0 { return order < 0 }
            }
            return false
        }.map(\.object)
    }
}

/// A term of an ordering, for the objects of one class.
private struct SortColumn {
    private let reading: CriteriaEvaluation.Reading
    private let order: TextOrder
    private let term: OrderingTerm.Column

    /// - Parameters:
    ///   - type: The class that the ordering is of.
    ///   - mapping: That of the objects.
    init(_ term: OrderingTerm, of type: PersistingModel.Type, _ mapping: Mapping) throws {
        switch term {
        case .invalid(let error): throw error
        case .sql(let sql):
            throw PersistenceError(
                .invalidOrdering, "the SQL ordering \(sql.sql.debugDescription) can't be evaluated in memory",
                model: mapping.modelName)
        case .rank:
            throw PersistenceError(
                .invalidOrdering, "the order by rank can't be evaluated in memory", model: mapping.modelName)
        case .column(let column):
            let evaluation = CriteriaEvaluation(of: type, mapping: mapping)
            let operand = try evaluation.resolver.operand(of: column)
            self.term = column
            reading = try evaluation.reading(operand)
            let collation = operand.column?.collation ?? .binary
            order = if column.comparison == .stored { try evaluation.order(collation) } else { .binary }
        }
    }

    /// What is compared of an object.
    func value(of object: PersistingModel) throws -> SQLiteValue {
        let value = try reading(object)
        guard case .folded(let options) = term.comparison.kind, case .text(let text) = value else { return value }
        return .text(options.fold(text))
    }

    /// Below 0, 0 or above, as the first comes before, with or after the second.
    func compare(_ left: SQLiteValue, _ right: SQLiteValue) -> Int {
        if let nils = term.nils, left.isNull != right.isNull { return left.isNull == (nils == .first) ? -1 : 1 }
        let order =
            if term.comparison == .localized, case .text(let left) = left, case .text(let right) = right {
                left.localizedStandardCompare(right).rawValue
            } else {
                left.compared(with: right, order)
            }
        return term.direction == .ascending ? order : -order
    }
}
