/// A relation as a condition names it.
enum RelationReference: Sendable {
    case declared(RelationDeclaration)
    /// By its name in the class's list.
    case named(String)
}

/// What a condition asks of a relation's rows.
indirect enum RelatedLeaf: Sendable {
    /// A value of a to-one relation's row.
    case term(CriteriaTerm)
    /// How many rows there are.
    case count
    /// What is computed of a value of each row.
    case aggregate(RelatedAggregate, CriteriaTerm)
    /// A mistake, to be thrown when it is used.
    case invalid(PersistenceError)

    /// How many conditions and calculations stand inside each other.
    var depth: Int {
        switch self {
        case .term(let term), .aggregate(_, let term): term.depth
        case .count, .invalid: 0
        }
    }
}

/// What is computed of the values of related rows, by its name in SQL and, after an `@`, in a key.
enum RelatedAggregate: String, Sendable, CaseIterable {
    case sum
    case average = "avg"
    case least = "min"
    case greatest = "max"
}
