/// Primary keys that tables say.
extension PersistenceManager {
    /// Looks at the table of a class that takes its key from there.
    ///
    /// It waits for a connection that reads, once for each class and change of the schema.
    ///
    /// - Parameter mapping: The class's mapping without a key.
    /// - Throws: ``PersistenceError/Code/noTable``, ``PersistenceError/Code/missingColumn``,
    ///   ``PersistenceError/Code/invalidModel`` for a column of the key that no property stores.
    func discoveredTable(_ mapping: Mapping) throws -> ModelTable {
        try mapping.naming {
            try engine.query { db in
                guard let schema = try TableSchema(mapping, db) else { throw mapping.noTable(db) }
                let table = table(try Mapping.of(mapping.modelType, dates: dates, schemaKey: schema.key))
                try table.check(schema, db)
                return table
            }
        }
    }

    /// Looks at the table of a class that takes its key from there, while the task is suspended, so that `table(of:)`
    /// need not wait.
    func discoverKey(of type: PersistingModel.Type) async throws {
        guard type.primaryKey.kind == .fromSchema, knownTable(of: type)?.isKeyKnown != true else { return }
        try await onReadingSide(of: type) { manager in _ = try manager.table(of: type) }
    }
}
