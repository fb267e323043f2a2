#if Observability

    internal import SQLiteKit

    /// What logs and spans say of a statement's text.
    struct StatementText {
        let kind: Trace.Kind
        /// The first table that it names, as it names it; nil where there is none.
        let table: String?
        /// The text with `?` in the place of each literal, without comments.
        let sql: String

        /// The keyword and the table, such as `SELECT ALBUM`.
        var summary: String { table.map { "\(kind.rawValue) \($0)" } ?? kind.rawValue }

        init(_ sql: String) {
            let words = SQLTokens(sql)
            let (kind, place) = Trace.Kind.find(in: words)
            self.kind = kind
            table = place.flatMap { Self.table(of: kind, after: $0, words) }
            self.sql = Self.withoutLiterals(words, kind)
        }

        private static func table(of kind: Trace.Kind, after place: Int, _ words: SQLTokens) -> String? {
            switch kind {
            case .select, .delete: name(after: "FROM", from: place, words)
            case .insert, .replace: name(after: "INTO", from: place, words)
            case .update:
                // UPDATE OR IGNORE t
                name(at: words.tokens.dropFirst(place + 1).first?.isWord("OR") == true ? place + 3 : place + 1, words)
            case .create, .drop, .alter: name(after: "TABLE", from: place, words)
            case .pragma: name(at: place + 1, words)
            default: nil
            }
        }

        /// The name after a keyword outside of brackets.
        private static func name(after keyword: String, from place: Int, _ words: SQLTokens) -> String? {
            var place = place
            while place < words.tokens.count {
                if words.tokens[place].isSymbol("(") {
                    guard let end = words.closing(place) else { return nil }
                    place = end
                } else if words.tokens[place].isWord(keyword) {
                    var next = place + 1
                    // CREATE TABLE IF NOT EXISTS t
                    while ["IF", "NOT", "EXISTS"].contains(where: { word in
                        words.tokens.dropFirst(next).first?.isWord(word) == true
                    }) { next += 1 }
                    return name(at: next, words)
                }
                place += 1
            }
            return nil
        }

        /// A name, which may stand behind that of a database.
        private static func name(at place: Int, _ words: SQLTokens) -> String? {
            let rest = words.tokens.dropFirst(place).prefix(3)
            guard let name = rest.first?.name else { return nil }
            guard rest.count == 3, rest.dropFirst().first?.isSymbol(".") == true else { return name }
            return rest.last?.name ?? name
        }

        private static func withoutLiterals(_ words: SQLTokens, _ kind: Trace.Kind) -> String {
            var text = ""
            // A pragma's value may be a word, and a key.
            let value =
                kind == .pragma ? words.tokens.firstIndex { $0.isSymbol("=") || $0.isSymbol("(") }.map { $0 + 1 } : nil
            for (index, token) in words.tokens.enumerated() {
                if index > 0, !words.gap(before: index).isEmpty { text += " " }
                let isValue = value.map { index >= $0 && !token.isSymbol(")") } ?? false
                text += isValue || isLiteral(token) ? "?" : words.text(index..<index + 1)
            }
            return text
        }

        private static func isLiteral(_ token: SQLTokens.Token) -> Bool {
            switch token.kind {
            case .text: true
            case .word(let word): word.utf8.first.map { (48...57).contains($0) } ?? false
            case .quoted, .parameter, .symbol: false
            }
        }
    }

#endif
