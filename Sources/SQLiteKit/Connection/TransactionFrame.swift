/// A transaction or savepoint that a closure runs in, and what is to happen at its end.
struct TransactionFrame {
    /// Nil for a transaction.
    let savepoint: Savepoint?
    var afterCommit: [() -> Void] = []
    var afterRollback: [() -> Void] = []
}

/// The statements of a savepoint, named by its depth.
final class Savepoint: Sendable {
    let begin: CachedSQL
    let release: CachedSQL
    let rollback: CachedSQL

    private init(depth: Int) {
        begin = CachedSQL("SAVEPOINT sqlitekit_\(depth)")
        release = CachedSQL("RELEASE sqlitekit_\(depth)")
        rollback = CachedSQL("ROLLBACK TO sqlitekit_\(depth)")
    }

    /// Those that are usual, whose texts are written once.
    private static let shallow = (0..<8).map(Savepoint.init(depth:))

    static func at(depth: Int) -> Savepoint {
        shallow.indices.contains(depth) ? shallow[depth] : Savepoint(depth: depth)
    }
}

/// The statements of a transaction.
extension CachedSQL {
    static let commit = CachedSQL("COMMIT")
    static let rollback = CachedSQL("ROLLBACK")
    /// Reads a page of the file, and nothing of it.
    static let readVersion = CachedSQL("PRAGMA user_version")
}

extension TransactionKind {
    private static let deferredSQL = CachedSQL(TransactionKind.deferred.rawValue)
    private static let immediateSQL = CachedSQL(TransactionKind.immediate.rawValue)
    private static let exclusiveSQL = CachedSQL(TransactionKind.exclusive.rawValue)

    var sql: CachedSQL {
        switch self {
        case .deferred: Self.deferredSQL
        case .immediate: Self.immediateSQL
        case .exclusive: Self.exclusiveSQL
        }
    }
}
