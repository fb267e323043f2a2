internal import CSystemSQLite

/// Tables in Swift.
extension Database {
    /// Adds a table whose rows a closure makes, when a statement asks for them.
    ///
    /// ```swift
    /// try db.addTable(
    ///     "sequence", columns: ["value INTEGER", "first HIDDEN", "last HIDDEN"]
    /// ) { request in
    ///     let (first, last) = (
    ///         try request.value("first") ?? 1, try request.value("last") ?? Int.max
    ///     )
    ///     return (first...max(first, last)).lazy.map { [$0] }
    /// }
    /// try db.column(
    ///     "SELECT value FROM sequence(1, 10) WHERE value % 2 = 0", as: Int.self)
    /// ```
    ///
    /// The table is there by its name, and `CREATE VIRTUAL TABLE name USING sequence(…)` makes others of the kind. It
    /// joins with tables of the file. Columns that are declared `HIDDEN` are its arguments, in their order.
    /// Conditions on others are handed over as hints. The sequence is read as far as the statement is, row by row.
    ///
    /// A table belongs to its connection: one that all connections need is added in ``DatabaseConfiguration/prepare``.
    /// A closure must not use the connection. See [Virtual Tables](https://www.sqlite.org/vtab.html) and
    /// [Table-valued functions](https://www.sqlite.org/vtab.html#tabfunc2).
    ///
    /// - Parameters:
    ///   - name: The name. A table of the file hides one of this kind.
    ///   - columns: The declarations of its columns, as `CREATE TABLE` has them.
    ///   - flags: Whether a file may use it in its own views and triggers: ``FunctionFlags/directOnly``,
    ///     ``FunctionFlags/innocuous``.
    ///   - rows: Makes the rows: values in the order of the columns, of which hidden ones may be left out; then they
    ///     are what the table is called with. What it throws fails the statement.
    /// - Throws: ``ResultCode/misuse`` for a name that cannot be, ``ResultCode/error`` for columns that can't.
    public func addTable<Rows: Sequence & SendableMetatype>(
        _ name: String, columns: [String], _ flags: FunctionFlags = [],
        rows: @escaping @Sendable (TableRequest) throws -> Rows
    ) throws(SQLiteError)
    where Rows.Iterator: SendableMetatype, Rows.Element: Collection, Rows.Element.Element: SQLiteValueConvertible {
        let (handle, _) = try checkFunction(name, nil)
        let declared = try SequenceTable.Column.reading(columns, of: connection)
        let table = SequenceTable(name: name, declaration: columns, columns: declared, flags: flags) { request in
            var iterator = try rows(request).makeIterator()
            return {
                guard let row = iterator.next() else { return nil }
                return try row.map { try $0.sqliteValue() }
            }
        }
        // SQLite calls the destructor even when it rejects the module.
        try connection.check(
            sqlite3_create_module_v2(handle, name, SequenceTable.module, Box(table).retained(), releaseBox))
        // SQLite would go on with statements that read the table that was there before.
        connection.expireStatements()
    }

    /// Removes a table that was added with this name. Without one it does nothing. Virtual tables that were created
    /// with it can't be used any longer.
    ///
    /// - Parameter name: The name.
    /// - Throws: ``SQLiteError``.
    public func removeTable(_ name: String) throws(SQLiteError) {
        let (handle, _) = try checkFunction(name, nil)
        try connection.check(sqlite3_create_module_v2(handle, name, nil, nil, nil))
        connection.expireStatements()
    }
}

extension SequenceTable.Column {
    /// Reads declarations of columns, as SQLite reads them in an empty database.
    fileprivate static func reading(
        _ declarations: [String], of connection: Connection
    ) throws(SQLiteError) -> [SequenceTable.Column] {
        let sql = "CREATE TABLE x(\(declarations.joined(separator: ", ")))"
        try connection.checkText(sql)
        do {
            let db = try Database(.memory)
            try db.execute(SQL(sql as String))
            return try db.rows("SELECT name, type FROM pragma_table_xinfo('x')").map { row in
                try SequenceTable.Column(row.value(at: 0, as: String.self), type: row.value(at: 1, as: String.self))
            }
        } catch let error as SQLiteError {
            throw connection.failure(error.extendedCode, error.message, sql: sql)
        } catch {
            throw connection.failure(.error, "\(error)", sql: sql)
        }
    }

    private init(_ name: String, type: String) {
        let words = type.uppercased()
        let others = words.split(separator: " ").filter { $0 != "HIDDEN" }
        self.name = name
        isHidden = words.split(separator: " ").contains("HIDDEN")
        // https://www.sqlite.org/datatype3.html#determination_of_column_affinity
        kind =
            if words.contains("INT") {
                .number
            } else if ["CHAR", "CLOB", "TEXT"].contains(where: { words.contains($0) }) {
                .text
            } else {
                words.contains("BLOB") || others.isEmpty ? nil : .number
            }
    }
}
