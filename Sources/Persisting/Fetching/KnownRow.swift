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
        if table.mapping.lacksKey(known.memory) { throw table.mapping.missingKeyValue() }
    }

    /// The key under which the row is stored, even if the property has changed since.
    var key: [SQLiteValue] {
        get throws { try table.mapping.key.map { try table.mapping.stored($0, in: trackedValues) } }
    }

    /// The key, and after it the version where there is one: what a write asks for.
    var parameters: [SQLiteValue] {
        get throws {
            try table.mapping.version == nil ? key : key + [table.mapping.version(in: trackedValues)]
        }
    }

    /// Binds the key and the version, from `parameter` on.
    func bind<Sink: ParameterSink>(to sink: Sink, from parameter: Int) throws {
        let next = try table.mapping.bindKey(of: trackedValues, to: sink, from: parameter)
        if table.mapping.version != nil {
            try sink.bind(value: table.mapping.version(in: trackedValues), at: next)
        }
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
        guard known.trackedRows.isTracking else { return [] }
        let mapping = table.mapping
        return try mapping.fields.indices.filter { index in
            try mapping.fields[index].isDeferred && !mapping.stored(index, in: trackedValues).isNull
        }
    }

    /// The row as it is now, as an object; nil when it is gone.
    func read() throws -> PersistingModel? {
        guard let manager = known.trackedRows.manager else { return nil }
        let mapping = table.mapping
        let loaded = try loadedColumns()
        let key = try key
        do {
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
                guard let value = try Loading(table: table, index: index, keys: [key]).run(db).first,
                    let trackedValues = object.record.trackedValues
                else { continue }
                try mapping.assign(stored: value, to: index, of: object)
                try mapping.assign(stored: value, to: index, in: trackedValues)
            }
            return object
        }
    }
}
