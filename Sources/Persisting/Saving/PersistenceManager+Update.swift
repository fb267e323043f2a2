/// Writing what has changed of an object.
extension PersistenceManager {
    /// Writes the changed columns of an object that is in the table. Without changes nothing is done.
    ///
    /// - Throws: ``PersistenceError/Code/notPersisted`` for a new object, ``PersistenceError/Code/notFound`` when the
    ///   row is gone, …; the object is then as it was.
    public func update(_ object: PersistingModel) throws {
        try checkNotBeingSaved(object)
        guard let update = try updateOfChanges(of: object) else { return }
        try run(update, object)
    }

    /// Sets a property of an object, and stores just its column. Other changes stay to be saved.
    ///
    /// - Parameters:
    ///   - object: An object that is in the table.
    ///   - keyPath: The property.
    ///   - value: The value; nil is NULL.
    /// - Throws: ``PersistenceError``; the property then has its old value, as it has when the transaction around is
    ///   rolled back, unless it has been set again since.
    public func update<Model: PersistingModel, Value>(
        _ object: Model, _ keyPath: ReferenceWritableKeyPath<Model, Value>, to value: Value
    ) throws {
        let mapping = try table(of: type(of: object)).mapping
        let answer = try mapping.keyPaths.answer(setting: keyPath, to: value, in: mapping)
        try mapping.checkWritable(answer.index)
        if let image = imageAsRead(answer, Value.self, of: object) {
            if answer.isStored == true {
                mapping.set(value, at: answer.index, of: object)
            } else {
                object[keyPath: keyPath] = value
            }
            try updateColumn(answer.index, of: object, assigned: ColumnSet(answer.index)) {
                object[keyPath: keyPath] = image.memory.read(Value.self, at: mapping.fields[answer.index].imageOffset)
            }
        } else {
            let old = object[keyPath: keyPath]
            let restore = { object[keyPath: keyPath] = old }
            object[keyPath: keyPath] = value
            try updateColumn(answer.index, of: object, undoing: restore, orElse: restore)
        }
    }

    /// Sets a property of an object by its name, and stores just its column. Other changes stay to be saved.
    ///
    /// - Parameters:
    ///   - object: An object that is in the table.
    ///   - key: The property's name.
    ///   - value: The value, of the property's type or one that it can be made from without loss; nil is NULL.
    /// - Throws: ``PersistenceError/Code/unknownKey``, ``PersistenceError/Code/typeMismatch``, …; the property then has
    ///   its old value.
    public func update(_ object: PersistingModel, key: String, to value: (any Sendable)?) throws {
        let mapping = try table(of: type(of: object)).mapping
        let index = try mapping.index(ofKey: key)
        try mapping.checkWritable(index)
        let draft = type(of: object).init()
        mapping.copy(index, from: object, to: draft)
        _ = try mapping.assign(value, toKey: key, of: object)
        let restore = { mapping.copy(index, from: draft, to: object) }
        try updateColumn(index, of: object, undoing: restore, orElse: restore)
    }

    /// Stores what some properties of an object hold, whether they have changed or not, and no others. Other changes
    /// stay to be saved.
    ///
    /// ```swift
    /// try manager.update(album, keys: ["title", "artist"])     // UPDATE ALBUM SET TITLE = ?, ARTIST = ? WHERE ID = ?
    /// ```
    ///
    /// - Parameters:
    ///   - object: An object that is in the table.
    ///   - keys: The properties' names. Without any nothing is done.
    /// - Throws: ``PersistenceError/Code/unknownKey``, ``PersistenceError/Code/notWritable`` for the version, and what
    ///   `update(_:)` throws.
    public func update(_ object: PersistingModel, keys: [String]) throws {
        let mapping = try table(of: type(of: object)).mapping
        try updateColumns(ColumnSet(keys.map { try mapping.index(ofKey: $0) }), of: object)
    }

    /// Stores what some properties of an object hold, and no others. See `update(_:keys:)`.
    ///
    /// ```swift
    /// try manager.update(album, [\.title, \.artist])
    /// ```
    public func update<Model: PersistingModel>(_ object: Model, _ keyPaths: [PartialKeyPath<Model>]) throws {
        let mapping = try table(of: type(of: object)).mapping
        try updateColumns(ColumnSet(keyPaths.map { try mapping.index(of: $0) }), of: object)
    }
}

