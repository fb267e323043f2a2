internal import CSystemSQLite

/// Transactions.
extension Database {
    /// Runs `body` in a transaction: commits when it returns, rolls back when it throws. Inside a transaction it is a
    /// savepoint.
    ///
    /// ```swift
    /// try db.transaction {
    ///     try db.execute("UPDATE account SET balance = balance - 10 WHERE id = 1")
    ///     try db.execute("UPDATE account SET balance = balance + 10 WHERE id = 2")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - kind: How the transaction begins; nil takes ``DatabaseConfiguration/writeTransaction``. A savepoint has no
    ///     kind.
    ///   - body: What to do. A COMMIT or ROLLBACK by SQL text in it rolls the transaction back and throws
    ///     ``ResultCode/transactionEnded``.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, or an ``SQLiteError`` of BEGIN or COMMIT. After a failed COMMIT the transaction
    ///   has been rolled back, unless its ``SQLiteError/outcome`` is ``SQLiteError/Outcome/unknown``. See
    ///   [Transactions](https://www.sqlite.org/lang_transaction.html).
    @discardableResult
    public func transaction<T>(_ kind: TransactionKind? = nil, _ body: () throws -> T) throws -> T {
        try checkTransactionGoesOn()
        if isInTransaction { return try savepoint(body) }
        try begin(kind ?? configuration.writeTransaction)
        return try run(nil, body)
    }

    /// Runs `body` in a savepoint: keeps its changes when it returns, undoes them when it throws. Outside a transaction
    /// it is a transaction.
    ///
    /// See [Savepoints](https://www.sqlite.org/lang_savepoint.html).
    ///
    /// - Throws: ``SQLiteError``.
    @discardableResult
    public func savepoint<T>(_ body: () throws -> T) throws -> T {
        try checkTransactionGoesOn()
        guard isInTransaction else { return try transaction(nil, body) }
        let savepoint = try savepoint(at: connection.frames.count)
        try run(control: savepoint.begin)
        return try run(savepoint, body)
    }

    /// Calls `action` before the transaction that is open now is committed; never when none is. An error of it rolls
    /// the transaction back.
    ///
    /// It is dropped when the savepoint it was asked for in is rolled back.
    package func beforeCommit(_ action: @escaping () throws(SQLiteError) -> Void) {
        guard connection.isAccessible, !connection.frames.isEmpty else { return }
        connection.frames[connection.frames.count - 1].beforeCommit.append(action)
    }

    /// Calls `action` when the transaction that is open now has been committed; immediately when none is.
    ///
    /// It is dropped when the transaction, or the savepoint it was asked for in, is rolled back. Actions run in the
    /// order they were asked for. A transaction that was begun by SQL text counts as none: only that of a closure is
    /// known to end.
    public func afterCommit(_ action: @escaping () -> Void) {
        // Another thread's transaction is not this one's.
        if !connection.isAccessible || connection.frames.isEmpty {
            action()
        } else {
            connection.frames[connection.frames.count - 1].afterCommit.append(action)
        }
    }

    /// Calls `action` when the transaction or savepoint that is open now has been rolled back; never when none is.
    ///
    /// Actions run in the reverse of the order they were asked for.
    public func afterRollback(_ action: @escaping () -> Void) {
        guard connection.isAccessible, !connection.frames.isEmpty else { return }
        connection.frames[connection.frames.count - 1].afterRollback.append(action)
    }

    /// Throws when a transaction begins again inside a closure whose transaction has ended.
    private func checkTransactionGoesOn() throws(SQLiteError) {
        if !connection.frames.isEmpty, !isInTransaction { throw connection.transactionEnded() }
        try connection.settle()
    }

    /// Ends a transaction that no closure of ours has begun.
    func rollbackLeftTransaction() throws(SQLiteError) {
        // By now nothing else runs that it could be meant for.
        connection.interruption?.end()
        try connection.rollBack()
    }

    /// Takes the snapshot that the open transaction reads, which BEGIN leaves to the first statement that needs it.
    func takeSnapshot() throws(SQLiteError) {
        // Nobody has asked for the pragma.
        try connection.unasked { () throws(SQLiteError) in try control(.takeSnapshot) }
    }

    /// Whether the schema may have been changed through this connection since this was last set to false.
    package var mayHaveNewSchema: Bool {
        get { connection.mayHaveNewSchema }
        set { connection.mayHaveNewSchema = newValue }
    }

    /// Whether other connections may use the database.
    package var isShared: Bool { location.isShared }

    /// The number of the schema of `main`; nil when it can't be read.
    package var schemaVersion: Int64? { connection.schemaVersion }

    /// The number of the temporary database's schema; nil without one, and for one that can't be read.
    package var temporarySchemaVersion: Int64? { connection.temporarySchemaVersion }

    /// The names of the connection's temporary tables and views.
    package var temporaryTableNames: [String] { connection.temporaryTableNames }

