/// An object's row that is to be deleted.
struct Deletion: ~Copyable, Sendable {
    let row: KnownRow
    var table: ModelTable { row.table }

    /// Runs the DELETE.
    ///
    /// - Parameter context: That of the transaction, on the thread of the object.
    /// - Returns: Whether there was a row, and the row as it is now if a trigger has kept it.
    /// - Throws: ``PersistenceError/Code/conflict`` when the row has another version.
    func executeDelete(_ db: any EngineConnection, _ context: TransactionContext? = nil) throws -> WriteOutcome {
        let statement = try context?.takeDelete(of: row.table, db) ?? row.table.deleteStatement(db)
        defer { context?.giveBack(statement, of: row.table) }
        return try row.whole(db) {
            let isDeleted =
                switch statement {
                case .local(let delete): try stepDelete(delete)
                case .other(let delete): try stepDelete(delete)
                }
            if isDeleted { return WriteOutcome() }
            guard let kept = try row.read() else { return WriteOutcome(isRowThere: false) }
            if let conflict = try row.conflict(with: nil, ColumnSet(), kept) { throw conflict }
            return WriteOutcome(isRowThere: false).adding(row: kept.trackedRow)
        }
    }

    private func stepDelete(_ delete: some EngineStatement) throws -> Bool {
        defer { delete.clear() }
        try delete.bindAll { try row.bind(to: delete, from: 1) }
        let count = try delete.run()
        try row.checkIsOne(count)
        return count > 0
    }
}
