/// The numbers that are read as a `Float` when it compares in some way with another: those in a range, which an index
/// finds.
struct FloatRange {
    let column: ColumnOperand
    /// The bounds, each with the sign of its comparison; nil is none.
    private(set) var least: (sign: String, value: Double)?
    private(set) var greatest: (sign: String, value: Double)?

    /// Whether a column holds values that are read as `Float`.
    static func isFor(_ column: ColumnOperand) -> Bool {
        if case .rounded = column.comparedForm { true } else { false }
    }

    /// - Returns: Nil for other comparisons than one of such a column with a `Float`.
    init?(_ lhs: Operand, _ comparison: CriteriaNode.Comparison, _ rhs: Operand) {
        switch (lhs, rhs) {
        case (.column(let column), .value(.real(let number))): self.init(column, comparison, number)
        case (.value(.real(let number)), .column(let column)): self.init(column, comparison.mirrored, number)
        default: return nil
        }
    }

    private init?(_ column: ColumnOperand, _ comparison: CriteriaNode.Comparison, _ number: Double) {
        let value = Float(number)
        guard Self.isFor(column), value.isFinite, Double(value) == number else { return nil }
        self.column = column
        // Halfway between two, the number is rounded to the even one.
        let isClosed = value.significandBitPattern.isMultiple(of: 2)
        let (above, below) = (Self.halfway(above: value), -Self.halfway(above: -value))
        switch comparison {
        case .equal:
            least = (isClosed ? ">=" : ">", below)
            greatest = (isClosed ? "<=" : "<", above)
        case .less: greatest = (isClosed ? "<" : "<=", below)
        case .lessOrEqual: greatest = (isClosed ? "<=" : "<", above)
        case .greater: least = (isClosed ? ">" : ">=", above)
        case .greaterOrEqual: least = (isClosed ? ">=" : ">", below)
        }
    }

    /// Between a number and the next greater one, as a Double has it exactly.
    private static func halfway(above value: Float) -> Double {
        value == .greatestFiniteMagnitude
            ? Double(value) + Double(value.ulp) / 2 : (Double(value) + Double(value.nextUp)) / 2
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

extension CriteriaSQL {
    /// Adds `(COLUMN >= ? AND COLUMN <= ?)`, or the half of it that has a bound.
    mutating func append(_ range: FloatRange?) {
        guard let range else { return }
        let bounds = [range.least, range.greatest].compactMap { $0 }
        append("(" + bounds.map { "\(range.column.sql) \($0.sign) ?" }.joined(separator: " AND ") + ")")
        for bound in bounds { bind(.real(bound.value)) }
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
