/// What writes one row by its key: an UPDATE of some columns, or the DELETE.
struct RowStatement {
    let table: ModelTable
    /// The columns that are written; none for the DELETE.
    let columns: ColumnSet
    /// The columns that it returns.
    let returned: ColumnSet
    let statement: PreparedStatement
}

extension ModelTable {
    /// The UPDATE of some columns, or for none the DELETE. That of the row before in a transaction is the same as a
    /// rule, and kept in its context.
    func rowStatement(
        _ columns: ColumnSet, returning returned: ColumnSet = ColumnSet(), _ db: any EngineConnection,
        _ context: TransactionContext?
    ) throws -> PreparedStatement {
        if let known = context?.statement(self, columns, returning: returned) { return known }
        let dates = try checkForWriting(db).dateForms(columns, mapping)
        let statement = try db.statement(
            columns.isEmpty ? mapping.sql.deleteByKey : mapping.sql.update(columns, returning: returned, dates))
        context?.rowStatement = RowStatement(table: self, columns: columns, returned: returned, statement: statement)
        return statement
    }
}
