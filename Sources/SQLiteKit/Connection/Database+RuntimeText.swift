/// The verbs for SQL text made at run time.
///
/// The compiler prefers the forms that take ``SQL``, so that a literal with an interpolation is never spliced. It would
/// not where the other arguments are literals with a label, such as `cached: false`: so there are no such forms with
/// one.
extension Database {
    /// Prepares one statement, or takes it from the cache; see `prepare(_:cached:)`.
    @_disfavoredOverload
    public func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        try prepare(SQL(sql))
    }

    /// Runs one statement to its end; see `execute(_:_:_:)`.
    @_disfavoredOverload @discardableResult
    public func execute(
        _ sql: String, _ arguments: Arguments = [], _ more: Arguments = []
    ) throws(SQLiteError) -> Int {
        try execute(SQL(sql), arguments, more)
    }

    /// Runs a query; see `query(_:_:_:)`.
    @_disfavoredOverload
    public func query(
        _ sql: String, _ arguments: Arguments = [], _ more: Arguments = []
    ) throws(SQLiteError) -> ResultSet {
        try query(SQL(sql), arguments, more)
    }

    /// All the rows of a query, copied.
    @_disfavoredOverload
    public func rows(_ sql: String, _ arguments: Arguments = []) throws(SQLiteError) -> [RowSnapshot] {
        try rows(SQL(sql), arguments)
    }

    /// The first column of the first row; see `scalar(_:_:as:)`.
    @_disfavoredOverload
    public func scalar<Value: SQLiteValueConvertible>(
        _ sql: String, _ arguments: Arguments = [], as type: Value.Type
    ) throws(SQLiteError) -> Value? {
        try scalar(SQL(sql), arguments, as: type)
    }

    /// The first column of all rows; see `column(_:_:as:)`.
    @_disfavoredOverload
    public func column<Value: SQLiteValueConvertible>(
        _ sql: String, _ arguments: Arguments = [], as type: Value.Type
    ) throws(SQLiteError) -> [Value] {
        try column(SQL(sql), arguments, as: type)
    }
}
