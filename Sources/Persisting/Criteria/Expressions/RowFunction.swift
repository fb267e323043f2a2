internal import Foundation

/// What is computed of a row's values, beside arithmetic.
enum RowFunction: Hashable, Sendable {
    /// Texts, one behind the other.
    case concatenated
    /// The first that isn't NULL.
    case coalesced
    case absolute
    /// To so many digits behind the point, the second operand.
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

/// What is told of a date.
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

extension CriteriaResolver {
    /// Whether a term is a text by what it is made of. It resolves no more than keys, since it is asked of each term
    /// and of those inside it.
    func isText(_ term: CriteriaTerm) throws -> Bool {
        switch term {
        case .value(let value): flattened(value.value) is String
        case .arithmetic(let lhs, .add, let rhs): try isText(lhs) || isText(rhs)
        case .arithmetic, .date: false
        case .conditional(_, let then, let other): try isText(then) || isText(other)
        case .function(let function, let terms):
            if let kind = function.kind { kind == .text } else { try terms.contains(where: isText) }
        case .key, .related, .subquery, .aggregate: try operand(term, .none).kind == .text
        }
    }

    func function(_ function: RowFunction, _ terms: [CriteriaTerm], _ context: Context) throws -> Operand {
        switch function {
        case .concatenated, .lowercased, .uppercased, .trimmed, .length, .replaced:
            // Beside a property, a mistake is its.
            let key = terms.first { $0.key != nil }
            return .function(function, try terms.map { try text($0, [], beside: key) })
        case .substring:
            let places = try terms.dropFirst().map(number)
            for case .value(.integer(let place)) in places where place.magnitude > RowFunction.lastPlace {
                throw refusal(
                    "\(place) is no place in a text: the last is \(RowFunction.lastPlace)", key: terms[0].key)
            }
            return .function(function, [try text(terms[0], [])] + places)
        case .absolute, .rounded: return .function(function, try terms.map(number))
        case .integer, .real, .text:
            let operand = try operand(terms[0], .none)
            guard operand.kind != .blob, operand.kind != .any else {
                throw refusal(
                    "\(operand.column?.column.key ?? "a term") is stored as \(operand.kind?.rawValue ?? ""), which "
                        + "isn't converted", key: operand.column?.column.key)
            }
            return .function(function, [operand])
        case .coalesced: return .function(function, try alike(terms, context))
        }
    }

    /// Terms that stand for each other, each in the form that the first with one asks for.
    private func alike(_ terms: [CriteriaTerm], _ context: Context) throws -> [Operand] {
        // Each is resolved once: those inside of it are, too.
        let known = try terms.firstIndex { !$0.isFixed }.map { (index: $0, operand: try operand(terms[$0], context)) }
        let own = known.map { Context($0.operand, mapping).orElse { context } } ?? context
        let operands = try terms.enumerated().map { index, term in
            if let known, known.index == index { known.operand } else { try operand(term, own) }
        }
        let kinds = operands.compactMap(\.kind)
        guard let first = kinds.first, let other = kinds.first(where: { $0 != first }) else { return operands }
        throw refusal("the values that stand for each other are stored as \(first) and \(other)")
    }

    func date(_ function: DateFunction, _ term: CriteriaTerm) throws -> Operand {
        guard (-86_400...86_400).contains(function.offset) else {
            throw refusal("a zone isn't \(function.offset) seconds from UTC: the most is a day, 86400", key: term.key)
        }
        if case .value(let value) = term, let date = flattened(value.value) as? Date {
            return .date(function, .value(try DateStorage.unixSeconds.value(for: date)), .unixSeconds)
        }
        let operand = try operand(term, .none)
        guard let form = operand.column?.column.codec.dateForm else {
            let name = operand.column?.column.key ?? "a calculation"
            throw refusal(
                "\(name) isn't a Date, of which there is a part", key: operand.column?.column.key)
        }
        return .date(function, operand, form)
    }
}

extension CriteriaSQL {
    mutating func append(_ function: RowFunction, _ operands: [Operand]) throws {
        switch function {
        case .concatenated: try append("(", operands, " || ", ")")
        case .coalesced: try append("coalesce(", operands, ", ", ")")
        case .absolute: try append("abs(", operands, ", ", ")")
        case .rounded: try append("round(", operands, ", ", ")")
        case .lowercased: try append("sqlitekit_text(", operands, ", ", ", 'lowercased')")
        case .uppercased: try append("sqlitekit_text(", operands, ", ", ", 'uppercased')")
        case .length: try append("length(", operands, ", ", ")")
        case .trimmed: try append("trim(", operands, ", ", ")")
        case .substring: try append("substr(", operands, ", ", ")")
        case .replaced: try append("replace(", operands, ", ", ")")
        case .integer: try append(operands[0], as: "INTEGER")
        case .real: try append(operands[0], as: "REAL")
        case .text: try append(operands[0], as: "TEXT")
        }
    }

    private mutating func append(
        _ begin: String, _ operands: [Operand], _ separator: String, _ end: String
    ) throws {
        append(begin)
        for (position, operand) in operands.enumerated() {
            if position > 0 { append(separator) }
            try nested(3) { sql in try sql.append(operand) }
        }
        append(end)
    }

    mutating func append(_ function: DateFunction, _ operand: Operand, _ form: DateStorage) throws {
        append("sqlitekit_date(")
        try nested(3) { sql in try sql.append(operand) }
        switch function {
        case .part(let part, let offset): append(", '\(form.rawValue)', '\(part.rawValue)', \(offset))")
        case .start(let unit, let offset): append(", '\(form.rawValue)', 'start of \(unit.rawValue)', \(offset))")
        }
    }
}

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

    /// From 1 on, or from the end where the start is negative; a negative count takes what stands before the start. Of 0
    /// on, the place before the first is counted.
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
            // What is no date has no part, and a start that the form has no value for is none: as in SQL.
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
