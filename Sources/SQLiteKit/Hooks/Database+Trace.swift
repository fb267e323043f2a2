internal import CSystemSQLite

extension Database {
    /// Begins to trace, or with nil ends it.
    func setTrace(_ trace: Trace?) throws(SQLiteError) {
        connection.hooks.tracer = trace.map { Tracer($0, location) }
        connection.isTraced = trace != nil
        try connection.setTraceMask()
    }
}

extension Connection {
    /// Has SQLite report what the trace needs.
    func setTraceMask() throws(SQLiteError) {
        let handle = try accessible()
        guard isTraced else {
            try check(sqlite3_trace_v2(handle, 0, nil, nil))
            return
        }
        let mask = SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE | SQLITE_TRACE_ROW
        try check(
            sqlite3_trace_v2(
                handle, UInt32(mask),
                { event, context, statement, nanoseconds in
                    guard let statement = statement.map({ OpaquePointer($0) }) else { return 0 }
                    Connection.at(context) { $0.noteTrace(event, statement, nanoseconds) }
                    return 0
                }, context))
    }

    private func noteTrace(
        _ event: UInt32, _ statement: OpaquePointer, _ nanoseconds: UnsafeMutableRawPointer?
    ) {
        if isProbing { return }
        // A row is reported as often as there are rows, so its path is short.
        if event == UInt32(SQLITE_TRACE_ROW), tracedRows.statement == statement {
            tracedRows.count += 1
            return
        }
        switch Int32(event) {
        case SQLITE_TRACE_ROW: hooks.tracer?.didReturnRow(statement, self)
        case SQLITE_TRACE_STMT: hooks.tracer?.didBegin(statement, self)
        default: hooks.tracer?.didEnd(statement, after: nanoseconds?.load(as: Int64.self) ?? 0, self)
        }
    }
}
