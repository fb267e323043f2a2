/// Conditions of groups, and the aggregates in them.
extension CriteriaResolver {
    /// What conditions and orderings are of.
    enum Subject {
        /// Rows, which have no aggregates.
        case rows
        /// Groups, which have a value of their keys alone.
        case groups(GroupKeys)

        /// A column that stands outside of an aggregate.
        ///
        /// - Throws: ``PersistenceError/Code/invalidCriteria`` for one that has a value for each row of a group.
        func checked(_ column: ColumnOperand, _ mapping: Mapping) throws -> ColumnOperand {
            guard case .groups(let keys) = self, !keys.columns.contains(column.sql) else { return column }
            let key = column.column.key
            throw PersistenceError(
                .invalidCriteria,
                "\(key) has a value for each row, and isn't a key of the groups: compute an aggregate of it, such as "
                    + ".max(\\.\(key)), or move the condition into the query's where",
                model: mapping.modelName, key: key)
        }
    }

    /// A relation, of whose rows groups have those that their keys refer to.
    func ofRow(_ relation: ResolvedRelation) throws -> ResolvedRelation {
        if case .groups = subject, let hop = relation.hops.first {
            for column in hop.fromColumns { _ = try subject.checked(hop.from.operands[column], mapping) }
        }
        return relation
    }

    /// What is asked of a row that its primary key identifies.
    func ofKeyedRow<Question>(_ question: Question) throws -> Question {
        guard case .groups = subject else { return question }
        guard !mapping.key.isEmpty else {
            throw criteriaError("groups aren't rows: move the condition into the query's where")
        }
        for column in mapping.key { _ = try subject.checked(mapping.operands[column], mapping) }
        return question
    }

    /// A resolver for rows of another class, which a row leads to.
    func resolver(of other: Mapping) -> CriteriaResolver {
        CriteriaResolver(mapping: other, calculating: calculating)
    }

    func operand(_ aggregate: AggregateTerm) throws -> AggregateOperand {
        guard case .groups = subject else { throw criteriaError(AggregateTerm.isOfGroups) }
        let rows = resolver(of: mapping)
        return AggregateOperand(
            function: aggregate.function, operand: try aggregate.term.map { try rows.operand($0, of: aggregate) },
            options: aggregate.options, filter: try aggregate.filter.map(rows.condition))
    }

    /// What an aggregate is computed of.
    private func operand(_ term: CriteriaTerm, of aggregate: AggregateTerm) throws -> Operand {
        switch aggregate.function {
        case .count, .joined: return try operand(term, .none)
        case .least, .greatest: return try aggregated(term, .least)
        case .total: return try aggregated(term, .sum)
        case .sum, .average:
            let number = try aggregated(term, .sum)
            // As numbers, texts lose digits.
            if aggregate.options.isExact, case .number(let text) = number { return text }
            return number
        }
    }
}

/// What groups have a value of.
struct GroupKeys: Sendable {
    /// The keys that are columns.
    private(set) var columns: Set<String> = []
    /// The others, with what they are in SQL.
    private var others: [(operand: Operand, sql: OperandSQL)] = []

    /// Those of all rows, which are one group.
    init() {}

    init(_ operands: [Operand], _ mapping: Mapping) throws {
        for operand in operands {
            if case .column(let column) = operand {
                columns.insert(column.sql)
            } else {
                others.append((operand, try OperandSQL(operand, mapping)))
            }
        }
    }

    /// The key that a term is, if that isn't a column.
    func calculated(_ term: CriteriaTerm, _ resolver: CriteriaResolver) -> Operand? {
        guard !others.isEmpty, !term.isFixed else { return nil }
        let (mapping, rows) = (resolver.mapping, resolver.resolver(of: resolver.mapping))
        guard let sql = try? OperandSQL(rows.operand(term, .none), mapping) else { return nil }
        return others.first { $0.sql == sql }?.operand
    }
}

/// An operand in SQL. Two are the same if these are.
private struct OperandSQL: Equatable {
    let text: String
    let values: [SQLiteValue]

    init(_ operand: Operand, _ mapping: Mapping) throws {
        var sql = CriteriaSQL(mapping)
        try sql.append(operand)
        text = sql.text
        values = try sql.values + sql.named.named.map { try $0.value?.sqliteValue() ?? .null }
    }
}
