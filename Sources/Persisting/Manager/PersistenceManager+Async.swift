/// Tables and SQL, while the task is suspended: the synchronous methods, on the database's side.
extension PersistenceManager {
    /// Creates a class's table and its indexes, unless a table of its name exists, while the task is suspended.
    ///
    /// - Parameter type: The model class.
    /// - Returns: Whether the table was created.
    /// - Throws: A ``PersistenceError``: ``PersistenceError/Code/invalidModel`` or
    ///   ``PersistenceError/Code/unsupportedType`` for a class that can't be stored, and what SQLite rejects, with the
    ///   SQL; `CancellationError` when the task is cancelled.
    @discardableResult
    public func createTableIfNecessary(for type: PersistingModel.Type) async throws -> Bool {
        try await onDatabaseSide(of: type) { manager in try manager.createTableIfNecessary(for: type) }
    }

    /// Drops a class's table with all its rows, if it exists, while the task is suspended.
    ///
    /// - Parameter type: The model class.
    /// - Returns: Whether the table existed.
    /// - Throws: ``PersistenceError``, with the SQL that SQLite rejected; `CancellationError` when the task is
    ///   cancelled.
    @discardableResult
    public func dropTable(for type: PersistingModel.Type) async throws -> Bool {
        try await onDatabaseSide(of: type) { manager in try manager.dropTable(for: type) }
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

    /// - Parameter type: The class that an error of the access is about; nil for raw SQL.
    func onReadingSide<T>(
        of type: PersistingModel.Type? = nil, _ body: sending @escaping (PersistenceManager) throws -> sending T
    ) async throws -> sending T {
        // Written by the closure, which is called once, and read when it has returned.
        nonisolated(unsafe) var isInBody = false
        nonisolated(unsafe) let body = body
        do {
            return try await engine.query { _ in
                isInBody = true
                let result = try body(self)
                isInBody = false
                return result
            }
        } catch let error as SQLiteError where !isInBody {
            throw naming(error, type)
        }
    }

    /// - Parameter type: The class that an error of the access is about; nil for raw SQL.
    func onDatabaseSide<T>(
        of type: PersistingModel.Type? = nil, _ body: sending @escaping (PersistenceManager) throws -> sending T
    ) async throws -> sending T {
        // As above.
        nonisolated(unsafe) var isInBody = false
        nonisolated(unsafe) let body = body
        do {
            return try await engine.withoutTransaction { _ in
                isInBody = true
                let result = try body(self)
                isInBody = false
                return result
            }
        } catch let error as SQLiteError where !isInBody {
            throw naming(error, type)
        }
    }
}