    /// Whether writes are rejected: in a read, whatever the connection.
    package var isReading: Bool { connection.isReading }

    /// Whether this is a pool's connection for reading.
    package var isReader: Bool { connection.isReader }

    private func begin(_ kind: TransactionKind) throws(SQLiteError) {
        if connection.isSynchronousUnset { try connection.settleSynchronous() }
        if connection.hasNewAttachment { try connection.settleAttachments() }
        if connection.rollback == nil { try connection.prepareRollback() }
        do throws(SQLiteError) {
            try control(TransactionControl(beginning: kind))
        } catch  where error.code == .busy {
            throw connection.namingAttachments(error)
        }
    }

    private func control(_ control: TransactionControl) throws(SQLiteError) {
        _ = try connection.accessible()
        if let statement = controls[control.rawValue] {
            try run(control: statement)
        } else {
            let statement = try Statement(control.sql, connection, isPersistent: true)
            controls[control.rawValue] = statement
            try run(control: statement)
        }
    }

    /// The statements of a savepoint. Those of usual depths are kept.
    private func savepoint(at depth: Int) throws(SQLiteError) -> Savepoint {
        guard depth < 8 else { return try Savepoint(depth: depth, connection) }
        while savepoints.count <= depth { savepoints.append(nil) }
        if let savepoint = savepoints[depth] { return savepoint }
        let savepoint = try Savepoint(depth: depth, connection)
        savepoints[depth] = savepoint
        return savepoint
    }

    /// Runs a statement that belongs to a transaction itself, which nothing may reject.
    private func run(control statement: Statement) throws(SQLiteError) {
        connection.isGuarded = false
        defer { connection.isGuarded = true }
        statement.reset()
        while try statement.step() {}
    }

    /// A number for the transaction or savepoint that is open now; another was never the same.
    package var transactionNumber: Int { connection.transactionNumber }

    /// Runs `body` in a transaction that has begun, or in a savepoint, and ends it.
    private func run<T>(_ savepoint: Savepoint?, _ body: () throws -> T) throws -> T {
        let around = connection.transactionNumber
        connection.transactionCount += 1
        connection.transactionNumber = connection.transactionCount
        defer { connection.transactionNumber = around }
        connection.frames.append(TransactionFrame())
        connection.rejectsCommits = true
        let result: T
        do {
            result = try body()
            guard isInTransaction else { throw connection.transactionEnded() }
            try end(savepoint)
        } catch {
            rollback(savepoint)
            throw error
        }
        finish()
        return result
    }

    private func end(_ savepoint: Savepoint?) throws(SQLiteError) {
        if connection.mustRollBack {
            throw connection.failure(
                .abort, "a savepoint could not be undone, and so the transaction around it cannot be kept")
        }
        if connection.frames.count == 1 {
            for action in connection.frames[0].beforeCommit { try action() }
        }
        // A statement that still returns the rows of a write would make both fail.
        connection.endPendingWrites()
        if let savepoint {
            try run(control: savepoint.release)
            return
        }
        // A commit that has begun is not called off.
        connection.interruption?.end()
        defer { connection.interruption?.begin(connection) }
        if let interruption = connection.interruption, interruption.isRequested {
            throw connection.cancelled()
        }
        connection.rejectsCommits = false
        try control(.commit)
    }

    /// Keeps what was asked for: the frame around takes it over, or it runs now.
    private func finish() {
        guard let ended = connection.frames.popLast() else { return }
        connection.rejectsCommits = !connection.frames.isEmpty
        if connection.frames.isEmpty {
            // What follows a commit is not called off with it.
            let interruption = connection.interruption
            interruption?.end()
            connection.interruption = nil
            ended.afterCommit.forEach { $0() }
            connection.interruption = interruption
            interruption?.begin(connection)
        } else {
            connection.frames[connection.frames.count - 1].beforeCommit += ended.beforeCommit
            connection.frames[connection.frames.count - 1].afterCommit += ended.afterCommit
            connection.frames[connection.frames.count - 1].afterRollback += ended.afterRollback
        }
    }

    private func rollback(_ savepoint: Savepoint?) {
        let ended = connection.frames.popLast()
        connection.rejectsCommits = !connection.frames.isEmpty
        // SQLite may have rolled back by itself. The error that led here is the one to throw: why a ROLLBACK failed
        // says less. What cannot be undone now is undone before anything else runs.
        connection.mustRollBack = false
        if isInTransaction {
            connection.endPendingWrites()
            do throws(SQLiteError) {
                if let savepoint { try undo(savepoint) } else { try connection.rollBack() }
            } catch {
                connection.mustRollBack = true
            }
        }
        ended?.afterRollback.reversed().forEach { $0() }
    }

    private func undo(_ savepoint: Savepoint) throws(SQLiteError) {
        try connection.undoing { () throws(SQLiteError) in
            try run(control: savepoint.rollback)
            try run(control: savepoint.release)
        }
    }
}
