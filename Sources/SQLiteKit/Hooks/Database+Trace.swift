internal import CSystemSQLite

extension Database {
    /// Begins to trace, or with nil ends it.
    func setTrace(_ trace: Trace?) throws(SQLiteError) {
        connection.hooks.trace = trace
        try connection.setTraceMask()
    }
}

extension Connection {
    /// Has SQLite report what the trace and the ledgers need.
    func setTraceMask() throws(SQLiteError) {
        let handle = try accessible()
        guard hooks.trace != nil || hooks.ledgers != nil else {
            try check(sqlite3_trace_v2(handle, 0, nil, nil))
            return
        }
        // SQLite's own measure has steps of a millisecond; so the beginning is asked for as well.
        let mask = hooks.trace == nil ? SQLITE_TRACE_PROFILE : SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE
        try check(
            sqlite3_trace_v2(
                handle, UInt32(mask),
                { event, context, statement, nanoseconds in
                    guard let statement = statement.map({ OpaquePointer($0) }) else { return 0 }
                    Connection.hook(context) { connection in
                        if connection.isProbing { return }
                        if event == UInt32(SQLITE_TRACE_STMT) {
                            connection.traceBegin(statement)
                        } else {
                            connection.traceEnd(statement, nanoseconds?.load(as: Int64.self) ?? 0)
                        }
                    }
                    return 0
                }, context))
    }
}

extension Connection {
    /// Notes when a statement began. Triggers are reported as it goes on; its first report counts.
    fileprivate func traceBegin(_ statement: OpaquePointer) {
        if hooks.traceStarts[statement] == nil { hooks.traceStarts[statement] = .now }
    }

    fileprivate func traceEnd(_ statement: OpaquePointer, _ nanoseconds: Int64) {
        noteInLedgers(statement)
        guard let trace = hooks.trace else { return }
        // An EXPLAIN has no beginning.
        let duration = hooks.traceStarts.removeValue(forKey: statement)?.duration(to: .now)
        let event = duration ?? .nanoseconds(nanoseconds)
        guard event >= trace.minimumDuration, let sql = sqlite3_sql(statement) else { return }
        var expanded: String?
        if trace.values == .shown, let text = sqlite3_expanded_sql(statement) {
            expanded = String(cString: text)
            sqlite3_free(text)
        }
        trace.handler(Trace.Event(sql: String(cString: sql), duration: event, expandedSQL: expanded))
    }
}
