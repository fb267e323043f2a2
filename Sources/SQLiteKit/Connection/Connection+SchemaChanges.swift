internal import CSystemSQLite

/// Changes of the schema, by whatever connection.
extension Connection {
    /// Reads the schema again if it has changed, as a statement does when it begins.
    ///
    /// It costs about as much as a small query, and is for what asks about a statement that has not begun.
    ///
    /// - Returns: A number that is another one after each change of `main`, and after each change that this connection
    ///   made; nil when it can't be told.
    func schemaChangesSeen() -> Int32? {
        guard let handle = handleIfAccessible else { return nil }
        let wasUnasked = isUnasked
        isUnasked = true
        defer { isUnasked = wasUnasked }
        if schemaProbe == nil {
            let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
            sqlite3_prepare_v3(handle, "SELECT 1 FROM main.sqlite_schema LIMIT 0", -1, flags, &schemaProbe, nil)
        }
        guard let schemaProbe else { return nil }
        sqlite3_step(schemaProbe)
        // It returns the error of the step.
        guard sqlite3_reset(schemaProbe) == SQLITE_OK else { return nil }
        return sqlite3_stmt_status(schemaProbe, SQLITE_STMTSTATUS_REPREPARE, 0)
    }
}
