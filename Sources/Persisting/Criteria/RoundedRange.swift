/// A comparison of a column with the numbers that are read as a value.
struct RoundedRange {
    let column: ColumnOperand
    /// The bounds, each with the sign of its comparison; nil is none.
    private(set) var least: (sign: String, value: Double)?
    private(set) var greatest: (sign: String, value: Double)?

    /// - Returns: Nil for other comparisons than one of such a column with such a value.
    init?(_ lhs: Operand, _ comparison: CriteriaNode.Comparison, _ rhs: Operand) {
        switch (lhs, rhs) {
        case (.column(let column), .value(.real(let number))): self.init(column, comparison, number)
        case (.value(.real(let number)), .column(let column)): self.init(column, comparison.mirrored, number)
        default: return nil
        }
    }

    private init?(_ column: ColumnOperand, _ comparison: CriteriaNode.Comparison, _ number: Double) {
        guard case .rounded(let rounding) = column.comparedForm, let range = rounding.numbers(readAs: number) else {
            return nil
        }
        self.column = column
        switch comparison {
        case .equal: (least, greatest) = ((">=", range.lowerBound), ("<=", range.upperBound))
        case .less: greatest = ("<", range.lowerBound)
        case .lessOrEqual: greatest = ("<=", range.upperBound)
        case .greater: least = (">", range.upperBound)
        case .greaterOrEqual: least = (">=", range.lowerBound)
        }
    }
}

extension CriteriaNode.Comparison {
    /// The comparison with its sides exchanged.
    fileprivate var mirrored: Self {
        switch self {
        case .equal: .equal
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }
}

extension SQLiteValue {
    /// Whether a value may be JSON that has several spellings: a list, a dictionary or a text in quotes.
    var mayBeJSON: Bool {
        switch self {
        case .text(let text): text.utf8.first.map { [0x5B, 0x7B, 0x22].contains($0) } ?? false
        case .blob: true
        case .integer, .real, .null: false
        }
    }
}

extension CriteriaSQL {
    /// The comparison of a column with the numbers that are read as a value; nil for any other, and for a column that
    /// holds texts of dates, too.
    func range(
        _ lhs: Operand, _ comparison: CriteriaNode.Comparison, _ rhs: Operand
    ) throws -> RoundedRange? {
        guard let range = RoundedRange(lhs, comparison, rhs), try forms.dates(in: range.column) == nil else {
            return nil
        }
        return range
    }

    /// Adds `(COLUMN >= ? AND COLUMN <= ?)`, or the half of it that has a bound.
    mutating func append(_ range: RoundedRange) {
        let bounds = [range.least, range.greatest].compactMap { $0 }
        append("(" + bounds.map { "\(range.column.sql) \($0.sign) ?" }.joined(separator: " AND ") + ")")
        for bound in bounds { bind(.real(bound.value)) }
    }
}
