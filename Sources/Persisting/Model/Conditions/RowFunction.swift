/// What is computed of a row's values, besides arithmetic.
enum RowFunction: Hashable, Sendable {
    /// Texts, one after the other.
    case concatenated
    /// The first that isn't NULL.
    case coalesced
    case absolute
    /// To so many digits after the point, the second operand.
    case rounded
    case lowercased
    case uppercased
    /// In Unicode scalars.
    case length
    /// Without spaces at its ends.
    case trimmed
    /// So many scalars, the third operand, from one on, the second: from 1, or from the end where negative. Without a
    /// third operand, all.
    case substring
    /// With each occurrence of the second operand replaced by the third.
    case replaced
    case integer
    case real
    case text

    /// The last place in a text that is asked for. Beyond it SQLite, whose texts have a billion bytes, finds nothing at
    /// all before the end.
    static var lastPlace: Int { 500_000_000 }

    /// What kind of value it gives; nil for that of its operands.
    var kind: ColumnOperand.Kind? {
        switch self {
        case .coalesced: nil
        case .absolute, .rounded, .length, .integer, .real: .number
        case .concatenated, .lowercased, .uppercased, .trimmed, .substring, .replaced, .text: .text
        }
    }
}

/// What can be computed of a date.
enum DateFunction: Hashable, Sendable {
    /// A part, in a zone so many seconds east of UTC.
    case part(DatePart, offset: Int)
    case start(DateUnit, offset: Int)

    var offset: Int {
        switch self {
        case .part(_, let offset), .start(_, let offset): offset
        }
    }
}
