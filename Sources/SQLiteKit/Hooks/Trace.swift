internal import CSystemSQLite

/// What is told of the statements that run, for a log or a measurement.
///
/// ```swift
/// configuration.trace = Trace(minimumDuration: .milliseconds(100)) { event in
///     logger.warning("\(event.duration): \(event.sql)")
/// }
/// ```
///
/// It is told of each statement when it ends, by itself, by an error, or when it is reset before its last row; of
/// BEGIN, COMMIT, ROLLBACK and SAVEPOINT, too, which transactions run. What triggers run is part of the statement that
/// fired them; a statement that SQLite prepares anew and runs again, since the schema has changed, is told of for both
/// tries. What opening runs, ``DatabaseConfiguration/prepare`` included, is left out, since there may be a key in
/// it.
///
/// See [SQL Trace Hook](https://www.sqlite.org/c3ref/trace_v2.html).
public struct Trace: Sendable {
    /// Whether the values bound to parameters are shown.
    public enum Values: Sendable, Hashable {
        /// They are not.
        case hidden
        /// They are: ``Event/expandedSQL`` has them. Mind who reads the log.
        case shown
    }

    /// A statement that has ended.
    public struct Event: Sendable, Hashable {
        /// The SQL text, with its parameters.
        public let sql: String
        /// The time from its first step to its end. While rows are read, the reader's own time between them is in it.
        public let duration: Duration
        /// The SQL text with the bound values in it; nil unless the trace asks for values, and when the text would be
        /// longer than SQLite allows.
        public let expandedSQL: String?
    }

    /// How long a statement takes at the least to be told of.
    public var minimumDuration: Duration
    /// Whether the values bound to parameters are shown.
    public var values: Values
    /// What is told. It is called on the thread that runs the statement, must be quick, and must not use the
    /// connection.
    public var handler: @Sendable (Event) -> Void

    /// Makes a trace.
    ///
    /// - Parameters:
    ///   - minimumDuration: How long a statement takes at the least to be told of: with more than zero, slow ones
    ///     alone.
    ///   - values: Whether the values bound to parameters are shown.
    ///   - handler: What is told of each statement.
    public init(
        minimumDuration: Duration = .zero, values: Values = .hidden, handler: @escaping @Sendable (Event) -> Void
    ) {
        self.minimumDuration = minimumDuration
        self.values = values
        self.handler = handler
    }
}

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
                        guard statement != connection.schemaProbe, statement != connection.schemaVersionProbe else {
                            return
                        }
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
