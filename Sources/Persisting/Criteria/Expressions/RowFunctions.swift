internal import Foundation

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
        case .key, .json, .related, .subquery, .aggregate: try operand(term, .none).kind == .text
        }
    }

    func function(_ function: RowFunction, _ terms: [CriteriaTerm], _ context: Context) throws -> Operand {
        switch function {
        case .concatenated, .lowercased, .uppercased, .trimmed, .length, .replaced:
            // Next to a property, a mistake is the property's.
            let key = terms.first { $0.key != nil }
            return .function(function, try terms.map { try text($0, [], alongside: key) })
        case .substring:
            let places = try terms.dropFirst().map(number)
            for case .value(.integer(let place)) in places where place.magnitude > RowFunction.lastPlace {
                throw criteriaError(
                    "\(place) isn't a position in a text: the last is \(RowFunction.lastPlace)", key: terms[0].key)
            }
            return .function(function, [try text(terms[0], [])] + places)
        case .absolute, .rounded: return .function(function, try terms.map(number))
        case .integer, .real, .text:
            let operand = try operand(terms[0], .none)
            guard operand.kind != .blob, operand.kind != .any else {
                throw criteriaError(
                    "\(operand.column?.column.key ?? "a term") is stored as \(operand.kind?.rawValue ?? ""), which "
                        + "isn't converted", key: operand.column?.column.key)
            }
            return .function(function, [operand])
        case .coalesced: return .function(function, try substitutes(terms, context))
        }
    }

    /// Terms of which each is in the form that the first with one asks for.
    ///
    /// Each is resolved once: those inside of it are, too.
    func alike(_ terms: [CriteriaTerm], _ context: Context) throws -> [Operand] {
        let known = try terms.firstIndex { !$0.takesForm }.map { (index: $0, operand: try operand(terms[$0], context)) }
        let own = known.map { Context($0.operand, mapping).orElse { context } } ?? context
        return try terms.enumerated().map { index, term in
            if let known, known.index == index { known.operand } else { try operand(term, own) }
        }
    }

    /// Terms that stand for each other.
    func substitutes(_ terms: [CriteriaTerm], _ context: Context) throws -> [Operand] {
        let operands = try alike(terms, context)
        let kinds = operands.compactMap(\.kind)
        guard let first = kinds.first, let other = kinds.first(where: { $0 != first }) else { return operands }
        throw criteriaError("the values that stand for each other are stored as \(first) and \(other)")
    }

    func date(_ function: DateFunction, _ term: CriteriaTerm) throws -> Operand {
        guard (-86_400...86_400).contains(function.offset) else {
            throw criteriaError(
                "a zone isn't \(function.offset) seconds from UTC: the most is a day, 86400", key: term.key)
        }
        if case .value(let value) = term, let date = flattened(value.value) as? Date {
            return .date(function, .value(try DateStorage.unixSeconds.value(for: date)), .unixSeconds)
        }
        let operand = try operand(term, .none)
        guard let form = operand.column?.column.codec.dateForm else {
            let name = operand.column?.column.key ?? "a calculation"
            let isDate = operand.column.map { unwrapped($0.column.type) == Date.self } ?? false
            throw criteriaError(
                isDate
                    ? "\(name) has a transform that doesn't store a Date, so SQL can't tell a part of it: declare it "
                        + ".date.stored(as:), or give the transform a Date to store"
                    : "\(name) isn't a Date, of which there is a part", key: operand.column?.column.key)
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
        case .integer: try write("CAST(\(operands[0], 1) AS INTEGER)")
        case .real: try write("CAST(\(operands[0], 1) AS REAL)")
        // By itself, CAST has the collation of a column that it converts, and makes a text of what it is compared with.
        case .text: try write("(CAST(\(operands[0], 2) AS TEXT) || '')")
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
        let (question, offset) =
            switch function {
            case .part(let part, let offset): (part.rawValue, offset)
            case .start(let unit, let offset): ("start of \(unit.rawValue)", offset)
            }
        try write("sqlitekit_date(\(operand, 3), '\(form.rawValue)', '\(question)', \(String(offset)))")
    }
}
