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

    /// The tracked values of each object with the value that was read. Those of objects that were fetched together stay
    /// together, with what they have loaded of their relations.
    ///
    /// - Throws: ``PersistenceError/Code/typeMismatch`` for a value that the property cannot hold.
    func trackedRows(
        _ objects: [PersistingModel], _ values: [SQLiteValue], _ manager: PersistenceManager
    ) throws -> [TrackedRow] {
        let mapping = table.mapping
        func source(_ object: PersistingModel) -> ObjectIdentifier? {
            object.record.trackedRows.map { ObjectIdentifier($0) }
        }
        let counts = objects.reduce(into: [:]) { $0[source($1), default: 0] += 1 }
        var known: [ObjectIdentifier?: TrackedRows] = [:]
        return try zip(objects, values).map { object, value in
            let (old, source) = (object.record.trackedRows, source(object))
            let rows = try known[source] ?? trackedRows(after: old, counts[source] ?? 1, object, manager)
            known[source] = rows
            if let old, old.isTracking {
                try rows.append(old[Int(object.record.slot)])
            } else {
                try rows.append(object)
            }
            let slot = rows.count - 1
            try mapping.assign(stored: value, to: index, in: rows[slot])
            return TrackedRow(trackedRows: rows, slot: slot)
        }
    }

    /// Room for the tracked values of objects that have had others.
    private func trackedRows(
        after old: TrackedRows?, _ count: Int, _ object: PersistingModel, _ manager: PersistenceManager
    ) throws -> TrackedRows {
        var fetch = old?.fetch ?? FetchTraits()
        fetch.past = past?.number
        fetch.unread.remove(index)
        let rows = TrackedRows(manager, table.mapping, capacity: count, fetch: fetch)
        if let version = old?.schemaVersion { rows.schemaVersion = version }
        let mayShare = fetch.isTogether && !object.record.sharesTrackedValues
        if let group = try old?.group ?? (mayShare ? object.joinedGroup() : nil) { rows.join(group) }
        return rows
    }
}
