/// Changed columns on their way into an object's row, as values that may cross to the database's side.
struct Update: Sendable {
    let table: ModelTable
    let images: RowImages
    let slot: Int
    let columns: [Int]
    /// The key under which the row is stored, which the update may change.
    let key: [SQLiteValue]

    /// Runs the UPDATE. The image then holds what the row does, columns that the table computes among it.
    ///
    /// - Throws: ``PersistenceError/Code/notFound`` when the row is gone,
    ///   ``PersistenceError/Code/generatedColumn`` for a column that the table computes.
    func run(_ db: Database) throws {
        let mapping = table.mapping
        try table.checkForWriting(db)
        let generated = table.generatedColumns
        for index in generated where columns.contains(index) { throw mapping.isGenerated(index) }
        let statement = try db.prepare(mapping.sql.update(columns, returning: generated))
        defer { statement.clear() }
        var parameter = try mapping.bind(images[slot], columns, to: statement)
        for value in key {
            try statement.bind(value: value, at: parameter)
            parameter += 1
        }
        guard !generated.isEmpty else {
            guard try statement.run() > 0 else { throw mapping.notFound(key) }
            return
        }
        // A value that the table computes and the property cannot hold takes the change with it.
        try db.savepoint {
            defer { statement.clear() }
            guard try statement.step() else { throw mapping.notFound(key) }
            try mapping.take(generated, from: statement, intoImage: images[slot])
            while try statement.step() {}
        }
    }

    /// The image, where the object is to hold what the row does and not what it held.
    var imagesRead: RowImages? { table.generatedColumns.isEmpty ? nil : images }

    /// Tells the object what its row holds now.
    func finish(_ object: PersistingModel) throws {
        let mapping = table.mapping
        for index in table.generatedColumns {
            try mapping.assign(stored: mapping.stored(index, in: images[slot]), to: index, of: object)
        }
        object.record = Record(state: .persisted, slot: Int32(clamping: slot), images: images)
    }
}
