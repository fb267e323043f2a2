/// Tables.
extension PersistenceManager {
    /// Creates a class's table with its indexes, unless there is one of its name.
    ///
    /// An existing table stays as it is, and is compared with the class. It may have more columns. It must have the
    /// class's columns, with types that store the class's values as they are, and the indexes and UNIQUE constraints
    /// that the class declares, under any names; and a column that is NOT NULL without a default must not belong to a
    /// property that may be nil, unless it is declared ``ColumnDeclaration/notNull``.
    ///
    /// - Parameter type: The model class.
    /// - Returns: Whether the table was created; false when it existed.
    /// - Throws: ``PersistenceError`` when the class can't be mapped, or SQLite rejects;
    ///   ``PersistenceError/Code/schemaMismatch`` for an existing table that differs from the class, which says what to
    ///   change; ``PersistenceError/Code/noTable`` for a class that takes its key from a table that doesn't exist.
    @discardableResult
    public func createTableIfNecessary(for type: PersistingModel.Type) throws -> Bool {
        let mapping = try Mapping.of(type, dates: dates)
        try mapping.checkRelations()
        return try mapping.naming {
            try engine.write { db in
                // Whether it is there is asked first: of a new database that is the answer, and its schema is not read.
                if try db.hasTable(mapping.tableName), let table = try db.table(mapping.tableName) {
                    if let error = try mapping.difference(from: table) { throw error }
                    return false
                }
                if mapping.takesKeyFromSchema { throw mapping.noTable(db) }
                let definition = try mapping.definition
                for sql in [definition.sql] + definition.indexes.map(\.sql) {
                    try db.execute(SQL(sql), cached: false)
                }
                forgetTables(db)
                return true
            }
        }
    }

    /// Drops a class's table with all its rows, if it is there.
    ///
    /// - Parameter type: The model class.
    /// - Returns: Whether there was one.
    /// - Throws: ``PersistenceError``.
    @discardableResult
    public func dropTable(for type: PersistingModel.Type) throws -> Bool {
        let mapping = try Mapping.of(type, dates: dates)
        return try mapping.naming {
            try engine.write { db in
                guard try db.hasTable(mapping.tableName) else { return false }
                try db.execute("DROP TABLE \(identifier: mapping.tableName)")
                forgetTables(db)
                return true
            }
        }
    }

    /// Whether there is a table or view of a name, without regard to the case of ASCII letters.
    ///
    /// - Parameter name: The name of the table or view. The case of ASCII letters doesn't matter.
    /// - Throws: ``PersistenceError``.
    public func tableExists(_ name: String) throws -> Bool {
        try engine.query { db in try db.hasTable(name) }
    }

    /// Whether a class's table is there.
    ///
    /// - Parameter type: The model class.
    /// - Throws: ``PersistenceError``.
    public func tableExists(for type: PersistingModel.Type) throws -> Bool {
        try tableExists(Mapping.of(type, dates: dates).tableName)
    }

    /// Whether a table has a column, both without regard to the case of ASCII letters. False when there is no such
    /// table.
    ///
    /// - Parameters:
    ///   - column: The column's name. The case of ASCII letters doesn't matter.
    ///   - table: The name of the table or view. Where it doesn't exist, neither does the column.
    /// - Throws: ``PersistenceError``.
    public func columnExists(_ column: String, in table: String) throws -> Bool {
        try engine.query { db in
            try db.columns(of: table).contains { isSameName($0.name, column) }
        }
    }
}

extension EngineConnection {
    /// Whether there is a table or view of a name.
    fileprivate func hasTable(_ name: String) throws -> Bool {
        try !columns(of: name).isEmpty
    }
}
