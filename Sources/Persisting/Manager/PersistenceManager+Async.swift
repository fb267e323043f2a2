internal import Foundation

/// The verbs that answer with objects or numbers, while the task is suspended: the synchronous ones, on the database's
/// side.
extension PersistenceManager {
    /// Creates a class's table and its indexes, unless a table of its name exists, while the task is suspended.
    ///
    /// - Parameter type: The model class.
    /// - Returns: Whether the table was created.
    /// - Throws: A ``PersistenceError``: ``PersistenceError/Code/invalidModel`` or
    ///   ``PersistenceError/Code/unsupportedType`` for a class that can't be stored, and what SQLite refuses, with the
    ///   SQL; `CancellationError` when the task is cancelled.
    @discardableResult
    public func createTableIfNecessary(for type: PersistingModel.Type) async throws -> Bool {
        try await onDatabaseSide { manager in try manager.createTableIfNecessary(for: type) }
    }

    /// Drops a class's table with all its rows, if it exists, while the task is suspended.
    ///
    /// - Parameter type: The model class.
    /// - Returns: Whether the table existed.
    /// - Throws: ``PersistenceError``, with the SQL that SQLite refused; `CancellationError` when the task is
    ///   cancelled.
    @discardableResult
    public func dropTable(for type: PersistingModel.Type) async throws -> Bool {
        try await onDatabaseSide { manager in try manager.dropTable(for: type) }
    }

    /// Returns whether a table or view exists, while the task is suspended.
    ///
    /// - Parameter name: The name of the table or view. The case of ASCII letters doesn't matter.
    /// - Throws: `SQLiteError` when the schema can't be read; `CancellationError` when the task is cancelled.
    public func tableExists(_ name: String) async throws -> Bool {
        try await onReadingSide { manager in try manager.tableExists(name) }
    }

    /// Returns whether a class's table exists, while the task is suspended.
    ///
    /// - Parameter type: The model class.
    /// - Throws: ``PersistenceError`` for a class that can't be stored; `SQLiteError` when the schema can't be read;
    ///   `CancellationError` when the task is cancelled.
    public func tableExists(for type: PersistingModel.Type) async throws -> Bool {
        try await onReadingSide { manager in try manager.tableExists(for: type) }
    }

    /// Returns whether a table has a column, while the task is suspended.
    ///
    /// - Parameters:
    ///   - column: The column's name. The case of ASCII letters doesn't matter.
    ///   - table: The name of the table or view. Where it doesn't exist, neither does the column.
    /// - Throws: `SQLiteError` when the schema can't be read; `CancellationError` when the task is cancelled.
    public func columnExists(_ column: String, in table: String) async throws -> Bool {
        try await onReadingSide { manager in try manager.columnExists(column, in: table) }
    }

    /// Runs raw SQL, one statement, while the task is suspended. Objects don't notice what it changes.
    ///
    /// - Parameters:
    ///   - sql: The statement. Interpolated values are bound.
    ///   - arguments: Values for its parameters.
    ///   - more: Further values, when some are positional and others named.
    /// - Returns: The number of rows that the statement inserted, updated or deleted.
    /// - Throws: `SQLiteError`, with the SQL; `CancellationError` when the task is cancelled, which rolls the
    ///   statement back.
    @discardableResult
    public func execute(_ sql: SQL, _ arguments: Arguments = [], _ more: Arguments = []) async throws -> Int {
        try await onDatabaseSide { manager in try manager.execute(sql, arguments, more) }
    }

