internal import CSystemSQLite

/// A record of what a connection changes, from which a ``Changeset`` is made.
///
/// ```swift
/// let session = try db.recordChanges(of: ["album", "track"])
/// try db.execute("UPDATE album SET year = 1973 WHERE id = 1")
/// let changeset = try session.changeset()
/// ```
///
/// It records what its own connection changes, and no other. Tables without a primary key and virtual tables are not
/// recorded, nor are rows with NULL in their primary key. A table with generated columns can't be: SQLite would reject
/// the changeset, and with it what was recorded of others. A session notes which rows changed and what they were; what
/// they are is read when the changeset is made: a row that was inserted and deleted again is not in it.
///
/// It belongs to its connection. In a queue or pool it may be kept from one access to the next, and throws
/// ``ResultCode/expired`` outside of one. While there is a session its connection cannot be closed: ``close()`` ends
/// it, as letting it go does.
///
/// See [The Session Extension](https://www.sqlite.org/sessionintro.html).
public final class ChangesetSession {
    private let connection: Connection
    private let functions: SessionFunctions
    private let handle: OpaquePointer
    private let resource: Resource

    fileprivate init(_ connection: Connection, schema: String) throws(SQLiteError) {
        let db = try connection.accessible()
        try connection.checkText(schema)
        let hooks = connection.hooks
        guard hooks.preUpdate == nil else {
            throw connection.failure(
                .notAllowedHere, "a session records changes by the pre-update hook, and another has been set")
        }
        self.connection = connection
        let functions = try SessionFunctions.load()
        self.functions = functions
        connection.removePreUpdateHook()
        var created: OpaquePointer?
        try connection.check(functions.create(db, schema, &created))
        guard let handle = created else { throw connection.failure(.internal, "SQLite made no session for \(schema)") }
        self.handle = handle
        resource = Resource("a changeset session", isWriting: false, outlivesAccess: true) {
            functions.delete(handle)
            hooks.sessionCount -= 1
            return SQLITE_OK
        }
        hooks.sessionCount += 1
        connection.resources.append(resource)
    }

    deinit {
        close()
    }

    /// Ends the recording and forgets what was recorded. Closing a closed session does nothing.
    public func close() {
        // Ending a session has no way to fail.
        if connection.isAccessible { try? connection.end(resource) } else { connection.endLater(resource) }
    }

    fileprivate func attach(_ table: String?) throws(SQLiteError) {
        try connection.check(functions.attach(accessible(), table))
    }

    private func accessible() throws(SQLiteError) -> OpaquePointer {
        _ = try connection.accessible()
        guard resource.isOpen else { throw connection.failure(.closed, "the changeset session is closed") }
        return handle
    }

    /// Whether changes are being recorded: true until ``setEnabled(_:)`` says otherwise.
    public var isEnabled: Bool {
        get throws(SQLiteError) { try functions.enable(accessible(), -1) != 0 }
    }

    /// Resumes or pauses the recording. What a row was before a pause may have been noted already, so that a changeset
    /// may hold what the row became in it.
    ///
    /// - Parameter isEnabled: Whether changes are recorded.
    /// - Throws: ``SQLiteError``.
    public func setEnabled(_ isEnabled: Bool) throws(SQLiteError) {
        _ = functions.enable(try accessible(), isEnabled ? 1 : 0)
    }

    /// Marks what is changed from now on as indirect, or no longer does: see ``Changeset/Change/isIndirect``.
    ///
    /// - Parameter isIndirect: Whether changes are marked as indirect.
    /// - Throws: ``SQLiteError``.
    public func setIndirect(_ isIndirect: Bool) throws(SQLiteError) {
        _ = functions.indirect(try accessible(), isIndirect ? 1 : 0)
    }

    /// Whether nothing has been recorded. If something has, the changeset may be empty all the same: what was changed
    /// may have been changed back.
    public var isEmpty: Bool {
        get throws(SQLiteError) { try functions.isEmpty(accessible()) != 0 }
    }

