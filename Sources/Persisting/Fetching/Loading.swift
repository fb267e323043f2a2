/// One column of objects' rows on its way to them, as keys that may cross to the database's side and values that come
/// back.
struct Loading: Sendable {
    let table: ModelTable
    let index: Int
    let keys: [[SQLiteValue]]

    /// How many rows are asked for at once.
    private static let batch = 100

    /// Reads the values, in the order of the keys.
    ///
    /// - Throws: ``PersistenceError/Code/notFound`` when a row is gone.
    func run(_ db: Database) throws -> [SQLiteValue] {
        try table.check(db)
        var values: [SQLiteValue] = []
        for start in stride(from: 0, to: keys.count, by: Self.batch) {
            values += try run(db, keys[start..<min(start + Self.batch, keys.count)])
        }
        return values
    }

    private func run(_ db: Database, _ keys: ArraySlice<[SQLiteValue]>) throws -> [SQLiteValue] {
        let statement = try db.prepare(table.mapping.sql.select(index, rows: keys.count == 1 ? 1 : Self.batch))
        // Parameters without a key stay NULL, which no key is equal to.
        statement.clearBindings()
        defer { statement.clear() }
        for (position, value) in keys.joined().enumerated() { try statement.bind(value: value, at: position + 1) }
        var found: [SQLiteValue?] = keys.map { _ in nil }
        while try statement.step() { found[Int(statement.int64(at: 0))] = try statement.value(at: 1) }
        return try zip(keys, found).map { key, value in
            guard let value else { throw table.mapping.notFound(key) }
            do {
                return try table.mapping.taken(value, index)
            } catch let error as PersistenceError {
                throw error.adding(rowKey: zip(table.mapping.key, key).map { (table.mapping.columns[$0], $1) })
            }
        }
    }

    /// The images that the objects have with the values read.
    ///
    /// - Throws: ``PersistenceError/Code/typeMismatch`` for a value that the property cannot hold.
    func images(_ objects: [PersistingModel], _ values: [SQLiteValue], _ manager: PersistenceManager) throws
        -> RowImages
    {
        let mapping = table.mapping
        let images = RowImages(manager, mapping, capacity: objects.count)
        for (slot, (object, value)) in zip(objects, values).enumerated() {
            if let known = object.record.images, known.isTracking {
                try images.append(known[Int(object.record.slot)])
            } else {
                try images.append(object)
            }
            try mapping.assign(stored: value, to: index, ofImage: images[slot])
        }
        return images
    }
}
