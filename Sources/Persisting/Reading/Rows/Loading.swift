/// One column of objects' rows on its way to them, as keys that may cross to the database's side and values that come
/// back.
struct Loading: Sendable {
    let table: ModelTable
    let index: Int
    let keys: [[SQLiteValue]]
    /// The transaction after which the rows are read; nil for now.
    var past: (number: Int64, tables: PastTables)?

    /// Reads the values, in the order of the keys.
    ///
    /// - Throws: ``PersistenceError/Code/notFound`` when a row is gone.
    func values(_ db: any EngineConnection) throws -> [SQLiteValue] {
        try table.check(db)
        let source: any EngineConnection =
            if let past { try PastConnection(db, past.tables, .transaction(past.number)) } else { db }
        let found: [SQLiteValue?]
        do {
            found = try RowLookup(table.mapping.modelType, keyOf: table).values(
                of: index, Array(keys.joined())[...], source)
        } catch {
            throw (source as? PastConnection)?.failure ?? error
        }
        return try zip(keys, found).map { key, value in
            guard let value else { throw table.mapping.notFound(key) }
            do {
                return try table.mapping.taken(value, index)
            } catch let error as PersistenceError {
                throw error.adding(rowKey: zip(table.mapping.key, key).map { (table.mapping.columns[$0], $1) })
            }
        }
    }

    /// The objects' tracked values with the values that were read.
    ///
    /// - Throws: ``PersistenceError/Code/typeMismatch`` for a value that the property cannot hold.
    func trackedRows(_ objects: [PersistingModel], _ values: [SQLiteValue], _ manager: PersistenceManager) throws
        -> TrackedRows
    {
        let mapping = table.mapping
        let trackedRows = TrackedRows(
            manager, mapping, capacity: objects.count, fetch: FetchTraits(past: past?.number))
        for (slot, (object, value)) in zip(objects, values).enumerated() {
            if let known = object.record.trackedRows, known.isTracking {
                try trackedRows.append(known[Int(object.record.slot)])
            } else {
                try trackedRows.append(object)
            }
            try mapping.assign(stored: value, to: index, in: trackedRows[slot])
        }
        if mapping.rowID != nil {
            // Of several, the least: an older one only leads to a comparison.
            let versions = objects.compactMap { $0.record.trackedRows?.schemaVersion }
            if let least = versions.min() { trackedRows.schemaVersion = least }
        }
        return trackedRows
    }
}
