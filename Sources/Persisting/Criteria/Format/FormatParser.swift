/// Reads a format: a parser by precedence, which goes deeper only for what is nested.
struct FormatParser {
    let text: FormatText
    private var lexer: FormatLexer
    var token: FormatToken
    var arguments: FormatArguments
    /// The keys that the format names, and where.
    var keys: [FormatKey] = []
    var nesting = 0
    /// The class, which tells relations from the keys of JSON; nil for one that can't be used.
    private(set) var mapping: Mapping?

    /// How deep parentheses, negations and arithmetic may be nested; a TERNARY counts twice. In a debug build it takes
    /// as much of a stack as the threads of Dispatch have on Apple's systems, 512 KB.
    static let nestingLimit = 50
    /// How many parts the condition may have in addition to one for each character of the text. BETWEEN and lists of
    /// keys name a value several times: inside each other they would multiply it until there is no memory.
    private static let greatestRepetition = 100_000

    init(_ text: FormatText, _ arguments: [(any Sendable)?], of mapping: Mapping? = nil) throws {
        self.text = text
        self.mapping = mapping
        self.arguments = FormatArguments(arguments, text)
        lexer = FormatLexer(text)
        token = try lexer.next()
    }

    /// The condition of the whole text.
    mutating func condition() throws -> CriteriaNode {
        guard !isAtEnd else {
            throw text.failure("the format is empty: use TRUEPREDICATE to match every row", at: 0)
        }
        let whole = try piece(.or)
        let node = try condition(whole)
        guard isAtEnd else { throw unexpected("AND, OR or the end") }
        try arguments.checkAllUsed()
        return node
    }

    /// What binds how tightly, from the loosest on.
    enum Level: Int, Comparable {
        case or, and, comparison, sum, product, sign

        static func < (lhs: Level, rhs: Level) -> Bool { lhs.rawValue < rhs.rawValue }
    }

    /// A part of the format that has been read.
    struct Piece {
        enum Content {
            case condition(CriteriaNode)
            case term(CriteriaTerm)
        }

        let content: Content
        let position: Int
        /// How deep its tree is.
        var depth = 0
        /// How many parts SQL has for it.
        var size = 1
    }

    /// Reads a piece that binds at least as tightly as a level.
    mutating func piece(_ level: Level) throws -> Piece {
        var left = try prefixed()
        while let (found, sign) = infix(), found >= level {
            switch found {
            case .or: left = try chain(left, .and, while: .or) { .or($0) }
            case .and: left = try chain(left, .comparison, while: .and) { .and($0) }
            case .comparison: left = try comparison(left)
            case .sum, .product, .sign:
                try advance()
                let right = try piece(found == .sum ? .product : .sign)
                let term = CriteriaTerm.arithmetic(try term(left), sign ?? .add, try term(right))
                left = try deeper(.term(term), [left, right], at: left.position)
            }
        }
        return left
    }

    /// Reads a piece with what may stand before it.
    private mutating func prefixed() throws -> Piece {
        let position = token.range.lowerBound
        nesting += 1
        defer { nesting -= 1 }
        try checkNesting(position)
        if token.isSymbol("(") {
            try advance()
            let inner = try piece(.or)
            try expect(")")
            return Piece(content: inner.content, position: position, depth: inner.depth, size: inner.size)
        }
        if token.isSymbol("-") {
            try advance()
            return try negative(position)
        }
        guard token.isSymbol("!") || token.keyword == "NOT" else { return try primary() }
        try advance()
        let operand = try piece(.comparison)
        return try deeper(.condition(condition(operand).negated), [operand], at: position)
    }

    private mutating func negative(_ position: Int) throws -> Piece {
        switch token.kind {
        case .integer(let number):
            guard number <= UInt64(Int64.max) + 1 else { throw text.failure("the number is too small", at: position) }
            try advance()
            return Piece(content: .term(.value(Int64(truncatingIfNeeded: 0 &- number))), position: position)
        case .real(let number):
            try advance()
            return Piece(content: .term(.value(-number)), position: position)
        default:
            let operand = try piece(.sign)
            return try deeper(
                .term(.arithmetic(.value(Int64(0)), .subtract, term(operand))), [operand], at: position)
        }
    }

