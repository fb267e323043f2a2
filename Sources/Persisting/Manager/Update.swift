/// Changed columns on their way into an object's row, as values that may cross to the database's side.
struct Update: Sendable {
    let table: ModelTable
    let images: RowImages
    let slot: Int
    let columns: [Int]
    /// The key under which the row is stored, which the update may change.
    let key: [SQLiteValue]

    /// Runs the UPDATE.
    ///
    /// - Throws: ``PersistenceError/Code/notFound`` when the row is gone.
    func run(_ db: Database) throws {
        let mapping = table.mapping
        try table.checkForWriting(db)
        let statement = try db.prepare(mapping.sql.update(columns))
        defer { statement.clear() }
        var parameter = try mapping.bind(images[slot], columns, to: statement)
        for value in key {
            try statement.bind(value: value, at: parameter)
            parameter += 1
        }
        guard try statement.run() > 0 else { throw mapping.notFound(key) }
    }

    /// Tells the object what its row holds now.
    func finish(_ object: PersistingModel) {
        object.record = Record(state: .persisted, slot: Int32(clamping: slot), images: images)
    }
}
