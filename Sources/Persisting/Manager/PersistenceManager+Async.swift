internal import Foundation

/// The verbs that answer with objects or numbers, while the task is suspended: the synchronous ones, on the database's
/// side.
extension PersistenceManager {
    /// Creates a class's table, unless there is one of its name.
    @discardableResult
    public func createTableIfNecessary(for type: PersistingModel.Type) async throws -> Bool {
        try await onDatabaseSide { manager in try manager.createTableIfNecessary(for: type) }
    }

    /// Drops a class's table with all its rows, if it is there.
    @discardableResult
    public func dropTable(for type: PersistingModel.Type) async throws -> Bool {
        try await onDatabaseSide { manager in try manager.dropTable(for: type) }
    }

    /// Whether there is a table or view of a name.
    public func tableExists(_ name: String) async throws -> Bool {
        try await onReadingSide { manager in try manager.tableExists(name) }
    }

    /// Whether a class's table is there.
    public func tableExists(for type: PersistingModel.Type) async throws -> Bool {
        try await onReadingSide { manager in try manager.tableExists(for: type) }
    }

    /// Whether a table has a column.
    public func columnExists(_ column: String, in table: String) async throws -> Bool {
        try await onReadingSide { manager in try manager.columnExists(column, in: table) }
    }

    /// Runs SQL of your own.
    @discardableResult
    public func execute(_ sql: SQL, _ arguments: Arguments = [], _ more: Arguments = []) async throws -> Int {
        try await onDatabaseSide { manager in try manager.execute(sql, arguments, more) }
    }

    /// The objects of the rows that a condition takes, in order.
    public func fetchAll<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil,
        limit: Int? = nil, offset: Int? = nil, tracked: Bool = true
    ) async throws -> sending [Model] {
        try await onReadingSide { manager in
            try manager.fetchAll(
                type, where: criteria, sortedBy: ordering, limit: limit, offset: offset, tracked: tracked)
        }
    }

    /// The first object that a condition takes, in order; nil when there is none.
    public func fetchOne<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil
    ) async throws -> sending Model? {
        try await onReadingSide { manager in try manager.fetchOne(type, where: criteria, sortedBy: ordering) }
    }

    /// The object with a primary key; nil when there is none, and for a key that is nil.
    public func find<Model: PersistingModel>(
        _ type: Model.Type, _ key: (any SQLiteValueConvertible)?
    ) async throws -> sending Model? {
        try await onReadingSide { manager in try manager.find(type, key) }
    }

    /// The object of the class that this manager has inserted last, read anew; nil when there is none.
    public func lastInserted<Model: PersistingModel>(_ type: Model.Type) async throws -> sending Model? {
        try await onDatabaseSide { manager in try manager.lastInserted(type) }
    }

    /// The number of rows that a condition takes.
    public func count<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil
    ) async throws -> Int {
        try await onReadingSide { manager in try manager.count(type, where: criteria) }
    }

    /// Whether a condition takes any row.
    public func exists<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil
    ) async throws -> Bool {
        try await onReadingSide { manager in try manager.exists(type, where: criteria) }
    }

    /// Inserts an object of a class from values by property name, and returns it as it is stored.
    @discardableResult
    public func insert<Model: PersistingModel>(
        _ type: Model.Type, values: [String: (any Sendable)?]
    ) async throws -> sending Model {
        try await onDatabaseSide { manager in try manager.insert(type, values: values) }
    }

    /// Deletes the rows that a condition takes.
    @discardableResult
    public func delete<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>
    ) async throws -> Int {
        try await onDatabaseSide { manager in try manager.delete(type, where: criteria) }
    }

    /// Deletes all rows of a class's table.
    @discardableResult
    public func deleteAll<Model: PersistingModel>(_ type: Model.Type) async throws -> Int {
        try await onDatabaseSide { manager in try manager.deleteAll(type) }
    }

    func onReadingSide<T>(
        _ body: sending @escaping (PersistenceManager) throws -> sending T
    ) async throws -> sending T {
        try await database.query { _ in try body(self) }
    }

    func onDatabaseSide<T>(
        _ body: sending @escaping (PersistenceManager) throws -> sending T
    ) async throws -> sending T {
        try await database.withoutTransaction { _ in try body(self) }
    }
}
