extension ModelTable {
    /// The INSERT of a row.
    ///
    /// - Throws: ``PersistenceError/Code/noUniqueConstraint`` where an upsert names columns that aren't unique.
    func prepare(
        _ text: InsertText, _ conflict: InsertConflict, _ db: any EngineConnection
    ) throws -> PreparedStatement {
        do {
            return try db.statement(text.sql)
        } catch {
            guard error.message.hasPrefix("ON CONFLICT clause does not match"), case .update(let upsert) = conflict
            else { throw error }
            throw try checkForWriting(db).uniqueness.lacks(upsert.target, mapping, error)
        }
    }

    /// The UPDATE of some columns of a row by its key.
    ///
    /// - Parameter generated: The columns that it returns.
    func updateStatement(
        _ columns: ColumnSet, returning generated: ColumnSet, _ db: any EngineConnection
    ) throws -> PreparedStatement {
        let dates = try checkForWriting(db).dateForms(columns, mapping, isNew: false)
        return try db.statement(mapping.sql.update(columns, returning: generated, dates))
    }

    /// The DELETE of a row by its key.
    func deleteStatement(_ db: any EngineConnection) throws -> PreparedStatement {
        try checkForWriting(db)
        return try db.statement(mapping.sql.deleteByKey)
    }
}
