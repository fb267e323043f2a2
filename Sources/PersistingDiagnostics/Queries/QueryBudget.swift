public import Persisting
internal import SQLiteKit

/// A limit to the number of queries, for tests.
///
/// ```swift
/// try manager.expectingQueries(atMost: 2) {
///     for show in try manager.fetchAll(Show.self) {
///         print(show.title, try show.related(Show.episodes).count)
///     }
/// }
/// ```
///
/// Each statement counts that the task runs on the manager's database, whether it reads or writes, through the manager
/// or as raw SQL, and as often as it runs. Statements of child tasks count, and of tasks that the closure starts and
/// that end before it. Statements of other tasks don't count. Neither do transactions with their rows in a history,
/// savepoints, PRAGMA, EXPLAIN, what the library runs once to look at a table, what SQLite runs inside of a statement,
/// such as that of a trigger or a full-text index, calls of the C interface, and rows of raw SQL that are read as an
/// asynchronous sequence.
///
/// Budgets can be nested: a query counts in each of them.
extension PersistenceManager {
    /// Runs `body`, and throws when it has run more queries than expected.
    ///
    /// - Parameters:
    ///   - count: How many queries may run.
    ///   - body: What runs them. What it throws is thrown on, whatever it has run.
    /// - Returns: What `body` returns.
    /// - Throws: ``PersistenceError/Code/tooManyQueries``, which names the SQL of the queries beyond; what `body`
    ///   throws; ``/SQLiteKit/SQLiteError`` with the code `.unsupported` for a database that isn't local.
    @discardableResult
    public func expectingQueries<T>(atMost count: Int, _ body: () throws -> T) throws -> T {
        let (result, ledger) = try connections.noting(body)
        try Self.check(ledger.sql, atMost: count)
        return result
    }

    /// The same, with a body that may suspend, in the caller's isolation.
    @discardableResult
    public func expectingQueries<T>(atMost count: Int, _ body: () async throws -> T) async throws -> T {
        let (result, ledger) = try await connections.noting(body)
        try Self.check(ledger.sql, atMost: count)
        return result
    }

    private static func check(_ sql: [String], atMost count: Int) throws {
        guard sql.count > count else { return }
        var beyond: [(sql: String, times: Int)] = []
        for text in sql.dropFirst(Swift.max(0, count)) {
            if let known = beyond.firstIndex(where: { $0.sql == text }) {
                beyond[known].times += 1
            } else {
                beyond.append((text, 1))
            }
        }
        let list = beyond.prefix(10).map { $0.times == 1 ? $0.sql : "\($0.sql) (\($0.times) times)" }
        let rest = beyond.count > 10 ? "; and \(beyond.count - 10) others" : ""
        throw PersistenceError(
            .tooManyQueries,
            "\(sql.count) \(sql.count == 1 ? "query" : "queries") ran where at most \(count) were expected; beyond: "
                + list.joined(separator: "; ") + rest)
    }
}
