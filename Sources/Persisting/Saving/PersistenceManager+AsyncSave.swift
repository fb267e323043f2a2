internal import Foundation

/// The methods that write objects, while the task is suspended.
///
/// An object stays where it is: its values are taken in the caller's isolation and sent, and what comes back, its key
/// and its state, is set there too. Properties that change meanwhile count as changed. A second save of an object that
/// is being saved waits for the first.
extension PersistenceManager {
    /// Inserts a new object, while the task is suspended. A generated key, and what the table put in the place of a
    /// nil, are written back to it.
    ///
    /// - Parameters:
    ///   - object: A new object.
    ///   - resolution: Whether the object is left new where a row conflicts with it, or replaces the row. Nil throws.
    /// - Returns: Whether the object was inserted; false when it was ignored, and is as it was.
    /// - Throws: What the synchronous form throws; `CancellationError` when the task is cancelled.
    @discardableResult
    public func insert(
        _ object: PersistingModel, onConflict resolution: ConflictResolution? = nil
    ) async throws -> Bool {
        if resolution == nil, object.hasPendingLinks {
            try checkNew(object, table(of: type(of: object)).mapping)
            try await save(GraphSave([object], self))
            return true
        }
        return try await saving([object]) {
            try insert(object, onConflict: resolution)
        } suspended: {
            try await writeNow([object], .insert(resolution)) == 1
        }
    }

    /// Saves an object, while the task is suspended: inserts a new one, and writes the changed columns of one that is
    /// in the table. Without changes nothing is done.
    ///
    /// - Parameter object: The object.
    /// - Throws: ``PersistenceError/Code/notFound`` when the row is gone, ``PersistenceError/Code/conflict`` when
    ///   another writer has changed the row of a class with a `versionKey`, ``PersistenceError/Code/invalidObject``,
    ///   ``PersistenceError/Code/constraint``, …; `CancellationError` when the task is cancelled. The object is then as
    ///   it was.
    public func save(_ object: PersistingModel) async throws {
        if object.hasPendingLinks { return try await save(GraphSave([object], self)) }
        try await saving([object]) {
            try save(object)
        } suspended: {
            try await writeNow([object], .save)
        }
    }

    /// Writes columns of an object that is in the table, while the task is suspended: the changed ones, or those of
    /// some properties, changed or not. Without changes nothing is done.
    ///
    /// ```swift
    /// try await manager.update(album)                                // the changed columns
    /// try await manager.update(album, keys: ["title", "artist"])     // UPDATE ALBUM SET TITLE = ?, ARTIST = ? WHERE ID = ?
    /// ```
    ///
    /// - Parameters:
    ///   - object: An object that is in the table.
    ///   - keys: The properties' names; nil writes what has changed. Other changes remain unsaved. Without any name
    ///     nothing is done.
    /// - Throws: ``PersistenceError/Code/notPersisted`` for a new object, ``PersistenceError/Code/notFound`` when the
    ///   row is gone, ``PersistenceError/Code/unknownKey``, ``PersistenceError/Code/notWritable`` for the version, …;
    ///   `CancellationError` when the task is cancelled. The object is then as it was.
    public func update(_ object: PersistingModel, keys: [String]? = nil) async throws {
        guard let keys else {
            if object.hasPendingLinks, state(of: object) == .persisted {
                return try await save(GraphSave([object], self))
            }
            try await saving([object]) {
                try update(object)
            } suspended: {
                try await executeSuspended([SentWrite(updateOfChanges(of: object, nil))], on: [object])
            }
            return
        }
        try await saving([object]) {
            try update(object, keys: keys)
        } suspended: {
            let mapping = try table(of: type(of: object)).mapping
            let columns = try ColumnSet(keys.map { try mapping.index(ofKey: $0) })
            try await executeSuspended([SentWrite(updateOfColumns(columns, of: object, nil))], on: [object])
        }
    }

