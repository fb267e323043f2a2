/// A transaction or savepoint that a closure runs in, and what is to happen at its end.
struct TransactionFrame {
    var beforeCommit: [() throws(SQLiteError) -> Void] = []
    var afterCommit: [() -> Void] = []
    var afterRollback: [() -> Void] = []
}
