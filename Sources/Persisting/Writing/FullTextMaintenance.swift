/// Looking after full-text indexes, which triggers keep in step without help.
extension PersistenceManager {
    /// Checks that a full-text index is what its table's rows make it, and that its triggers are those that the class
    /// declares.
    ///
    /// See [integrity-check](https://www.sqlite.org/fts5.html#the_integrity_check_command).
    ///
    /// - Parameter index: An index of a class.
    /// - Throws: ``PersistenceError/Code/schemaMismatch`` for other triggers, such as after another program has added a
    ///   unique index; ``PersistenceError`` with SQLite's error `.corrupt` for an index that isn't in step.
    public func check<Model: PersistingModel>(_ index: FullTextIndex<Model>) throws {
        let table = try table(of: Model.self)
        let found = try table.mapping.fullTextTable(index.declaration)
        try engine.write { db in
            try table.check(db)
            let mapping = table.mapping
            if let schema = try db.table(mapping.tableName, in: mapping.database),
                let error = try mapping.difference(
                    from: schema, noted: mapping.notedExchanges(migrationTables.renames, db), db)
            {
                throw error
            }
            try fullTextCommand("integrity-check", rank: 1, found, db)
            if !found.isByKey { try checkTexts(of: found, db) }
        }
    }

    /// The same, while the task is suspended.
    public func check<Model: PersistingModel>(_ index: FullTextIndex<Model>) async throws {
        try await onDatabaseSide(of: Model.self) { manager in try manager.check(index) }
    }

    /// Makes a full-text index again from its table's rows.
    ///
    /// See [rebuild](https://www.sqlite.org/fts5.html#the_rebuild_command).
    ///
    /// - Parameter index: An index of a class.
    /// - Throws: ``PersistenceError``.
    public func rebuild<Model: PersistingModel>(_ index: FullTextIndex<Model>) throws {
        let found = try table(of: Model.self).mapping.fullTextTable(index.declaration)
        try engine.write { db in
            // A copy that a statement has left is of the texts before, and would be told to the new index.
            try db.execute("DELETE FROM \(sql: SQL(FullTextTable.sql(of: found.table + "_gone", found.mapping)))")
            if !found.isByKey {
                let companion = try FullTextCompanion(found).companion(of: found.mapping.definition)
                try db.execute("DELETE FROM \(sql: SQL(FullTextTable.sql(of: found.textsTable, found.mapping)))")
                for sql in companion.filling(found.mapping.planDatabase.table).dropLast() { try db.execute(SQL(sql)) }
            }
            try fullTextCommand("rebuild", found, db)
        }
    }

    /// The same, while the task is suspended.
    public func rebuild<Model: PersistingModel>(_ index: FullTextIndex<Model>) async throws {
        try await onDatabaseSide(of: Model.self) { manager in try manager.rebuild(index) }
    }

    /// Makes a full-text index as small and as fast as it gets, which takes a while for a large one.
    ///
    /// See [optimize](https://www.sqlite.org/fts5.html#the_optimize_command).
    ///
    /// - Parameter index: An index of a class.
    /// - Throws: ``PersistenceError``.
    public func optimize<Model: PersistingModel>(_ index: FullTextIndex<Model>) throws {
        let found = try table(of: Model.self).mapping.fullTextTable(index.declaration)
        try engine.write { db in try fullTextCommand("optimize", found, db) }
    }

    /// The same, while the task is suspended.
    public func optimize<Model: PersistingModel>(_ index: FullTextIndex<Model>) async throws {
        try await onDatabaseSide(of: Model.self) { manager in try manager.optimize(index) }
    }

    /// Checks that the index's own table of texts has those of the rows.
    private func checkTexts(of index: FullTextTable, _ db: any EngineConnection) throws {
        let mapping = index.mapping
        let columns = mapping.key + index.columns.filter { !mapping.key.contains($0) }
        // A column that compares texts otherwise would take them for the same.
        let list = columns.map { SQLText.identifier(mapping.columns[$0].name) + " COLLATE BINARY" }.list(", ")
        let rows = "SELECT \(list) FROM \(mapping.sql.table)"
        let texts = "SELECT \(list) FROM \(FullTextTable.sql(of: index.textsTable, mapping))"
        let sql = "SELECT EXISTS (\(rows) EXCEPT \(texts)) OR EXISTS (\(texts) EXCEPT \(rows))"
        guard try db.scalar(SQL(sql), as: Bool.self) == true else { return }
        let error = SQLiteError(
            .corrupt,
            "\(index.textsTable) has other texts than the rows of \(mapping.tableName): rebuild makes the index again",
            sql: sql)
        throw PersistenceError(error, mapping)
    }

    private func fullTextCommand(
        _ command: String, rank: Int? = nil, _ index: FullTextTable, _ db: any EngineConnection
    ) throws {
        let name = SQLText.identifier(index.table)
        let values = rank.map { ", rank) VALUES ('\(command)', \($0))" } ?? ") VALUES ('\(command)')"
        do {
            try db.execute(SQL("INSERT INTO \(index.sql) (\(name)\(values)" as String))
        } catch {
            throw PersistenceError(error, index.mapping)
        }
    }
}
