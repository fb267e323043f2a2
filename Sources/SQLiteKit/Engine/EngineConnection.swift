/// A connection of an engine: ``Database``, or what stands for one elsewhere.
///
/// It is lent by an ``Engine`` for one access, to one thread at a time.
package protocol EngineConnection: AnyObject {
    /// What errors call the engine.
    var engineName: String { get }
    /// What the engine knows besides SQLite's own SQL.
    var capabilities: EngineCapabilities { get }

    /// Prepares one statement, for a caller who binds every parameter. An engine of which ``capabilities`` aren't all
    /// checks the SQL for them.
    ///
    /// - Parameter cached: Whether to keep the statement for reuse.
    /// - Throws: ``ResultCode/unsupported``, before anything is sent, when the engine lacks what the SQL needs.
    func statement(_ sql: CachedSQL, cached: Bool) throws(SQLiteError) -> PreparedStatement

    /// The row identifier of the last row inserted.
    var lastInsertRowID: Int64 { get }
    /// The path of a local file; nil for any other database.
    var path: String? { get }
    /// Whether the database is a local file without any table.
    var isEmptyFile: Bool { get }
    /// How many parameters a statement may have.
    var greatestParameterCount: Int { get }

    /// Whether a transaction is open.
    var isInTransaction: Bool { get }
    /// Whether the open transaction is a closure's: then what ``beforeCommit(_:)`` asks for runs at its end. One that was
    /// begun by SQL text ends unseen.
    var knowsEndOfTransaction: Bool { get }
    /// A number for the transaction or savepoint that is open now; those that are begun later have higher ones.
    var transactionNumber: Int { get }
    /// Whether it can never write.
    var isReader: Bool { get }
    /// Whether writes are rejected: in a read, whatever the connection.
    var isReading: Bool { get }
    /// Whether the database itself can't be written to.
    var isReadOnly: Bool { get }
    /// Sets whether foreign keys are enforced, outside of a transaction.
    func setForeignKeys(_ isOn: Bool) throws(SQLiteError)
    /// Sets a PRAGMA that is on or off, such as `recursive_triggers`, also when the task is cancelled or SQLite has ended
    /// the transaction.
    func setPragma(_ name: String, _ isOn: Bool) throws(SQLiteError)
    /// Runs all statements of a text, whose values go by position.
    func executeScript(_ script: SQL) throws(SQLiteError)
    /// Runs `body` in a transaction, inside one in a savepoint: keeps its changes when it returns, undoes them when it
    /// throws.
    ///
    /// - Parameter kind: How the transaction begins; nil is the way of one that writes.
    func transaction<T>(_ kind: TransactionKind?, _ body: () throws -> T) throws -> T
    /// Calls `action` before the transaction that is open now is committed; never when none is. An error of it rolls
    /// the transaction back.
    func beforeCommit(_ action: @escaping () throws(SQLiteError) -> Void)
    /// Calls `action` when the transaction that is open now has been committed; immediately when none is.
    func afterCommit(_ action: @escaping () -> Void)
    /// Calls `action` when the transaction or savepoint that is open now has been rolled back; never when none is.
    func afterRollback(_ action: @escaping () -> Void)
    /// Whether the schema may have been changed through this connection since this was last set to false.
    var mayHaveNewSchema: Bool { get set }
    /// Whether other connections may use the database.
    var isShared: Bool { get }
    /// The number of the schema, another one after each change; nil when it can't be read.
    var schemaVersion: Int64? { get }
    /// The number of the temporary database's schema; nil without one, and for one that can't be read.
    var temporarySchemaVersion: Int64? { get }
    /// The names of the connection's temporary tables and views.
    var temporaryTableNames: [String] { get }
    /// The number of the schema of `main`, and the program's own.
    var headerNumbers: (schemaVersion: Int32, userVersion: Int32) { get throws(SQLiteError) }
    /// Sets the program's own number.
    func setUserVersion(_ version: Int32) throws(SQLiteError)

    /// Whether someone wants to know what is read.
    var isNotingReads: Bool { get }
    /// Runs `body`, whose statements look for rows by their keys.
    ///
    /// - Parameters:
    ///   - table: The key of the table, of ``tableKey(_:in:)``.
    ///   - columns: The columns of the primary key.
    ///   - keys: Says the keys of what was found, as they are stored; nil when a row was not found.
    func notingRead<T>(
        of table: String, by columns: [String], _ keys: (T) throws -> Set<[SQLiteValue]>?, _ body: () throws -> T
    ) throws -> T
}