    /// The conditions that one operator joins, however many.
    private mutating func chain(
        _ first: Piece, _ level: Level, while joining: Level, _ node: ([CriteriaNode]) -> CriteriaNode
    ) throws -> Piece {
        // What is joined by the same operator in parentheses is joined with the rest.
        func parts(_ node: CriteriaNode) -> [CriteriaNode] { joining == .or ? node.disjuncts : node.conjuncts }
        var (nodes, pieces) = (parts(try condition(first)), [first])
        while infix()?.level == joining {
            try advance()
            let next = try piece(level)
            nodes += parts(try condition(next))
            pieces.append(next)
        }
        return try deeper(.condition(node(nodes)), pieces, at: first.position)
    }

    /// What stands between two pieces here.
    private func infix() -> (level: Level, sign: CriteriaTerm.Arithmetic?)? {
        switch token.kind {
        case .symbol("||"): (.or, nil)
        case .symbol("&&"): (.and, nil)
        case .symbol("+"): (.sum, .add)
        case .symbol("-"): (.sum, .subtract)
        case .symbol("*"): (.product, .multiply)
        case .symbol("/"): (.product, .divide)
        case .symbol("%%"): (.product, .remainder)
        case .symbol(let symbol): FormatOperator.symbols[symbol].map { _ in (.comparison, nil) }
        case .word:
            switch token.keyword {
            case "OR": (.or, nil)
            case "AND": (.and, nil)
            case "NOT": (.comparison, nil)
            case let word?: FormatOperator.words[word].map { _ in (.comparison, nil) }
            case nil: nil
            }
        default: nil
        }
    }
}

/// Steps and errors.
extension FormatParser {
    var isAtEnd: Bool {
        if case .end = token.kind { true } else { false }
    }

    mutating func advance() throws {
        token = try lexer.next()
    }

    mutating func expect(_ symbol: String) throws {
        guard token.isSymbol(symbol) else { throw unexpected(symbol) }
        try advance()
    }

    /// Takes a piece for a condition.
    func condition(_ piece: Piece) throws -> CriteriaNode {
        guard case .condition(let node) = piece.content else {
            throw unexpected("a comparison operator")
        }
        return node
    }

    /// Takes a piece for a value.
    func term(_ piece: Piece) throws -> CriteriaTerm {
        guard case .term(let term) = piece.content else {
            throw text.failure("expected a key or a value, found a condition", at: piece.position)
        }
        return term
    }

    /// A piece of a tree that is one deeper than those in it.
    func deeper(_ content: Piece.Content, _ pieces: [Piece], at position: Int) throws -> Piece {
        let depth = pieces.reduce(0) { max($0, $1.depth) } + 1
        guard depth <= Self.nestingLimit else { throw tooDeep(position) }
        let size = pieces.reduce(1) { $0 + $1.size }
        guard size <= text.scalars.count + Self.greatestRepetition else {
            throw text.failure(
                "BETWEEN and IN inside each other would repeat values until SQL has \(size) parts", at: position)
        }
        return Piece(content: content, position: position, depth: depth, size: size)
    }

    func checkNesting(_ position: Int) throws {
        guard nesting <= Self.nestingLimit + 1 else { throw tooDeep(position) }
    }

    private func tooDeep(_ position: Int) -> PersistenceError {
        text.failure("the format is nested more than \(Self.nestingLimit) deep", at: position)
    }

    func unexpected(_ expected: String) -> PersistenceError {
        let found = isAtEnd ? "the end" : String(text[token.range].prefix(30))
        return text.failure("expected \(expected), found \(found)", at: token.range.lowerBound)
    }
}
