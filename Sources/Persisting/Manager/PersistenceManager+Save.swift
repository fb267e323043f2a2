/// Writing objects.
extension PersistenceManager {
    /// Inserts an object of a class from values by property name, and returns it as it is stored.
    ///
    /// A name that is absent leaves its column to the table's default, or without one to what `init()` gives the
    /// property; a nil that is given is NULL.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - values: Values by property name, each of the property's type or one that it can be made from without loss.
    /// - Throws: ``PersistenceError``: an unknown key, a value of the wrong type, a constraint. Nothing is inserted
    ///   then.
    @discardableResult
    public func insert<Model: PersistingModel>(
        _ type: Model.Type, values: [String: (any Sendable)?]
    ) throws -> Model {
        let table = try table(of: type)
        let mapping = table.mapping
        let object = type.init()
        var given = ColumnSet()
        for (key, value) in mapping.inOrder(values) {
            given.insert(try mapping.assign(value, toKey: key, of: object))
        }
        try write(object, table, .abort, given: given, leavingOutAll: true)
        return object
    }

    /// Inserts a new object. A generated key, and what the table put in the place of a nil, are written back to it.
    ///
    /// - Throws: ``PersistenceError/Code/alreadyPersisted``, ``PersistenceError/Code/missingPrimaryKeyValue``,
    ///   ``PersistenceError/Code/constraint``, …; the object is then as it was.
    public func insert(_ object: PersistingModel) throws {
        try write(object, table(of: type(of: object)), .abort)
    }

    /// Saves an object: a new one is inserted, of one that is in the table the changed columns are written. Without
    /// changes nothing is done.
    ///
    /// A key that was changed is written to the row of the old key.
    ///
    /// - Throws: ``PersistenceError/Code/notFound`` when the row is gone, ``PersistenceError/Code/constraint``, …; the
    ///   object is then as it was.
    public func save(_ object: PersistingModel) throws {
        switch state(of: object) {
        case .new, .deleted: try insert(object)
        case .persisted: try update(object)
        }
    }

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
    ///   rolled back.
    public func update<Model: PersistingModel, Value>(
        _ object: Model, _ keyPath: ReferenceWritableKeyPath<Model, Value>, to value: Value
    ) throws {
        let index = try table(of: type(of: object)).mapping.index(of: keyPath, sample: value)
        let old = object[keyPath: keyPath]
        object[keyPath: keyPath] = value
        try updateColumn(index, of: object) { object[keyPath: keyPath] = old }
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
        let draft = type(of: object).init()
        mapping.copy(index, from: object, to: draft)
        _ = try mapping.assign(value, toKey: key, of: object)
        try updateColumn(index, of: object) { mapping.copy(index, from: draft, to: object) }
    }

    /// Deletes an object's row. The object keeps its values, and saving it inserts it again.
    ///
    /// - Returns: Whether there was a row; false when someone else had deleted it.
    /// - Throws: ``PersistenceError/Code/notPersisted`` for a new object, ``PersistenceError/Code/noPrimaryKey``,
    ///   ``PersistenceError/Code/constraint``, ….
    @discardableResult
    public func delete(_ object: PersistingModel) throws -> Bool {
        try checkNotBeingSaved(object)
        let deletion = try deletion(of: object)
        return try deletion.table.mapping.naming {
            try database.withoutTransaction { db in
                let found = try deletion.run(db)
                try restoreAfterRollback(object, db)
                object.record.state = .deleted
                return found
            }
        }
    }

    /// Deletes the rows that a condition takes. Objects that were fetched from them are not told.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - criteria: Which rows.
    /// - Returns: The number of rows deleted.
    /// - Throws: ``PersistenceError/Code/missingCondition`` when the condition says nothing:
    ///   `deleteAll(_:)` deletes all.
    @discardableResult
    public func delete<Model: PersistingModel>(_ type: Model.Type, where criteria: Criteria<Model>) throws -> Int {
        try delete(Query(type, where: criteria))
    }

    /// Deletes all rows of a class's table. Objects that were fetched from them are not told.
    ///
    /// - Returns: The number of rows deleted.
    @discardableResult
    public func deleteAll<Model: PersistingModel>(_ type: Model.Type) throws -> Int {
        let table = try table(of: type)
        return try writing(table) { db in try db.execute("DELETE FROM \(sql: table.mapping.sql.table)") }
    }
}

extension PersistenceManager {
    /// An object's state as far as this manager's database is concerned: one that came from another is new here.
    func state(of object: PersistingModel) -> Record.State {
        guard let images = object.record.images, images.manager === self else { return .new }
        return object.record.state
    }

