extension ModelTable {
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
