extension SQLiteError {
    /// Whether the work that failed has been applied.
    ///
    /// The work is that of the statement, transaction or blob whose error it is. Statements of a script that ran before
    /// the failing one, and rows that were returned before it, are not part of it.
    ///
    /// ```swift
    /// do {
    ///     try queue.write { db in try pay(invoice, db) }
    /// } catch let error as SQLiteError where error.outcome == .unknown {
    ///     // Read the database before paying again.
    /// }
    /// ```
    ///
    /// See [Atomic Commit In SQLite](https://www.sqlite.org/atomiccommit.html).
    public struct Outcome: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The name of the outcome.
        public let rawValue: String

        /// An outcome by its name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The name of the outcome.
        public var description: String { rawValue }

        /// Nothing was applied. The work can be repeated.
        public static let notApplied = Outcome(rawValue: "notApplied")

        /// The commit had begun when the disk or the memory failed, so that the work may have been applied, now or once
        /// the file is opened again. Only reading the database tells, and only the next commit makes it final: before
        /// it, a power cut can still bring back work that wasn't visible.
        public static let unknown = Outcome(rawValue: "unknown")
    }
}
