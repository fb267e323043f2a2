internal import CSystemSQLite
public import Foundation

extension Decimal: SQLiteValueConvertible {
    /// A TEXT of the exact digits, with a point whatever the locale.
    public func sqliteValue() -> SQLiteValue { .text(description) }

    /// A TEXT of decimal digits, an INTEGER, or a REAL by its shortest digits.
    public init(sqliteValue: SQLiteValue) throws {
        let exact: Decimal? =
            switch sqliteValue {
            case .text(let text): Decimal(digits: text)
            case .integer(let value): Decimal(value)
            case .real(let value) where value.isFinite: Decimal(digits: "\(value)")
            default: nil
            }
        guard let exact else { throw sqliteValue.mismatch(Decimal.self) }
        self = exact
    }

    /// `TEXT COLLATE DECIMAL`, which orders as numbers; every connection of SQLiteKit knows the collation.
    public static var columnType: ColumnType { .decimal }

    /// A number that is all of the text: sign, digits with at most one point, an exponent. Foundation alone would take
    /// what leads.
    fileprivate init?(digits text: some StringProtocol) {
        var rest = text.utf8[...]
        func skip(_ accepted: (UInt8) -> Bool) -> Int {
            let run = rest.prefix(while: accepted)
            rest = rest[run.endIndex...]
            return run.count
        }
        func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0") <= byte && byte <= UInt8(ascii: "9") }
        func skipOne(of characters: String) -> Bool {
            guard let first = rest.first, characters.utf8.contains(first) else { return false }
            rest = rest.dropFirst()
            return true
        }
        _ = skipOne(of: "+-")
        var digits = skip(isDigit)
        if skipOne(of: ".") { digits += skip(isDigit) }
        guard digits > 0 else { return nil }
        if skipOne(of: "eE") {
            _ = skipOne(of: "+-")
            guard skip(isDigit) > 0 else { return nil }
        }
        guard rest.isEmpty, let value = Decimal(string: String(text), locale: Self.posix) else { return nil }
        self = value
    }

    private static let posix = Locale(identifier: "en_US_POSIX")
}

extension ColumnType {
    /// `TEXT COLLATE DECIMAL`: decimal numbers of any precision, ordered as numbers.
    public static let decimal = ColumnType(rawValue: "TEXT COLLATE DECIMAL")
}

/// The collation DECIMAL: numbers in their order, what is no number behind them by its bytes.
func compareDecimals(_ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer) -> Int32 {
    let left = Decimal(digits: String(decoding: lhs, as: UTF8.self))
    let right = Decimal(digits: String(decoding: rhs, as: UTF8.self))
    switch (left, right) {
    case (let left?, let right?): return left == right ? 0 : left < right ? -1 : 1
    case (.some, nil): return -1
    case (nil, .some): return 1
    case (nil, nil): return lhs.lexicographicallyPrecedes(rhs) ? -1 : rhs.lexicographicallyPrecedes(lhs) ? 1 : 0
    }
}
