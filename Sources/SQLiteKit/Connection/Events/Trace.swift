/// Receives the statements that run, for a log or a measurement.
///
/// ```swift
/// configuration.trace = Trace(minimumDuration: .milliseconds(100)) { event in
///     logger.warning("\(event.duration): \(event.sql)")
/// }
/// ```
///
/// It receives each statement when it ends, by itself, by an error, or when it is reset before its last row; of BEGIN,
/// COMMIT, ROLLBACK and SAVEPOINT, too, which transactions run. What triggers run is part of the statement that fired
/// them; a statement that SQLite prepares again and runs again, since the schema has changed, is reported for both
/// tries. What opening runs, ``DatabaseConfiguration/prepare`` included, is left out, since there may be a key in it.
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

    /// The shortest duration of a statement that is reported.
    public var minimumDuration: Duration
    /// Whether the values bound to parameters are shown.
    public var values: Values
    /// The closure that receives each statement. It is called on the thread that runs the statement, must be quick, and
    /// must not use the connection.
    public var handler: @Sendable (Event) -> Void

    /// Makes a trace.
    ///
    /// - Parameters:
    ///   - minimumDuration: How long a statement takes at least to be told of: with more than zero, slow ones alone.
    ///   - values: Whether the values bound to parameters are shown.
    ///   - handler: The closure that receives each statement.
    public init(
        minimumDuration: Duration = .zero, values: Values = .hidden, handler: @escaping @Sendable (Event) -> Void
    ) {
        self.minimumDuration = minimumDuration
        self.values = values
        self.handler = handler
    }
}
