/// An object's row that is to be deleted.
struct Deletion: Sendable {
    let row: KnownRow
    var table: ModelTable { row.table }

    /// Runs the DELETE.
    ///
    /// - Parameter log: That of the transaction, on the thread of the object.
    /// - Returns: Whether there was a row.
    /// - Throws: ``PersistenceError/Code/conflict`` when the row has another version.
    func run(_ db: Database, _ log: UndoLog? = nil) throws -> Bool {
        let statement = try table.rowStatement(ColumnSet(), db, log).statement
        defer { statement.clear() }
        try statement.bindAll { try row.bind(to: statement, from: 1) }
        if try statement.run() > 0 { return true }
        if let conflict = try row.conflict(with: nil, ColumnSet()) { throw conflict }
        return false
    }
}
