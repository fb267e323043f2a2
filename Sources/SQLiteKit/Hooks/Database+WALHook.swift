internal import CSystemSQLite

extension Database {
    /// Sets the closure that is called after each commit in WAL mode; nil removes it.
    ///
    /// SQLite's automatic checkpoint is a hook in the same place. It goes on, at the size that `PRAGMA
    /// wal_autocheckpoint` had when the hook was set; that pragma, run later, removes the hook. What is said of other
    /// hooks holds here as well: one for a connection, on its thread, and it must not use the connection.
    ///
    /// See [sqlite3_wal_hook](https://www.sqlite.org/c3ref/wal_hook.html).
    ///
    /// - Parameter hook: The closure; nil removes the hook.
    /// - Throws: ``SQLiteError``.
    public func setWALHook(_ hook: (@Sendable (WALCommit) -> Void)?) throws(SQLiteError) {
        let handle = try connection.accessible()
        // Zero once a hook of ours is there.
        let pages = try scalar("PRAGMA wal_autocheckpoint", as: Int32.self) ?? 0
        if connection.hooks.wal == nil || pages > 0 { connection.hooks.autoCheckpoint = pages }
        connection.hooks.wal = hook
        guard hook != nil else {
            try connection.check(sqlite3_wal_autocheckpoint(handle, connection.hooks.autoCheckpoint))
            return
        }
        sqlite3_wal_hook(
            handle,
            { context, handle, database, pages in
                guard let database else { return SQLITE_OK }
                Connection.hook(context) { connection in
                    connection.hooks.wal?(WALCommit(database: String(cString: database), pageCount: Int(pages)))
                    let limit = connection.hooks.autoCheckpoint
                    // One that fails is tried again at the next commit: SQLite's own hook looks away, too, since the
                    // commit has been made.
                    if limit > 0, pages >= limit { sqlite3_wal_checkpoint(handle, database) }
                }
                return SQLITE_OK
            }, connection.context)
    }
}
