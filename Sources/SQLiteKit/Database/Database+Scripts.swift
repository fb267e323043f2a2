/// Running several statements.
extension Database {
    /// Runs all the statements of a script, one after the other.
    ///
    /// ```swift
    /// try db.executeScript(
    ///     "CREATE TABLE note (text); INSERT INTO note VALUES (\(text))")
    /// try db.executeScript(SQL(String(contentsOf: file, encoding: .utf8)))
    /// ```
    ///
    /// It isn't a transaction by itself: what ran before a failing statement stays, unless the caller rolls it back. A
    /// script without a statement does nothing. Rows that the statements return are skipped.
    ///
    /// - Parameter script: Statements with `;` between them. Their parameters take its values in order.
    /// - Throws: ``SQLiteError`` whose ``SQLiteError/sql`` is the whole script, and ``SQLiteError/line`` that of the
    ///   failing statement or mistake.
    public func executeScript(_ script: SQL) throws(SQLiteError) {
        var script = try Script(script, connection)
        while let statement = try script.next() {
            do throws(SQLiteError) { _ = try statement.run() } catch { throw script.placed(error) }
        }
    }

    /// Runs all the statements of a script, one after the other, and calls a closure with each row that they return.
    ///
    /// ```swift
    /// try db.executeScript(script) { row in print(row.columnNames, try row.values()) }
    /// ```
    ///
    /// - Parameters:
    ///   - script: Statements with `;` between them. Their parameters take its values in order.
    ///   - body: Is called with each row, while its statement runs. What it throws ends the script.
    /// - Throws: What `body` throws, or ``SQLiteError`` as `executeScript(_:)` does.
    public func executeScript(_ script: SQL, forEachRow body: (Row) throws -> Void) throws {
        var script = try Script(script, connection)
        while let statement = try script.next() {
            let rows: ResultSet
            do throws(SQLiteError) { rows = try statement.query() } catch { throw script.placed(error) }
            defer { rows.close() }
            while true {
                let row: Row?
                do throws(SQLiteError) { row = try rows.next() } catch { throw script.placed(error) }
                guard let row else { break }
                try body(row)
            }
        }
    }
}

/// The statements of a script, prepared one after the other: a later one may need the table that an earlier one makes.
private struct Script {
    private let sql: SQL
    private let connection: Connection
    /// From the statement that was prepared last to the end.
    private var rest: ArraySlice<UInt8>
    private var length = 0
    private var values: ArraySlice<(any SQLiteValueConvertible)?>

    init(_ sql: SQL, _ connection: Connection) throws(SQLiteError) {
        try connection.checkText(sql.sql)
        do throws(SQLiteError) { try sql.arguments.checkOrder() } catch { throw error.adding(sql: sql.sql) }
        guard sql.arguments.named.isEmpty else {
            throw connection.failure(
                .unknownParameter, "the values of a script go by position; name none of them", sql: sql.sql)
        }
        self.sql = sql
        self.connection = connection
        // SQLite copies a text that does not end with a NUL: for each statement, all of the script that is left.
        rest = (Array(sql.sql.utf8) + [0])[...]
        values = sql.arguments.positional[...]
    }

    /// The next statement with its values, or nil after the last.
    mutating func next() throws(SQLiteError) -> Statement? {
        rest = rest.dropFirst(length)
        do throws(SQLiteError) {
            let (statement, length) = try Statement.first(in: rest, connection)
            guard let statement else {
                guard values.isEmpty else {
                    throw SQLiteError(.argumentCount, "values without a parameter: \(values.count)")
                }
                return nil
            }
            self.length = length
            try statement.bind(Arguments(values.prefix(statement.parameterCount)))
            values = values.dropFirst(statement.parameterCount)
            return statement
        } catch {
            throw placed(error)
        }
    }

    /// An error of the statement with its place in the script.
    func placed(_ error: SQLiteError) -> SQLiteError {
        let offset = rest.startIndex + (error.offset ?? lengthOfBlanksAndComments(in: rest))
        return SQLiteError(
            error.extendedCode, error.message, sql: sql.sql, offset: offset, path: error.path, outcome: error.outcome)
    }
}