    /// What has changed since the session began, which goes on: the next changeset begins there as well.
    ///
    /// - Throws: ``SQLiteError``: ``ResultCode/schema`` when the columns of a recorded table have changed since.
    public func changeset() throws(SQLiteError) -> Changeset {
        try make(functions.changeset)
    }

    /// The same as a patchset, which is smaller and holds less of what was: see ``Changeset``.
    ///
    /// - Throws: ``SQLiteError``.
    public func patchset() throws(SQLiteError) -> Changeset {
        try make(functions.patchset)
    }

    private func make(
        _ function:
            @convention(c) (OpaquePointer?, SessionFunctions.OutNumber, SessionFunctions.OutBytes) -> Int32
    ) throws(SQLiteError) -> Changeset {
        let handle = try accessible()
        // It opens a savepoint, which a statement that still returns the rows of a write would make fail.
        connection.endPendingWrites()
        return try Changeset {
            function(handle, $0, $1)
        } _: { code throws(SQLiteError) in
            try connection.check(code)
        }
    }
}

@available(*, unavailable)
extension ChangesetSession: Sendable {}

extension Database {
    /// Begins to record what this connection changes.
    ///
    /// - Parameters:
    ///   - tables: The tables; nil for all that have a primary key: those created later are among them, and those that
    ///     a virtual table, such as one of FTS5, keeps its content in.
    ///   - schema: The database they are in: `main`, `temp`, or the name of an attached one.
    /// - Throws: ``ResultCode/error`` for a table that is not there, has no primary key or has generated columns, since
    ///   its changes could not be recorded, and for all tables if one of them has generated columns;
    ///   ``ResultCode/notAllowedHere`` while a pre-update hook is set, whose place a session takes;
    ///   ``ResultCode/missingFeature`` when the system's SQLite has no sessions.
    public func recordChanges(
        of tables: [String]? = nil, in schema: String = "main"
    ) throws(SQLiteError) -> ChangesetSession {
        let session = try ChangesetSession(connection, schema: schema)
        for table in tables ?? [] {
            try connection.checkText(table)
            guard try primaryKey(of: table, in: schema).contains(true) else {
                throw connection.failure(
                    .error,
                    "changes of \(schema).\(table) cannot be recorded: there is no such table with a primary key")
            }
            guard try tablesWithGeneratedColumns(in: schema, named: table).isEmpty else {
                throw connection.failure(
                    .error, "changes of \(schema).\(table) cannot be recorded: it has generated columns")
            }
            try session.attach(table)
        }
        guard tables == nil else { return session }
        if let table = try tablesWithGeneratedColumns(in: schema).first {
            throw connection.failure(
                .error,
                "changes of all tables cannot be recorded: \(schema).\(table) has generated columns; name the tables")
        }
        try session.attach(nil)
        return session
    }

    /// The tables with a primary key and generated columns.
    ///
    /// - Parameter table: The name of one; nil for all.
    private func tablesWithGeneratedColumns(
        in schema: String, named table: String? = nil
    ) throws(SQLiteError) -> [String] {
        try column(
            """
            SELECT list.name FROM pragma_table_list AS list JOIN pragma_table_xinfo(list.name, list.schema) AS item
            WHERE list.schema = \(schema) COLLATE NOCASE AND list.type = 'table'
            AND (\(table) IS NULL OR list.name = \(table) COLLATE NOCASE)
            GROUP BY list.name HAVING max(item.pk) > 0 AND max(item.hidden) IN (2, 3)
            """, as: String.self)
    }

    /// For each column of a table whether it belongs to the primary key; empty when there is no such table.
    func primaryKey(of table: String, in schema: String) throws(SQLiteError) -> [Bool] {
        try columns(of: table, in: schema).filter { $0.kind == .ordinary }.map { $0.primaryKeyPosition != nil }
    }
}
