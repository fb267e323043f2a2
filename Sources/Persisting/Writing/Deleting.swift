public import Foundation

/// Deleting objects and rows.
extension PersistenceManager {
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
        return try withHooks(of: object) { (table: consuming ModelTable, context) in
            try writeRow(deletion(of: object, in: table), of: object, context)
        }
    }

    /// The same, while the task is suspended.
    @discardableResult
    public func delete(_ object: PersistingModel) async throws -> Bool {
        try await saving([object]) {
            try delete(object)
        } suspended: {
            try await writeNow([object], .delete) > 0
        }
    }

    /// Deletes the rows of objects. The objects keep their values, and saving one inserts it again.
    ///
    /// - Parameters:
    ///   - objects: An object that is in the array twice is deleted already, the second time, and throws.
    ///   - progress: What to tell of the progress.
    /// - Returns: The number of rows that were there.
    /// - Throws: What `delete(_:)` throws, and `CancellationError`.
    @discardableResult
    public func delete<Model: PersistingModel>(_ objects: [Model], progress: Progress? = nil) throws -> Int {
        try write(upcast(objects), .delete, progress)
    }

    /// The same, while the task is suspended.
    @discardableResult
    public func delete<Model: PersistingModel>(_ objects: [Model], progress: Progress? = nil) async throws -> Int {
        let objects = upcast(objects)
        return try await saving(objects) {
            try delete(objects, progress: progress)
        } suspended: {
            try await writeNow(objects, .delete, progress)
        }
    }

    /// Deletes a query's rows.
    ///
    /// - Parameter query: Which rows. With a limit or an offset it is those that a fetch would return.
    /// - Returns: The number of rows deleted.
    /// - Throws: ``PersistenceError/Code/missingCondition`` for a query without a condition: `deleteAll(_:)` says that
    ///   in words. ``PersistenceError``, for example of a constraint; nothing is deleted then.
    @discardableResult
    public func delete<Model: PersistingModel>(_ query: Query<Model>) throws -> Int {
        let table = try table(of: query.modelType)
        return try writing(table) { db in
            let columns = try query.isPartial ? RowLookup(query.modelType, table, rowsOf: db).columns : []
            return try table.withForms(db, query.node, nil) { forms in
                var sql = CriteriaSQL(table.mapping, forms)
                sql.append("DELETE FROM \(table.mapping.sql.table)")
                try query.appendCondition(to: &sql, identifiedBy: columns, "delete")
                return sql
            } run: { sql in
                try db.execute(SQL(sql.text), sql.arguments)
            }
        }
    }

    /// The same, while the task is suspended.
    @discardableResult
    public func delete<Model: PersistingModel>(_ query: Query<Model>) async throws -> Int {
        try await onDatabaseSide(of: query.modelType) { manager in try manager.delete(query) }
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

    /// The same, while the task is suspended.
    @discardableResult
    public func delete<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>
    ) async throws -> Int {
        try await onDatabaseSide(of: type) { manager in try manager.delete(type, where: criteria) }
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

    /// The same, while the task is suspended.
    @discardableResult
    public func deleteAll<Model: PersistingModel>(_ type: Model.Type) async throws -> Int {
        try await onDatabaseSide(of: type) { manager in try manager.deleteAll(type) }
    }
}

/// The same methods of a query. They use the manager that ``ActiveRecord`` describes.
extension Query {
    /// Deletes the query's rows. See `PersistenceManager.delete(_:)`.
    ///
    /// - Throws: What the manager's method throws.
    @discardableResult
    public func delete() throws -> Int {
        try PersistenceManager.current(for: modelType).delete(self)
    }

    /// The same, while the task is suspended.
    @discardableResult
    public func delete() async throws -> Int {
        try await PersistenceManager.current(for: modelType).delete(self)
    }
}

/// The same methods of classes and objects. They use the manager that ``ActiveRecord`` describes.
extension ActiveRecord {
    /// Deletes all rows.
    ///
    /// - Throws: What the manager's method throws.
    @discardableResult
    public static func deleteAll() throws -> Int {
        try PersistenceManager.current(for: self).deleteAll(self)
    }

    /// The same, while the task is suspended.
    @discardableResult
    public static func deleteAll() async throws -> Int {
        try await PersistenceManager.current(for: self).deleteAll(self)
    }

    /// Deletes the object's row. See `PersistenceManager.delete(_:)`.
    ///
    /// - Throws: What the manager's method throws.
    @discardableResult
    public func delete() throws -> Bool {
        try ownManager().delete(self)
    }

    /// The same, while the task is suspended.
    @discardableResult
    public func delete() async throws -> Bool {
        try await ownManager().delete(self)
    }
}

extension PersistenceManager {
    /// The deletion of an object, unless its hook throws.
    ///
    /// - Parameter table: That of its class.
    func deletion(of object: PersistingModel, in table: consuming ModelTable) throws -> Deletion {
        let row = try knownRow(of: object, to: "delete", in: table)
        try object.prepareToDelete(row.table.mapping)
        return Deletion(row: row)
    }
}
