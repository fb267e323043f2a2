/// A transaction or savepoint that a closure runs in, and what is to happen at its end.
struct TransactionFrame {
    var afterCommit: [() -> Void] = []
    var afterRollback: [() -> Void] = []
}
