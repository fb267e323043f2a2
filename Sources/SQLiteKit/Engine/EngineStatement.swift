/// A prepared statement of an engine: it takes values as a ``ParameterSink``, and is read from as a ``ColumnSource``.
///
/// Code is generic over it, so that the compiler makes it once for ``Statement`` and once for ``RemoteStatement``;
/// ``PreparedStatement`` says which one it is.
package protocol EngineStatement: ParameterSink, ColumnSource {
    /// The SQL text.
    var sql: String { get }
    /// Whether the statement leaves the database as it is.
    var isReadOnly: Bool { get }
    /// The names of the parameters with their prefixes; nil for a plain `?`.
    var parameterNames: [String?] { get }
    /// The names of the result's columns.
    var columns: ColumnNames { get }
    /// The values of the row's first columns, good until the next step.
    func columns(upTo count: Int) -> ColumnValues<Self>
    /// Calls `bind`, which binds all parameters.
    func bindAll(_ bind: () throws -> Void) throws
    /// Binds all arguments, and leaves no parameter without a value.
    func bind(_ arguments: Arguments) throws(SQLiteError)
    /// Moves to the next row.
    ///
    /// - Returns: True on a row, false when there are no more.
    func step() throws(SQLiteError) -> Bool
    /// Runs the statement to its end.
    ///
    /// - Returns: The number of rows inserted, updated or deleted.
    func run() throws(SQLiteError) -> Int
    /// Ends an execution. Values may stay bound.
    func clear()
    /// Ends an execution since a row can't be read. Outside a transaction, what it wrote is undone where that can be.
    func giveUp()
    /// Sets every parameter to NULL.
    func clearBindings()
}

/// A prepared statement, and whether it is this library's own: who has a choice between the two has it once, and not
/// for each value.
package enum PreparedStatement {
    case local(Statement)
    case other(RemoteStatement)

    /// The statement, where it doesn't matter.
    package var any: any EngineStatement {
        switch self {
        case .local(let statement): statement
        case .other(let statement): statement
        }
    }
}

extension Statement: EngineStatement {
    /// The rows that it goes through with the values it has.
    package var rows: ResultSet { ResultSet(self) }
}

extension EngineStatement {
    package func giveUp() { clear() }

    /// The number of parameters.
    package var parameterCount: Int { parameterNames.count }

    /// Binds the arguments' values in the order of the parameters.
    package func bind(_ arguments: Arguments) throws(SQLiteError) {
        var index = 0
        do {
            let values = try arguments.values(for: ParameterNames(parameterNames))
            try bindAll {
                for value in values {
                    index += 1
                    if let value { try value.bind(to: self, at: index) } else { try bindNull(at: index) }
                }
            }
        } catch {
            let known = error as? SQLiteError
            throw
                (known
                ?? SQLiteError(.typeMismatch, "the argument for parameter \(index): \(StoredJSON.reason(of: error))"))
                .adding(
                    sql: sql)
        }
    }

    /// The value of a column of the row, counted from 0.
    ///
    /// - Throws: ``ResultCode/typeMismatch`` with the column and the SQL.
    package func value<Value: SQLiteValueConvertible>(at index: Int, as type: Value.Type) throws(SQLiteError) -> Value {
        do {
            return try Value(column: index, storageClass(at: index), of: self)
        } catch {
            throw RowSnapshot(columns: columns, values: []).conversionFailure(error, at: index).adding(sql: sql)
        }
    }

    /// All values of the row, in order.
    package func values() throws(SQLiteError) -> [SQLiteValue] {
        var values: [SQLiteValue] = []
        let count = columnCount
        values.reserveCapacity(count)
        for index in 0..<count { values.append(try value(at: index)) }
        return values
    }

    /// A copy of the row.
    package func snapshot() throws(SQLiteError) -> RowSnapshot { RowSnapshot(columns: columns, values: try values()) }
}
