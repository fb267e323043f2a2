internal import Foundation

/// Writing what has changed of an object.
extension PersistenceManager {
    /// Writes columns of an object that is in the table: the changed ones, or those of some properties, changed
    /// or not. Without changes nothing is done.
    ///
    /// ```swift
    /// try manager.update(album)  // the changed columns
    /// // UPDATE ALBUM SET TITLE = ?, ARTIST = ? WHERE ID = ?
    /// try manager.update(album, keys: ["title", "artist"])
    /// ```
    ///
    /// - Parameters:
    ///   - object: An object that is in the table.
    ///   - keys: The properties' names; nil writes what has changed. Other changes remain unsaved. Without any name
    ///     nothing is done.
    /// - Throws: ``PersistenceError/Code/notPersisted`` for a new object, ``PersistenceError/Code/notFound`` when the
    ///   row is gone, ``PersistenceError/Code/unknownKey``, ``PersistenceError/Code/notWritable`` for the version, …;
    ///   the object is then as it was.
    public func update(_ object: PersistingModel, keys: [String]? = nil) throws {
        if let keys {
            let mapping = try table(of: type(of: object)).mapping
            return try updateColumns(ColumnSet(keys.map { try mapping.index(ofKey: $0) }), of: object)
        }
        try checkNotBeingSaved(object)
        if object.hasPendingLinks, state(of: object) == .persisted { return try save(GraphSave([object], self)) }
        try updateChanges(of: object)
    }

    /// The same, while the task is suspended. The values are taken in the caller's isolation, and what comes back is
    /// set there.
    public func update(_ object: PersistingModel, keys: [String]? = nil) async throws {
        guard let keys else {
            if object.hasPendingLinks, state(of: object) == .persisted {
                return try await save(GraphSave([object], self))
            }
            try await saving([object]) {
                try update(object)
            } suspended: {
                try await executeSuspended([SentWrite(updateOfChanges(of: object))], on: [object])
            }
            return
        }
        try await saving([object]) {
            try update(object, keys: keys)
        } suspended: {
            let mapping = try table(of: type(of: object)).mapping
            let columns = try ColumnSet(keys.map { try mapping.index(ofKey: $0) })
            try await executeSuspended([SentWrite(updateOfColumns(columns, of: object))], on: [object])
        }
    }
}

/// The same methods of classes and objects. They use the manager that ``ActiveRecord`` describes.
extension ActiveRecord {
    /// Sets a property, and stores just its column. Other changes remain unsaved.
    ///
    /// ```swift
    /// // UPDATE ALBUM SET TITLE = ? WHERE ID = ?
    /// try album.update(\.title, to: "Blue")
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - value: The value; nil is NULL.
    /// - Throws: ``PersistenceError/Code/notPersisted`` for a new object, and what `PersistenceManager.update(_:keys:)`
    ///   throws. The property then has its old value, as it has when the transaction around is rolled back, unless it
    ///   has been set again since.
    public func update<Value>(_ keyPath: ReferenceWritableKeyPath<Self, Value>, to value: Value) throws {
        try managerOfRow(to: "update").update(self, keyPath, to: value)
    }

    /// The same, while the task is suspended.
    public func update<Value>(_ keyPath: ReferenceWritableKeyPath<Self, Value>, to value: Value) async throws {
        try await managerOfRow(to: "update").update(self, keyPath, to: value)
    }

    /// Sets a property by its name, and stores just its column. Other changes remain unsaved.
    ///
    /// - Parameters:
    ///   - key: The property's name.
    ///   - value: The value, of the property's type or one that it can be made from without loss; nil is NULL.
    /// - Throws: ``PersistenceError/Code/unknownKey``, ``PersistenceError/Code/typeMismatch``, and what the form with a
    ///   key path throws. The property then has its old value.
    public func update(key: String, to value: (any Sendable)?) throws {
        try managerOfRow(to: "update").update(self, key: key, to: value)
    }

    /// The same, while the task is suspended.
    public func update(key: String, to value: (any Sendable)?) async throws {
        try await managerOfRow(to: "update").update(self, key: key, to: value)
    }

    /// Stores the values of some properties, changed or not, and no others: `try album.update([\.title, \.artist])`.
    ///
    /// - Parameter keyPaths: The properties. Without any nothing is done.
    /// - Throws: What `PersistenceManager.update(_:keys:)` throws.
    public func update(_ keyPaths: [PartialKeyPath<Self>]) throws {
        try managerOfRow(to: "update").update(self, keyPaths)
    }

    /// The same, while the task is suspended.
    public func update(_ keyPaths: [PartialKeyPath<Self>]) async throws {
        try await managerOfRow(to: "update").update(self, keyPaths)
    }
}

