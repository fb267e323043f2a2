internal import CSystemSQLite

/// Attached databases, which begin with SQLite's own settings.
extension Connection {
    /// Has commits to attached databases wait for the disk as those to `main` do. Inside a transaction SQLite rejects
    /// to change that: then the next statement after it does.
    func settleAttachments() throws(SQLiteError) {
        guard hasNewAttachment, !isInTransaction else { return }
        isGuarded = false
        defer { isGuarded = true }
        for name in try attachedNames() {
            let sql = "PRAGMA \(SQLText.identifier(name)).synchronous = \(synchronous.rawValue)"
            try check(sqlite3_exec(handle, sql, nil, nil, nil), sql: sql)
        }
        hasNewAttachment = false
    }

    /// The error of a transaction that couldn't begin, with the names of the attached databases, which it locks as well.
    func namingAttachments(_ error: SQLiteError) -> SQLiteError {
        isGuarded = false
        defer { isGuarded = true }
        guard let names = try? attachedNames(), !names.isEmpty else { return error }
        return SQLiteError(
            error.extendedCode,
            "\(error.message); a transaction locks the attached databases, too: \(names.joined(separator: ", "))",
            sql: error.sql, offset: error.offset, path: error.path)
    }

    private func attachedNames() throws(SQLiteError) -> [String] {
        let sql = "SELECT name FROM pragma_database_list WHERE seq > 1"
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil), sql: sql)
        var names: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            if let name = sqlite3_column_text(statement, 0) { names.append(String(cString: name)) }
        }
        try check(sqlite3_reset(statement), sql: sql)
        return names
    }
}
