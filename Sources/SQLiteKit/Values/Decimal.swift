public import Foundation

extension Decimal: SQLiteValueConvertible {
    /// A TEXT of the exact digits, with a point whatever the locale. Equal numbers have the same text: no exponent, and
    /// no zeros at the end of a fraction.
    ///
    /// - Throws: ``ResultCode/typeMismatch`` for NaN.
    public func sqliteValue() throws -> SQLiteValue {
        guard isFinite else { throw SQLiteError(.typeMismatch, "Decimal NaN cannot be stored") }
        let digits = description
        guard digits.utf8.contains(UInt8(ascii: ".")), digits.hasSuffix("0") else { return .text(digits) }
        var significant = digits[...]
        while significant.last == "0" { significant.removeLast() }
        if significant.last == "." { significant.removeLast() }
        return .text(String(significant))
    }

    /// A TEXT of decimal digits, an INTEGER, or a REAL by its shortest digits.
    ///
    /// - Throws: ``ResultCode/typeMismatch`` for another text, and for more digits than a Decimal holds: 38 always, 39
    ///   up to its largest.
    public init(sqliteValue: SQLiteValue) throws {
        let exact: Decimal? =
            switch sqliteValue {
            case .text(let text): Decimal(exactly: text)
            case .integer(let value): Decimal(value)
            case .real(let value): Decimal(exactly: "\(value)")
            default: nil
            }
        guard let exact else { throw sqliteValue.mismatch(Decimal.self) }
        self = exact
    }

    /// ``ColumnType/decimal``: TEXT. The collation `DECIMAL`, which every connection of SQLiteKit knows, compares such
    /// texts as numbers.
    public static var columnType: ColumnType { .decimal }

    /// Foundation by itself would take what leads the text, and round it.
    private init?(exactly text: String) {
        guard let number = DecimalText(text.utf8), let value = Decimal(string: text, locale: Self.posix),
            value.isFinite,
            number.digits.count <= 38 || number.digits == DecimalText(value.description.utf8)?.digits
        else { return nil }
        self = value
    }

    private static let posix = Locale(identifier: "en_US_POSIX")
}

extension ColumnType {
    /// `TEXT`: decimal numbers of any precision. SQL that compares them says `COLLATE DECIMAL`; the table's own
    /// doesn't, so that programs without the collation can use it.
    public static let decimal = ColumnType("TEXT", isNumberInText: true)
}

/// A decimal number of any precision, as a text spells it.
private struct DecimalText {
    var isNegative = false
    /// The digits from the first that is not 0 to the last that is not 0; none for zero.
    var digits: ArraySlice<UInt8> = []
    /// The power of ten of the first digit.
    var exponent = 0

    /// A text that is a number all through: a sign, digits with at most one point, an exponent.
    init?(_ text: some Sequence<UInt8>) {
        var rest = ArraySlice(text)
        func skip(_ characters: String) -> UInt8? {
            guard let first = rest.first, characters.utf8.contains(first) else { return nil }
            rest = rest.dropFirst()
            return first
        }
        func number() -> ArraySlice<UInt8> {
            let run = rest.prefix { 48 <= $0 && $0 <= 57 }
            rest = rest[run.endIndex...]
            return run
        }
        isNegative = skip("+-") == UInt8(ascii: "-")
        let whole = number()
        let fraction = skip(".") == nil ? [] : number()
        guard !whole.isEmpty || !fraction.isEmpty else { return nil }
        var scale = 0
        if skip("eE") != nil {
            let sign = skip("+-") == UInt8(ascii: "-") ? -1 : 1
            guard case let power = number(), !power.isEmpty, let value = Int32(String(decoding: power, as: UTF8.self))
            else { return nil }
            scale = sign * Int(value)
        }
        guard rest.isEmpty else { return nil }
        let all = whole + fraction
        let significant = all.drop { $0 == 48 }
        exponent = whole.count - 1 - (all.count - significant.count) + scale
        digits = significant[..<((significant.lastIndex { $0 != 48 } ?? significant.startIndex - 1) + 1)]
        if digits.isEmpty { (isNegative, exponent) = (false, 0) }
    }

    func isLess(than other: DecimalText) -> Bool {
        if isNegative != other.isNegative { return isNegative }
        return isNegative ? other.isSmaller(than: self) : isSmaller(than: other)
    }

    private func isSmaller(than other: DecimalText) -> Bool {
        if digits.isEmpty || other.digits.isEmpty { return !other.digits.isEmpty && digits.isEmpty }
        if exponent != other.exponent { return exponent < other.exponent }
        return digits.lexicographicallyPrecedes(other.digits)
    }
}

/// The collation DECIMAL: numbers in their order, what isn't a number after them by its bytes.
@Sendable
func compareDecimals(_ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer) -> Int32 {
    switch (DecimalText(lhs), DecimalText(rhs)) {
    case (let left?, let right?): left.isLess(than: right) ? -1 : right.isLess(than: left) ? 1 : 0
    case (.some, nil): -1
    case (nil, .some): 1
    case (nil, nil): lhs.lexicographicallyPrecedes(rhs) ? -1 : rhs.lexicographicallyPrecedes(lhs) ? 1 : 0
    }
}

/// The order of two texts in the collation DECIMAL: below 0, 0 or above.
package func compareDecimalTexts(_ lhs: String, _ rhs: String) -> Int {
    Int(Array(lhs.utf8).withUnsafeBytes { left in Array(rhs.utf8).withUnsafeBytes { compareDecimals(left, $0) } })
}
