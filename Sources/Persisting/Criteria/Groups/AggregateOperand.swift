/// An aggregate of a class's columns.
struct AggregateOperand: Sendable {
    let function: AggregateTerm.Function
    let operand: Operand?
    let options: AggregateOptions
    let filter: Condition?

    /// Whether its value is one of those that it is computed of.
    private var isExtreme: Bool { function == .least || function == .greatest }

    var kind: ColumnOperand.Kind? {
        switch function {
        case .least, .greatest: operand?.kind
        case .joined: .text
        case .sum where options.isExact: .decimal
        case .count, .sum, .total, .average: .number
        }
    }

    /// The column whose kind of values it has.
    var column: ColumnOperand? {
        isExtreme || function == .sum && options.isExact ? operand?.column : nil
    }

    /// The affinity of the column that it is computed of; nil where its value is always of one type.
    var affinity: Affinity? {
        guard isExtreme || function == .sum && !options.isExact, let column = operand?.column, column.mask == nil else {
            return nil
        }
        return column.affinity
    }
}
