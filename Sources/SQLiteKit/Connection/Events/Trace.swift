/// Receives the statements that run, for a log or a measurement.
///
/// ```swift
/// configuration.trace = Trace(minimumDuration: .milliseconds(100)) { event in
///     logger.warning("\(event.duration): \(event.sql)")
/// }
/// ```
///
/// It receives each statement when it ends: after its last row, with an error, or when it is reset before its last row.
/// That includes BEGIN, COMMIT, ROLLBACK and SAVEPOINT. What triggers run is part of the statement that fired them. A
/// statement that SQLite prepares and runs again, because the schema has changed, is one event. Text that can't be
/// prepared isn't a statement: only its caller hears of the error. What opening runs, ``DatabaseConfiguration/prepare``
/// included, is left out, since it may contain a key.
///
/// See [SQL Trace Hook](https://www.sqlite.org/c3ref/trace_v2.html).
public struct Trace: Sendable {
    /// Whether the values bound to parameters are shown.
    public enum Values: Sendable, Hashable {
        /// They are not.
        case hidden
        /// They are: ``Event/expandedSQL`` has them. Consider who can read the log.
        case shown
    }

    /// The shortest duration of a statement that is reported.
    public var minimumDuration: Duration
    /// Whether the values bound to parameters are shown.
    public var values: Values
    /// The closure that receives each statement. It is called on the thread that runs the statement, with the
    /// task-local values of the caller. It must be quick, and must not use the connection.
    public var handler: @Sendable (Event) -> Void
    /// What hears of accesses as well; nil for a trace of statements alone.
    package var accesses: (any SlowStatementListener)?

    /// Creates a trace.
    ///
    /// - Parameters:
    ///   - minimumDuration: The shortest duration of a statement that is reported. Zero reports all.
    ///   - values: Whether the values bound to parameters are shown.
    ///   - handler: The closure that receives each statement.
    public init(
        minimumDuration: Duration = .zero, values: Values = .hidden, handler: @escaping @Sendable (Event) -> Void
    ) {
        self.minimumDuration = minimumDuration
        self.values = values
        self.handler = handler
    }

    /// Calls the handler, if the trace asks for such an event.
    package func receive(_ event: Event) {
        guard event.duration >= minimumDuration else { return }
        handler(values == .shown ? event : event.withoutValues)
    }
}
