internal import CSystemSQLite

extension Database {
    /// Calls a closure with the connection's sqlite3 handle, for what the library has no call for.
    ///
    /// ```swift
    /// let isReadOnly = try db.withUnsafeHandle { sqlite3_db_readonly($0, "main") }
    /// ```
    ///
    /// The handle is a `sqlite3 *` of the SQLite that the library is linked with, and is valid until the closure
    /// returns. In the closure:
    ///
    /// - Statements that it prepares must be finalized, and blobs and backups that it opens closed, before it returns.
    /// - Transactions must be as they were: one that it begins must be ended.
    /// - The hooks of commits, rollbacks and updates, the authorizer, the trace, the busy handler and the progress
    ///   handler are the library's: set them by its own calls.
    /// - The connection must not be closed, nor used on another thread.
    ///
    /// Statements that still stand on a row, another state of the transaction, and replaced hooks of commits and
    /// rollbacks are found after the closure: the statements are reset, as are all that stand on a row, the hooks are
    /// set again, and an error says what it was. What else it leaves, ``Database/close()`` reports.
    ///
    /// Listeners hear that anything may have changed.
    ///
    /// - Parameter body: The closure.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; ``ResultCode/misuse`` for what it has left behind.
    public func withUnsafeHandle<T>(_ body: (OpaquePointer) throws -> T) throws -> T {
        let handle = try connection.accessible()
        let (before, wasInTransaction) = (connection.preparedStatements, sqlite3_get_autocommit(handle) == 0)
        let running = connection.runningStatements
        connection.recorder?.prepare()
        // Whatever has run may have changed the schema.
        connection.mayHaveNewSchema = true
        connection.hooks.tracer?.isLent = true
        connection.stepCount &+= 1
        let result = Result { try body(handle) }
        connection.stepCount &-= 1
        connection.hooks.tracer?.isLent = false
        let complaints = connection.settle(
            after: before, running: running, wasInTransaction: wasInTransaction)
        connection.recorder?.noteReplacement()
        let value = try result.get()
        guard complaints.isEmpty else {
            throw connection.failure(
                .misuse, "the closure of withUnsafeHandle has left behind " + complaints.joined(separator: ", and "))
        }
        return value
    }
}

extension Connection {
    /// The statements that are prepared.
    fileprivate var preparedStatements: Set<OpaquePointer> {
        var all: Set<OpaquePointer> = []
        var next = sqlite3_next_stmt(handle, nil)
        while let statement = next {
            all.insert(statement)
            next = sqlite3_next_stmt(handle, statement)
        }
        return all
    }

    /// Takes away what strange code has left, and says what it was.
    ///
    /// Whose the others are that are prepared isn't known: FTS5 keeps some, and so does the library.
    fileprivate func settle(
        after before: Set<OpaquePointer>, running: Int, wasInTransaction: Bool
    ) -> [String] {
        let busy = preparedStatements.subtracting(before).filter { sqlite3_stmt_busy($0) != 0 }
            .compactMap(sqlite3_sql).map { String(cString: $0) }
        var complaints: [String] = []
        if busy.count > runningStatements - running {
            complaints = busy.map { "a statement that stands on a row: \($0)" }
            resetBusyStatements()
        }
        if isInTransaction != wasInTransaction {
            complaints.append(wasInTransaction ? "no transaction, where one was open" : "an open transaction")
            if !wasInTransaction { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
        }
        if !takeBackHooks() { complaints.append("hooks of its own in the place of the library's, which are set again") }
        return complaints.sorted()
    }
}
