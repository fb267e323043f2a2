internal import CSystemSQLite

/// What a new connection asks of its file.
///
/// The pragmas of journals and of pages read the whole schema first, which for fifty tables costs ten times what
/// opening does. What stands in the file's header is had without it.
extension Connection {
    /// Runs what the library does by itself, about which no authorizer is asked.
    func unasked<T, Failure: Error>(_ body: () throws(Failure) -> T) throws(Failure) -> T {
        let wasUnasked = isUnasked
        isUnasked = true
        defer { isUnasked = wasUnasked }
        return try body()
    }

    /// A number in the header of `main`, by the pragma that is called like it. It opens the file, which
    /// `sqlite3_open_v2` puts off, and takes a read lock for a moment.
    ///
    /// - Throws: ``SQLiteError``, also for a file that isn't a database.
    func headerNumber(_ pragma: StaticString) throws(SQLiteError) -> Int32 {
        let handle = try accessible()
        let sql = "PRAGMA main.\(pragma)"
        let wasUnasked = isUnasked
        isUnasked = true
        defer { isUnasked = wasUnasked }
        var statement: OpaquePointer?
        // What it returns is the error of the last step.
        defer { sqlite3_finalize(statement) }
        try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil), sql: sql)
        let code = sqlite3_step(statement)
        guard code == SQLITE_ROW else { throw failure(code, sql: sql) }
        return sqlite3_column_int(statement, 0)
    }

    /// Whether `main` has a write-ahead log, as soon as it has been read; nil when that has to be asked.
    ///
    /// While a log is in use, its file is the journal. No other journal is open before the first write.
    var hasOpenLog: Bool? {
        guard let handle, !isInTransaction else { return nil }
        var journal: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &journal)
        return code == SQLITE_OK ? journal?.pointee.pMethods != nil : nil
    }

    /// Has commits to `main` wait for the disk as they are to. That reads the schema, and is put off until a statement
    /// begins. Inside a transaction SQLite rejects it: then the next statement after it does.
    func settleSynchronous() throws(SQLiteError) {
        guard isSynchronousUnset, !isInTransaction else { return }
        let (wasUnasked, wasGuarded) = (isUnasked, isGuarded)
        (isUnasked, isGuarded) = (true, false)
        defer { (isUnasked, isGuarded) = (wasUnasked, wasGuarded) }
        let sql = "PRAGMA synchronous = \(synchronous.rawValue)"
        try check(sqlite3_exec(handle, sql, nil, nil, nil), sql: sql)
        isSynchronousUnset = false
    }
}
