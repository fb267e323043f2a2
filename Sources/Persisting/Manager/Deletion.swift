/// The key of a row that is to be deleted.
struct Deletion: Sendable {
    let table: ModelTable
    let key: [SQLiteValue]

    /// Runs the DELETE.
    ///
    /// - Returns: Whether there was a row.
    func run(_ db: Database) throws -> Bool {
        try table.checkForWriting(db)
        let statement = try db.prepare(table.mapping.sql.deleteByKey)
        defer { statement.clear() }
        for (position, value) in key.enumerated() { try statement.bind(value: value, at: position + 1) }
        return try statement.run() > 0
    }
}
