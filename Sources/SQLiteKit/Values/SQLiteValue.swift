public import Foundation

/// A value as SQLite stores it: one of five storage classes.
///
/// See [Datatypes In SQLite](https://www.sqlite.org/datatype3.html).
public enum SQLiteValue: Sendable, Hashable {
    /// NULL.
    case null
    /// INTEGER: a signed integer of up to 64 bits.
    case integer(Int64)
    /// REAL: a floating-point number of 64 bits. SQLite stores NaN as NULL.
    case real(Double)
    /// TEXT: characters in UTF-8; a NUL among them is one of them.
    case text(String)
    /// BLOB: bytes, stored as they are. An empty blob is not NULL.
    case blob(Data)

    /// The storage class of the value.
    public var storageClass: StorageClass {
        switch self {
        case .null: .null
        case .integer: .integer
        case .real: .real
        case .text: .text
        case .blob: .blob
        }
    }

    /// Whether the value is NULL.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// Two values are equal when SQLite would store the same bytes for both: text by its UTF-8 bytes, not by
    /// Swift's canonical equivalence, and reals by their bits.
    public static func == (lhs: SQLiteValue, rhs: SQLiteValue) -> Bool {
        switch (lhs, rhs) {
        case (.null, .null): true
        case (.integer(let a), .integer(let b)): a == b
        case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
        case (.text(let a), .text(let b)): haveSameBytes(a, b)
        case (.blob(let a), .blob(let b)): a == b
        default: false
        }
    }

    /// Feeds what `==` compares into the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(storageClass)
        switch self {
        case .null: break
        case .integer(let value): hasher.combine(value)
        case .real(let value): hasher.combine(value.bitPattern)
        case .text(let value): value.utf8.forEach { hasher.combine($0) }
        case .blob(let value): hasher.combine(value)
        }
    }
}

extension SQLiteValue: CustomStringConvertible {
    /// The value as an SQL literal: `NULL`, `42`, `0.5`, `'it''s'`, `X'CAFE'`.
    ///
    /// A text is written whole, however long. A text with a NUL is written as SQLite's `quote` cannot: as a cast of its
    /// bytes.
    public var description: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): "\(value)"
        case .real(let value) where value.isNaN: "NULL"
        case .real(let value) where value.isInfinite: value < 0 ? "-9e999" : "9e999"
        case .real(let value): "\(value)"
        case .text(let value) where value.utf8.contains(0): "CAST(X'\(Self.hex(value.utf8))' AS TEXT)"
        case .text(let value): quoted(value, UInt8(ascii: "'"))
        case .blob(let value): "X'\(Self.hex(value))'"
        }
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

extension SQLiteValue: ExpressibleByNilLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByBooleanLiteral
{
    /// NULL.
    public init(nilLiteral: ()) { self = .null }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A real.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// A text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// 1 or 0.
    public init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }
}
