internal import SQLiteKit

/// What is not sent to a cluster, since it would stop a node, or do something else than it says.
enum StatementRules {
    /// The pragmas that are sent: what they do with a value, if they take one.
    private enum Pragma {
        /// Returns rows. What stands in its brackets is what it is asked about.
        case rows
        /// Returns a value, and is not set.
        case value
        /// Returns a value, and can be set.
        case settable
    }

    // Others may change how a node writes its files, which it does by rules of its own: `journal_mode` ends it.
    private static let pragmas: [String: Pragma] = [
        "table_info": .rows, "table_xinfo": .rows, "table_list": .rows, "index_list": .rows, "index_info": .rows,
        "index_xinfo": .rows, "foreign_key_list": .rows, "foreign_key_check": .rows, "integrity_check": .rows,
        "quick_check": .rows, "compile_options": .rows, "collation_list": .rows, "function_list": .rows,
        "database_list": .rows, "schema_version": .value, "encoding": .value, "page_count": .value,
        "page_size": .value, "freelist_count": .value, "data_version": .value, "user_version": .settable,
        "application_id": .settable, "foreign_keys": .value, "defer_foreign_keys": .settable,
        "recursive_triggers": .settable, "legacy_alter_table": .settable, "reverse_unordered_selects": .settable,
        "case_sensitive_like": .settable,
    ]

    private static let pragmaAdvice = ["foreign_keys": "set ClusterConfiguration.foreignKeys"]

    /// What a pragma does, by which it is known how it is sent.
    ///
    /// - Throws: `.unsupported` for a pragma that isn't sent.
    static func pragma(_ tokens: ArraySlice<SQLTokens.Token>) throws(SQLiteError) -> StatementText.Kind {
        var rest = tokens.dropFirst()
        if rest.dropFirst().first?.isSymbol(".") == true { rest = rest.dropFirst(2) }
        let name = asciiLowercased(rest.first?.name ?? "")
        let isGiven = rest.dropFirst().first.map { $0.isSymbol("=") || $0.isSymbol("(") } ?? false
        switch (pragmas[name], isGiven) {
        case (.rows, _), (.value, false), (.settable, false): return .query
        case (.settable, true): return .setting
        case (.value, true):
            throw unsupported("PRAGMA \(name) is not set on a cluster", pragmaAdvice[name] ?? "it can be read")
        case (nil, _):
            let known = pragmas.keys.sorted().joined(separator: ", ")
            throw unsupported("PRAGMA \(name) is not sent to a cluster", "use one of \(known)")
        }
    }

    /// - Throws: `.unsupported` for a statement that reaches beyond the database that is replicated;
    ///   `.notAllowedHere` for one that begins or ends a transaction.
    static func check(_ word: String) throws(SQLiteError) {
        switch word.uppercased() {
        case "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE":
            throw SQLiteError(
                .notAllowedHere,
                "\(word.uppercased()) is not sent as SQL text: use transaction, inside of which it is a savepoint")
        case "ATTACH", "DETACH":
            throw unsupported(
                "\(word.uppercased()) is not sent to a cluster", "only the database of the cluster is replicated")
        case "VACUUM":
            throw unsupported("VACUUM is not sent to a cluster", "its nodes write whole databases by themselves")
        default: break
        }
    }

    /// - Throws: `.unsupported` for a column that is declared as what stops the node that reads it, and for what a
    ///   single connection to the leader would have, and lose with it.
    static func checkDeclaration(_ tokens: ArraySlice<SQLTokens.Token>) throws(SQLiteError) {
        if let word = tokens.dropFirst().first, word.isWord("TEMP") || word.isWord("TEMPORARY") {
            throw unsupported(
                "CREATE TEMP is not sent to a cluster", "connections to it come and go: create an ordinary table")
        }
        // CREATE UNIQUE INDEX is the longest.
        let words = tokens.dropFirst().prefix(2).prefix { !$0.isWord("TABLE") }
        if words.contains(where: { $0.isWord("TRIGGER") || $0.isWord("VIEW") || $0.isWord("INDEX") }) { return }
        if tokens.first?.isWord("ALTER") == true {
            guard let add = tokens.firstIndex(where: { $0.isWord("ADD") }) else { return }
            var column = tokens[(add + 1)...]
            if column.first?.isWord("COLUMN") == true { column = column.dropFirst() }
            try checkColumn(column)
        } else if !words.contains(where: { $0.isWord("VIRTUAL") }),
            let open = tokens.firstIndex(where: { $0.isSymbol("(") })
        {
            for column in columns(tokens[(open + 1)...]) { try checkColumn(column) }
        }
    }

    /// What stands between the commas of a table's declaration.
    private static func columns(_ tokens: ArraySlice<SQLTokens.Token>) -> [ArraySlice<SQLTokens.Token>] {
        var depth = 0
        var start = tokens.startIndex
        var columns: [ArraySlice<SQLTokens.Token>] = []
        for (index, token) in zip(tokens.indices, tokens) {
            if token.isSymbol("(") { depth += 1 }
            if depth == 0, token.isSymbol(",") || token.isSymbol(")") {
                columns.append(tokens[start..<index])
                start = index + 1
            }
            if token.isSymbol(")") { depth -= 1 }
            if depth < 0 { break }
        }
        return columns
    }

    /// - Parameter tokens: The name of a column, its type, and its constraints.
    private static func checkColumn(_ tokens: ArraySlice<SQLTokens.Token>) throws(SQLiteError) {
        guard let name = tokens.first?.name, let type = tokens.dropFirst().first?.name else { return }
        let isOneWord =
            tokens.dropFirst(2).first.map { token in
                token.isSymbol(",") || constraints.contains { token.isWord($0) }
            } ?? true
        let isDate = ["DATETIME", "DATE", "TIMESTAMP"].contains { isSameName(type, $0) }
        guard isOneWord, isDate || isSameName(type, "BOOLEAN") else { return }
        throw unsupported(
            "column \(name) is declared as \(type.uppercased()), which a cluster's nodes can't read safely",
            "declare it as \(isDate ? "INTEGER, REAL or TEXT" : "INTEGER")")
    }

    private static let constraints = [
        "CONSTRAINT", "PRIMARY", "NOT", "NULL", "UNIQUE", "CHECK", "DEFAULT", "COLLATE", "REFERENCES", "GENERATED",
        "AS",
    ]

    private static func unsupported(_ what: String, _ advice: String) -> SQLiteError {
        SQLiteError(.unsupported, "\(what): \(advice)")
    }
}