extension PersistenceManager {
    /// The update that writes an object's changes, with those of its hook; nil when there are none.
    ///
    /// - Parameter images: Where to keep its values; nil finds a place.
    func updateOfChanges(of object: PersistingModel, in images: RowImages? = nil) throws -> Update? {
        if try isUnchanged(object) { return nil }
        let row = try knownRow(of: object, to: "update")
        let mapping = row.table.mapping
        let images = images ?? imagesForOne(mapping)
        let generated = row.table.generatedColumns
        guard row.known.images.isTracking else {
            try object.prepareToUpdate()
            let columns = try mapping.columnsToWrite(of: object).subtracting(generated)
            return try Update(object, columns, isWhole: true, row, in: images)
        }
        func changes() throws -> ColumnSet { try mapping.changes(object, row.image).subtracting(generated) }
        // What has changed may be what the table computes.
        if !generated.isEmpty || mapping.takesKeyFromSchema, try changes().isEmpty { return nil }
        try object.prepareToUpdate()
        let changed = try changes()
        return changed.isEmpty ? nil : try Update(object, changed, isWhole: true, row, in: images)
    }

    /// Whether an object in the table is known to hold what its row does, so that there is nothing to save.
    func isUnchanged(_ object: PersistingModel) throws -> Bool {
        guard state(of: object) == .persisted, let images = object.record.images, images.isTracking,
            !images.mapping.key.isEmpty, !images.mapping.takesKeyFromSchema
        else { return false }
        return try !images.mapping.hasChanges(object, images[Int(object.record.slot)])
    }

    /// The update that writes some columns of an object, whatever they hold; nil for none.
    func updateOfColumns(_ columns: ColumnSet, of object: PersistingModel) throws -> Update? {
        let row = try knownRow(of: object, to: "update")
        guard !columns.isEmpty else { return nil }
        try columns.forEach(row.table.checkWritable)
        try object.prepareToUpdate()
        return try Update(object, columns, isWhole: false, row, in: imagesForOne(row.table.mapping))
    }

    private func updateColumns(_ columns: ColumnSet, of object: PersistingModel) throws {
        try checkNotBeingSaved(object)
        guard let update = try updateOfColumns(columns, of: object) else { return }
        try run(update, object)
    }

    /// The image of an object's row, when it holds a property as the object does, so that it need not be kept twice.
    private func imageAsRead<Value>(
        _ answer: KeyPathColumns.Answer, _ type: Value.Type, of object: PersistingModel
    ) -> RowImage? {
        guard state(of: object) == .persisted, let images = object.record.images, images.isTracking else { return nil }
        let (mapping, slot, index) = (images.mapping, Int(object.record.slot), answer.index)
        guard mapping.columns[index].type == type, mapping.columns[index].key == answer.key,
            mapping.fields[index].kind.isOfProperty, mapping.isKnown(index, object, images[slot])
        else { return nil }
        return RowImage(images: images, slot: slot)
    }

    /// Stores what a property holds that has just been set.
    ///
    /// - Parameters:
    ///   - assigned: The column, when the property held what the row does.
    ///   - undo: Gives it its old value again when the transaction around is rolled back, unless it has been set since.
    ///   - restore: Gives it its old value again when the update fails.
    private func updateColumn(
        _ index: Int, of object: PersistingModel, assigned: ColumnSet = ColumnSet(), undoing undo: (() -> Void)? = nil,
        orElse restore: () -> Void
    ) throws {
        do {
            try checkNotBeingSaved(object)
            guard let update = try updateOfColumns(ColumnSet(index), of: object) else { return }
            try run(update, object, assigned: assigned, undo)
        } catch {
            restore()
            throw error
        }
    }

    private func run(
        _ update: Update, _ object: PersistingModel, assigned: ColumnSet = ColumnSet(), _ undo: (() -> Void)? = nil
    ) throws {
        try update.table.mapping.naming {
            try database.withoutTransaction { db in
                try update.run(db, log(db))
                try finish(update, object, db, assigned: assigned, undo)
            }
        }
        object.didUpdate()
    }

    /// Tells an object what its row holds now, inside the transaction of its UPDATE.
    func finish(
        _ update: Update, _ object: PersistingModel, _ db: Database, assigned: ColumnSet = ColumnSet(),
        _ undo: (() -> Void)? = nil
    ) throws {
        try restoreAfterRollback(object, db, assigned: assigned, try update.change(of: object, undo))
        try update.finish(object)
    }
}
