/// An object's row that is to be deleted.
struct Deletion: ~Copyable, Sendable {
    let row: KnownRow
    var table: ModelTable { row.table }

    /// Runs the DELETE.
    ///
    /// - Parameter context: That of the transaction, on the thread of the object.
    /// - Returns: Whether there was a row.
    /// - Throws: ``PersistenceError/Code/conflict`` when the row has another version.
    func run(_ db: any EngineConnection, _ context: TransactionContext? = nil) throws -> Bool {
        let isThere =
            switch try context?.deleteStatement(row.table, db) ?? row.table.deleteStatement(db) {
            case .local(let delete): try run(delete)
            case .other(let delete): try run(delete)
            }
        if isThere { return true }
        if let conflict = try row.conflict(with: nil, ColumnSet()) { throw conflict }
        return false
    }

    private func run(_ delete: some EngineStatement) throws -> Bool {
        defer { delete.clear() }
        try delete.bindAll { try row.bind(to: delete, from: 1) }
        return try delete.run() > 0
    }
}
