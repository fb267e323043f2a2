internal import CSystemSQLite

/// Attached databases, which begin with SQLite's own settings.
extension Connection {
    /// Has commits to attached databases wait for the disk as those to `main` do. Inside a transaction SQLite rejects
    /// to change that: then the next statement after it does.
    func settleAttachments() throws(SQLiteError) {
        guard hasNewAttachment, !isInTransaction else { return }
        let was = (isUnasked, isGuarded)
        (isUnasked, isGuarded) = (true, false)
        defer { (isUnasked, isGuarded) = was }
        for name in attachedNames {
            let sql = "PRAGMA \(SQLText.identifier(name)).synchronous = \(synchronous.rawValue)"
            try check(sqlite3_exec(handle, sql, nil, nil, nil), sql: sql)
        }
        hasNewAttachment = false
    }

    /// The error of a transaction that couldn't begin, with the names of the attached databases, which it locks as well.
    func namingAttachments(_ error: SQLiteError) -> SQLiteError {
        let names = attachedNames
        guard !names.isEmpty else { return error }
        return SQLiteError(
            error.extendedCode,
            "\(error.message); a transaction locks the attached databases, too: \(names.joined(separator: ", "))",
            sql: error.sql, offset: error.offset, path: error.path)
    }

    private var attachedNames: [String] {
        (databaseList ?? []).map(\.name).filter { $0 != "main" && $0 != "temp" }
    }
}
