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

/// A statement that begins or ends a transaction, or belongs to it.
enum TransactionControl: Int, CaseIterable {
    case beginDeferred, beginImmediate, beginExclusive, commit, rollback, takeSnapshot

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
        case .rollback: "ROLLBACK"
        // It reads a page, which BEGIN DEFERRED leaves to the first statement that needs one.
        case .takeSnapshot: "PRAGMA user_version"
        }
    }
}
