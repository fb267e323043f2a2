internal import Foundation

/// The collations that are known here, by SQLite's rules.
enum TextOrder {
    case binary, noCase, trimmed, decimal, folded

    init?(_ collation: Collation) {
        switch asciiLowercased(collation.rawValue) {
        case "binary": self = .binary
        case "nocase": self = .noCase
        case "rtrim": self = .trimmed
        case "decimal": self = .decimal
        case "unaccented_nocase": self = .folded
        default: return nil
        }
    }

    func compare(_ lhs: String, _ rhs: String) -> Int {
        switch self {
        case .binary: compareBytes(lhs.utf8, rhs.utf8)
        case .noCase:
            // As far as a NUL; then by length alone.
            compareBytes(Self.lowercased(lhs), Self.lowercased(rhs), else: lhs.utf8.count - rhs.utf8.count)
        case .trimmed: compareBytes(Self.trimmed(lhs), Self.trimmed(rhs))
        case .decimal: compareDecimalTexts(lhs, rhs)
        case .folded:
            compareBytes(
                TextOptions([.caseInsensitive, .diacriticInsensitive]).fold(lhs).utf8,
                TextOptions([.caseInsensitive, .diacriticInsensitive]).fold(rhs).utf8)
        }
    }

    private static func lowercased(_ text: String) -> [UInt8] {
        text.utf8.prefix { $0 != 0 }.map { (65...90).contains($0) ? $0 | 32 : $0 }
    }

    private static func trimmed(_ text: String) -> ArraySlice<UInt8> {
        let bytes = Array(text.utf8)
        return bytes[..<((bytes.lastIndex { $0 != 32 } ?? -1) + 1)]
    }
}

private func compareBytes(
    _ lhs: some Sequence<UInt8>, _ rhs: some Sequence<UInt8>, else equal: Int = 0
) -> Int {
    var (left, right) = (lhs.makeIterator(), rhs.makeIterator())
    while true {
        switch (left.next(), right.next()) {
        case (nil, nil): return equal
        case (nil, _): return -1
        case (_, nil): return 1
        case (let one?, let other?) where one != other: return one < other ? -1 : 1
        default: break
        }
    }
}

extension SQLiteValue {
    /// SQLite's order of any two values: NULL, numbers, texts, blobs. Equal ones, NULLs too, give 0.
    func compared(with other: SQLiteValue, _ order: TextOrder) -> Int {
        func sign(_ isLess: Bool, _ isGreater: Bool) -> Int { isLess ? -1 : isGreater ? 1 : 0 }
        switch (self, other) {
        case (.integer(let left), .integer(let right)): return sign(left < right, left > right)
        case (.real(let left), .real(let right)): return sign(left < right, left > right)
        case (.integer(let left), .real(let right)): return Self.compare(left, right)
        case (.real(let left), .integer(let right)): return -Self.compare(right, left)
        case (.text(let left), .text(let right)): return order.compare(left, right)
        case (.blob(let left), .blob(let right)): return compareBytes(left, right)
        default: return sign(rank < other.rank, rank > other.rank)
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }

    /// By value, which a conversion of the integer to floating point would round.
    private static func compare(_ integer: Int64, _ real: Double) -> Int {
        if real >= 0x1p63 { return -1 }
        if real < -0x1p63 { return 1 }
        let whole = Int64(real)
        if integer != whole { return integer < whole ? -1 : 1 }
        let fraction = real - Double(whole)
        return fraction > 0 ? -1 : fraction < 0 ? 1 : 0
    }

    /// The same value for all that are equal by their bytes.
    var comparable: SQLiteValue {
        if case .real(let real) = self, let integer = Int64(exactly: real) { .integer(integer) } else { self }
    }
}

extension Collation {
    /// Whether its order is known here, and not to the database alone.
    package var isKnown: Bool { TextOrder(self) != nil }
}
