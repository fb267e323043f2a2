/// What writes one row by its key: an UPDATE of some columns, or the DELETE.
final class RowStatement {
    let table: ModelTable
    /// The columns that are written; none for the DELETE.
    let columns: ColumnSet
    /// The columns that the table computes, which an UPDATE returns.
    let generated: ColumnSet
    let statement: Statement

    fileprivate init(_ table: ModelTable, _ columns: ColumnSet, generated: ColumnSet, _ statement: Statement) {
        self.table = table
        self.columns = columns
        self.generated = generated
        self.statement = statement
    }
}

extension ModelTable {
    /// The UPDATE of some columns, or for none the DELETE. That of the row before in a transaction is the same as a
    /// rule, and kept in its log.
    func rowStatement(_ columns: ColumnSet, _ db: Database, _ log: UndoLog?) throws -> RowStatement {
        if let last = log?.rowStatement, last.table === self, last.columns == columns { return last }
        try checkForWriting(db)
        let generated = columns.isEmpty ? ColumnSet() : generatedColumns
        let sql = columns.isEmpty ? mapping.sql.deleteByKey : mapping.sql.update(columns, returning: generated)
        let new = RowStatement(self, columns, generated: generated, try db.prepare(sql))
        log?.rowStatement = new
        return new
    }
}
