/// What an engine knows besides SQLite's own SQL.
///
/// A statement that needs more than its engine has is rejected by name, before it is sent. So no method asks for
/// itself.
package struct EngineCapabilities: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// `REGEXP`.
    package static let regularExpressions = EngineCapabilities(rawValue: 1)
    /// The library's functions, `fold` and those that begin with `sqlitekit_`.
    package static let functions = EngineCapabilities(rawValue: 2)
    /// The library's collations: `DECIMAL`, `LOCALIZED`, `UNACCENTED_NOCASE` and `UTF8`.
    package static let collations = EngineCapabilities(rawValue: 4)
    /// The `RETURNING` clause.
    package static let returning = EngineCapabilities(rawValue: 8)

    /// What this library's own connections know.
    package static let all: EngineCapabilities = [.regularExpressions, .functions, .collations, .returning]

    /// Throws for SQL that needs more.
    ///
    /// - Throws: ``ResultCode/unsupported``.
    package func check(_ sql: String, _ engineName: String) throws(SQLiteError) {
        if self == .all { return }
        let tokens = SQLTokens(sql).tokens
        for (index, token) in tokens.enumerated() {
            guard case .word(let word) = token.kind else { continue }
            let before = index > 0 ? tokens[index - 1].name?.uppercased() : nil
            let isCall = index + 1 < tokens.count && tokens[index + 1].isSymbol("(")
            guard let (needed, name) = Self.need(of: word, after: before, isCall: isCall), !contains(needed) else {
                continue
            }
            throw SQLiteError(
                .unsupported,
                "\(engineName) has no \(name): ask for what it has, or read the rows and go on from there in Swift",
                sql: sql)
        }
    }

    /// What a word of SQL needs, and its name.
    private static func need(of word: String, after before: String?, isCall: Bool) -> (EngineCapabilities, String)? {
        let word = word.uppercased()
        if before == "COLLATE" {
            let isOurs = ["DECIMAL", "LOCALIZED", "UNACCENTED_NOCASE", "UTF8"].contains(word)
            return isOurs ? (.collations, "collation \(word)") : nil
        }
        switch word {
        case "REGEXP": return (.regularExpressions, "REGEXP")
        case "RETURNING": return (.returning, "RETURNING")
        default:
            // `INSERT INTO fold (…)` calls no function.
            let isFunction = isCall && !["INTO", "TABLE", "EXISTS", "REFERENCES", "ON"].contains(before ?? "")
            return isFunction && (word == "FOLD" || word.hasPrefix("SQLITEKIT_"))
                ? (.functions, "function \(word.lowercased())") : nil
        }
    }
}
