/// Tables.
extension PersistenceManager {
    /// Creates a class's table with its indexes, unless there is one of its name.
    ///
    /// An existing table stays as it is, and is compared with the class. It may have more columns. It must have the
    /// class's columns, with types that store the class's values as they are, and the indexes and UNIQUE constraints
    /// that the class declares, under any names. A column that is NOT NULL without a default must belong to a property,
    /// and not to one that may be nil, unless it is declared ``ColumnDeclaration/notNull``.
    ///
    /// A program whose classes change from release to release calls `updateSchema(for:)`
    /// instead, which also changes existing tables.
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
                lookForNewSchema(db)
                // Whether it is there is asked first: of a new database that is the answer, and its schema is not read.
                if try mapping.hasTable(db), let table = try db.table(mapping.tableName, in: mapping.database) {
                    let noted = try mapping.notedExchanges(migrationTables.renames, db)
                    if let error = try mapping.difference(from: table, noted: noted, db) { throw error }
                    return false
                }
                if mapping.takesKeyFromSchema { throw mapping.noTable(db) }
                for sql in try mapping.creation(migrationTables.renames, db) {
                    try db.execute(SQL(sql), cached: false)
                }
                forgetTables(db)
                return true
            }
        }
    }

    /// The same, while the task is suspended.
    @discardableResult
    public func createTableIfNecessary(for type: PersistingModel.Type) async throws -> Bool {
        try await onDatabaseSide(of: type) { manager in try manager.createTableIfNecessary(for: type) }
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
                lookForNewSchema(db)
                guard try mapping.hasTable(db) else { return false }
                try db.execute("DROP TABLE \(sql: SQL(mapping.sql.table))")
                for companion in try [mapping].companions(of: mapping.definition) {
                    for sql in companion.droppingTables(try mapping.schemaTexts(db), in: mapping.planDatabase) {
                        try db.execute(SQL(sql), cached: false)
                    }
                }
                forgetTables(db)
                return true
            }
        }
    }

    /// The same, while the task is suspended.
    @discardableResult
    public func dropTable(for type: PersistingModel.Type) async throws -> Bool {
        try await onDatabaseSide(of: type) { manager in try manager.dropTable(for: type) }
    }

    /// Whether SQL finds a table or view by a name, without regard to the case of ASCII letters: in `temp`, in `main`,
    /// or in an attached database.
    ///
    /// - Parameter name: The name of the table or view. The case of ASCII letters doesn't matter.
    /// - Throws: ``PersistenceError``.
    public func tableExists(_ name: String) throws -> Bool {
        try engine.query { db in try !db.columns(of: name).isEmpty }
    }

    /// The same, while the task is suspended.
    public func tableExists(_ name: String) async throws -> Bool {
        try await onReadingSide { manager in try manager.tableExists(name) }
    }

    /// Whether a class's table is there, in its own database.
    ///
    /// - Parameter type: The model class.
    /// - Throws: ``PersistenceError``.
    public func tableExists(for type: PersistingModel.Type) throws -> Bool {
        let mapping = try Mapping.of(type, dates: dates)
        return try engine.query { db in try mapping.hasTable(db) }
    }

    /// The same, while the task is suspended.
    public func tableExists(for type: PersistingModel.Type) async throws -> Bool {
        try await onReadingSide { manager in try manager.tableExists(for: type) }
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

    /// The same, while the task is suspended.
    public func columnExists(_ column: String, in table: String) async throws -> Bool {
        try await onReadingSide { manager in try manager.columnExists(column, in: table) }
    }
}

extension Mapping {
    /// The statements that create the class's table with its indexes.
    ///
    /// - Parameter notes: The table that notes exchanged names.
    /// - Throws: ``PersistenceError/Code/schemaMismatch`` when there are rows under a former name of the table.
    fileprivate func creation(_ notes: String, _ db: any EngineConnection) throws -> [String] {
        let (definition, database) = (try definition, planDatabase)
        var statements = [database.creating(definition.sql)]
        if !definition.indexes.isEmpty {
            let names: SQL = "SELECT name FROM \(identifier: self.database).sqlite_schema"
            var taken = Set(
                try db.rows(names, cached: false).map { row in asciiLowercased(try row.value(at: 0, as: String.self)) })
            for index in definition.indexes {
                let index = index.named(besides: taken)
                taken.insert(asciiLowercased(index.name))
                statements.append(database.creating(index.sql))
            }
        }
        let companions = try [self].companions(of: definition)
        if !companions.isEmpty {
            let texts = try schemaTexts(db)
            statements += try companions.flatMap { try $0.creating(texts, fills: true, in: database) }
        }
        statements += NotedRenames.statements(noting: exchanges, of: tableName, notes, database)
        var tables: [Renames.Exchange] = []
        for former in modelType.formerTableNames where try !db.columns(of: former, in: self.database).isEmpty {
            guard try db.rowCount(database.table(former)) == 0 else {
                throw PersistenceError(
                    .schemaMismatch,
                    "there is no table \(fullTableName), and there are rows in \(former), as it was called before: "
                        + "updateSchema(for:) with all classes renames it", model: modelName)
            }
            tables.append(Renames.Exchange(name: asciiLowercased(tableName), former: asciiLowercased(former)))
        }
        return statements + NotedRenames.statements(noting: tables, of: nil, notes, database)
    }

    /// The columns of the class's table that go by each other's former names.
    private var exchanges: [Renames.Exchange] {
        // Few classes have renamed a column.
        guard tableColumns.contains(where: { !$0.declaration.formerNames.isEmpty }) else { return [] }
        return Renames.circles(tableColumns.wanted).flatMap { $0 }
    }

    /// The columns of the class's table that have exchanged their names.
    func notedExchanges(_ notes: String, _ db: any EngineConnection) throws -> Set<Renames.Exchange> {
        guard !exchanges.isEmpty else { return [] }
        return try NotedRenames(notes, in: planDatabase, db).columns(of: tableName)
    }

    /// Whether the class's table is there.
    fileprivate func hasTable(_ db: any EngineConnection) throws -> Bool { try !foundColumns(db).isEmpty }
}
