/// What a connection asks before a statement runs, and says of one that can't be prepared.
extension Connection {
    /// The error for a text that could not be prepared.
    func preparationFailure(_ code: Int32, _ sql: String) -> SQLiteError {
        let error = failure(code, sql: sql)
        let start = "no such table: "
        guard error.message.hasPrefix(start) else { return error }
        // One that is named with its database is missing there.
        let names = error.message.dropFirst(start.count).split(separator: ".")
        guard names.count < 2 || isSameName(String(names[0]), "main"), isEmptyFile else { return error }
        return SQLiteError(
            error.extendedCode, "\(error.message); the file has no tables at all: it is new, or another one is meant",
            sql: error.sql, offset: error.offset, path: error.path)
    }

    /// Whether the database is a file without any table.
    var isEmptyFile: Bool {
        // One that cannot be read has its error told elsewhere.
        guard path != nil, let query = try? Statement("SELECT 1 FROM main.sqlite_schema", self, isPersistent: false)
        else { return false }
        return (try? query.step()) == false
    }

    /// What must hold before a statement begins.
    @inline(__always)
    func willBegin(_ statement: Statement) throws(SQLiteError) {
        guard isGuarded else {
            if isTraced { willTrace(statement.handle) }
            return
        }
        guard isAccessible, !isReading || statement.isReadOnly, !needsCare, frames.isEmpty || isInTransaction
        else {
            try willBeginSlowly(statement)
            return
        }
    }

    private func willBeginSlowly(_ statement: Statement) throws(SQLiteError) {
        try willBegin(
            "the statement", writes: !statement.isReadOnly && !statement.isExplain, sql: statement.sql)
        if reading != nil { try noteReads(of: statement) }
        if isRecording, !statement.isReadOnly { recorder?.willRun(statement) }
        if ledgers != nil { noteInLedgers(statement.sql) }
        if isTraced { willTrace(statement.handle) }
    }
}

extension Statement: RunningStatement {}
