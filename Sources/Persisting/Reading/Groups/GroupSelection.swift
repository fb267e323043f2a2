internal import Foundation

/// What is selected of a query's groups, for one class.
struct GroupSelection: Sendable {
    let keys: [Operand]
    let aggregates: [AggregateOperand]
    private let having: CriteriaNode?
    private let terms: [OrderingTerm]
    private let limit: Int?
    private let offset: Int?
    private let groups: GroupKeys

    /// - Throws: ``PersistenceError/Code/invalidCriteria`` and other mistakes in what is asked for.
    init(
        _ mapping: Mapping, keys: [CriteriaTerm], aggregates: [CriteriaTerm], having: CriteriaNode? = nil,
        sortedBy terms: [OrderingTerm] = [], limit: Int? = nil, offset: Int? = nil
    ) throws {
        let rows = CriteriaResolver(mapping: mapping)
        self.keys = try keys.map { try rows.operand($0, .none) }
        groups = try GroupKeys(self.keys, mapping)
        let computed = CriteriaResolver(mapping: mapping, subject: .groups(groups))
        self.aggregates = try aggregates.compactMap { term in
            if case .aggregate(let aggregate) = try computed.operand(term, .none) { aggregate } else { nil }
        }
        self.having = having
        self.terms = terms
        self.limit = limit
        self.offset = offset
    }

    /// `SELECT keys, aggregates FROM T WHERE … GROUP BY 1, 2 HAVING … ORDER BY … LIMIT …`, with values bound in the
    /// order in which they stand.
    func sql<Model: PersistingModel>(
        _ query: Query<Model>, _ mapping: Mapping, _ forms: StoredForms
    ) throws -> CriteriaSQL {
        var sql = CriteriaSQL(mapping, forms)
        for (position, key) in keys.enumerated() {
            sql.append(position == 0 ? "SELECT " : ", ")
            try sql.append(compared: key)
        }
        for (position, aggregate) in aggregates.enumerated() {
            sql.append(position == 0 && keys.isEmpty ? "SELECT " : ", ")
            try sql.append(selected: aggregate)
        }
        if query.isPartial {
            try query.appendPart(to: &sql)
        } else {
            sql.append(" FROM \(mapping.sql.table)")
            try query.append(to: &sql, isOrdered: false)
        }
        let positions = (1...Swift.max(1, keys.count)).map(String.init).joined(separator: ", ")
        if !keys.isEmpty { sql.append(" GROUP BY \(positions)") }
        sql.subject = .groups(groups)
        if let having, !having.isEveryRow {
            sql.append(" HAVING ")
            try sql.append(having)
        }
        if !terms.isEmpty {
            try sql.appendOrder(terms)
        } else if !keys.isEmpty {
            sql.append(" ORDER BY \(positions)")
        }
        try sql.appendLimit(limit, offset: offset)
        return sql
    }

    /// The error of a query, where a sum is beyond Int64; any other as it is.
    func overflow(_ error: any Error, _ mapping: Mapping) -> any Error {
        let sums = aggregates.filter { $0.function == .sum && !$0.options.isExact }
        let columns = sums.compactMap { $0.summed }
        if sums.count == 1, let column = columns.first { return mapping.overflow(error, column.index) }
        return mapping.overflow(error, keys: columns.map(\.column.key))
    }
}

extension AggregateOperand {
    /// The class's own column that is summed.
    fileprivate var summed: ColumnOperand? {
        guard case .column(let column)? = operand, column.mask == nil, column.index != ColumnOperand.nowhere else {
            return nil
        }
        return column
    }
}

extension Mapping {
    /// Reads what has been selected: by the codec of the column whose values it is.
    func reader<Value: SQLiteValueConvertible>(
        of operand: Operand, as type: Value.Type
    ) -> (SQLiteValue) throws -> Value {
        let isReal = unwrapped(type) == Double.self
        func plain(_ stored: SQLiteValue) throws -> Value {
            // A floating point number is asked for, and a sum of integers is one, whatever its size.
            if isReal, case .integer(let integer) = stored { return try Value(sqliteValue: .real(Double(integer))) }
            return try Value(sqliteValue: stored)
        }
        guard let column = operand.column?.column else { return plain }
        let owner = operand.owner ?? self
        // Of two integer types, the values of one may be those of the other.
        let isInteger = FieldKind(column.type).integers != nil
        return { stored in
            if stored.isNull { return try Value(sqliteValue: stored) }
            if isInteger, operand.isChoice { return try plain(stored) }
            do {
                if let value = try column.codec.decode(stored) as? Value { return value }
                guard isInteger else { throw stored.mismatch(type) }
                return try plain(stored)
            } catch {
                throw column.failure(error, owner, stored: stored.storageClass)
            }
        }
    }

    /// Reads an aggregate.
    func reader<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ aggregate: AggregateOperand, of: Aggregate<Model, Value>
    ) -> (SQLiteValue) throws -> Value {
        if aggregate.options.isExact {
            return { [self] in try Value(sqliteValue: exact(aggregate, $0)) }
        }
        let reader = reader(of: .aggregate(aggregate), as: Value.self)
        guard aggregate.function == .sum, let column = aggregate.summed else { return reader }
        return { [self] stored in
            do {
                return try reader(stored)
            } catch {
                throw overflow(error, column.index)
            }
        }
    }

    /// The exact sum or average of numbers that were selected with blanks between them.
    func exact(_ aggregate: AggregateOperand, _ stored: SQLiteValue) throws -> SQLiteValue {
        let values: [Decimal] =
            if case .text(let texts) = stored {
                try texts.split(separator: " ").map { try Decimal(sqliteValue: .text(String($0))) }
            } else {
                stored.isNull ? [] : [try Decimal(sqliteValue: stored)]
            }
        if aggregate.function == .average { return Decimal.average(of: values).map { .real($0) } ?? .null }
        return try sum(values, aggregate.summed?.index)?.sqliteValue() ?? .null
    }
}