    /// See ``ActiveRecord/update(_:to:)``.
    func update<Model: PersistingModel, Value>(
        _ object: Model, _ keyPath: ReferenceWritableKeyPath<Model, Value>, to value: Value
    ) async throws {
        try await saving([object]) {
            try update(object, keyPath, to: value)
        } suspended: {
            let mapping = try table(of: type(of: object)).mapping
            let index = try mapping.index(of: keyPath, sample: value)
            try mapping.checkWritable(index)
            let old = object[keyPath: keyPath]
            object[keyPath: keyPath] = value
            try await updateNow(object, index) { object[keyPath: keyPath] = old }
        }
    }

    /// See ``ActiveRecord/update(key:to:)``.
    func update(_ object: PersistingModel, key: String, to value: (any Sendable)?) async throws {
        try await saving([object]) {
            try update(object, key: key, to: value)
        } suspended: {
            let mapping = try table(of: type(of: object)).mapping
            let index = try mapping.index(ofKey: key)
            try mapping.checkWritable(index)
            let draft = type(of: object).init()
            mapping.copy(index, from: object, to: draft)
            _ = try mapping.assign(value, toKey: key, of: object)
            try await updateNow(object, index) { mapping.copy(index, from: draft, to: object) }
        }
    }

    /// See ``ActiveRecord/update(_:)``.
    func update<Model: PersistingModel>(_ object: Model, _ keyPaths: [PartialKeyPath<Model>]) async throws {
        try await saving([object]) {
            try update(object, keyPaths)
        } suspended: {
            let mapping = try table(of: type(of: object)).mapping
            let columns = try ColumnSet(keyPaths.map { try mapping.index(of: $0) })
            try await executeSuspended([SentWrite(updateOfColumns(columns, of: object, nil))], on: [object])
        }
    }

    /// Deletes an object's row, while the task is suspended. The object keeps its values, and saving it inserts it
    /// again.
    ///
    /// - Parameter object: An object that is in the table.
    /// - Returns: Whether there was a row; false when someone else had deleted it.
    /// - Throws: ``PersistenceError/Code/notPersisted`` for a new object, ``PersistenceError/Code/noPrimaryKey``,
    ///   ``PersistenceError/Code/conflict``, ``PersistenceError/Code/constraint``, …; `CancellationError` when the task
    ///   is cancelled. The object is then as it was.
    @discardableResult
    public func delete(_ object: PersistingModel) async throws -> Bool {
        try await saving([object]) {
            try delete(object)
        } suspended: {
            try await writeNow([object], .delete) > 0
        }
    }

    /// Inserts an object from values by property name, while the task is suspended.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - values: The values by their keys. A missing key leaves the column to the table's default, or else to what
    ///     `init()` gives the property; nil is NULL.
    /// - Returns: The object as it is stored, with the key and the defaults that SQLite set.
    /// - Throws: ``PersistenceError``: ``PersistenceError/Code/unknownKey``, ``PersistenceError/Code/typeMismatch``,
    ///   ``PersistenceError/Code/constraint``, or ``PersistenceError/Code/missingPrimaryKeyValue``;
    ///   `CancellationError` when the task is cancelled. The row is then not inserted.
    @discardableResult
    public func insert<Model: PersistingModel>(
        _ type: Model.Type, values: [String: (any Sendable)?]
    ) async throws -> sending Model {
        try await onDatabaseSide(of: type) { manager in try manager.insert(type, values: values) }
    }

    /// Deletes the rows that match a condition, while the task is suspended. No object runs its hooks.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition.
    /// - Returns: The number of rows that were deleted.
    /// - Throws: ``PersistenceError``: ``PersistenceError/Code/missingCondition`` when the condition says nothing:
    ///   `deleteAll(_:)` deletes all; a mistake in the condition, or ``PersistenceError/Code/constraint``;
    ///   `CancellationError` when the task is cancelled. No row is then deleted.
    @discardableResult
    public func delete<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>
    ) async throws -> Int {
        try await onDatabaseSide(of: type) { manager in try manager.delete(type, where: criteria) }
    }

    /// Deletes all rows of a class's table, while the task is suspended. No object runs its hooks.
    ///
    /// - Parameter type: The model class.
    /// - Returns: The number of rows that were deleted.
    /// - Throws: ``PersistenceError``, such as ``PersistenceError/Code/constraint``;
    ///   `CancellationError` when the task is cancelled. No row is then deleted.
    @discardableResult
    public func deleteAll<Model: PersistingModel>(_ type: Model.Type) async throws -> Int {
        try await onDatabaseSide(of: type) { manager in try manager.deleteAll(type) }
    }
}

