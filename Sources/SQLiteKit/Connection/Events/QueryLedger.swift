internal import Foundation
internal import Synchronization

/// Notes the statements that a task runs on the connections of one database: those of its child tasks too, and of
/// tasks that it starts.
///
/// BEGIN, COMMIT, ROLLBACK, savepoints, PRAGMA and EXPLAIN are left out, and what SQLite runs inside of a statement, as
/// a full-text index does.
package final class QueryLedger: Sendable {
    /// Those of the running task.
    @TaskLocal private static var open: [QueryLedger] = []
    /// Whether there has been any in this process: what a task has is expensive to ask for the first time.
    private static let isInUse = Atomic(false)

    fileprivate let book: LedgerBook
    private let lock = NSLock()
    nonisolated(unsafe) private var noted: [String] = []  // guarded by `lock`

    init(_ book: LedgerBook) {
        self.book = book
        Self.isInUse.store(true, ordering: .relaxed)
    }

    /// The statements that have begun, in order.
    package var sql: [String] { lock.withLock { noted } }

    fileprivate static func note(_ sql: String, in book: LedgerBook) {
        let ledgers = open.filter { $0.book === book }
        guard !ledgers.isEmpty, isQuery(sql) else { return }
        for ledger in ledgers { ledger.lock.withLock { ledger.noted.append(sql) } }
    }

    private static func isQuery(_ sql: String) -> Bool {
        let others = ["BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE", "PRAGMA", "EXPLAIN"]
        guard let first = SQLTokens(sql).tokens.first else { return false }
        return !others.contains { first.isWord($0) }
    }

    /// Runs `body`, whose statements no ledger notes, and a trace marks: those of the library's own, which run once.
    package static func ignoring<T>(_ body: () throws -> T) rethrows -> T {
        if !isInUse.load(ordering: .relaxed) || open.isEmpty, !Tracer.isInUse { return try body() }
        return try $open.withValue([]) { try Tracer.$marksStatements.withValue(true, operation: body) }
    }

    /// Runs `body`, whose statements no ledger notes.
    static func withoutNoting<T>(_ body: () throws -> T) rethrows -> T {
        open.isEmpty ? try body() : try $open.withValue([], operation: body)
    }

    func noting<T>(_ body: () throws -> T) rethrows -> T {
        try Self.$open.withValue(Self.open + [self], operation: body)
    }

    func noting<T>(_ body: () async throws -> T) async rethrows -> T {
        try await Self.$open.withValue(Self.open + [self], operation: body)
    }
}

extension Connection {
    /// Notes statements while a ledger is open.
    func follow(_ book: LedgerBook) {
        guard book.isOpen != (ledgers != nil) else { return }
        ledgers = book.isOpen ? book : nil
    }

    /// Notes a statement that begins.
    func noteInLedgers(_ sql: String) {
        if let ledgers { QueryLedger.note(sql, in: ledgers) }
    }
}
