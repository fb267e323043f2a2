/// The tokens of an SQL text, as SQLite's own tokenizer finds them, without whitespace and comments.
///
/// This is the library's only SQL lexer. It finds what no pragma reports about a schema.
package struct SQLTokens: Sendable {
    /// A kind of token.
    package enum Kind: Hashable, Sendable {
        /// A keyword, a name without quotes, or a number.
        case word(String)
        /// A name in double quotes, backticks or brackets, without them.
        case quoted(String)
        /// A text in single quotes, without them. Where SQL expects a name, it is a name.
        case text(String)
        /// A parameter with its prefix: `?`, `?7`, `:a`, `@a`, `$a`, or Tcl's form `$a::b(c)`. SQLite also accepts
        /// `#a`, which its documentation doesn't mention. See
        /// [Parameters](https://www.sqlite.org/lang_expr.html#varparam).
        case parameter(String)
        /// One byte of punctuation: a bracket, a comma or an operator.
        case symbol(UInt8)
    }

    /// A token and its place in the text.
    package struct Token: Sendable {
        package let kind: Kind
        package let range: Range<Int>

        /// Whether the token is a keyword, in any case. A name in quotes isn't a keyword.
        package func isWord(_ word: String) -> Bool {
            if case .word(let own) = kind { isSameName(own, word) } else { false }
        }

        package func isSymbol(_ symbol: Character) -> Bool { kind == .symbol(symbol.asciiValue ?? 0) }

        /// The name that the token is where SQL expects a name; nil for a parameter or a symbol.
        package var name: String? {
            switch kind {
            case .word(let name), .quoted(let name), .text(let name): name
            case .parameter, .symbol: nil
            }
        }
    }

    /// Whether a byte can be a part of a name, a keyword or a number.
    static func isWordByte(_ byte: UInt8) -> Bool {
        byte >= 128 || byte == 95 || byte == 36 || (48...57).contains(byte) || (97...122).contains(byte | 32)
    }

    package let tokens: [Token]
    private let bytes: [UInt8]

    package init(_ sql: String) {
        bytes = Array(sql.utf8)
        var lexer = Lexer(bytes: bytes)
        var tokens: [Token] = []
        while let token = lexer.next() { tokens.append(token) }
        self.tokens = tokens
    }

    /// The text of some of the tokens, including everything between them.
    package func text(_ range: Range<Int>) -> String {
        guard let first = tokens[range].first, let last = tokens[range].last else { return "" }
        return String(decoding: bytes[first.range.lowerBound..<last.range.upperBound], as: UTF8.self)
    }

    /// The whitespace and comments between a token and the one before it.
    package func gap(before index: Int) -> String {
        let start = index > 0 ? tokens[index - 1].range.upperBound : 0
        let end = index < tokens.count ? tokens[index].range.lowerBound : bytes.count
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    /// The position of the bracket that closes the one at a position; nil if there is none.
    package func closing(_ open: Int) -> Int? {
        var depth = 0
        for index in open..<tokens.count {
            if tokens[index].isSymbol("(") { depth += 1 }
            if tokens[index].isSymbol(")") { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }

    /// The text with some of its tokens replaced, and everything else unchanged.
    package func replacing(_ replacement: (Int) -> String?) -> String {
        var result: [UInt8] = []
        var end = 0
        for index in tokens.indices {
            guard let text = replacement(index) else { continue }
            result += bytes[end..<tokens[index].range.lowerBound] + Array(text.utf8)
            end = tokens[index].range.upperBound
        }
        return String(decoding: result + bytes[end...], as: UTF8.self)
    }

    /// A canonical form: equal for two texts that mean the same. Keywords and names are compared by SQLite's rules,
    /// texts by their bytes; whitespace and comments are ignored.
    package var meaning: [String] {
        tokens.map { token in
            switch token.kind {
            case .word(let name), .quoted(let name): "n" + asciiLowercased(name)
            case .text(let text): "t" + text
            case .parameter(let name): "p" + name
            case .symbol(let byte): "s\(byte)"
            }
        }
    }
}

private struct Lexer {
    let bytes: [UInt8]
    private var place = 0

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func next() -> SQLTokens.Token? {
        skipBlanks()
        guard place < bytes.count else { return nil }
        let start = place
        let kind: SQLTokens.Kind
        switch bytes[place] {
        case UInt8(ascii: "'"): kind = .text(quoted(UInt8(ascii: "'")))
        case UInt8(ascii: "\""), UInt8(ascii: "`"): kind = .quoted(quoted(bytes[place]))
        case UInt8(ascii: "["):
            let end = bytes[place...].firstIndex(of: UInt8(ascii: "]")) ?? bytes.count
            kind = .quoted(String(decoding: bytes[(place + 1)..<end], as: UTF8.self))
            place = min(end + 1, bytes.count)
        case UInt8(ascii: "?"):
            place += 1
            while place < bytes.count, (48...57).contains(bytes[place]) { place += 1 }
            kind = .parameter(text(from: start))
        case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "$"), UInt8(ascii: "#"):
            let end = endOfParameterName()
            place = end ?? place + 1
            kind = end == nil ? .symbol(bytes[start]) : .parameter(text(from: start))
        case let byte where SQLTokens.isWordByte(byte):
            while place < bytes.count, SQLTokens.isWordByte(bytes[place]) { place += 1 }
            kind = .word(text(from: start))
        case let byte:
            place += 1
            kind = .symbol(byte)
        }
        return SQLTokens.Token(kind: kind, range: start..<place)
    }

    /// The text from a position to the current one.
    private func text(from start: Int) -> String { String(decoding: bytes[start..<place], as: UTF8.self) }

    private mutating func skipBlanks() {
        while place < bytes.count {
            if (9...13).contains(bytes[place]) || bytes[place] == 32 {
                place += 1
            } else if bytes[place...].starts(with: "--".utf8) {
                place = bytes[place...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            } else if bytes[place...].starts(with: "/*".utf8) {
                place += 2
                while place < bytes.count, !bytes[place...].starts(with: "*/".utf8) { place += 1 }
                place = min(place + 2, bytes.count)
            } else {
                return
            }
        }
    }

    /// The text inside quotes, in which a doubled quote is one quote.
    private mutating func quoted(_ quote: UInt8) -> String {
        var content: [UInt8] = []
        place += 1
        while place < bytes.count {
            if bytes[place] == quote {
                place += 1
                guard place < bytes.count, bytes[place] == quote else { break }
            }
            content.append(bytes[place])
            place += 1
        }
        return String(decoding: content, as: UTF8.self)
    }

    /// The end of the parameter whose prefix is at the current position; nil if no name follows.
    private func endOfParameterName() -> Int? {
        let start = place + 1
        var end = start
        var hasWord = false
        while end < bytes.count {
            if SQLTokens.isWordByte(bytes[end]) {
                hasWord = true
                end += 1
            } else if bytes[end...].starts(with: "::".utf8) {
                end += 2
            } else if bytes[end] == UInt8(ascii: "("), hasWord {
                let isPart: (UInt8) -> Bool = { $0 != UInt8(ascii: ")") && $0 != 32 && !(9...13).contains($0) }
                let close = bytes[end...].firstIndex { !isPart($0) }
                return close.flatMap { bytes[$0] == UInt8(ascii: ")") ? $0 + 1 : nil } ?? end
            } else {
                break
            }
        }
        return hasWord ? end : nil
    }
}
