/// Takes a format apart into words, values and signs.
struct FormatLexer {
    let text: FormatText
    private var position = 0

    init(_ text: FormatText) {
        self.text = text
    }

    mutating func next() throws -> FormatToken {
        while let scalar = peek(), scalar.properties.isWhitespace { position += 1 }
        let start = position
        let kind = try kind()
        return FormatToken(kind: kind, range: start..<position)
    }

    private func peek(_ distance: Int = 0) -> Unicode.Scalar? {
        let index = position + distance
        return index < text.scalars.count ? text.scalars[index] : nil
    }

    /// Skips the scalars that fulfil a condition.
    @discardableResult
    private mutating func take(while condition: (Unicode.Scalar) -> Bool) -> String {
        let start = position
        while let scalar = peek(), condition(scalar) { position += 1 }
        return text[start..<position]
    }

    private mutating func kind() throws -> FormatToken.Kind {
        guard let scalar = peek() else { return .end }
        switch scalar {
        case "'", "\"": return .text(try quotedText(scalar))
        case "`": return .key(try backquotedKey())
        case "#":
            position += 1
            let key = take(while: isWordPart)
            guard !key.isEmpty else { throw text.failure("expected a key after #", at: position) }
            return .key(key)
        case "%": return try argument()
        case "@" where position > 0 && text.scalars[position - 1] == "." && peek(1).map(isWordPart) ?? false:
            position += 1
            return .word("@" + take(while: isWordPart))
        case "$", "@":
            throw text.failure(
                scalar == "$"
                    ? "variables ($name) are not supported: give the value as an argument"
                    : "@ begins nothing here: an argument is %@, and related rows are counted by episodes.@count",
                at: position)
        case "0"..."9": return try number()
        case ".":
            if let digit = peek(1), isDigit(digit) { return try number() }
        case _ where isWordPart(scalar): return .word(take(while: isWordPart))
        default: break
        }
        return .symbol(try symbol(scalar))
    }

    private static let longSymbols: Set<String> = [
        "==", "!=", "<>", "<=", "=<", ">=", "=>", "&&", "||", "**", ":=",
    ]
    private static let symbols: Set<Unicode.Scalar> = [
        "=", "<", ">", "!", "(", ")", "{", "}", "[", "]", ",", "+", "-", "*", "/", ".", ":",
    ]

    private mutating func symbol(_ scalar: Unicode.Scalar) throws -> String {
        if let second = peek(1), case let pair = "\(scalar)\(second)", Self.longSymbols.contains(pair) {
            position += 2
            return pair
        }
        guard Self.symbols.contains(scalar) else {
            throw text.failure("\"\(scalar)\" has no meaning here", at: position)
        }
        position += 1
        return String(scalar)
    }

    private mutating func backquotedKey() throws -> String {
        let start = position
        position += 1
        let key = take { $0 != "`" }
        guard peek() != nil, !key.isEmpty else {
            throw text.failure(key.isEmpty ? "expected a key between ` and `" : "the ` has no end", at: start)
        }
        position += 1
        return key
    }
}

/// Values in the text.
extension FormatLexer {
    private static let radices: [Unicode.Scalar: Int] = ["x": 16, "X": 16, "o": 8, "O": 8, "b": 2, "B": 2]

    private mutating func number() throws -> FormatToken.Kind {
        let start = position
        if peek() == "0", let radix = peek(1).flatMap({ Self.radices[$0] }) {
            position += 2
            let digits = take(while: isWordPart)
            guard let number = UInt64(digits, radix: radix) else { throw noNumber(start) }
            return .integer(number)
        }
        take(while: isDigit)
        var isReal = false
        if peek() == ".", let digit = peek(1), isDigit(digit) {
            isReal = true
            position += 1
            take(while: isDigit)
        }
        if peek() == "e" || peek() == "E" {
            isReal = true
            position += 1
            if peek() == "+" || peek() == "-" { position += 1 }
            guard !take(while: isDigit).isEmpty else { throw noNumber(start) }
        }
        if let scalar = peek(), isWordPart(scalar) { throw noNumber(start) }
        let digits = text[start..<position]
        if !isReal {
            guard let number = UInt64(digits) else { throw noNumber(start) }
            return .integer(number)
        }
        guard let number = Double(digits), number.isFinite else { throw noNumber(start) }
        return .real(number)
    }

    private mutating func noNumber(_ start: Int) -> PersistenceError {
        take(while: isWordPart)
        return text.failure(
            "\"\(text[start..<position])\" isn't a number that Int64, UInt64 or Double can hold", at: start)
    }

    private mutating func quotedText(_ quote: Unicode.Scalar) throws -> String {
        let start = position
        position += 1
        var result = String.UnicodeScalarView()
        while let scalar = peek() {
            if scalar == quote {
                position += 1
                return String(result)
            }
            result.append(scalar == "\\" ? try escape() : scalar)
            position += 1
        }
        throw text.failure("the text that begins with \(quote) has no end", at: start)
    }

    /// The character of an escape, at whose last scalar the position is left.
    private mutating func escape() throws -> Unicode.Scalar {
        let start = position
        position += 1
        switch peek() {
        case let scalar? where "\\'\"`".unicodeScalars.contains(scalar): return scalar
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u": if let scalar = hexadecimal(4) { return scalar }
        case "U": if let scalar = hexadecimal(8) { return scalar }
        default: break
        }
        throw text.failure(
            "there is no such escape: there are \\\\ \\' \\\" \\n \\r \\t \\uXXXX \\UXXXXXXXX", at: start)
    }

    private mutating func hexadecimal(_ count: Int) -> Unicode.Scalar? {
        let digits = text[(position + 1)..<min(position + 1 + count, text.scalars.count)]
        guard digits.utf8.count == count, digits.allSatisfy(\.isHexDigit),
            let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
        else { return nil }
        position += count
        return scalar
    }

    private static let arguments: Set<String> = [
        "@", "K", "d", "i", "u", "ld", "li", "lu", "lld", "lli", "llu", "f", "g", "lf", "lg",
    ]

    private mutating func argument() throws -> FormatToken.Kind {
        let start = position
        position += 1
        if peek() == "%" {
            position += 1
            return .symbol("%%")
        }
        var specifier = take { $0 == "l" }
        if let scalar = peek(), !scalar.properties.isWhitespace {
            specifier.unicodeScalars.append(scalar)
            position += 1
        }
        guard Self.arguments.contains(specifier) else {
            throw text.failure(
                "%\(specifier) stands for no argument: there are %@ %K %d %i %u %ld %lu %lld %llu %f %g", at: start)
        }
        return .argument(specifier)
    }
}

private func isDigit(_ scalar: Unicode.Scalar) -> Bool {
    ("0"..."9").contains(scalar)
}

private func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.properties.isXIDContinue
}
