extension Database {
    /// All the tables and views of a database, with all that belongs to them.
    ///
    /// It asks a few questions, however many tables there are. In a read or a transaction they are answered of one
    /// moment.
    ///
    /// - Parameter database: `main`, `temp`, or the name of an attached database.
    /// - Throws: ``SQLiteError``, also for a database that is not there.
    public func schema(of database: String = "main") throws(SQLiteError) -> DatabaseSchema {
        try SchemaReader.schema(of: database, self)
    }

    /// A table or a view, with all that belongs to it; nil when there is none of that name.
    ///
    /// - Parameters:
    ///   - name: The name, in either case.
    ///   - database: The database to look in; nil looks where SQL does: in `temp`, in `main`, and then in the attached
    ///     ones.
    /// - Throws: ``SQLiteError``, also for a database that is not there.
    public func table(_ name: String, in database: String? = nil) throws(SQLiteError) -> DatabaseSchema.Table? {
        try SchemaReader.table(name, in: database, self)
    }
}

extension EngineConnection {
    /// All the tables and views of a database of any engine.
    package func schema(of database: String = "main") throws(SQLiteError) -> DatabaseSchema {
        try SchemaReader.schema(of: database, self)
    }

    /// A table or a view of any engine; nil when there is none of that name. Elsewhere than in this process, nothing is
    /// known of collations and AUTOINCREMENT.
    package func table(_ name: String, in database: String? = nil) throws(SQLiteError) -> DatabaseSchema.Table? {
        try SchemaReader.table(name, in: database, self)
    }
}

/// Parts of what is known of one table, for who needs no more.
///
/// The pragmas themselves: asked for by SELECT, each costs several times as much.
extension EngineConnection {
    /// The columns of a table or view, hidden ones among them, without collations and AUTOINCREMENT.
    ///
    /// - Parameters:
    ///   - table: The name of the table or view. Without one of that name there are no columns.
    ///   - database: The database to look in; nil looks where SQL does.
    package func columns(
        of table: String, in database: String? = nil
    ) throws(SQLiteError) -> [DatabaseSchema.Column] {
        var columns: [DatabaseSchema.Column] = []
        for row in try rows("PRAGMA \(sql: prefix(database))table_xinfo(\(identifier: table))", cached: false) {
            columns.append(try DatabaseSchema.Column(row))
        }
        return columns
    }

    /// What kind of tables there are of a name: in which database, and whether each has row identifiers. Those of the
    /// database that was attached last come first.
    package func headers(of table: String) throws(SQLiteError) -> [DatabaseSchema.Header] {
        var headers: [DatabaseSchema.Header] = []
        for row in try rows("PRAGMA table_list(\(identifier: table))", cached: false) {
            headers.append(try DatabaseSchema.Header(row))
        }
        return headers
    }

    /// The indexes of a table, those of its constraints among them.
    package func indexes(of table: String, in database: String) throws(SQLiteError) -> [DatabaseSchema.IndexHeader] {
        var indexes: [DatabaseSchema.IndexHeader] = []
        for row in try rows("PRAGMA \(sql: prefix(database))index_list(\(identifier: table))", cached: false) {
            indexes.append(try DatabaseSchema.IndexHeader(row))
        }
        return indexes
    }

    /// What an index is sorted by.
    package func columns(
        ofIndex index: String, in database: String
    ) throws(SQLiteError) -> [DatabaseSchema.Index.Column] {
        var columns: [DatabaseSchema.Index.Column] = []
        for row in try rows("PRAGMA \(sql: prefix(database))index_xinfo(\(identifier: index))", cached: false) {
            // After them are the columns by which an entry finds its row.
            let isKey: Bool = try row[5]
            if isKey { columns.append(try DatabaseSchema.Index.Column(row, from: 2)) }
        }
        return columns
    }

    /// The names of the databases of this connection: `main`, `temp` when it is in use, and those that are attached.
    package var databaseNames: [String] {
        get throws(SQLiteError) {
            var names: [String] = []
            for row in try rows("PRAGMA database_list", cached: false) { names.append(try row[1]) }
            return names
        }
    }

    /// Whether the connection has a temporary database. One that hasn't gets it by the first statement that reads it,
    /// and from then on begins and ends a transaction there, too, with each of its own.
    package var hasTemporaryDatabase: Bool {
        get throws(SQLiteError) { try databaseNames.contains("temp") }
    }

    private func prefix(_ database: String?) -> SQL {
        if let database { "\(identifier: database)." } else { "" }
    }
}
