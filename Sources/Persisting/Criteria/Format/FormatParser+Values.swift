/// Keys and values.
extension FormatParser {
    /// Reads a key, a value, or a condition of one word.
    mutating func primary() throws -> Piece {
        let start = token
        let position = start.range.lowerBound
        func term(_ value: (any Sendable)?) -> Piece { Piece(content: .term(.value(value)), position: position) }
        switch start.kind {
        case .text(let text):
            try advance()
            return term(text)
        case .integer(let number):
            try advance()
            return Int64(exactly: number).map { term($0) } ?? term(number)
        case .real(let number):
            try advance()
            return term(number)
        case .argument("K"):
            let key = try arguments.key(start)
            return try self.key(key, start)
        case .argument:
            let value = try arguments.value(start)
            try advance()
            return term(value)
        case .key(let key): return try self.key(key, start)
        case .word(let word): return try self.word(word, start)
        case .symbol("{"):
            throw text.failure("a list is only allowed after IN and BETWEEN", at: position)
        case .symbol, .end: throw unexpected("a key or a value")
        }
    }

    private mutating func word(_ word: String, _ start: FormatToken) throws -> Piece {
        let position = start.range.lowerBound
        let keyword = start.keyword ?? ""
        if let message = FormatReserved.messages[keyword] {
            throw text.failure("\(word) \(message)\(Self.hint(word))", at: position)
        }
        if ["AND", "OR", "NOT"].contains(keyword) || FormatOperator.words[keyword] != nil {
            throw text.failure("expected a key or a value, found \(word)\(Self.hint(word))", at: position)
        }
        func piece(_ content: Piece.Content) throws -> Piece {
            try advance()
            return Piece(content: content, position: position)
        }
        switch keyword {
        case "NIL", "NULL": return try piece(.term(.value(nil)))
        case "TRUE", "YES": return try piece(.term(.value(true)))
        case "FALSE", "NO": return try piece(.term(.value(false)))
        case "TRUEPREDICATE": return try piece(.condition(.and([])))
        case "FALSEPREDICATE": return try piece(.condition(.or([])))
        case "TERNARY": return try ternary(word, start)
        case "ANY", "SOME", "ALL", "NONE": return try quantified(keyword, word, start)
        default: return try key(word, start)
        }
    }

    static func hint(_ word: String) -> String { "; a key of that name is written #\(word)" }

    /// A key, at which the parser stands.
    private mutating func key(_ key: String, _ start: FormatToken) throws -> Piece {
        try advance()
        return try keyJustRead(key, start)
    }

    private mutating func keyJustRead(_ key: String, _ start: FormatToken) throws -> Piece {
        let key = try path(key)
        if token.isSymbol("("), let function = FormatFunction.named(key) { return try call(function, start) }
        let message: String? =
            if token.isSymbol("(") || token.isSymbol(":") {
                "there is no function \(key): there are " + FormatFunction.names
            } else if token.isSymbol("[") {
                "an index is not supported"
            } else {
                nil
            }
        if let message { throw text.failure(message, at: token.range.lowerBound) }
        keys.append(FormatKey(key: key, position: start.range.lowerBound))
        return Piece(content: .term(.key(key)), position: start.range.lowerBound)
    }

    /// `TERNARY(condition, value, value)`.
    private mutating func ternary(_ word: String, _ start: FormatToken) throws -> Piece {
        try advance()
        guard token.isSymbol("(") else { return try keyJustRead(word, start) }
        nesting += 1
        defer { nesting -= 1 }
        try checkNesting(start.range.lowerBound)
        try advance()
        let test = try piece(.or)
        let condition = try condition(test)
        try expect(",")
        let first = try piece(.sum)
        try expect(",")
        let second = try piece(.sum)
        try expect(")")
        return try deeper(
            .term(.conditional(condition, term(first), term(second))), [test, first, second],
            at: start.range.lowerBound)
    }
}
