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
    /// Whether a sum or an average is of decimal numbers, and exact.
    var isExact = false
}
