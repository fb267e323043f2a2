/// What is computed of the rows of a group.
struct AggregateTerm: Sendable {
    /// A function, by its name in SQL.
    enum Function: String, Sendable {
        case count, sum, total
        case average = "avg"
        case least = "min"
        case greatest = "max"
        case joined = "group_concat"
    }

    let function: Function
    /// What it is computed of; nil is the rows themselves.
    let term: CriteriaTerm?
    let options: AggregateOptions
    /// The condition of the rows that it is computed of; nil is all of the group.
    let filter: CriteriaNode?

    /// How many conditions and calculations stand inside each other.
    var depth: Int { max(term?.depth ?? 0, filter?.depth ?? 0) }

    /// What to do about an aggregate that stands where rows are asked.
    static let isOfGroups =
        "an aggregate is computed of a group's rows, and not of each row: pass the condition as having: to groups(…), "
        + "the ordering as sortedBy:, or compute(…) the value first"
}

/// How an aggregate is computed.
struct AggregateOptions: Sendable {
    /// Whether equal values count once.
    var isDistinct = false
    /// What stands between texts that are joined.
    var separator: String?
    /// Whether a sum is of decimal numbers, and exact.
    var isExact = false
}

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
    var column: ColumnOperand? { isExtreme || options.isExact ? operand?.column : nil }

    /// The affinity of the column that it is computed of; nil where its value is always of one type.
    var affinity: Affinity? {
        guard isExtreme || function == .sum && !options.isExact, let column = operand?.column, column.mask == nil else {
            return nil
        }
        return column.affinity
    }
}
