/// Aggregates, and what is selected of groups.
extension CriteriaSQL {
    /// Adds an aggregate as a value of a calculation, a condition or an ordering.
    mutating func append(_ aggregate: AggregateOperand) throws {
        let exact = aggregate.function == .average ? "sqlitekit_average" : "sqlitekit_sum"
        try append(aggregate, aggregate.options.isExact ? exact : aggregate.function.rawValue)
    }

    /// Adds an aggregate as a column of what is selected.
    ///
    /// The numbers of an exact sum or average are added when the row is read, so that any engine can select one.
    mutating func append(selected aggregate: AggregateOperand) throws {
        guard aggregate.options.isExact else { return try append(aggregate) }
        try append(aggregate, AggregateTerm.Function.joined.rawValue, separator: " ")
    }

    private mutating func append(
        _ aggregate: AggregateOperand, _ function: String, separator: String? = nil
    ) throws {
        append("\(function)(")
        try nested(3) { sql in
            guard let operand = aggregate.operand else { return sql.append("*") }
            let isCompared = aggregate.options.isDistinct || [.least, .greatest].contains(aggregate.function)
            if aggregate.options.isDistinct { sql.append("DISTINCT ") }
            if isCompared { try sql.append(compared: operand) } else { try sql.append(operand) }
            guard let separator = aggregate.options.separator ?? separator else { return }
            sql.append(", ?")
            sql.bind(.text(separator))
        }
        append(")")
        guard let filter = aggregate.filter else { return }
        append(" FILTER (WHERE ")
        try nested(3) { sql in try sql.append(filter) }
        append(")")
    }

    /// Adds a value that SQLite compares, and puts in order, as the class does.
    mutating func append(compared operand: Operand) throws {
        if case .column(let column) = operand { return append(try forms.comparable(column)) }
        try append(operand, comparedBy: OrderingTerm.Column("", .ascending))
    }
}
