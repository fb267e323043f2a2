public import Persisting
internal import SQLiteKit

/// Judging queries by SQLite's plans, in a test or while developing.
///
/// ```swift
/// for advice in try manager.lint(
///     Episode.where(\.showID == 7).sorted(by: \.seconds))
/// { print(advice) }
/// // reads all rows of EPISODE: SELECT …
/// //   Episode: override class var indexes: [Index] {
/// //       [Index("showID", "seconds")] }
/// ```
///
/// Told are scans of a table for some of its rows, scans for each row of another, sorts, and indexes that SQLite makes
/// each time, of tables with so many rows that it matters. Next to it stands the index that would help, if SQLite
/// confirms that on an empty copy of the schema. Missing and outdated statistics are told as well, with the ANALYZE to
/// run: of tables with indexes and at least 10,000 rows, or that have grown or shrunk tenfold since.
/// See [EXPLAIN QUERY PLAN](https://www.sqlite.org/eqp.html).
extension PersistenceManager {
    /// Judges the fetch of a query's objects, which doesn't run.
    ///
    /// - Parameters:
    ///   - query: Which rows.
    ///   - minimumRows: How many rows a table has at least for its scan or sort to be told.
    /// - Returns: What SQLite would do that an index or statistics would spare it; none when all is well.
    /// - Throws: ``PersistenceError`` of a mistake in the query; ``/SQLiteKit/SQLiteError`` with the code
    ///   `.unsupported` for a database that isn't local.
    public func lint<Model: PersistingModel>(
        _ query: Query<Model>, minimumRows: Int = 1_000
    ) throws -> [QueryAdvice] {
        let sql = try fetchText(of: query)
        return try database.withoutTransaction { db in
            let lint = try QueryLint(db, knownMappings, minimumRows: minimumRows)
            return try QueryLedger.ignoring { try lint.advice(on: sql) }
        }
    }

    /// Runs `body`, and judges each statement that it has run, once.
    ///
    /// - Parameters:
    ///   - minimumRows: How many rows a table has at least for its scan or sort to be told.
    ///   - body: What runs the statements. Those count that count for `expectingQueries(atMost:_:)`.
    /// - Returns: What SQLite did that an index or statistics would spare it; none when all is well.
    /// - Throws: What `body` throws; ``/SQLiteKit/SQLiteError`` with the code `.unsupported` for a database that isn't
    ///   local.
    public func lint(minimumRows: Int = 1_000, _ body: () throws -> Void) throws -> [QueryAdvice] {
        let sql = try connections.noting(body).ledger.sql
        return try database.withoutTransaction { db in try advice(onWhatRan: sql, minimumRows, db) }
    }

    /// The same, with a body that may suspend, in the caller's isolation.
    public func lint(minimumRows: Int = 1_000, _ body: () async throws -> Void) async throws -> [QueryAdvice] {
        let sql = try await connections.noting(body).ledger.sql
        return try await database.withoutTransaction { db in try self.advice(onWhatRan: sql, minimumRows, db) }
    }

    private func advice(onWhatRan sql: [String], _ minimumRows: Int, _ db: Database) throws -> [QueryAdvice] {
        let lint = try QueryLint(db, knownMappings, minimumRows: minimumRows)
        var known: Set<String> = []
        return try QueryLedger.ignoring {
            try sql.filter { known.insert($0).inserted }.flatMap { text in
                do {
                    return try lint.advice(on: text)
                } catch let error as SQLiteError where error.code == .error {
                    // The schema has changed since, so that it has no plan any more: a table that it creates is there.
                    return []
                }
            }
        }
    }
}