    /// Refuses to write an object that an asynchronous call is writing: the two would not know of each other.
    func checkNotBeingSaved(_ object: PersistingModel) throws {
        guard !object.record.isBeingSaved else {
            throw PersistenceError(
                .beingSaved, "an asynchronous call is saving the object; await it first",
                model: ModelDescription.name(of: type(of: object)))
        }
    }

    func checkNew(_ object: PersistingModel, _ mapping: Mapping) throws {
        guard state(of: object) != .persisted else { throw mapping.alreadyPersisted() }
    }

    /// Runs an object's INSERT.
    ///
    /// - Returns: Whether there is a row of it now; false when it was ignored.
    @discardableResult
    func write(
        _ object: PersistingModel, _ table: ModelTable, _ conflict: InsertConflict, given: ColumnSet = ColumnSet(),
        leavingOutAll: Bool = false
    ) throws -> Bool {
        try checkNotBeingSaved(object)
        let insertion = try insertion(
            of: object, table, RowImages(self, table.mapping, capacity: 1), conflict, given: given,
            leavingOutAll: leavingOutAll)
        return try table.mapping.naming {
            try database.withoutTransaction { db in
                var runner = InsertionRunner()
                guard let outcome = try runner.run(insertion, db) else { return false }
                try finish(insertion, outcome, object, db)
                return true
            }
        }
    }

    /// The update that writes an object's changes; nil when there are none.
    func updateOfChanges(of object: PersistingModel, in images: RowImages? = nil) throws -> Update? {
        let (table, key) = try storedKey(of: object, to: "update")
        let mapping = table.mapping
        let changed =
            try object.record.image.map { try mapping.changes(object, $0) } ?? mapping.columnsToWrite(of: object)
        guard !changed.isEmpty else { return nil }
        return try update(table, key, changed, of: object, in: images)
    }

    /// The update that writes one column of an object.
    func updateOfColumn(_ index: Int, of object: PersistingModel) throws -> Update {
        let (table, key) = try storedKey(of: object, to: "update")
        return try update(table, key, [index], of: object)
    }

    private func update(
        _ table: ModelTable, _ key: [SQLiteValue], _ columns: [Int], of object: PersistingModel,
        in images: RowImages? = nil
    ) throws -> Update {
        let images = images ?? RowImages(self, table.mapping, capacity: 1)
        let slot = images.count
        if let known = object.record.images, known.isTracking {
            // What is not written stays as the row holds it.
            try images.append(known, Int(object.record.slot), with: columns, of: object)
        } else {
            try images.append(object)
        }
        return Update(table: table, images: images, slot: slot, columns: columns, key: key)
    }

    /// - Parameter restore: Gives the property its old value again: when the update fails, and when its transaction is
    ///   rolled back.
    private func updateColumn(_ index: Int, of object: PersistingModel, restore: @escaping () -> Void) throws {
        do {
            try checkNotBeingSaved(object)
            let wasTracked = object.record.image != nil
            try run(updateOfColumn(index, of: object), object, restore)
            if !wasTracked { try forgetAllButKey(of: object) }
        } catch {
            restore()
            throw error
        }
    }

    /// Of an object that is not tracked, nothing is known but its key.
    func forgetAllButKey(of object: PersistingModel) throws {
        guard let mapping = object.record.images?.mapping else { return }
        let images = RowImages(self, mapping, capacity: 1, tracking: false)
        try images.append(object)
        object.record.images = images
        object.record.slot = 0
    }

    private func run(_ update: Update, _ object: PersistingModel, _ restore: (() -> Void)? = nil) throws {
        try update.table.mapping.naming {
            try database.withoutTransaction { db in
                try update.run(db)
                try restoreAfterRollback(object, db)
                if let restore { db.afterRollback(restore) }
                update.finish(object)
            }
        }
    }

    func deletion(of object: PersistingModel) throws -> Deletion {
        let (table, key) = try storedKey(of: object, to: "delete")
        return Deletion(table: table, key: key)
    }

    /// Notes what an object is, to be restored when the transaction that is open now is rolled back.
    ///
    /// - Parameters:
    ///   - filled: The columns that hold nil and that the database is about to fill.
    ///   - images: Images of rows, that of the object's among them, as it is about to be read anew.
    ///   - slot: Which of them is the object's.
    func restoreAfterRollback(
        _ object: PersistingModel, _ db: Database, filled: ColumnSet = ColumnSet(), readFrom images: RowImages? = nil,
        slot: Int = 0
    ) throws {
        // A pool's reader has nothing to roll back.
        guard db.isInTransaction, !db.isReader else { return }
        var refresh: UndoLog.Refresh?
        if let images {
            let before = RowImages(self, images.mapping, capacity: 1)
            try before.append(object)
            refresh = UndoLog.Refresh(before: before, images: images, slot: slot)
        }
        UndoLog.current(self, db).add(object, filled: filled, refresh: refresh)
    }
}
