/// What compares two values in a format.
enum FormatOperator {
    case equal
    case unequal
    case orders(CriteriaNode.Comparison)
    case matches(CriteriaNode.TextMatch)
    case between
    case isIn

    static let symbols: [String: FormatOperator] = [
        "=": .equal, "==": .equal, "!=": .unequal, "<>": .unequal, "<": .orders(.less), "<=": .orders(.lessOrEqual),
        "=<": .orders(.lessOrEqual), ">": .orders(.greater), ">=": .orders(.greaterOrEqual),
        "=>": .orders(.greaterOrEqual),
    ]
    static let words: [String: FormatOperator] = [
        "BEGINSWITH": .matches(.hasPrefix), "ENDSWITH": .matches(.hasSuffix), "CONTAINS": .matches(.contains),
        "LIKE": .matches(.like), "MATCHES": .matches(.regularExpression), "BETWEEN": .between, "IN": .isIn,
    ]
}

/// Words that the language has for what a row does not have, or this library not.
enum FormatReserved {
    static let messages = [
        "SUBQUERY": "is not supported: ask ANY of related rows, or use contains(…) of the relation",
        "FETCH": "is not supported", "SELF": "is not supported: name a key",
        "CAST": "is not supported: give the value as an argument", "FUNCTION": "is not supported",
    ]
}

extension FormatParser {
    /// Reads the operator that comes after a value, and what it is compared with.
    mutating func comparison(_ left: Piece) throws -> Piece {
        guard case .term(let subject) = left.content else { throw unexpected("AND, OR or the end") }
        let isNegated = token.keyword == "NOT"
        if isNegated { try advance() }
        let found: FormatOperator? =
            switch token.kind {
            case .symbol(let symbol): isNegated ? nil : FormatOperator.symbols[symbol]
            case .word: token.keyword.flatMap { FormatOperator.words[$0] }
            default: nil
            }
        guard let found else { throw unexpected("IN, BETWEEN, LIKE or another comparison operator") }
        try advance()
        let options = try self.options()
        let (node, right, copies) = try comparison(subject, found, options)
        var left = left
        left.size *= copies
        return try deeper(.condition(isNegated ? node.negated : node), right + [left], at: left.position)
    }

    /// Reads what a value is compared with.
    ///
    /// - Returns: The comparison, what stands at the right, and how often the value stands in it.
    private mutating func comparison(
        _ subject: CriteriaTerm, _ operation: FormatOperator, _ options: TextOptions
    ) throws -> (CriteriaNode, [Piece], copies: Int) {
        switch operation {
        case .between:
            let position = token.range.lowerBound
            let (bounds, pieces) = try list()
            guard bounds.count == 2 else {
                throw text.failure("BETWEEN needs two values, not \(bounds.count)", at: position)
            }
            let node = CriteriaNode.and([
                .compares(subject, .greaterOrEqual, bounds[0], options),
                .compares(subject, .lessOrEqual, bounds[1], options),
            ])
            return (node, pieces, 2)
        case .isIn where token.isKey:
            // A key, as in `'x' IN tags`.
            let right = try piece(.sum)
            return (.matches(try term(right), .hasElement, subject, options), [right], 1)
        case .isIn:
            let (terms, pieces) = try list()
            let areValues = terms.allSatisfy { if case .value = $0 { true } else { false } }
            return (.isIn(subject, terms, options), pieces, areValues ? 1 : terms.count)
        case .equal, .unequal, .orders, .matches: break
        }
        let right = try piece(.sum)
        let object = try term(right)
        let node: CriteriaNode =
            switch operation {
            case .unequal: .not(.compares(subject, .equal, object, options))
            case .orders(let comparison): .compares(subject, comparison, object, options)
            case .matches(let match): .matches(subject, match, object, options)
            case .equal, .between, .isIn: .compares(subject, .equal, object, options)
            }
        return (node, [right], 1)
    }

    /// `[c]`, `[d]` or `[cd]`, if it stands here.
    private mutating func options() throws -> TextOptions {
        guard token.isSymbol("[") else { return [] }
        try advance()
        guard case .word(let letters) = token.kind else { throw unexpected("c, d or cd") }
        var options: TextOptions = []
        for letter in letters.unicodeScalars {
            switch letter {
            case "c", "C": options.insert(.caseInsensitive)
            case "d", "D": options.insert(.diacriticInsensitive)
            case "l", "L", "n", "N", "w", "W":
                throw text.failure(
                    "[\(letter)] is not supported: there are [c], [d] and [cd]", at: token.range.lowerBound)
            default: throw unexpected("c, d or cd")
            }
        }
        try advance()
        try expect("]")
        return options
    }

    /// The values of `{a, b}`, or of an argument that is an array.
    private mutating func list() throws -> ([CriteriaTerm], [Piece]) {
        if case .argument("@") = token.kind {
            let terms = try arguments.list(token)
            try advance()
            return (terms, [])
        }
        guard token.isSymbol("{") else { throw unexpected("a list: {…}, or %@ for an array") }
        try advance()
        var pieces: [Piece] = []
        if !token.isSymbol("}") {
            while true {
                pieces.append(try piece(.sum))
                guard token.isSymbol(",") else { break }
                try advance()
            }
        }
        guard token.isSymbol("}") else { throw unexpected(", or }") }
        try advance()
        return (try pieces.map(term), pieces)
    }
}
