/// What a format computes of values, by its name.
struct FormatFunction: Sendable {
    /// How many values it takes.
    let counts: ClosedRange<Int>
    let make: @Sendable ([CriteriaTerm]) -> CriteriaTerm

    private init(_ counts: ClosedRange<Int>, _ make: @escaping @Sendable ([CriteriaTerm]) -> CriteriaTerm) {
        (self.counts, self.make) = (counts, make)
    }

    private init(_ function: RowFunction, _ counts: ClosedRange<Int> = 1...1) {
        self.init(counts) { .function(function, $0) }
    }

    private static let all: [String: FormatFunction] = {
        var all: [String: FormatFunction] = [
            "lowercase": .init(.lowercased), "uppercase": .init(.uppercased), "length": .init(.length),
            "trim": .init(.trimmed), "abs": .init(.absolute), "integer": .init(.integer), "real": .init(.real),
            "text": .init(.text), "replace": .init(.replaced, 3...3), "coalesce": .init(.coalesced, 2...20),
            "concat": .init(.concatenated, 2...20),
            "round": .init(1...2) { .function(.rounded, $0.count == 2 ? $0 : $0 + [.value(0)]) },
            "substring": .init(.substring, 2...3),
        ]
        for part in DatePart.allCases {
            all[part.rawValue.lowercased()] = .init(1...1) { .date(.part(part, offset: 0), $0[0]) }
        }
        for unit in DateUnit.allCases {
            all["startof" + unit.rawValue] = .init(1...1) { .date(.start(unit, offset: 0), $0[0]) }
        }
        return all
    }()

    /// - Parameter name: In any case.
    static func named(_ name: String) -> FormatFunction? { all[name.lowercased()] }

    static var names: String { all.keys.sorted().joined(separator: ", ") }
}

extension FormatParser {
    /// Reads what stands in parentheses after a function's name.
    mutating func call(_ function: FormatFunction, _ start: FormatToken) throws -> Piece {
        let position = start.range.lowerBound
        nesting += 1
        defer { nesting -= 1 }
        try checkNesting(position)
        try advance()
        var pieces: [Piece] = []
        while !token.isSymbol(")") {
            if !pieces.isEmpty { try expect(",") }
            pieces.append(try piece(.sum))
        }
        try advance()
        guard function.counts.contains(pieces.count) else {
            let (least, most) = (function.counts.lowerBound, function.counts.upperBound)
            throw text.failure(
                "\(text[start.range]) takes \(least == most ? "\(least)" : "\(least) to \(most)") values, not "
                    + "\(pieces.count)", at: position)
        }
        let term = function.make(try pieces.map(term))
        guard term.growth <= Self.greatestGrowth else {
            throw text.failure(
                "the replacements could make a text \(Int(Self.greatestGrowth)) times as long as it is, or longer",
                at: position)
        }
        return try deeper(.term(term), pieces, at: position)
    }

    /// How many times as long as a row's text a calculated one may be. A format is short, and replacements inside each
    /// other would multiply a text until there is no memory.
    private static let greatestGrowth = 1_000.0

    /// Whether a part of an ordering is more than a key.
    static func isCalculation(_ text: String) -> Bool {
        text.unicodeScalars.contains { "+-*/%()".unicodeScalars.contains($0) }
    }

    /// The value that a text describes, such as `price * quantity`.
    static func term(_ text: String, model: String) throws -> CriteriaTerm {
        let text = FormatText(text, model: model)
        var parser = try FormatParser(text, [])
        let whole = try parser.piece(.sum)
        guard parser.isAtEnd else { throw parser.unexpected("an operator, a comma or the end") }
        return try parser.term(whole)
    }

    /// The parts of an ordering between commas, except for those in parentheses and in quotes.
    static func parts(of phrase: String) -> [Substring] {
        var (parts, begin, depth) = ([Substring](), phrase.startIndex, 0)
        var quote: Unicode.Scalar?
        var isEscaped = false
        let scalars = phrase.unicodeScalars
        for index in scalars.indices {
            let scalar = scalars[index]
            if let open = quote {
                if scalar == open, !isEscaped { quote = nil }
                isEscaped = scalar == "\\" && !isEscaped && open != "`"
                continue
            }
            switch scalar {
            case "'", "\"", "`": quote = scalar
            case "(": depth += 1
            case ")": depth -= 1
            case "," where depth <= 0:
                parts.append(phrase[begin..<index])
                begin = scalars.index(after: index)
            default: break
            }
        }
        return parts + [phrase[begin...]]
    }
}

extension CriteriaTerm {
    /// How many times as long as a row's longest text the term's may be. What a format says by itself counts for
    /// nothing.
    fileprivate var growth: Double {
        switch self {
        case .key, .json, .related, .subquery, .aggregate: 1
        case .value, .date: 0
        case .arithmetic(let lhs, _, let rhs): lhs.growth + rhs.growth
        case .conditional(_, let then, let other): max(then.growth, other.growth)
        case .function(.replaced, let terms) where terms.count == 3:
            max(terms[0].growth, 1) * max(1, terms[2].longest / max(1, terms[1].literal.map { Double($0) } ?? 1))
        case .function(_, let terms): terms.reduce(0) { $0 + $1.growth }
        }
    }

    /// How many bytes a text that stands in a format has; nil for another term.
    private var literal: Int? {
        guard case .value(let value) = self else { return nil }
        return (flattened(value.value) as? String)?.utf8.count ?? 20
    }

    /// How many bytes the term may have. Of a property it isn't known.
    private var longest: Double { literal.map { Double($0) } ?? 50 * max(growth, 1) }
}
