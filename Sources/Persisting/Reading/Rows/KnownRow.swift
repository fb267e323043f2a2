/// What is known of an object's row: what names it, and what it held when it was last read or written.
///
/// It is handed on from who looks at the row to who writes it. As something that cannot be copied it counts no
/// references on this way.
struct KnownRow: ~Copyable, Sendable {
    let table: ModelTable
    let known: TrackedRow

    /// - Throws: ``PersistenceError/Code/missingPrimaryKeyValue``.
    init(_ table: ModelTable, _ known: TrackedRow) throws {
        self.table = table
        self.known = known
        // Part of a composite key may be NULL in a row.
        if !table.mapping.mayHaveNullInKey, table.mapping.lacksKey(known.memory) {
            throw table.mapping.missingKeyValue()
        }
    }

    /// Whether the key has a NULL in it, which no unique constraint keeps from being there several times.
    private var hasNullInKey: Bool { table.mapping.mayHaveNullInKey && table.mapping.lacksKey(known.memory) }

    /// Runs a write of the row, which is applied as a whole or not at all.
    @inline(__always)
    func whole<T>(_ db: any EngineConnection, _ write: () throws -> T) throws -> T {
        guard table.mapping.rowID != nil || hasNullInKey else { return try table.whole(db, write) }
        return try db.savepoint {
            try checkIsSameRow(db)
            return try table.whole(db, isAtomic: true, write)
        }
    }

    /// Throws if a write has found other rows with the same key.
    @inline(__always)
    func checkIsOne(_ count: Int) throws {
        guard count > 1, hasNullInKey else { return }
        throw try table.mapping.severalRows(count, key)
    }

    /// The key under which the row is stored, even if the property has changed since.
    var key: [SQLiteValue] {
        get throws { try table.mapping.key.map { try table.mapping.stored($0, in: trackedValues) } }
    }

    /// The first value of the key.
    var firstKey: SQLiteValue? {
        get throws { try table.mapping.key.first.map { try table.mapping.stored($0, in: trackedValues) } }
    }

    /// The key, and after it the version where there is one: what a write asks for.
    var parameters: [SQLiteValue] {
        get throws {
            try table.mapping.version == nil ? key : key + [table.mapping.version(in: trackedValues)]
        }
    }

    /// Binds the key and the version, from `parameter` on.
    ///
    /// - Returns: The next parameter.
    @discardableResult
    func bind<Sink: ParameterSink>(to sink: Sink, from parameter: Int) throws -> Int {
        let next = try table.mapping.bindKey(of: trackedValues, to: sink, from: parameter)
        guard table.mapping.version != nil else { return next }
        try sink.bind(value: table.mapping.version(in: trackedValues), at: next)
        return next + 1
    }

    /// The row of an object that may be in no table: then the row with the key that it has.
    ///
    /// - Throws: ``PersistenceError/Code/noPrimaryKey``, ``PersistenceError/Code/missingPrimaryKeyValue``;
    ///   ``PersistenceError/Code/notFound`` when the table has another key now.
    init(assumedOf object: PersistingModel, _ mapping: Mapping) throws {
        try mapping.requireKey()
        var known =
            object.isPersisted
            ? object.record.trackedRows.map { TrackedRow(trackedRows: $0, slot: Int(object.record.slot)) } : nil
        if known == nil {
            let trackedRows = TrackedRows(nil, mapping, capacity: 1)
            try trackedRows.append(object)
            if mapping.lacksKey(trackedRows[0]) { throw mapping.missingKeyValue() }
            known = TrackedRow(trackedRows: trackedRows, slot: 0)
        }
        guard let known else { throw mapping.missingKeyValue() }
        let table = object.record.trackedRows?.manager?.knownTable(of: type(of: object)) ?? ModelTable(mapping)
        // Only the mapping that made tracked values can read them.
        guard table.mapping === mapping else { throw mapping.keyHasChanged() }
        try self.init(table, known)
    }

    /// What the row held. Of an object that is not tracked, its key and its version alone.
    var trackedValues: Memory { known.memory }

    /// The deferred columns that have been loaded.
    func loadedColumns() throws -> [Int] {
        known.trackedRows.isTracking ? try table.mapping.loaded(in: trackedValues) : []
    }

    /// The row as it is now, as an object; nil when it is gone.
    func read() throws -> PersistingModel? {
        guard let manager = known.trackedRows.manager else { return nil }
        let mapping = table.mapping
        let loaded = try loadedColumns()
        let key = try key
        do {
            if mapping.rowID != nil { try manager.engine.read { db in try checkIsSameRow(db) } }
            return try Self.read(mapping.modelType, table, key, loaded, manager)
        } catch let error as PersistenceError {
            throw error.adding(rowKey: zip(mapping.key, key).map { (mapping.columns[$0], $1) })
        }
    }

    /// A row with some of its deferred columns, as an object; nil when it is gone.
    static func read(
        _ type: PersistingModel.Type, _ table: ModelTable, _ key: [SQLiteValue], _ loaded: [Int],
        _ manager: PersistenceManager
    ) throws -> PersistingModel? {
        let mapping = table.mapping
        return try manager.engine.read { db in
            guard let object = try manager.row(of: type, table, key) else { return nil }
            for index in loaded {
                guard let value = try Loading(table: table, index: index, keys: [key]).values(db).first,
                    let trackedValues = object.record.trackedValues
                else { continue }
                try mapping.assign(stored: value, to: index, of: object)
                try mapping.assign(stored: value, to: index, in: trackedValues)
            }
            return object
        }
    }
}

extension Mapping {
    /// The error of several rows with the same key, of which one was asked for.
    func severalRows(_ count: Int, _ key: [SQLiteValue]) -> PersistenceError {
        PersistenceError(
            .conflict,
            "\(count) rows have the key \(condition(of: key)), which a NULL in it doesn't prevent, so the object's row "
                + "can't be told from the others: use raw SQL, or give each row a key",
            model: modelName, rowKey: keyValues(key))
    }

    /// The deferred columns of which tracked values have a value.
    func loaded(in trackedValues: Memory) throws -> [Int] {
        try deferred.filter { try !stored($0, in: trackedValues).isNull }
    }
}

extension ModelTable {
    /// The values of the row with a key, as it is now; nil when there is none.
    ///
    /// - Parameter loaded: The deferred columns to read.
    func row(_ key: [SQLiteValue], loaded: [Int]) throws -> TrackedRow? {
        try manager.flatMap { try KnownRow.read(mapping.modelType, self, key, loaded, $0) }?.trackedRow
    }
}

extension PersistingModel {
    /// What the object's row held when it was last read or written.
    var trackedRow: TrackedRow? { record.trackedRows.map { TrackedRow(trackedRows: $0, slot: Int(record.slot)) } }
}

extension ActiveRecord {
    /// The manager of the object's row.
    ///
    /// - Parameter verb: What is to be done with the row.
    /// - Throws: ``PersistenceError/Code/notPersisted`` for a new object.
    func managerOfRow(to verb: String) throws -> PersistenceManager {
        // One that is being inserted is in its table soon, and an asynchronous call waits for that.
        if record.state == .new, !record.isBeingSaved { throw try Mapping.of(self).notPersisted(self, to: verb) }
        return try ownManager()
    }
}
