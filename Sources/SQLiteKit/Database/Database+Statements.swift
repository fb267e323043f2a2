internal import CSystemSQLite

/// Preparing and running SQL.
///
/// Each method takes ``SQL``: a literal, in which interpolated values are bound. Text that was made at run time is
/// passed as `SQL(text)`.
extension Database {
    /// Prepares one statement, or takes it from the cache.
    ///
    /// A statement that is in the cache and in use by no one is handed out again, with no values bound. One that you
    /// step yourself and leave on a row holds its locks until it is reset, or its access ends.
    ///
    /// - Parameters:
    ///   - sql: One statement. Values that were interpolated are bound already.
    ///   - cached: Whether to keep the statement for reuse.
    /// - Throws: ``SQLiteError`` with the place of the mistake; ``ResultCode/emptyStatement`` or
    ///   ``ResultCode/severalStatements`` when it is not one statement.
    public func prepare(_ sql: SQL, cached: Bool = true) throws(SQLiteError) -> Statement {
        let statement = try prepare(CachedSQL(sql.sql), cached: cached)
        if sql.arguments.isEmpty { statement.clearBindings() } else { try statement.bind(sql.arguments) }
        return statement
    }

    /// Prepares a text whose hash is known, for a caller who binds every parameter: it may have values of an earlier
    /// use.
    package func prepare(_ sql: CachedSQL, cached: Bool = true) throws(SQLiteError) -> Statement {
        _ = try connection.accessible()
        if cached, let statement = statements.take(sql) {
            statement.reset()
            statement.isBoundByCaller = false
            statement.isBoundForExecution = false
            return statement
        }
        let statement = try Statement(sql.text, connection, isPersistent: cached)
        if cached { statements.put(statement, sql) }
        return statement
    }

    /// Runs one statement to its end.
    ///
    /// Rows that it returns are skipped.
    ///
    /// - Parameters:
    ///   - sql: One statement.
    ///   - arguments: Values for its parameters, by position or by name.
    ///   - more: More of them, so that one call can give some by position and some by name.
    /// - Returns: The number of rows inserted, updated or deleted; 0 for any other statement.
    /// - Throws: ``SQLiteError``.
    @discardableResult
    public func execute(
        _ sql: SQL, _ arguments: Arguments = [], _ more: Arguments = []
    ) throws(SQLiteError) -> Int {
        let statement = try prepare(CachedSQL(sql.sql))
        if sql.arguments.isEmpty { return try statement.execute(arguments, more) }
        return try statement.execute(sql.arguments + arguments, more)
    }

    /// Runs a query.
    ///
    /// The rows are read as they are asked for: nothing runs before the first ``ResultSet/next()``.
    ///
    /// - Parameters:
    ///   - sql: One statement.
    ///   - arguments: Values for its parameters.
    ///   - more: More of them, so that one call can give some by position and some by name.
    /// - Throws: ``SQLiteError``.
    public func query(
        _ sql: SQL, _ arguments: Arguments = [], _ more: Arguments = []
    ) throws(SQLiteError) -> ResultSet {
        let statement = try prepare(CachedSQL(sql.sql))
        if sql.arguments.isEmpty { return try statement.query(arguments, more) }
        return try statement.query(sql.arguments + arguments, more)
    }

    /// All the rows of a query, copied.
    ///
    /// - Parameters:
    ///   - sql: One statement.
    ///   - arguments: Values for its parameters.
    /// - Throws: ``SQLiteError``, also when a text isn't valid UTF-8. Outside a transaction, what the statement wrote is
    ///   undone then.
    public func rows(_ sql: SQL, _ arguments: Arguments = []) throws(SQLiteError) -> [RowSnapshot] {
        try query(sql, arguments).snapshots()
    }

    /// The first column of the first row, or nil when there is no row or it holds NULL.
    ///
    /// - Parameters:
    ///   - sql: One statement.
    ///   - arguments: Values for its parameters.
    ///   - type: The type to read.
    /// - Throws: ``SQLiteError``, also when the value isn't a `type`. Outside a transaction, what the statement wrote
    ///   is undone then.
    @inlinable
    public func scalar<Value: SQLiteValueConvertible>(
        _ sql: SQL, _ arguments: Arguments = [], as type: Value.Type
    ) throws(SQLiteError) -> Value? {
        let rows = try query(sql, arguments)
        defer { rows.close() }
        let value: Value?
        do throws(SQLiteError) {
            let row = try rows.next()
            value = if let row, try !row.isNull(at: 0) { try row.value(at: 0, as: type) } else { Value?.none }
        } catch {
            rows.giveUp()
            throw error
        }
        // Its end is what commits a write, outside a transaction.
        if !rows.statement.isReadOnly { while try rows.next() != nil {} }
        return value
    }

    /// The first column of all rows.
    ///
    /// - Parameters:
    ///   - sql: One statement.
    ///   - arguments: Values for its parameters.
    ///   - type: The type to read; an Optional where there may be NULL.
    /// - Throws: ``SQLiteError``, also when a value isn't a `type`. Outside a transaction, what the statement wrote is
    ///   undone then.
    @inlinable
    public func column<Value: SQLiteValueConvertible>(
        _ sql: SQL, _ arguments: Arguments = [], as type: Value.Type
    ) throws(SQLiteError) -> [Value] {
        let rows = try query(sql, arguments)
        defer { rows.close() }
        var values: [Value] = []
        do throws(SQLiteError) {
            while let row = try rows.next() { values.append(try row.value(at: 0, as: type)) }
        } catch {
            rows.giveUp()
            throw error
        }
        return values
    }
}
