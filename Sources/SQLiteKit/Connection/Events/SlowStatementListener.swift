/// What hears of a traced database's slow statements: an ``AccessObserver``, which knows more than connections do.
package protocol SlowStatementListener: Sendable {
    /// How long a statement takes at least to be reported as slow; nil reports none.
    var slowerThan: Duration? { get }

    /// Called with a slow statement of a connection that has no accesses. It must not use the connection.
    func receive(slow event: Trace.Event)
}
