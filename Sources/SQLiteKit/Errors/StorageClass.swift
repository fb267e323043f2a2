/// The five storage classes, with the numbers that `sqlite3_column_type` returns.
public enum StorageClass: Int32, Sendable, Hashable, CustomStringConvertible {
    /// A signed integer.
    case integer = 1
    /// A floating-point number.
    case real = 2
    /// Text.
    case text = 3
    /// Bytes.
    case blob = 4
    /// NULL.
    case null = 5

    /// The class of a number that SQLite returned; NULL for any but the five.
    @inline(__always)
    init(_ number: Int32) {
        switch number {
        case 1: self = .integer
        case 2: self = .real
        case 3: self = .text
        case 4: self = .blob
        default: self = .null
        }
    }

    /// The name as SQL writes it: `INTEGER`, `REAL`, `TEXT`, `BLOB`, `NULL`.
    public var description: String {
        switch self {
        case .integer: "INTEGER"
        case .real: "REAL"
        case .text: "TEXT"
        case .blob: "BLOB"
        case .null: "NULL"
        }
    }
}
