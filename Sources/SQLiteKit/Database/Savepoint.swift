/// The statements of a savepoint, named by its depth: all prepared before it begins, since without memory they could
/// not be when it is to be undone.
final class Savepoint {
    let begin: Statement
    let release: Statement
    let rollback: Statement

    init(depth: Int, _ connection: Connection) throws(SQLiteError) {
        rollback = try Statement("ROLLBACK TO sqlitekit_\(depth)", connection, isPersistent: true)
        release = try Statement("RELEASE sqlitekit_\(depth)", connection, isPersistent: true)
        begin = try Statement("SAVEPOINT sqlitekit_\(depth)", connection, isPersistent: true)
    }
}

/// A statement that begins or ends a transaction, or belongs to it.
enum TransactionControl: Int, CaseIterable {
    case beginDeferred, beginImmediate, beginExclusive, commit, takeSnapshot

    init(beginning kind: TransactionKind) {
        self =
            switch kind {
            case .deferred: .beginDeferred
            case .immediate: .beginImmediate
            case .exclusive: .beginExclusive
            }
    }

    var sql: String {
        switch self {
        case .beginDeferred: TransactionKind.deferred.rawValue
        case .beginImmediate: TransactionKind.immediate.rawValue
        case .beginExclusive: TransactionKind.exclusive.rawValue
        case .commit: "COMMIT"
        // It reads a page, which BEGIN DEFERRED leaves to the first statement that needs one.
        case .takeSnapshot: "PRAGMA user_version"
        }
    }
}
