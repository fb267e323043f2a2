/// What hears of the accesses to a traced database.
package struct AccessObserver: SlowStatementListener {
    /// How long a statement takes at least to be reported as slow; nil reports none.
    package var slowerThan: Duration?
    /// Called when an access begins.
    package var began: @Sendable (_ isReader: Bool) -> Void
    /// Called when an access has ended, before another can begin. It may use the connection. What it runs isn't traced.
    package var ended: @Sendable (AccessReport, Database) -> Void
    private let slow: @Sendable (Trace.Event) -> Void

    package init(
        slowerThan: Duration?, began: @escaping @Sendable (_ isReader: Bool) -> Void,
        ended: @escaping @Sendable (AccessReport, Database) -> Void, slow: @escaping @Sendable (Trace.Event) -> Void
    ) {
        self.slowerThan = slowerThan
        self.began = began
        self.ended = ended
        self.slow = slow
    }

    package func receive(slow event: Trace.Event) { slow(event) }
}

/// What is known of an access that has ended.
package struct AccessReport: Sendable {
    /// Whether it used one of a pool's readers.
    package let isReader: Bool
    /// How often its statements were found in the statement cache, and how often they had to be prepared.
    package let (cacheHits, cacheMisses): (Int, Int)
    /// How many pages the file of the write-ahead log has room for; nil without a log.
    package let logPages: Int?
    /// Its slow statements.
    package let slow: [Trace.Event]
}
