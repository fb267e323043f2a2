extension CriteriaEvaluation {
    func reading(_ function: RowFunction, _ operands: [Operand]) throws -> Reading {
        let readings = try operands.map(reading)
        if function == .coalesced {
            return { object in
                for reading in readings {
                    let value = try reading(object)
                    if !value.isNull { return value }
                }
                return .null
            }
        }
        return { object in
            let values = try readings.map { try $0(object) }
            return values.contains(where: \.isNull) ? .null : try result(function, values)
        }
    }

    /// What SQLite's function of the same name gives of values other than NULL; see [Built-In Scalar SQL
    /// Functions](https://www.sqlite.org/lang_corefunc.html).
    private func result(_ function: RowFunction, _ values: [SQLiteValue]) throws -> SQLiteValue {
        switch function {
        case .coalesced: return values.first ?? .null
        case .concatenated: return .text(values.map(\.asText).joined())
        case .absolute:
            guard case .integer(let integer) = values[0] else { return .real(values[0].asReal.magnitude) }
            guard integer != .min else {
                throw PersistenceError(
                    .overflow, "the magnitude of \(integer) is beyond Int64", model: mapping.modelName)
            }
            return .integer(abs(integer))
        case .rounded: return .real(SQLiteValue.rounded(values[0].asReal, digits: values[1].asInteger))
        case .lowercased: return .text(values[0].asText.lowercased())
        case .uppercased: return .text(values[0].asText.uppercased())
        case .length: return .integer(Int64(values[0].scalarsToNUL.count))
        case .trimmed:
            let text = values[0].asText.unicodeScalars
            guard let first = text.firstIndex(where: { $0 != " " }), let last = text.lastIndex(where: { $0 != " " })
            else { return .text("") }
            return .text(String(text[first...last]))
        case .substring: return .text(substring(values))
        case .replaced:
            let (text, old, new) = (values[0].asText, values[1].asText, values[2].asText)
            guard !old.isEmpty else { return .text(text) }
            return .text(
                String(decoding: Array(text.utf8).replacing(Array(old.utf8), with: Array(new.utf8)), as: UTF8.self))
        case .integer: return .integer(values[0].asInteger)
        case .real: return .real(values[0].asReal)
        case .text: return .text(values[0].asText)
        }
    }

    /// From 1 on, or from the end where the start is negative; a negative count takes what stands before the start. Of
    /// 0 on, the place before the first is counted.
    private func substring(_ values: [SQLiteValue]) -> String {
        let scalars = values[0].scalarsToNUL
        func number(_ value: SQLiteValue) -> Int { Int(Int32(clamping: value.asInteger)) }
        let given = number(values[1])
        let start = given < 0 ? scalars.count + given : given - 1
        let count = values.count > 2 ? number(values[2]) : Int(Int32.max)
        // What stands before a start at the first place or beyond is nothing, whatever the count.
        let first = count < 0 ? (given == 0 ? 0 : max(start, 0)) + count : start
        let end = count < 0 ? first - count : first + count
        let range = (first..<max(first, end)).clamped(to: 0..<scalars.count)
        return String(String.UnicodeScalarView(scalars[range]))
    }

    func reading(_ function: DateFunction, _ operand: Operand, _ form: DateStorage) throws -> Reading {
        let reading = try reading(operand)
        return { object in
            let stored = try reading(object)
            // What isn't a date has no part, and a start that the form has no value for is none: as in SQL.
            guard !stored.isNull, let date = try? form.date(from: stored) else { return .null }
            switch function {
            case .part(let part, let offset):
                return part.value(of: date, offset: offset).map { .integer($0) } ?? .null
            case .start(let unit, let offset):
                return unit.start(of: date, offset: offset).flatMap { try? form.value(for: $0) } ?? .null
            }
        }
    }
}

/// Conversions as CAST makes them; see [CAST expressions](https://www.sqlite.org/lang_expr.html#castexpr).
extension SQLiteValue {
    fileprivate var asText: String {
        switch self {
        case .text(let text): text
        case .integer(let integer): "\(integer)"
        case .real(let real): Self.text(of: real)
        case .null, .blob: ""
        }
    }

    fileprivate var asInteger: Int64 {
        switch self {
        case .integer(let integer): integer
        case .real(let real): real >= 0x1p63 ? .max : real <= -0x1p63 ? .min : Int64(real)
        case .text(let text):
            LeadingNumber(text).integer
        case .null, .blob: 0
        }
    }

    fileprivate var asReal: Double {
        switch self {
        case .integer(let integer): Double(integer)
        case .real(let real): real
        case .text(let text): LeadingNumber(text).real
        case .null, .blob: 0
        }
    }

    /// The characters that SQLite counts in a text: those before its first NUL.
    fileprivate var scalarsToNUL: [Unicode.Scalar] { Array(asText.unicodeScalars.prefix { $0.value != 0 }) }
}
