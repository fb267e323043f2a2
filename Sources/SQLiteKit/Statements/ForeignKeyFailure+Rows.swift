internal import CSystemSQLite

/// Telling broken foreign keys from sound ones by the rows.
extension Connection {
    /// The foreign keys that a statement breaks, which has just failed for one of them.
    ///
    /// SQLite has undone the rows by then. So the statement runs once more, with the check of foreign keys put off to
    /// the end of the transaction, and is undone again; see
    /// [PRAGMA defer_foreign_keys](https://www.sqlite.org/pragma.html#pragma_defer_foreign_keys). No hook of a user is
    /// called meanwhile, nothing is traced or recorded, and no lock waited for.
    ///
    /// - Returns: None when it can't be told, as of a RESTRICT, which is never put off.
    func brokenKeys(
        among suspects: [ForeignKeyFailure.Suspect], by statement: Statement
    ) -> [ForeignKeyFailure.Suspect] {
        let isAlone = !isInTransaction
        let known = hooks
        hooks = Hooks()
        let written = WrittenRows()
        let context = Unmanaged.passUnretained(written).toOpaque()
        sqlite3_update_hook(handle, { noteRow($0, $1, $2, $3, $4) }, context)
        defer {
            hooks = known
            restoreUpdateHook()
        }
        let wasDeferred = isDeferringForeignKeys
        guard unasked("SAVEPOINT foreign_key_failure; PRAGMA defer_foreign_keys = ON") else {
            // The savepoint may be there.
            if isAlone, isInTransaction { _ = unasked("ROLLBACK") }
            return []
        }
        stepCount &+= 1
        var code = sqlite3_step(statement.handle)
        while code == SQLITE_ROW { code = sqlite3_step(statement.handle) }
        stepCount &-= 1
        sqlite3_reset(statement.handle)
        sqlite3_update_hook(handle, nil, nil)
        let broken = code == SQLITE_DONE ? suspects.filter { isBroken($0, written) } : []
        // To release the only savepoint would be a commit.
        let end = isAlone ? "ROLLBACK" : "ROLLBACK TO foreign_key_failure; RELEASE foreign_key_failure"
        _ = unasked("PRAGMA defer_foreign_keys = \(wasDeferred ? "ON" : "OFF"); \(end)")
        return broken
    }

    private var isDeferringForeignKeys: Bool {
        let pragma = try? Statement("PRAGMA defer_foreign_keys", self, isPersistent: false)
        return (try? pragma?.step()) == true && pragma?.int64(at: 0) == 1
    }

    /// Runs SQL that no authorizer is asked about.
    private func unasked(_ sql: String) -> Bool {
        isUnasked = true
        defer { isUnasked = false }
        return sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK
    }

    /// Whether a row refers to no parent: of the key's own table one of those that were written, where they are known.
    private func isBroken(_ suspect: ForeignKeyFailure.Suspect, _ written: WrittenRows) -> Bool {
        let key = suspect.key
        guard key.columns.count == key.parentColumns.count else { return true }
        let table = { (name: String) in "\(SQLText.identifier(suspect.database)).\(SQLText.identifier(name))" }
        let names = key.columns.map { "child.\(SQLText.identifier($0))" }
        let isReferring = names.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
        let isParent = zip(key.parentColumns, names).map { "parent.\(SQLText.identifier($0)) = \($1)" }
            .joined(separator: " AND ")
        let rows = suspect.isOwn ? written.rows(of: key.table, suspect.database) : nil
        let isWritten = rows.map { " AND child._rowid_ IN (\($0.map(\.description).joined(separator: ", ")))" } ?? ""
        let sql = """
            SELECT 1 FROM \(table(key.table)) AS child WHERE \(isReferring)\(isWritten)
            AND NOT EXISTS (SELECT 1 FROM \(table(key.parent)) AS parent WHERE \(isParent)) LIMIT 1
            """
        // A parent that isn't a table has no rows.
        return (try? Statement(sql, self, isPersistent: false).step()) != false
    }
}

/// The rows that a statement has written, as far as SQLite tells of them.
private final class WrittenRows {
    private var rows: [String: Set<Int64>] = [:]
    private var count = 0
    private static let limit = 1000

    func insert(_ rowID: Int64, _ table: String, _ database: String) {
        count += 1
        if count <= Self.limit { rows["\(database).\(asciiLowercased(table))", default: []].insert(rowID) }
    }

    /// Nil when they aren't known: those of a table WITHOUT ROWID, or too many.
    func rows(of table: String, _ database: String) -> Set<Int64>? {
        count > Self.limit ? nil : rows["\(database).\(asciiLowercased(table))"]
    }
}

/// SQLite's update hook, for ``WrittenRows``.
private func noteRow(
    _ context: UnsafeMutableRawPointer?, _ operation: Int32, _ database: UnsafePointer<CChar>?,
    _ table: UnsafePointer<CChar>?, _ rowID: Int64
) {
    guard let context, let database, let table, operation != SQLITE_DELETE else { return }
    Unmanaged<WrittenRows>.fromOpaque(context).takeUnretainedValue()
        .insert(rowID, String(cString: table), String(cString: database))
}
