/// What migrations need.
extension EngineConnection {
    package var isReading: Bool { isReader }
    package var isReadOnly: Bool { false }

    package func setForeignKeys(_ isOn: Bool) throws(SQLiteError) {
        try execute(isOn ? "PRAGMA foreign_keys = 1" : "PRAGMA foreign_keys = 0", cached: false)
    }

    package func setPragma(_ name: String, _ isOn: Bool) throws(SQLiteError) {
        try execute(SQL("PRAGMA \(name) = \(isOn ? 1 : 0)" as String), cached: false)
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
}

extension Database {
    // Not by the pragma: a trace of the caller's would show it.
    package func setForeignKeys(_ isOn: Bool) throws(SQLiteError) { try setFlag(.foreignKeys, isOn) }

    package func setPragma(_ name: String, _ isOn: Bool) throws(SQLiteError) {
        try connection.setPragma(name, isOn)
    }
}
