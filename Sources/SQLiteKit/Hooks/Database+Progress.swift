internal import CSystemSQLite

/// Hooks on the way of a statement.
extension Database {
    /// What stops this connection's statements from another thread.
    public var interrupter: Interrupter {
        let interrupter = connection.hooks.interrupter
        interrupter.begin(connection.handle)
        return interrupter
    }

    /// Sets the closure that is called repeatedly while a statement runs; nil removes it.
    ///
    /// See [Query Progress Callbacks](https://www.sqlite.org/c3ref/progress_handler.html).
    ///
    /// - Parameters:
    ///   - instructions: After how many instructions of SQLite's virtual machine it is called, 1 or more; about that
    ///     many.
    ///   - handler: Returns whether to go on. When it returns false, the statement throws ``ResultCode/interrupt``. It
    ///     runs on the statement's thread and must not use the connection.
    /// - Throws: ``ResultCode/range`` for a number below 1.
    public func setProgressHandler(
        every instructions: Int = 1000, _ handler: (@Sendable () -> Bool)?
    ) throws(SQLiteError) {
        let handle = try connection.accessible()
        guard instructions > 0 else {
            throw connection.failure(.range, "a progress handler cannot be called every \(instructions) instructions")
        }
        connection.hooks.progress = handler
        guard handler != nil else {
            sqlite3_progress_handler(handle, 0, nil, nil)
            return
        }
        sqlite3_progress_handler(
            handle, Int32(clamping: instructions),
            { context in Connection.hook(context) { $0.hooks.progress?() == false ? 1 : 0 } ?? 0 }, connection.context)
    }

    /// Sets the closure that decides whether to keep waiting for another connection's lock, in place of
    /// ``DatabaseConfiguration/busyTimeout``; nil restores that.
    ///
    /// ```swift
    /// try db.setBusyHandler { attempt in
    ///     Thread.sleep(forTimeInterval: 0.01)
    ///     return attempt < 100
    /// }
    /// ```
    ///
    /// SQLite does not ask where waiting cannot help: when two connections would wait for each other, and when a read
    /// transaction that others have overtaken wants to write (``ResultCode/busySnapshot``). A `PRAGMA busy_timeout`
    /// removes it. See [sqlite3_busy_handler](https://www.sqlite.org/c3ref/busy_handler.html).
    ///
    /// - Parameter handler: Is given how often it has been asked for this lock before, from 0, and returns whether to
    ///   try again; it does the waiting itself. When it returns false the statement throws ``ResultCode/busy``. It runs
    ///   on the statement's thread and must not use the connection.
    /// - Throws: ``SQLiteError``.
    public func setBusyHandler(_ handler: (@Sendable (_ attempt: Int) -> Bool)?) throws(SQLiteError) {
        let handle = try connection.accessible()
        connection.hooks.busy = handler
        guard handler != nil else { return try connection.setBusyTimeout(configuration.busyTimeout) }
        try connection.check(
            sqlite3_busy_handler(
                handle,
                { context, attempt in Connection.hook(context) { $0.hooks.busy?(Int(attempt)) == true ? 1 : 0 } ?? 0 },
                connection.context))
    }
}
