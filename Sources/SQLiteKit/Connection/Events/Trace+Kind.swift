extension Trace {
    /// A kind of statement. Its raw value is the keyword.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// SELECT, also after WITH.
        case select = "SELECT"
        /// VALUES, a query without a table.
        case values = "VALUES"
        /// INSERT, also after WITH.
        case insert = "INSERT"
        /// REPLACE, which means INSERT OR REPLACE.
        case replace = "REPLACE"
        /// UPDATE, also after WITH.
        case update = "UPDATE"
        /// DELETE, also after WITH.
        case delete = "DELETE"
        /// BEGIN.
        case begin = "BEGIN"
        /// COMMIT, or END, which means the same.
        case commit = "COMMIT"
        /// ROLLBACK, of a transaction or to a savepoint.
        case rollback = "ROLLBACK"
        /// SAVEPOINT.
        case savepoint = "SAVEPOINT"
        /// RELEASE.
        case release = "RELEASE"
        /// CREATE.
        case create = "CREATE"
        /// ALTER.
        case alter = "ALTER"
        /// DROP.
        case drop = "DROP"
        /// PRAGMA.
        case pragma = "PRAGMA"
        /// EXPLAIN.
        case explain = "EXPLAIN"
        /// ATTACH.
        case attach = "ATTACH"
        /// DETACH.
        case detach = "DETACH"
        /// ANALYZE.
        case analyze = "ANALYZE"
        /// REINDEX.
        case reindex = "REINDEX"
        /// VACUUM.
        case vacuum = "VACUUM"
        /// Any other statement.
        case other = "OTHER"

        /// The kind of a statement, and the position of the keyword that determines it.
        package static func find(in words: SQLTokens) -> (kind: Kind, place: Int?) {
            guard let first = words.tokens.indices.first else { return (.other, nil) }
            guard words.tokens[first].isWord("WITH") else {
                return kind(of: words.tokens[first]).map { ($0, first) } ?? (.other, nil)
            }
            // The statements of common table expressions are in parentheses.
            var place = first + 1
            while place < words.tokens.count {
                if words.tokens[place].isSymbol("(") {
                    guard let end = words.closing(place) else { break }
                    place = end + 1
                    continue
                }
                // REPLACE can also be the name of a common table expression. Then AS or its columns follow.
                let next = words.tokens.dropFirst(place + 1).first
                let isName = next?.isWord("AS") == true || next?.isSymbol("(") == true
                if let kind = kind(of: words.tokens[place]), verbsAfterWith.contains(kind),
                    kind != .replace || !isName
                {
                    return (kind, place)
                }
                place += 1
            }
            return (.other, nil)
        }

        private static let verbsAfterWith: Set<Kind> = [.select, .values, .insert, .replace, .update, .delete]
        private static let byWord = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

        private static func kind(of token: SQLTokens.Token) -> Kind? {
            guard case .word(let word) = token.kind else { return nil }
            let keyword = word.uppercased()
            return keyword == "END" ? .commit : keyword == "OTHER" ? nil : byWord[keyword]
        }
    }
}
