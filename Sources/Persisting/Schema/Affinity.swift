/// What a column makes of the values that are stored in it; see [Type
/// Affinity](https://www.sqlite.org/datatype3.html#type_affinity).
package enum Affinity: String {
    case integer = "INTEGER"
    case real = "REAL"
    case text = "TEXT"
    case blob = "BLOB"
    case numeric = "NUMERIC"

    init(_ type: ColumnType) {
        self =
            switch type {
            case .integer: .integer
            case .real: .real
            case .text: .text
            case .blob, .any: .blob
            default: Self(named: type.rawValue.uppercased())
            }
    }

    /// That of a column which a table declares with a type; without one nothing is converted.
    package init(declaredType name: String, isStrict: Bool) {
        let name = name.uppercased()
        self = name.isEmpty || isStrict && name == "ANY" ? .blob : Self(named: name)
    }

    private init(named name: String) {
        if let known = Self(rawValue: name) {
            self = known
            return
        }
        func has(_ part: String) -> Bool {
            // `contains(_:)` of a text takes a hundred times as long.
            var rest = name.utf8[...]
            while !rest.isEmpty, !rest.starts(with: part.utf8) { rest = rest.dropFirst() }
            return !rest.isEmpty
        }
        self =
            if has("INT") {
                .integer
            } else if has("CHAR") || has("CLOB") || has("TEXT") {
                .text
            } else if has("BLOB") {
                .blob
            } else if has("REAL") || has("FLOA") || has("DOUB") {
                .real
            } else {
                .numeric
            }
    }

    /// A value as a column of the affinity stores it, except for a text in a column of numbers; see
    /// ``converted(_:)``.
    func applied(to value: SQLiteValue) -> SQLiteValue {
        switch (self, value) {
        case (_, .real(let real)) where real.isNaN: .null
        case (.real, .integer(let integer)): .real(Double(integer))
        case (.text, .integer(let integer)): .text("\(integer)")
        case (.integer, .real(let real)), (.numeric, .real(let real)):
            Int64(exactly: real).map { .integer($0) } ?? value
        default: value
        }
    }

    /// A value as a column of the affinity stores it, texts that spell numbers among them.
    func converted(_ value: SQLiteValue) -> SQLiteValue {
        switch (self, value) {
        case (.text, .real(let real)) where !real.isNaN: .text("\(real)")
        case (.integer, .text(let text)), (.numeric, .text(let text)), (.real, .text(let text)):
            Self.number(text).map { applied(to: $0) } ?? value
        default: applied(to: value)
        }
    }

    /// The number that SQLite makes of a text; nil for one that stays a text.
    private static func number(_ text: String) -> SQLiteValue? {
        let blanks: Set<UInt8> = [9, 10, 11, 12, 13, 32]
        let bytes = Array(text.utf8.drop { blanks.contains($0) })
        let literal = String(
            decoding: bytes[..<(bytes.lastIndex { !blanks.contains($0) }.map { $0 + 1 } ?? 0)], as: UTF8.self)
        // Swift reads more than SQLite does: "inf", "nan" and hexadecimal digits.
        guard literal.utf8.allSatisfy({ (48...57).contains($0) || "+-.eE".utf8.contains($0) }) else { return nil }
        return Int64(literal).map { .integer($0) } ?? Double(literal).map { .real($0) }
    }
}
