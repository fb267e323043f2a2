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
    /// - Parameters:
    ///   - object: A new object.
    ///   - resolution: Whether the object is left new where a row conflicts with it, or replaces the row. Nil throws.
    /// - Returns: Whether the object was inserted; false when it was ignored, and is as it was.
    /// - Throws: ``PersistenceError/Code/alreadyPersisted``, ``PersistenceError/Code/missingPrimaryKeyValue``,
    ///   ``PersistenceError/Code/constraint``, …; the object is then as it was.
    @discardableResult
    public func insert(_ object: PersistingModel, onConflict resolution: ConflictResolution? = nil) throws -> Bool {
        if let resolution {
            let table = try table(of: type(of: object))
            return try write(object, table, WriteVerb.insert(resolution).conflict(table.mapping))
        }
        if object.hasPendingLinks {
            try checkNew(object, table(of: type(of: object)).mapping)
            try save(GraphSave([object], self))
            return true
        }
        let context = openContext()
        if let target = context?.insertionTarget(of: type(of: object)), !target.mapping.hasHooks {
            return try write(object, target, context)
        }
        return try write(object, table(of: type(of: object)), .abort)
    }

    /// Saves an object: a new one is inserted, of one that is in the table the changed columns are written. Without
    /// changes nothing is done.
    ///
    /// A key that was changed is written to the row of the old key. A generated column is not written: its property is
    /// skipped, and holds what the row does once something has been written.
    ///
    /// - Parameter object: The object.
    /// - Throws: ``PersistenceError/Code/notFound`` when the row is gone, ``PersistenceError/Code/conflict`` when
    ///   somebody else has written the row of a class with a `versionKey`, ``PersistenceError/Code/invalidObject``,
    ///   ``PersistenceError/Code/constraint``, …; the object is then as it was.
    public func save(_ object: PersistingModel) throws {
        if object.hasPendingLinks { return try save(GraphSave([object], self)) }
        switch state(of: object) {
        case .new, .deleted: try insert(object)
        case .persisted: try update(object)
        case .gone: throw try table(of: type(of: object)).mapping.isGone()
        }
    }

    /// Deletes an object's row. The object keeps its values, and saving it inserts it again.
    ///
    /// - Parameter object: An object that is in the table.
    /// - Returns: Whether there was a row; false when someone else had deleted it.
    /// - Throws: ``PersistenceError/Code/notPersisted`` for a new object, ``PersistenceError/Code/noPrimaryKey``,
    ///   ``PersistenceError/Code/constraint``, …; ``PersistenceError/Code/conflict`` when somebody else has written the
    ///   row of a class with a `versionKey`.
    @discardableResult
    public func delete(_ object: PersistingModel) throws -> Bool {
        try checkNotBeingSaved(object)
        return try withHooks(of: object) {
            let context = openContext()
            return try writeRow(deletion(of: object, context), of: object, context)
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
    /// - Parameter type: The model class.
    /// - Returns: The number of rows deleted.
    /// - Throws: ``PersistenceError``.
    @discardableResult
    public func deleteAll<Model: PersistingModel>(_ type: Model.Type) throws -> Int {
        let table = try table(of: type)
        return try writing(table) { db in
            var sql = CriteriaSQL(table.mapping)
            sql.append("DELETE FROM \(table.mapping.sql.table)")
            try sql.appendWhere(nil)
            return try db.execute(SQL(sql.text))
        }
    }
}

extension PersistenceManager {
    /// Throws for an object that an asynchronous call is writing: the two would not know of each other.
    func checkNotBeingSaved(_ object: PersistingModel) throws {
        guard !object.record.isBeingSaved else {
            throw PersistenceError(
                .beingSaved,
                "the object is being saved: by an asynchronous call, which is to be awaited first, or by the call that "
                    + "runs this hook",
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
        try withHooks(table.mapping) {
            let context = openContext()
            return try write(
                object, insertionTarget(table, conflict, context), given: given, leavingOutAll: leavingOutAll, context)
        }
    }

    /// Runs the write of one object, which is atomic by itself: with its hooks, whose own writes stay or go with it, in
    /// a transaction.
    @inline(__always)
    func withHooks<T>(_ mapping: Mapping, _ write: () throws -> T) throws -> T {
        mapping.hasHooks ? try transaction(of: { _ in mapping }) { _ in try running(write) } : try write()
    }

    /// Runs the write of one object that is in the table, with its hooks.
    @inline(__always)
    func withHooks<T>(of object: PersistingModel, _ write: () throws -> T) throws -> T {
        guard let trackedRows = object.record.trackedRows, trackedRows.manager === self else {
            return try withHooks(table(of: type(of: object)).mapping, write)
        }
        return try withHooks(trackedRows.mapping, write)
    }

    private func write(
        _ object: PersistingModel, _ target: InsertionTarget, given: ColumnSet = ColumnSet(),
        leavingOutAll: Bool = false, _ context: TransactionContext?
    ) throws -> Bool {
        try checkNotBeingSaved(object)
        let insertion = try insertion(of: object, target, given: given, leavingOutAll: leavingOutAll)
        return try writeRow(insertion, of: object, context)
    }

    /// The deletion of an object, which its hook has not rejected.
    ///
    /// - Parameter context: That of the transaction, on its thread.
    func deletion(of object: PersistingModel, _ context: TransactionContext? = nil) throws -> Deletion {
        let row = try knownRow(of: object, to: "delete", context)
        try object.prepareToDelete(row.table.mapping)
        return Deletion(row: row)
    }

    /// The context of the transaction that the calling thread writes in, if there is one.
    func openContext() -> TransactionContext? {
        guard engine.isMineToWrite else { return nil }
        if let transactionContext, transactionContext.isOpen { return transactionContext }
        return engine.mineToWrite.flatMap { db in TransactionContext.current(self, db) }
    }

    /// Runs `body` with the connection that writes, and with the context of its transaction, if there is one.
    ///
    /// - Parameters:
    ///   - context: The one from before what the object's hooks did.
    ///   - hasHooks: Whether there are any, which may have ended it.
    @inline(__always)
    func writing<T>(
        _ context: TransactionContext?, hasHooks: Bool,
        _ body: (any EngineConnection, TransactionContext?) throws -> T
    ) throws -> T {
        if let context, !hasHooks || context.isOpen { return try context.withDatabase(body) }
        return try engine.withoutTransaction { db in
            let context = TransactionContext.current(self, db)
            if context == nil { lookForSchemaOfOthers(db) }
            return try body(db, context)
        }
    }

    /// Where one object is inserted.
    private func insertionTarget(
        _ table: ModelTable, _ conflict: InsertConflict, _ context: TransactionContext?
    ) -> InsertionTarget {
        if case .abort = conflict, let context { return context.insertionTarget(self, table) }
        let trackedRows = context?.trackedRows(self, table.mapping) ?? TrackedRows(self, table.mapping, capacity: 1)
        return InsertionTarget(table, trackedRows, conflict)
    }

    /// Notes what an object is that is about to hold what was read, to be restored when the transaction that is open
    /// now is rolled back.
    ///
    /// - Parameters:
    ///   - trackedRows: The tracked values of rows, the object's among them.
    ///   - slot: Which of them is the object's.
    func restoreAfterRollback(
        _ object: PersistingModel, _ db: any EngineConnection, readFrom trackedRows: TrackedRows?, slot: Int
    ) throws {
        try TransactionContext.current(self, db)?.log.add(object, readFrom: trackedRows, slot: slot)
    }
}
