extension Database {
    /// What a statement would read, in views, triggers and foreign keys as well.
    ///
    /// The statement is prepared and not run. SQLite tells of it by the authorizer's way, so that all other statements
    /// of the connection are prepared again when they next run: ask once and keep the answer. See
    /// [Compile-Time Authorization Callbacks](https://www.sqlite.org/c3ref/set_authorizer.html).
    ///
    /// - Parameter sql: One statement.
    /// - Throws: ``SQLiteError`` when it cannot be prepared.
    public func columnsRead(by sql: SQL) throws(SQLiteError) -> Set<ColumnRead> {
        _ = try connection.accessible()
        return try connection.columnsRead(by: sql.sql)
    }
}