extension PersistenceManager {
    private func updateNow(_ object: PersistingModel, _ index: Int, restore: () -> Void) async throws {
        var sent: SentWrite?
        do {
            sent = SentWrite(try updateOfColumns(ColumnSet(index), of: object, nil))
            try await executeSuspended([sent], on: [object])
        } catch {
            let mapping = try table(of: type(of: object)).mapping
            if try sent?.write.isStill(index, of: object, mapping) != false { restore() }
            throw error
        }
    }

    /// Writes objects: those with hooks by the synchronous form, in the caller's isolation, and others while the task is
    /// suspended.
    ///
    /// Hooks belong to the caller's isolation, and what they write to the transaction of their object. Nobody could keep
    /// the transaction open meanwhile: the caller's actor may be running something that waits for the database.
    ///
    /// - Parameter needsObjects: Whether the write needs the objects between its statements, even without hooks of theirs.
    @discardableResult
    func saving<T>(
        _ objects: [PersistingModel], needsObjects: Bool = false, _ write: () throws -> T,
        suspended body: () async throws -> T
    ) async throws -> T {
        try await prepareToSave(objects)
        guard try needsObjects || haveHooks(objects) else { return try await marking(objects, body) }
        repeat {
            await endOfSaves(of: objects)
            // Whatever has the database, another process too, is waited for here.
            try await accessing(objects.first.map { type(of: $0) }) { try await engine.write { _ in } }
        } while objects.contains(where: \.record.isBeingSaved)
        return try write()
    }

    /// Runs `body` while the objects are marked as being saved, after those saves of them that are under way.
    @discardableResult
    func saving<T>(_ objects: [PersistingModel], _ body: () async throws -> T) async throws -> T {
        try await prepareToSave(objects)
        return try await marking(objects, body)
    }

    private func prepareToSave(_ objects: [PersistingModel]) async throws {
        for object in objects where type(of: object).primaryKey.kind == .fromSchema {
            try await discoverKey(of: type(of: object))
        }
        for object in objects where object.isPersisted {
            guard let table = knownTable(of: type(of: object)), !table.isInspected else { continue }
            // Here, where the task can wait.
            try await accessing(type(of: object)) {
                try await engine.query { db in try table.mapping.naming { try table.check(db) } }
            }
        }
    }

    private func endOfSaves(of objects: [PersistingModel]) async {
        while let busy = objects.first(where: \.record.isBeingSaved) { await savesUnderWay.end(of: busy) }
    }

    private func haveHooks(_ objects: [PersistingModel]) throws -> Bool {
        var last: PersistingModel.Type?
        for object in objects {
            let type = type(of: object)
            if type == last { continue }
            if try table(of: type).mapping.hasHooks { return true }
            last = type
        }
        return false
    }

    private func marking<T>(_ objects: [PersistingModel], _ body: () async throws -> T) async throws -> T {
        await endOfSaves(of: objects)
        for object in objects { object.record.isBeingSaved = true }
        defer {
            for object in objects {
                object.record.isBeingSaved = false
                savesUnderWay.ended(of: object)
            }
        }
        return try await body()
    }
}

/// Those who wait for the end of a save of an object.
let savesUnderWay = SavesUnderWay()

final class SavesUnderWay: Sendable {
    private let lock = NSLock()
    // Guarded by `lock`.
    nonisolated(unsafe) private var waiters: [ObjectIdentifier: [@Sendable () -> Void]] = [:]

    /// Calls a closure at the end of the save of an object that is being saved, once.
    func atEnd(of object: PersistingModel, _ body: @escaping @Sendable () -> Void) {
        let identity = ObjectIdentifier(object)
        lock.withLock { waiters[identity, default: []].append(body) }
    }

    fileprivate func end(of object: PersistingModel) async {
        await withCheckedContinuation { continuation in atEnd(of: object) { continuation.resume() } }
    }

    fileprivate func ended(of object: PersistingModel) {
        let woken = lock.withLock { waiters.removeValue(forKey: ObjectIdentifier(object)) }
        woken?.forEach { $0() }
    }
}
