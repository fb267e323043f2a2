internal import CSystemSQLite

/// Rolling back, which has to succeed when all else fails.
extension Connection {
    /// Prepares ROLLBACK, once, before anything is done that it may have to undo.
    func prepareRollback() throws(SQLiteError) {
        guard rollback == nil else { return }
        isUnasked = true
        defer { isUnasked = false }
        try check(sqlite3_prepare_v3(handle, "ROLLBACK", -1, UInt32(SQLITE_PREPARE_PERSISTENT), &rollback, nil))
    }

    /// Rolls back the open transaction.
    func rollBack() throws(SQLiteError) {
        try undoing { () throws(SQLiteError) in
            try prepareRollback()
            isUnasked = true
            defer { isUnasked = false }
            sqlite3_step(rollback)
            // It returns the error of the step.
            try check(sqlite3_reset(rollback), sql: "ROLLBACK")
        }
        mustRollBack = false
    }

    /// Rolls back what an earlier transaction has left open since it could not be undone then.
    ///
    /// - Throws: ``SQLiteError`` when it still cannot be: nothing else may run before.
    func settle() throws(SQLiteError) {
        guard mustRollBack, frames.isEmpty else { return }
        if isInTransaction { try rollBack() } else { mustRollBack = false }
    }

    /// See ``EngineConnection/setPragma(_:_:)``.
    func setPragma(_ name: String, _ isOn: Bool) throws(SQLiteError) {
        let sql = "PRAGMA \(name) = \(isOn ? 1 : 0)"
        try undoing { () throws(SQLiteError) in
            isUnasked = true
            defer { isUnasked = false }
            try check(sqlite3_exec(handle, sql, nil, nil, nil), sql: sql)
        }
    }

    /// Runs what undoes work, a second time when it fails.
    ///
    /// An interruption lasts as long as any statement stands on a row. FTS5 and R*Tree keep such statements of their
    /// own. Memory that was short may be there the second time.
    func undoing(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        // What called the work off is not to call this off.
        interruption?.end()
        defer { interruption?.begin(self) }
        do throws(SQLiteError) {
            try body()
        } catch {
            // Blobs have statements that only they may end. What they throw is the error of a commit, which there is
            // none of inside a transaction.
            if !resources.isEmpty { try? endResources() }
            resetBusyStatements()
            // Who runs the statement that a function is called by ends it, and undoes what is left.
            guard stepCount == 0 else { throw error }
            try body()
        }
    }
}
