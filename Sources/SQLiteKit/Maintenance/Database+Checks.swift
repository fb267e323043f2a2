/// A row whose foreign key has no parent.
public struct ForeignKeyViolation: Sendable, Hashable {
    /// The table with the row.
    public let table: String
    /// The row; nil in a table WITHOUT ROWID.
    public let rowID: Int64?
    /// The table that has no row for it.
    public let parent: String
    /// The number of the foreign key: ``DatabaseSchema/ForeignKey/id``.
    public let foreignKeyID: Int
    /// The columns of the foreign key.
    public let columns: [String]
}

/// Looking for damage.
extension Database {
    /// What is wrong with the database, a line for each mistake; empty when all is well.
    ///
    /// It reads all of the file. Missing parents of foreign keys are ``foreignKeyCheck(_:of:)``'s to find. See
    /// [PRAGMA integrity_check](https://www.sqlite.org/pragma.html#pragma_integrity_check).
    ///
    /// - Parameters:
    ///   - database: The database to check; nil checks all that are attached.
    ///   - isQuick: Whether to leave out what takes long: that indexes agree with their tables, and that UNIQUE holds.
    ///   - limit: How many mistakes to report at most; less than 1 counts as 1.
    /// - Throws: ``SQLiteError`` when the damage keeps SQLite from looking: ``ResultCode/corrupt`` or
    ///   ``ResultCode/notADatabase``.
    public func integrityCheck(
        of database: String? = nil, isQuick: Bool = false, limit: Int = 100
    ) throws(SQLiteError) -> [String] {
        let prefix: SQL = if let database { "\(identifier: database)." } else { "" }
        let check: SQL = isQuick ? "quick_check" : "integrity_check"
        let limit = SQL(SQLText.literal(.integer(Int64(max(1, Int32(clamping: limit))))))
        let lines = try column("PRAGMA \(sql: prefix)\(sql: check)(\(sql: limit))", as: String.self)
        return lines == ["ok"] ? [] : lines
    }

    /// The rows whose foreign keys have no parent; empty when all is well.
    ///
    /// See [PRAGMA foreign_key_check](https://www.sqlite.org/pragma.html#pragma_foreign_key_check).
    ///
    /// - Parameters:
    ///   - table: The table to check; nil checks all.
    ///   - database: `main`, `temp`, or the name of an attached database.
    /// - Throws: ``SQLiteError``, also for a foreign key that refers to columns that aren't a key of its parent, and
    ///   for a table that is not there.
    public func foreignKeyCheck(
        _ table: String? = nil, of database: String = "main"
    ) throws(SQLiteError) -> [ForeignKeyViolation] {
        if let table, try self.table(table, in: database) == nil {
            throw connection.failure(.error, "no such table: \(database).\(table)")
        }
        return try foreignKeyViolations(of: table, in: database)
    }
}
