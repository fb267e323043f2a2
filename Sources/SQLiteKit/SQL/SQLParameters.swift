/// Whether a text of SQL has a `?`, which takes the next value by position.
func hasOpenParameter(_ sql: String) -> Bool {
    offset(of: UInt8(ascii: "?"), in: sql) != nil && SQLParameters(SQLTokens(sql)).names.contains(nil)
}

/// The parameters in a text of SQL, numbered as SQLite numbers them. See
/// [Parameters](https://www.sqlite.org/lang_expr.html#varparam).
package struct SQLParameters {
    /// The names with their prefixes, in the order of the parameters' numbers; nil for a plain `?`.
    package private(set) var names: [String?] = []
    /// Where one stands in the text, and its number, counted from 1.
    private var places: [(bytes: Range<Int>, number: Int)] = []

    /// SQLite's own limit is lower, unless it was built otherwise.
    private static let greatestNumber = 1_000_000

    package init(_ text: SQLTokens) {
        for token in text.tokens {
            guard case .parameter(let name) = token.kind, let number = number(of: name) else { continue }
            places.append((token.range, number))
        }
    }

    /// The text with what `literal` says in the place of each parameter.
    func replaced(in sql: String, _ literal: (Int) -> String) -> String {
        let text = Array(sql.utf8)
        var result: [UInt8] = []
        var end = 0
        for (bytes, number) in places {
            result += text[end..<bytes.lowerBound]
            // A literal would join a word, a number or a text next to it, and two minus signs begin a comment.
            if let last = result.last, Self.joinsLiteral(last) || last == UInt8(ascii: "-") { result.append(32) }
            result += literal(number).utf8
            end = bytes.upperBound
            if end < text.count, Self.joinsLiteral(text[end]) { result.append(32) }
        }
        return String(decoding: result + text[end...], as: UTF8.self)
    }

    /// The number of the parameter that is called so: a plain `?` is the next, and so is a new name.
    private mutating func number(of name: String) -> Int? {
        if name == "?" {
            names.append(nil)
            return names.count
        }
        if name.hasPrefix("?") {
            guard let number = Int(name.dropFirst()), (1...Self.greatestNumber).contains(number) else { return nil }
            while names.count < number { names.append(nil) }
            // A parameter that has a name keeps it.
            names[number - 1] = names[number - 1] ?? name
            return number
        }
        if let known = names.firstIndex(where: { $0.map { haveSameBytes($0, name) } ?? false }) { return known + 1 }
        names.append(name)
        return names.count
    }

    private static func joinsLiteral(_ byte: UInt8) -> Bool {
        SQLTokens.isWordByte(byte) || byte == UInt8(ascii: "'") || byte == UInt8(ascii: ".")
    }
}
