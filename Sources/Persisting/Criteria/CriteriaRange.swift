/// A range of any kind.
protocol CriteriaRange {
    /// The condition that a term is in the range.
    func contains(_ term: CriteriaTerm) -> CriteriaNode
}

extension ClosedRange: CriteriaRange where Bound: SQLiteValueConvertible {
    func contains(_ term: CriteriaTerm) -> CriteriaNode {
        .and([
            .compares(term, .greaterOrEqual, .value(lowerBound), []),
            .compares(term, .lessOrEqual, .value(upperBound), []),
        ])
    }
}

extension Range: CriteriaRange where Bound: SQLiteValueConvertible {
    func contains(_ term: CriteriaTerm) -> CriteriaNode {
        .and([
            .compares(term, .greaterOrEqual, .value(lowerBound), []), .compares(term, .less, .value(upperBound), []),
        ])
    }
}

extension PartialRangeFrom: CriteriaRange where Bound: SQLiteValueConvertible {
    func contains(_ term: CriteriaTerm) -> CriteriaNode {
        .compares(term, .greaterOrEqual, .value(lowerBound), [])
    }
}

extension PartialRangeThrough: CriteriaRange where Bound: SQLiteValueConvertible {
    func contains(_ term: CriteriaTerm) -> CriteriaNode { .compares(term, .lessOrEqual, .value(upperBound), []) }
}

extension PartialRangeUpTo: CriteriaRange where Bound: SQLiteValueConvertible {
    func contains(_ term: CriteriaTerm) -> CriteriaNode { .compares(term, .less, .value(upperBound), []) }
}

/// A set of values, for the condition that a property has one of them.
protocol CriteriaSet {
    var values: [CriteriaTerm] { get }
}

extension Set: CriteriaSet where Element: SQLiteValueConvertible {
    var values: [CriteriaTerm] { map { .value($0) } }
}
