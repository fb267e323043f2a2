extension EngineConnection {
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
            if columns[key] == nil {
                columns[key] = try self.table(table, in: database)?.foreignKeys.first { $0.id == id }?.columns
            }
            violations.append(
                ForeignKeyViolation(
                    table: table, rowID: try row[1], parent: try row[2], foreignKeyID: id,
                    columns: columns[key] ?? []))
        }
        return violations
    }
}
