extension Trace {
    /// A statement that has ended.
    public struct Event: Sendable, Equatable {
        /// The SQL text, with its parameters.
        public let sql: String
        /// The SQL text with the bound values in it; nil unless the trace asks for values, and when the text would be
        /// longer than SQLite allows.
        public internal(set) var expandedSQL: String?
        /// When the statement began.
        public let start: ContinuousClock.Instant
        /// The time from its first step to its end. While rows are read, it includes the reader's own time between
        /// them.
        public let duration: Duration
        /// How long its access waited for a connection. The first statement of an access reports it; it is zero for the
        /// others, and for an access that didn't wait. ``isReader`` says whether the wait was for a reader.
        public let waited: Duration
        /// Whether it ran on a connection of a ``DatabasePool`` that only reads.
        public let isReader: Bool
        /// How many rows it returned.
        public let rows: Int
        /// How many rows it inserted, updated or deleted, not counting those of triggers and foreign keys.
        public let changes: Int
        /// The error that it ended with; nil if it succeeded, or was reset before its last row. A cancelled task's
        /// statement has the code ``ResultCode/interrupt``. The message may contain values.
        public let error: SQLiteError?
        /// The number of the transaction that it ran in, began or ended, which no other transaction of the process has.
        /// Nil outside a transaction.
        public let transaction: Int?
        /// The number of its connection, which no other connection of the process has.
        public let connection: Int
        /// The database of its connection.
        public let database: DatabaseLocation
        /// Whether the library runs it for its own purposes: to begin or end a transaction, to set up a connection, to
        /// inspect a table, or inside a virtual table.
        public let isInternal: Bool

        /// What kind of statement it is, by its first words.
        public var kind: Kind { Kind.find(in: SQLTokens(sql)).kind }

        /// The same event without the bound values.
        var withoutValues: Event {
            guard expandedSQL != nil else { return self }
            var event = self
            event.expandedSQL = nil
            return event
        }
    }
}

extension Trace.Event: Hashable {
    /// Feeds what tells most events apart to the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(sql)
        hasher.combine(start)
        hasher.combine(connection)
    }
}
