extension SQL {
    /// The text with its values in it, as literals by SQLite's rules: for a log, or to be run elsewhere. No database is
    /// needed. It shows the values: consider who can read it.
    ///
    /// ```swift
    /// let sql: SQL = "UPDATE user SET name = \(name) WHERE id = \(id)"
    /// try sql.expandedSQL  // UPDATE user SET name = 'it''s' WHERE id = 7
    /// ```
    ///
    /// What looks like a parameter inside a literal, a quoted name or a comment is none. `SQLText.literal(_:)` says
    /// how values are written.
    ///
    /// - Throws: ``ResultCode/argumentCount`` and ``ResultCode/unknownParameter`` when the values do not fit the
    ///   parameters, and what a value's conversion throws. The text is in the error.
    public var expandedSQL: String {
        get throws(SQLiteError) {
            let parameters = SQLParameters(SQLTokens(sql))
            do {
                let values = try arguments.values(for: ParameterNames(parameters.names))
                let literals = try values.map { SQLText.literal(try $0?.sqliteValue() ?? .null) }
                return parameters.replaced(in: sql) { literals[$0 - 1] }
            } catch let error as SQLiteError {
                throw error.adding(sql: sql)
            } catch {
                throw SQLiteError(.typeMismatch, "an argument: \(StoredJSON.reason(of: error))", sql: sql)
            }
        }
    }
}
