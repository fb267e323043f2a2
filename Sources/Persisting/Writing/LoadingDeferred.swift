/// Reading single columns of objects' rows: those that are deferred.
extension PersistenceManager {
    /// Reads one column of the rows of several objects, a hundred with each query. The property then holds what the
    /// row holds. An object has the same method: `try album.load(\.coverImageData)`.
    ///
    /// - Parameters:
    ///   - objects: Objects that are in the table.
    ///   - keyPath: The property. What was set on it and not saved is lost.
    /// Of an object of the past, it reads what the row held then.
    ///
    /// - Throws: ``PersistenceError/Code/notPersisted`` for a new object, ``PersistenceError/Code/notFound`` when a row
    ///   is gone, ``PersistenceError/Code/typeMismatch``; all objects are then as they were.
    public func load<Model: PersistingModel, Value>(_ objects: [Model], _ keyPath: KeyPath<Model, Value>) throws {
        guard let key = try key(of: keyPath, objects) else { return }
        try load(objects, key: key)
    }

    /// The same, while the task is suspended.
    public func load<Model: PersistingModel, Value>(_ objects: [Model], _ keyPath: KeyPath<Model, Value>) async throws {
        guard let key = try key(of: keyPath, objects) else { return }
        try await load(objects, key: key)
    }

    /// Reads one column of the rows of several objects by its property's name.
    ///
    /// - Parameters:
    ///   - objects: Objects that are in the table.
    ///   - key: The property's name.
    /// - Throws: What the form with a key path throws, and ``PersistenceError/Code/unknownKey``; all objects are then
    ///   as they were.
    public func load(_ objects: [PersistingModel], key: String) throws {
        // Before waiting for the database, which the save that is under way may hold.
        for object in objects { try checkNotBeingSaved(object) }
        try engine.read { db in
            let loaded = try loadings(objects, key).map { objects, loading in
                let values = try loading.table.mapping.naming { try loading.values(db) }
                return (objects, loading, values, try loading.trackedRows(objects, values, self))
            }
            for (objects, loading, values, trackedRows) in loaded {
                for (slot, object) in objects.enumerated() {
                    let row = trackedRows[slot]
                    try restoreAfterRollback(object, db, readFrom: row.trackedRows, slot: row.slot)
                    try take(values[slot], loading, row, object)
                }
            }
        }
    }

    /// The same, while the task is suspended.
    public func load(_ objects: [PersistingModel], key: String) async throws {
        try await saving(objects) {
            let loadings = try loadings(objects, key, isSaving: true)
            let sent = loadings.map(\.loading)
            let values = try await accessing(sent.first?.table.mapping.modelType) {
                try await engine.read { db in
                    try sent.map { loading in try loading.table.mapping.naming { try loading.values(db) } }
                }
            }
            let trackedRows = try zip(loadings, values).map { try $0.loading.trackedRows($0.objects, $1, self) }
            for ((loading, values), trackedRows) in zip(zip(loadings, values), trackedRows) {
                for (slot, object) in loading.objects.enumerated() {
                    try take(values[slot], loading.loading, trackedRows[slot], object)
                }
            }
        }
    }
}

/// The same methods of an object. They use the manager that ``ActiveRecord`` describes.
extension ActiveRecord {
    /// Reads one column of the object's row, usually a deferred one. The property then holds what the row holds.
    ///
    /// ```swift
    /// try album.load(\.coverImageData)
    /// ```
    ///
    /// - Parameter keyPath: The property. What was set on it and not saved is lost.
    /// - Throws: What the manager's method throws.
    public func load<Value>(_ keyPath: KeyPath<Self, Value>) throws {
        try managerOfRow(to: "load").load([self], keyPath)
    }

    /// The same, while the task is suspended.
    public func load<Value>(_ keyPath: KeyPath<Self, Value>) async throws {
        try await managerOfRow(to: "load").load([self], keyPath)
    }
}

extension PersistenceManager {
    private func key<Model: PersistingModel>(of keyPath: PartialKeyPath<Model>, _ objects: [Model]) throws -> String? {
        try objects.first.map { try Mapping.of(type(of: $0), dates: dates).key(of: keyPath) }
    }

    /// What is to be read for objects, which may be of several classes.
    private func loadings(
        _ objects: [PersistingModel], _ key: String, isSaving: Bool = false
    ) throws -> [(objects: [PersistingModel], loading: Loading)] {
        struct Source: Hashable {
            let type: ObjectIdentifier
            let past: Int64?
        }
        func source(_ object: PersistingModel) -> Source {
            let past = state(of: object) == .persisted ? object.record.trackedRows?.fetch.past : nil
            return Source(type: ObjectIdentifier(type(of: object)), past: past)
        }
        return try Dictionary(grouping: objects, by: source).map { source, objects in
            let table = try table(of: type(of: objects[0]))
            let keys = try objects.map { object in
                if !isSaving { try checkNotBeingSaved(object) }
                return source.past == nil
                    ? try storedKey(of: object, to: "load").key : try table.mapping.historyKey(of: object)
            }
            return (
                objects,
                Loading(
                    table: table, index: try table.mapping.index(ofKey: key), keys: keys,
                    past: source.past.map { ($0, pastTables) })
            )
        }
    }

    /// Gives an object a value that was read.
    private func take(
        _ value: SQLiteValue, _ loading: Loading, _ row: TrackedRow, _ object: PersistingModel
    ) throws {
        try loading.table.mapping.assign(stored: value, to: loading.index, of: object)
        // Of an object that is not tracked, nothing is known but its key.
        guard object.record.trackedValues != nil else { return }
        try object.track(row.trackedRows, slot: Int32(clamping: row.slot))
    }
}