extension PersistenceManager {
    /// See ``ActiveRecord/update(_:to:)``.
    func update<Model: PersistingModel, Value>(
        _ object: Model, _ keyPath: ReferenceWritableKeyPath<Model, Value>, to value: Value
    ) throws {
        if let rows = object.record.trackedRows, rows.manager === self {
            if let index = try rows.set(keyPath, to: value, of: object) {
                return try updateColumn(index, of: object, Update.Assignment(wasAsRead: true)) {
                    object.restore(keyPath, index)
                }
            }
        }
        let mapping = try table(of: type(of: object)).mapping
        let index = try mapping.answer(setting: keyPath, to: value).index
        try mapping.checkWritable(index)
        let old = object[keyPath: keyPath]
        let restore = { (object: PersistingModel) in
            downcast(object, to: Model.self)[keyPath: keyPath] = old
        }
        object[keyPath: keyPath] = value
        try updateColumn(index, of: object, Update.Assignment(restore: restore)) { restore(object) }
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
    func update(_ object: PersistingModel, key: String, to value: (any Sendable)?) throws {
        let (index, restore) = try set(value, key, of: object)
        try updateColumn(index, of: object, Update.Assignment(restore: restore)) { restore(object) }
    }

    /// See ``ActiveRecord/update(key:to:)``.
    func update(_ object: PersistingModel, key: String, to value: (any Sendable)?) async throws {
        try await saving([object]) {
            try update(object, key: key, to: value)
        } suspended: {
            let (index, restore) = try set(value, key, of: object)
            try await updateNow(object, index) { restore(object) }
        }
    }

    /// Sets a property by its name.
    ///
    /// - Returns: Its column, and what gives an object the old value again.
    private func set(
        _ value: (any Sendable)?, _ key: String, of object: PersistingModel
    ) throws -> (index: Int, restore: (PersistingModel) -> Void) {
        let mapping = try table(of: type(of: object)).mapping
        let index = try mapping.index(ofKey: key)
        try mapping.checkWritable(index)
        let draft = type(of: object).init()
        mapping.copy(index, from: object, to: draft)
        _ = try mapping.assign(value, toKey: key, of: object)
        return (index, { mapping.copy(index, from: draft, to: $0) })
    }

    /// See ``ActiveRecord/update(_:)``.
    func update<Model: PersistingModel>(_ object: Model, _ keyPaths: [PartialKeyPath<Model>]) throws {
        let mapping = try table(of: type(of: object)).mapping
        try updateColumns(ColumnSet(keyPaths.map { try mapping.index(of: $0) }), of: object)
    }

    /// See ``ActiveRecord/update(_:)``.
    func update<Model: PersistingModel>(_ object: Model, _ keyPaths: [PartialKeyPath<Model>]) async throws {
        try await saving([object]) {
            try update(object, keyPaths)
        } suspended: {
            let mapping = try table(of: type(of: object)).mapping
            let columns = try ColumnSet(keyPaths.map { try mapping.index(of: $0) })
            try await executeSuspended([SentWrite(updateOfColumns(columns, of: object))], on: [object])
        }
    }

    private func updateNow(_ object: PersistingModel, _ index: Int, restore: () -> Void) async throws {
        var sent: SentWrite?
        do {
            sent = SentWrite(try updateOfColumns(ColumnSet(index), of: object))
            try await executeSuspended([sent], on: [object])
        } catch {
            let mapping = try table(of: type(of: object)).mapping
            if try sent?.write.isStill(index, of: object, mapping) != false { restore() }
            throw error
        }
    }

    /// The update that writes an object's changes, with those of its hook; nil when there are none.
    ///
    /// - Parameters:
    ///   - table: That of its class.
    ///   - context: That of the transaction, on its thread.
    func updateOfChanges(
        of object: PersistingModel, in table: consuming ModelTable, _ context: TransactionContext?
    ) throws -> Update? {
        try knownRow(of: object, to: "update", in: table).updateOfChanges(of: object, context)
    }

    private func updateOfChanges(of object: PersistingModel) throws -> Update? {
        try updateOfChanges(of: object, in: table(of: type(of: object)), nil)
    }

    /// Whether an object in the table is known to hold what its row does, so that there is nothing to save.
    func isUnchanged(_ object: PersistingModel) throws -> Bool {
        guard state(of: object) == .persisted else { return false }
        return try object.record.trackedRows?.isUnchanged(object, Int(object.record.slot)) ?? false
    }

    /// Writes what has changed of an object, without what waits to be saved with it.
    func updateChanges(of object: PersistingModel) throws {
        if try isUnchanged(object) { return }
        try withHooks(of: object) { (table: consuming ModelTable, context) in
            guard let write = try updateOfChanges(of: object, in: table, context) else { return }
            try writeRow(write, of: object, context)
        }
    }

    /// The update that writes some columns of an object, whatever they hold; nil for none.
    ///
    /// - Parameters:
    ///   - table: That of its class.
    ///   - context: That of the transaction, on its thread.
    private func updateOfColumns(
        _ columns: ColumnSet, of object: PersistingModel, in table: consuming ModelTable,
        _ context: TransactionContext?
    ) throws -> Update? {
        try knownRow(of: object, to: "update", in: table).update(of: columns, object, context)
    }

    /// The same, of one that is written elsewhere.
    func updateOfColumns(_ columns: ColumnSet, of object: PersistingModel) throws -> Update? {
        try updateOfColumns(columns, of: object, in: table(of: type(of: object)), nil)
    }

    func updateColumns(_ columns: ColumnSet, of object: PersistingModel) throws {
        try checkNotBeingSaved(object)
        try withHooks(of: object) { (table: consuming ModelTable, context) in
            guard let write = try updateOfColumns(columns, of: object, in: table, context) else { return }
            try writeRow(write, of: object, context)
        }
    }

    /// Stores what a property holds that has just been set.
    ///
    /// - Parameter restore: Gives it its old value again when the update fails.
    @inline(__always)
    private func updateColumn(
        _ index: Int, of object: PersistingModel, _ assignment: Update.Assignment, orElse restore: () -> Void
    ) throws {
        do {
            try checkNotBeingSaved(object)
            try withHooks(of: object) { (table: consuming ModelTable, context) in
                guard let write = try updateOfColumns(ColumnSet(index), of: object, in: table, context) else { return }
                try writeRow(write, of: object, context, assignment)
            }
        } catch {
            restore()
            throw error
        }
    }
}

extension KnownRow {
    fileprivate consuming func updateOfChanges(
        of object: PersistingModel, _ context: TransactionContext?
    ) throws -> Update? {
        let generated = table.generatedColumns
        guard known.trackedRows.isTracking else {
            try object.prepareToUpdate(table.mapping)
            let columns = try table.mapping.columnsToWrite(of: object).subtracting(generated)
            let target = UpdateTarget(whole: table, columns, known.trackedRows)
            return try Update.taking(object, target, self)
        }
        var changed = try changes(of: object, besides: generated)
        if changed.isEmpty { return nil }
        if table.mapping.hasHooks {
            try object.prepareToUpdate(table.mapping)
            changed = try changes(of: object, besides: generated)
        }
        return changed.isEmpty
            ? nil : try Update.taking(object, table.updateTarget(changed, context), self, ofChanges: true)
    }

