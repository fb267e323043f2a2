/// What migrations need.
extension EngineConnection {
    package var isReading: Bool { isReader }
    package var isReadOnly: Bool { false }

    package func setForeignKeys(_ isOn: Bool) throws(SQLiteError) {
        try execute(isOn ? "PRAGMA foreign_keys = 1" : "PRAGMA foreign_keys = 0", cached: false)
    }

    package func executeScript(_ script: SQL) throws(SQLiteError) {
        guard script.arguments.named.isEmpty else {
            throw SQLiteError(
                .unknownParameter, "the values of a script go by position; name none of them", sql: script.sql)
        }
        let text = SQLTokens(script.sql)
        var values = script.arguments.positional[...]
        for range in text.statements {
            let statement = try statement(CachedSQL(text.text(range)), cached: false).any
            defer { statement.clear() }
            try statement.bind(Arguments(values.prefix(statement.parameterCount)))
            values = values.dropFirst(statement.parameterCount)
            _ = try statement.run()
        }
        guard values.isEmpty else {
            throw SQLiteError(.argumentCount, "values without a parameter: \(values.count)", sql: script.sql)
        }
    }

    /// The rows whose foreign keys have no parent.
    ///
    /// - Parameters:
    ///   - table: The table to check; nil checks all.
    ///   - database: `main`, `temp`, or the name of an attached database.
    package func foreignKeyViolations(
        of table: String? = nil, in database: String = "main"
    ) throws(SQLiteError) -> [ForeignKeyViolation] {
        let argument: SQL = if let table { "(\(identifier: table))" } else { "" }
        var columns: [SQLiteValue: [String]] = [:]
        var violations: [ForeignKeyViolation] = []
        let check: SQL = "PRAGMA \(identifier: database).foreign_key_check\(sql: argument)"
        for row in try rows(check, cached: false) {
            let (table, id): (String, Int) = (try row[0], try row[3])
            // A value goes by the bytes of its text, with which the number of the key makes it one of a table's.
            let key = SQLiteValue.text("\(id) \(table)")
            let sql: SQL = """
                SELECT "from" FROM pragma_foreign_key_list(\(table), \(database)) WHERE id = \(id) ORDER BY seq
                """
            if columns[key] == nil { columns[key] = try column(sql, as: String.self) }
            violations.append(
                ForeignKeyViolation(
                    table: table, rowID: try row[1], parent: try row[2], foreignKeyID: id,
                    columns: columns[key] ?? []))
        }
        return violations
    }
}

extension Database {
    // Not by the pragma: a trace of the caller's would show it.
    package func setForeignKeys(_ isOn: Bool) throws(SQLiteError) { try setFlag(.foreignKeys, isOn) }
}
