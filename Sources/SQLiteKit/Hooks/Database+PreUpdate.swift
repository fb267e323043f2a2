internal import CSystemSQLite

extension Database {
    /// Sets the closure that is called before each row is inserted, updated or deleted, with its values; nil removes
    /// it.
    ///
    /// Unlike ``setUpdateHook(_:)`` it is called for WITHOUT ROWID tables, of rows that are replaced, of a `DELETE`
    /// without WHERE, and of writes to a blob in place; it is not told of virtual tables. What is said of other hooks
    /// holds here as well: one for a connection, on its thread, and it must not use the connection.
    ///
    /// See [The pre-update hook](https://www.sqlite.org/c3ref/preupdate_blobwrite.html).
    ///
    /// - Parameter hook: The closure; nil removes the hook.
    /// - Throws: ``ResultCode/missingFeature`` when SQLite was built without it; ``ResultCode/notAllowedHere`` while a
    ///   session records the connection's changes, which is done by the same hook.
    public func setPreUpdateHook(_ hook: (@Sendable (borrowing PreUpdate) -> Void)?) throws(SQLiteError) {
        _ = try connection.accessible()
        guard PreUpdateCalls.available != nil else {
            throw connection.failure(
                .missingFeature, "this system's SQLite has no pre-update hook (SQLITE_ENABLE_PREUPDATE_HOOK)")
        }
        guard connection.hooks.sessionCount == 0 else {
            throw connection.failure(
                .notAllowedHere, "a session records changes by the pre-update hook; there cannot be another")
        }
        connection.hooks.preUpdate = hook
        connection.installPreUpdateHook()
    }
}

extension Connection {
    /// Has SQLite call the pre-update hook, as long as someone wants to know.
    ///
    /// - Returns: False when SQLite was built without it.
    @discardableResult
    func installPreUpdateHook() -> Bool {
        guard let calls = PreUpdateCalls.available else { return false }
        // A session has taken its place.
        guard hooks.sessionCount == 0 else { return true }
        guard hooks.preUpdate != nil || hooks.recorder != nil else {
            hooks.hasPreUpdateHook = false
            _ = calls.hook(handle, nil, nil)
            return true
        }
        hooks.hasPreUpdateHook = true
        _ = calls.hook(
            handle,
            { context, handle, operation, database, table, oldRowID, newRowID in
                guard let calls = PreUpdateCalls.available, let kind = RowChangeKind(operation), let database, let table
                else { return }
                Connection.hook(context) { connection in
                    let hooks = connection.hooks
                    if let user = hooks.preUpdate {
                        user(
                            PreUpdate(
                                handle: handle, calls: calls, repairsText: connection.repairsText, kind: kind,
                                database: String(cString: database), table: String(cString: table),
                                oldRowID: oldRowID, newRowID: newRowID))
                    }
                    hooks.recorder?.note(
                        PreUpdate(
                            handle: handle, calls: calls, repairsText: true, kind: kind, database: "", table: "",
                            oldRowID: oldRowID, newRowID: newRowID), database, table)
                }
            }, context)
        return true
    }

    /// Takes the hook away for a session, which would take what it finds for a session.
    func removePreUpdateHook() {
        guard let calls = PreUpdateCalls.available, hooks.sessionCount == 0 else { return }
        hooks.hasPreUpdateHook = false
        _ = calls.hook(handle, nil, nil)
    }

    /// Has every statement prepared again: one that was prepared without the hook may delete all rows of a table
    /// without telling of them.
    func expireStatements() {
        // Setting an authorizer does so.
        sqlite3_set_authorizer(handle, { _, _, _, _, _, _ in SQLITE_OK }, nil)
        // Setting one can't fail.
        try? installAuthorizer()
    }
}
