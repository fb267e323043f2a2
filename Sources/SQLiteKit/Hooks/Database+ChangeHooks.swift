internal import CSystemSQLite

/// Hooks on changes, commits and rollbacks.
///
/// A connection has one hook of each kind: setting one takes the place of the last, nil removes it. A hook runs on the
/// thread that runs the statement and must be quick. It must not use the connection, which throws
/// ``ResultCode/notAllowedHere`` meanwhile; what should follow a change is done after the commit, for which
/// ``afterCommit(_:)`` is simpler.
extension Database {
    /// Sets the closure that is called for each row that is inserted, updated or deleted, those of triggers and foreign
    /// key actions included.
    ///
    /// SQLite does not tell of changes in WITHOUT ROWID tables, of rows that `ON CONFLICT REPLACE` deletes, nor of
    /// those that a `DELETE` without WHERE drops in one go; and the change may yet be rolled back. See
    /// [sqlite3_update_hook](https://www.sqlite.org/c3ref/update_hook.html).
    ///
    /// - Parameter hook: The closure; nil removes the hook.
    /// - Throws: ``ResultCode/closed`` or ``ResultCode/expired``.
    public func setUpdateHook(_ hook: (@Sendable (RowChange) -> Void)?) throws(SQLiteError) {
        try setUpdateHook(hook, for: .user)
    }

    /// Sets the update hook of an owner; each has its own.
    package func setUpdateHook(
        _ hook: (@Sendable (RowChange) -> Void)?, for owner: HookOwner
    ) throws(SQLiteError) {
        _ = try connection.accessible()
        connection.hooks.update[owner] = hook
        connection.restoreUpdateHook()
    }

    /// Sets the closure that is called when a transaction is about to be committed; a statement outside a transaction
    /// is one by itself.
    ///
    /// See [sqlite3_commit_hook](https://www.sqlite.org/c3ref/commit_hook.html).
    ///
    /// - Parameter hook: If it throws, the commit fails: the transaction is rolled back, and the call that would have
    ///   committed throws ``ResultCode/constraintCommitHook`` with its message.
    /// - Throws: ``ResultCode/closed`` or ``ResultCode/expired``.
    public func setCommitHook(_ hook: (@Sendable () throws -> Void)?) throws(SQLiteError) {
        try setCommitHook(hook, for: .user)
    }

    /// Sets the commit hook of an owner; each has its own.
    package func setCommitHook(_ hook: (@Sendable () throws -> Void)?, for owner: HookOwner) throws(SQLiteError) {
        _ = try connection.accessible()
        connection.hooks.commit[owner] = hook
        connection.installCommitHook()
    }

    /// Sets the closure that is called when a transaction has been rolled back; not when closing the connection ends
    /// one.
    ///
    /// See [sqlite3_rollback_hook](https://www.sqlite.org/c3ref/commit_hook.html).
    ///
    /// - Parameter hook: The closure; nil removes the hook.
    /// - Throws: ``ResultCode/closed`` or ``ResultCode/expired``.
    public func setRollbackHook(_ hook: (@Sendable () -> Void)?) throws(SQLiteError) {
        try setRollbackHook(hook, for: .user)
    }

    /// Sets the rollback hook of an owner; each has its own.
    package func setRollbackHook(_ hook: (@Sendable () -> Void)?, for owner: HookOwner) throws(SQLiteError) {
        _ = try connection.accessible()
        connection.hooks.rollback[owner] = hook
        connection.installRollbackHook()
    }
}

extension Connection {
    /// Has SQLite call the rollback hooks, as long as there is one.
    func installRollbackHook() {
        guard !hooks.rollback.isEmpty || hooks.recorder != nil else {
            sqlite3_rollback_hook(handle, nil, nil)
            return
        }
        sqlite3_rollback_hook(
            handle,
            { context in
                Connection.hook(context) { connection in
                    connection.hooks.rollback[.user]?()
                    connection.hooks.rollback[.library]?()
                    connection.hooks.recorder?.clear()
                }
            }, context)
    }
}

extension Connection {
    /// Sets the hooks of commits and rollbacks again.
    ///
    /// - Returns: Whether they were the connection's own.
    func takeBackHooks() -> Bool {
        // Each call returns what the hook that it replaces was set with.
        let commit = sqlite3_commit_hook(handle, nil, nil)
        let rollback = sqlite3_rollback_hook(handle, nil, nil)
        installCommitHook()
        installRollbackHook()
        let hasRollback = !hooks.rollback.isEmpty || hooks.recorder != nil
        return commit == (hooks.commit.isEmpty ? UnsafeMutableRawPointer(commitMark) : context)
            && rollback == (hasRollback ? context : nil)
    }

    /// Has SQLite call the commit hooks, as long as there is one.
    fileprivate func installCommitHook() {
        guard !hooks.commit.isEmpty else {
            markCommits()
            return
        }
        sqlite3_commit_hook(
            handle,
            { context in
                Connection.hook(context) { connection in
                    connection.hasCommitBegun = true
                    if connection.rejectsCommits { return 1 }
                    do {
                        try connection.hooks.commit[.user]?()
                        try connection.hooks.commit[.library]?()
                        return 0
                    } catch {
                        connection.hooks.errorMessage = "the commit hook prevented the commit: \(reason(of: error))"
                        return 1
                    }
                } ?? 0
            }, context)
    }
}