    private func changes(of object: PersistingModel, besides generated: ColumnSet) throws -> ColumnSet {
        try table.mapping.changes(object, trackedValues).subtracting(generated)
    }

    fileprivate consuming func update(
        of columns: ColumnSet, _ object: PersistingModel, _ context: TransactionContext?
    ) throws -> Update? {
        guard !columns.isEmpty else { return nil }
        try table.checkWritable(columns)
        try object.prepareToUpdate(table.mapping)
        return try Update.taking(object, table.updateTarget(columns, context), self)
    }
}

extension ModelTable {
    /// Where some columns of an object are updated, in a transaction together with those of other objects.
    func updateTarget(_ columns: ColumnSet, _ context: TransactionContext? = nil) -> UpdateTarget {
        context?.updateTarget(self, columns) ?? UpdateTarget(self, columns, capacity: 1)
    }
}

extension ActiveRecord {
    /// Gives a property the value that the object's row held when it was last read or written.
    fileprivate func restore<Value>(_ keyPath: ReferenceWritableKeyPath<Self, Value>, _ index: Int) {
        guard let rows = record.trackedRows, let trackedValues = record.trackedValues else { return }
        self[keyPath: keyPath] = trackedValues.read(Value.self, at: rows.mapping.fields[index].trackedOffset)
    }
}

extension TrackedRows {
    /// Sets a property of one of the objects, if it holds what its row did, so that its value need not be kept twice.
    ///
    /// - Returns: The column; nil where nothing has been set.
    fileprivate func set<Model: PersistingModel, Value>(
        _ keyPath: ReferenceWritableKeyPath<Model, Value>, to value: Value, of object: Model
    ) throws -> Int? {
        let answer = try mapping.answer(setting: keyPath, to: value)
        guard answer.isOfTrackedProperty, isTracking, object.record.state == .persisted else { return nil }
        try mapping.checkWritable(answer.index)
        guard mapping.isKnown(answer.index, object, self[Int(object.record.slot)]) else { return nil }
        if answer.isStored == true {
            mapping.set(value, at: answer.index, of: object)
        } else {
            object[keyPath: keyPath] = value
        }
        return answer.index
    }

    /// Whether an object is known to hold what its row does.
    fileprivate func isUnchanged(_ object: PersistingModel, _ slot: Int) throws -> Bool {
        guard isTracking, !mapping.key.isEmpty, !mapping.takesKeyFromSchema else { return false }
        return try !mapping.hasChanges(object, self[slot])
    }
}
