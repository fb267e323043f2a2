/// A column that a statement reads.
public struct ColumnRead: Sendable, Hashable {
    /// The database: `main`, `temp`, or the name one was attached as; nil where SQLite does not say, which is for a
    /// table that the statement names without a database, and of which it reads no column.
    public let database: String?
    /// The table or view.
    public let table: String
    /// The column; empty for a table of which no column is read, as in `SELECT count(*)`.
    public let column: String
}

extension Database {
    /// What a statement would read, in views, triggers and foreign keys as well.
    ///
    /// The statement is prepared and not run. SQLite tells of it by the authorizer's way, so that all other statements
    /// of the connection are prepared anew when they next run: ask once and keep the answer. See
    /// [Compile-Time Authorization Callbacks](https://www.sqlite.org/c3ref/set_authorizer.html).
    ///
    /// - Parameter sql: One statement.
    /// - Throws: ``SQLiteError`` when it cannot be prepared.
    public func columnsRead(by sql: SQL) throws(SQLiteError) -> Set<ColumnRead> {
        _ = try connection.accessible()
        return try connection.columnsRead(by: sql.sql)
    }
}

extension Connection {
    func columnsRead(by sql: String) throws(SQLiteError) -> Set<ColumnRead> {
        hooks.columnsRead = []
        try installAuthorizer()
        let result = Result { () throws(SQLiteError) in try Statement(sql, self, isPersistent: false) }
        let columns = hooks.columnsRead ?? []
        hooks.columnsRead = nil
        try installAuthorizer()
        _ = try result.get()
        return columns
    }
}
