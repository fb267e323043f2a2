internal import SQLiteKit

/// What a client has to know of an SQL text before it is sent, and can't ask SQLite for.
struct StatementText {
    /// The statement without blanks, comments and semicolons around it.
    let sql: String
    let kind: Kind
    /// The names of the parameters with their prefixes; nil for a plain `?`.
    let parameterNames: [String?]

    /// What a statement does, by which it is known how it is sent.
    enum Kind {
        /// Returns rows, and leaves the database as it is.
        case query
        /// Inserts, updates or deletes rows.
        case write
        /// Does so, and returns rows.
        case returning
        /// Changes the schema.
        case schema
        /// Sets what the connection or the header of the file holds.
        case setting
    }

    var returnsRows: Bool { kind == .query || kind == .returning }

    /// - Throws: `.emptyStatement`, `.severalStatements`; `.unsupported` for what
    ///   would harm the cluster; `.notAllowedHere` for a statement that begins or ends a transaction.
    init(_ sql: String) throws(SQLiteError) {
        guard !sql.utf8.contains(0) else { throw .textWithNUL }
        let text = SQLTokens(sql)
        let statements = text.statements
        guard let range = statements.first else {
            throw SQLiteError(.emptyStatement, "there is no statement", sql: sql)
        }
        guard statements.count == 1 else {
            throw SQLiteError(.severalStatements, "there is more than one statement", sql: sql)
        }
        let own = text.tokens[range]
        self.sql = text.text(range)
        do throws(SQLiteError) {
            kind = try Self.kind(of: own)
        } catch {
            throw error.adding(sql: sql)
        }
        parameterNames = SQLParameters(text).names
    }

    private static func kind(of tokens: ArraySlice<SQLTokens.Token>) throws(SQLiteError) -> Kind {
        guard let first = tokens.first, case .word(let word) = first.kind else { return .write }
        switch word.uppercased() {
        case "SELECT", "VALUES", "EXPLAIN": return .query
        case "INSERT", "REPLACE", "UPDATE", "DELETE": return isReturning(tokens) ? .returning : .write
        case "WITH":
            guard isWrite(with: tokens) else { return .query }
            return isReturning(tokens) ? .returning : .write
        case "PRAGMA": return try StatementRules.pragma(tokens)
        case "CREATE", "ALTER":
            try StatementRules.checkDeclaration(tokens)
            return .schema
        case "DROP", "REINDEX", "ANALYZE": return .schema
        default:
            try StatementRules.check(word)
            // SQLite says what is wrong with it.
            return .write
        }
    }

    /// Whether the statement after the tables of a WITH writes: after the bracket that ends the last of them.
    private static func isWrite(with tokens: ArraySlice<SQLTokens.Token>) -> Bool {
        var depth = 0
        var previous = tokens.first
        for token in tokens {
            if depth == 0, previous?.isSymbol(")") == true {
                if ["INSERT", "REPLACE", "UPDATE", "DELETE"].contains(where: token.isWord) { return true }
                if token.isWord("SELECT") || token.isWord("VALUES") { return false }
            }
            if token.isSymbol("(") { depth += 1 }
            if token.isSymbol(")") { depth -= 1 }
            previous = token
        }
        return false
    }

    private static func isReturning(_ tokens: ArraySlice<SQLTokens.Token>) -> Bool {
        outerWords(tokens).contains("RETURNING")
    }

    /// The words outside of all brackets, in upper case.
    private static func outerWords(_ tokens: ArraySlice<SQLTokens.Token>) -> [String] {
        var depth = 0
        var words: [String] = []
        for token in tokens {
            if token.isSymbol("(") { depth += 1 }
            if token.isSymbol(")") { depth -= 1 }
            if depth == 0, case .word(let word) = token.kind { words.append(word.uppercased()) }
        }
        return words
    }
}