    /// Fetches the objects whose rows match a condition, in an order, while the task is suspended.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; without one it is SQLite's choice.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of matching rows to skip first; nil skips none.
    ///   - tracked: Whether each object remembers its stored values, so that a save writes only what has changed. An
    ///     object that isn't tracked takes less memory, and a save writes all its columns.
    /// - Returns: The objects; an empty array when no row matches.
    /// - Throws: ``PersistenceError``: a mistake in the condition or order, a missing table or column, or a row that
    ///   doesn't fit its class; `CancellationError` when the task is cancelled.
    public func fetchAll<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil,
        limit: Int? = nil, offset: Int? = nil, tracked: Bool = true
    ) async throws -> sending [Model] {
        try await onReadingSide { manager in
            try manager.fetchAll(
                type, where: criteria, sortedBy: ordering, limit: limit, offset: offset, tracked: tracked)
        }
    }

    /// Fetches the first object whose row matches a condition, in an order, while the task is suspended.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; without one, the first is SQLite's choice.
    /// - Returns: The object; nil when no row matches.
    /// - Throws: ``PersistenceError``: a mistake in the condition or order, a missing table or column, or a row that
    ///   doesn't fit its class; `CancellationError` when the task is cancelled.
    public func fetchOne<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil
    ) async throws -> sending Model? {
        try await onReadingSide { manager in try manager.fetchOne(type, where: criteria, sortedBy: ordering) }
    }

    /// Fetches the object with a primary key, while the task is suspended.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - key: The key, of the property's type. Nil finds nothing.
    /// - Returns: The object; nil when no row has the key.
    /// - Throws: ``PersistenceError``: ``PersistenceError/Code/noPrimaryKey`` for a class without a key,
    ///   ``PersistenceError/Code/typeMismatch`` for a key of another type, or a row that doesn't fit its class;
    ///   `CancellationError` when the task is cancelled.
    public func find<Model: PersistingModel>(
        _ type: Model.Type, _ key: (any SQLiteValueConvertible)?
    ) async throws -> sending Model? {
        try await onReadingSide { manager in try manager.find(type, key) }
    }

    /// Fetches the object of a class that this manager inserted last, while the task is suspended.
    ///
    /// - Parameter type: The model class.
    /// - Returns: The object as its row is now; nil when the manager has inserted none, or the row is gone.
    /// - Throws: ``PersistenceError``: ``PersistenceError/Code/noPrimaryKey`` for a class without a key, or a row that
    ///   doesn't fit its class; `CancellationError` when the task is cancelled.
    public func lastInserted<Model: PersistingModel>(_ type: Model.Type) async throws -> sending Model? {
        try await onDatabaseSide { manager in try manager.lastInserted(type) }
    }

    /// Counts the rows that match a condition, while the task is suspended.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    /// - Returns: The number of rows.
    /// - Throws: ``PersistenceError``: a mistake in the condition, or a missing table;
    ///   `CancellationError` when the task is cancelled.
    public func count<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil
    ) async throws -> Int {
        try await onReadingSide { manager in try manager.count(type, where: criteria) }
    }

    /// Returns whether any row matches a condition, while the task is suspended.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    /// - Throws: ``PersistenceError``: a mistake in the condition, or a missing table;
    ///   `CancellationError` when the task is cancelled.
    public func exists<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil
    ) async throws -> Bool {
        try await onReadingSide { manager in try manager.exists(type, where: criteria) }
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
        try await onDatabaseSide { manager in try manager.insert(type, values: values) }
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
        try await onDatabaseSide { manager in try manager.delete(type, where: criteria) }
    }

    /// Deletes all rows of a class's table, while the task is suspended. No object runs its hooks.
    ///
    /// - Parameter type: The model class.
    /// - Returns: The number of rows that were deleted.
    /// - Throws: ``PersistenceError``, such as ``PersistenceError/Code/constraint``;
    ///   `CancellationError` when the task is cancelled. No row is then deleted.
    @discardableResult
    public func deleteAll<Model: PersistingModel>(_ type: Model.Type) async throws -> Int {
        try await onDatabaseSide { manager in try manager.deleteAll(type) }
    }

    func onReadingSide<T>(
        _ body: sending @escaping (PersistenceManager) throws -> sending T
    ) async throws -> sending T {
        try await engine.query { _ in try body(self) }
    }

    func onDatabaseSide<T>(
        _ body: sending @escaping (PersistenceManager) throws -> sending T
    ) async throws -> sending T {
        try await engine.withoutTransaction { _ in try body(self) }
    }
}
