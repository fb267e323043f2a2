/// Aggregates, and what is selected of groups.
extension CriteriaSQL {
    /// Adds an aggregate as a value of a calculation, a condition or an ordering.
    mutating func append(_ aggregate: AggregateOperand) throws {
        let exact = aggregate.function == .average ? "sqlitekit_average" : "sqlitekit_sum"
        try append(aggregate, aggregate.options.isExact ? exact : aggregate.function.rawValue)
    }

    /// Adds an aggregate as a column of what is selected.
    ///
    /// The numbers of an exact sum or average are added when the row is read, so that any engine can select one. An
    /// extreme is what is stored, which an index finds.
    mutating func append(selected aggregate: AggregateOperand) throws {
        let function = aggregate.options.isExact ? AggregateTerm.Function.joined : aggregate.function
        try append(
            aggregate, function.rawValue, separator: aggregate.options.isExact ? " " : nil, isSelected: true)
    }

    private mutating func append(
        _ aggregate: AggregateOperand, _ function: String, separator: String? = nil, isSelected: Bool = false
    ) throws {
        append("\(function)(")
        try nested(3) { sql in
            guard let operand = aggregate.operand else { return sql.append("*") }
            switch (aggregate.function, operand) {
            case _ where aggregate.options.isDistinct:
                sql.append("DISTINCT ")
                try sql.append(compared: operand)
            case (.least, .column(let column)) where isSelected, (.greatest, .column(let column)) where isSelected:
                sql.append(try sql.forms.ordered(column))
            case (.least, _), (.greatest, _): try sql.append(compared: operand)
            default: try sql.append(operand)
            }
            guard let separator = aggregate.options.separator ?? separator else { return }
            sql.append(", ?")
            sql.bind(.text(separator))
        }
        append(")")
        guard let filter = aggregate.filter else { return }
        try write(" FILTER (WHERE \(filter, 3))")
    }

    /// Adds a value that SQLite compares, and puts in order, as the class does.
    mutating func append(compared operand: Operand) throws {
        if case .column(let column) = operand { return append(try forms.comparable(column)) }
        try append(operand, comparedBy: OrderingTerm.Column("", .ascending))
    }
}
