/// Conditions of groups, and the aggregates in them.
extension CriteriaResolver {
    /// What conditions and orderings are of.
    enum Subject {
        /// Rows, which have no aggregates.
        case rows
        /// Groups' keys, of which the columns are noted.
        case keys(GroupColumns)
        /// Groups, which have a value of their keys' columns alone.
        case groups(Set<String>)

        /// A column that stands outside of an aggregate.
        ///
        /// - Throws: ``PersistenceError/Code/invalidCriteria`` for one that has a value for each row of a group.
        func checked(_ column: ColumnOperand, _ mapping: Mapping) throws -> ColumnOperand {
            switch self {
            case .rows: break
            case .keys(let columns): columns.names.insert(column.sql)
            case .groups(let names):
                let key = column.column.key
                guard names.contains(column.sql) else {
                    throw PersistenceError(
                        .invalidCriteria,
                        "\(key) has a value for each row, and isn't a key of the groups: compute an aggregate of it, "
                            + "such as .max(\\.\(key)), or move the condition into the query's where",
                        model: mapping.modelName, key: key)
                }
            }
            return column
        }
    }

    func operand(_ aggregate: AggregateTerm) throws -> AggregateOperand {
        guard case .groups = subject else { throw criteriaError(AggregateTerm.isOfGroups) }
        let rows = CriteriaResolver(mapping: mapping)
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

/// The columns that groups' keys are made of.
final class GroupColumns {
    var names: Set<String> = []
}
