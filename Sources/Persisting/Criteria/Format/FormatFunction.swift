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
        return try deeper(.term(function.make(pieces.map(term))), pieces, at: position)
    }

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

    /// The parts of an ordering between commas, but for those in parentheses and in quotes.
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
