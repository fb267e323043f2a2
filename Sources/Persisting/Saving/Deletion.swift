/// An object's row that is to be deleted.
struct Deletion: Sendable {
    let row: KnownRow
    var table: ModelTable { row.table }

    /// Runs the DELETE.
    ///
    /// - Returns: Whether there was a row.
    /// - Throws: ``PersistenceError/Code/conflict`` when the row has another version.
    func run(_ db: Database) throws -> Bool {
        try table.checkForWriting(db)
        let statement = try db.prepare(table.mapping.sql.deleteByKey)
        defer { statement.clear() }
        try statement.bindAll { try row.bind(to: statement, from: 1) }
        if try statement.run() > 0 { return true }
        if let conflict = try row.conflict(with: nil, ColumnSet()) { throw conflict }
        return false
    }
}