extension EngineConnection {
    /// Prepares one statement, to be kept for reuse.
    package func statement(_ sql: CachedSQL) throws(SQLiteError) -> PreparedStatement {
        try statement(sql, cached: true)
    }

    package var path: String? { nil }
    package var isEmptyFile: Bool { false }
    package var isShared: Bool { true }
    package var temporarySchemaVersion: Int64? { nil }
    package var temporaryTableNames: [String] { [] }
    package var isNotingReads: Bool { false }
    package func notingRead<T>(
        of table: String, by columns: [String], _ keys: (T) throws -> Set<[SQLiteValue]>?, _ body: () throws -> T
    ) throws -> T { try body() }

    package var schemaVersion: Int64? { try? scalar("PRAGMA schema_version", as: Int64.self) }
    package var headerNumbers: (schemaVersion: Int32, userVersion: Int32) {
        get throws(SQLiteError) {
            let schemaVersion = try scalar("PRAGMA schema_version", as: Int32.self) ?? 0
            return (schemaVersion, try scalar("PRAGMA user_version", as: Int32.self) ?? 0)
        }
    }

    package func setUserVersion(_ version: Int32) throws(SQLiteError) {
        try execute(SQL("PRAGMA user_version = " + String(version)), cached: false)
    }

    /// Runs `body` in a savepoint, without a transaction in one that writes.
    package func savepoint<T>(_ body: () throws -> T) throws -> T { try transaction(nil, body) }

    /// Runs one statement to its end.
    ///
    /// - Returns: The number of rows inserted, updated or deleted.
    @discardableResult
    package func execute(
        _ sql: SQL, _ arguments: Arguments = [], _ more: Arguments = [], cached: Bool = true
    ) throws(SQLiteError) -> Int {
        let statement = try bound(sql, arguments + more, cached)
        defer { statement.clear() }
        return try statement.run()
    }

    /// All the rows of a query, copied.
    package func rows(
        _ sql: SQL, _ arguments: Arguments = [], cached: Bool = true
    ) throws(SQLiteError) -> [RowSnapshot] {
        try reading(sql, arguments, cached) { statement throws(SQLiteError) in
            var rows: [RowSnapshot] = []
            while try statement.step() { rows.append(try statement.snapshot()) }
            return rows
        }
    }

    /// The first column of the first row, or nil when there is no row or it holds NULL.
    package func scalar<Value: SQLiteValueConvertible>(
        _ sql: SQL, _ arguments: Arguments = [], as type: Value.Type
    ) throws(SQLiteError) -> Value? {
        try reading(sql, arguments) { statement throws(SQLiteError) in
            guard try statement.step(), statement.storageClass(at: 0) != .null else { return nil }
            return try statement.value(at: 0, as: type)
        }
    }

    /// The first column of all rows.
    package func column<Value: SQLiteValueConvertible>(
        _ sql: SQL, _ arguments: Arguments = [], as type: Value.Type
    ) throws(SQLiteError) -> [Value] {
        try reading(sql, arguments) { statement throws(SQLiteError) in
            var values: [Value] = []
            while try statement.step() { values.append(try statement.value(at: 0, as: type)) }
            return values
        }
    }

    /// Reads the rows of a statement, which is undone where it has written some that can't be read.
    private func reading<T>(
        _ sql: SQL, _ arguments: Arguments, _ cached: Bool = true,
        _ read: (any EngineStatement) throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        let statement = try bound(sql, arguments, cached)
        defer { statement.clear() }
        do throws(SQLiteError) {
            return try read(statement)
        } catch {
            statement.giveUp()
            throw error
        }
    }

    private func bound(_ sql: SQL, _ arguments: Arguments, _ cached: Bool) throws(SQLiteError) -> any EngineStatement {
        let statement = try statement(CachedSQL(sql.sql), cached: cached).any
        try statement.bind(sql.arguments + arguments)
        return statement
    }
}

extension Database: EngineConnection {
    package var engineName: String { "SQLite" }
    package var capabilities: EngineCapabilities { .all }
    package var greatestParameterCount: Int { limit(.variables) ?? .max }
    package var knowsEndOfTransaction: Bool { connection.isAccessible && !connection.frames.isEmpty }

    package func statement(_ sql: CachedSQL, cached: Bool) throws(SQLiteError) -> PreparedStatement {
        .local(try prepare(sql, cached: cached))
    }
}
