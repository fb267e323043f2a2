internal import CSystemSQLite

/// A prepared statement.
///
/// ```swift
/// let insert = try db.prepare("INSERT INTO point (x, y) VALUES (?, ?)")
/// for point in points { try insert.execute([point.x, point.y]) }
///
/// let nearby = try db.prepare("SELECT x, y FROM point WHERE x BETWEEN ? AND ?")
/// let rows = try nearby.query([0, 10])
/// while let row = try rows.next() { … }
/// ```
///
/// ``query(_:_:)`` and ``execute(_:_:)`` bind all values and start afresh. Those who bind one by one use
/// ``bind(_:at:)``, ``step()`` and ``reset()``, which are SQLite's own: values stay bound after a reset. A statement
/// belongs to its connection, and to the thread that has it.
///
/// See [Prepared Statement Object](https://www.sqlite.org/c3ref/stmt.html).
public final class Statement {
    /// The SQL text of the statement, as it was given.
    public let sql: String
    let connection: Connection
    let handle: OpaquePointer

    /// Whether the statement leaves the database as it is. See
    /// [sqlite3_stmt_readonly](https://www.sqlite.org/c3ref/stmt_readonly.html).
    public let isReadOnly: Bool
    /// Whether it attaches a database to the connection, or detaches one.
    private let isAttaching: Bool
    /// Whether it may create a virtual table, whose module counts the rows of its own tables as changes.
    private let isCreating: Bool
    /// The number of parameters, or the highest number of a parameter `?NNN`.
    public let parameterCount: Int
    /// The names of the parameters with their prefixes; nil for a plain `?`.
    public var parameterNames: [String?] { parameters.names }
    /// The parameter that was last bound by its name.
    @exclusivity(unchecked) var lastParameter = -1

    // The compiler would check each access to these for overlap at run time; one thread at a time has the statement,
    // and no access spans a call.

    private enum State { case ready, running, done }
    @exclusivity(unchecked) private var state = State.ready
    /// The connection's epoch in which the execution began.
    @exclusivity(unchecked) private(set) var epoch = 0
    /// Counts executions, so that a result set knows when it is no longer the current one.
    @exclusivity(unchecked) private(set) var execution = 0
    /// Counts rows, so that a row knows when it is no longer the current one.
    @exclusivity(unchecked) private(set) var position = 0
    /// How many rows the connection had changed when the execution began.
    @exclusivity(unchecked) private var changesBefore: Int64 = 0
    /// Whether the execution has come to its end, and has changed rows.
    @exclusivity(unchecked) private var hasChangedRows = false
    /// Whether the statement stands on a row that a write returned.
    @exclusivity(unchecked) private var isPendingWrite = false
    /// Whether the caller has bound values one by one, or interpolated them.
    @exclusivity(unchecked) var isBoundByCaller = false
    /// Whether what is bound are the arguments of an execution, which those bound one by one are not to be mixed with.
    @exclusivity(unchecked) var isBoundForExecution = false
    /// Whether all parameters are being bound, one after the other.
    @exclusivity(unchecked) var isBindingAll = false
    /// Whether values may be bound, and whether there is a large one among them.
    @exclusivity(unchecked) var isBound = false
    @exclusivity(unchecked) var isLargeBound = false
    /// The bytes of values that are bound.
    @exclusivity(unchecked) var boundBytes = BoundBytes()
    /// Where the values of the row are.
    @exclusivity(unchecked) var rowValues = RowValues()
    /// How many bytes a large value has at least.
    static let largeValue = 4096
    @exclusivity(unchecked) private var names: ColumnNames? {
        didSet { asked = AskedNames() }
    }
    @exclusivity(unchecked) private var asked = AskedNames()
    /// How often SQLite had prepared the statement again when the names were read.
    @exclusivity(unchecked) private var preparations: Int32 = 0
    /// What ``Connection/schemaChangesSeen()`` returned before the names were read; nil for those read on a row.
    @exclusivity(unchecked) private var namesSchema: Int32?
    /// The number of columns of the rows of this execution.
    @exclusivity(unchecked) private(set) var width = 0
    @exclusivity(unchecked) private var knownParameters: ParameterNames?
    /// What it reads, by the schemas of these numbers, once someone has wanted to know.
    @exclusivity(unchecked) var knownReads: (reads: [String: Set<String>], schema: [String: Int64])?
    /// What it does with a savepoint; nil for most.
    private(set) lazy var savepointControl = SavepointControl(self)
    /// What the statement writes to, once an error has asked for it.
    @exclusivity(unchecked) var knownWrites: [ForeignKeyFailure.Write]?

    /// Prepares a text that must be one statement.
    convenience init(_ sql: String, _ connection: Connection, isPersistent: Bool) throws(SQLiteError) {
        let db = try connection.accessible()
        try connection.checkText(sql)
        var text = sql
        let (code, handle, length) = text.withUTF8 { Self.prepare($0, db, isPersistent: isPersistent) }
        guard code == SQLITE_OK else { throw connection.preparationFailure(code, sql) }
        guard let handle else { throw connection.failure(.emptyStatement, "there is no statement", sql: sql) }
        self.init(handle, sql, connection)
        let tail = ArraySlice(sql.utf8.dropFirst(length))
        if !tail.isEmpty {
            // What follows may be blanks and comments; what does not even parse is a second statement.
            let (code, next, _) = tail.withUnsafeBufferPointer { Self.prepare($0, db, isPersistent: false) }
            sqlite3_finalize(next)
            guard code == SQLITE_OK, next == nil else {
                throw connection.failure(.severalStatements, "there is more than one statement", sql: sql)
            }
        }
    }

    private init(_ handle: OpaquePointer, _ sql: String, _ connection: Connection) {
        self.handle = handle
        self.sql = sql
        self.connection = connection
        isReadOnly = sqlite3_stmt_readonly(handle) != 0
        isAttaching =
            isReadOnly && sqlite3_column_count(handle) == 0
            && (firstWord(of: sql, is: "attach") || firstWord(of: sql, is: "detach"))
        parameterCount = Int(sqlite3_bind_parameter_count(handle))
        isCreating = !isReadOnly && parameterCount == 0 && firstWord(of: sql, is: "create")
    }

    deinit {
        rowValues.deallocate()
        // A thread without access leaves the connection alone; a hook lets the statement go, but does not end it.
        if connection.hasAccess { reset() }
        connection.finalize(handle, boundBytes)
    }

    /// The first statement of a script and its length in bytes; no statement where there is none.
    static func first(
        in script: ArraySlice<UInt8>, _ connection: Connection
    ) throws(SQLiteError) -> (statement: Statement?, length: Int) {
        let db = try connection.accessible()
        let (code, handle, length) = script.withUnsafeBufferPointer { prepare($0, db, isPersistent: false) }
        let sql = String(decoding: code == SQLITE_OK ? script.prefix(length) : script, as: UTF8.self)
        guard code == SQLITE_OK else { throw connection.preparationFailure(code, sql) }
        return (handle.map { Statement($0, sql, connection) }, length)
    }

    /// Prepares the first statement of a text, and says where it ends.
    private static func prepare(
        _ utf8: UnsafeBufferPointer<UInt8>, _ db: OpaquePointer, isPersistent: Bool
    ) -> (code: Int32, handle: OpaquePointer?, length: Int) {
        guard let length = Int32(exactly: utf8.count) else { return (SQLITE_TOOBIG, nil, 0) }
        return utf8.withMemoryRebound(to: CChar.self) { bytes in
            var handle: OpaquePointer?
            var tail: UnsafePointer<CChar>?
            let flags = isPersistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
            let start = bytes.baseAddress ?? csqlite_empty()
            var code = sqlite3_prepare_v3(db, start, length, flags, &handle, &tail)
            // SQLite reads a schema again that another connection has changed, but not where it had to begin again for
            // another reason, too, such as a virtual table. Where triggers write to that, it says that there is no
            // table.
            if code == SQLITE_SCHEMA || code == SQLITE_ERROR {
                code = sqlite3_prepare_v3(db, start, length, flags, &handle, &tail)
            }
            return (code, handle, tail.flatMap { tail in start.map { tail - $0 } } ?? 0)
        }
    }

    /// Runs the statement to its end, and ignores the rows that it returns.
    ///
    /// - Parameters:
    ///   - arguments: Values for all its parameters. Without any, those that were bound before, one by one or by
    ///     interpolation, stand.
    ///   - more: More of them.
    /// - Returns: The number of rows inserted, updated or deleted; 0 for any other statement.
    /// - Throws: ``SQLiteError``. The statement is reset and can be run again.
    @discardableResult
    public func execute(_ arguments: Arguments = [], _ more: Arguments = []) throws(SQLiteError) -> Int {
        try begin(arguments, more)
        defer { end() }
        return try run()
    }

    /// Runs the statement with what is bound, to its end.
    package func run() throws(SQLiteError) -> Int {
        while try step() {}
        // sqlite3_changes64 keeps the count of an earlier statement when this one was no INSERT, UPDATE or DELETE.
        return hasChangedRows ? Int(sqlite3_changes64(connection.handle)) : 0
    }

    /// Runs an INSERT OR FAIL with what is bound.
    ///
    /// - Returns: How many rows it has written: those before the one that a constraint rejects, where one does.
    package func runInsertOrFail() throws(SQLiteError) -> Int {
        do throws(SQLiteError) {
            return try run()
        } catch {
            // A conflict clause of the table may have undone the transaction.
            guard error.code == .constraint, sqlite3_get_autocommit(connection.handle) == 0 else { throw error }
            return Int(sqlite3_changes64(connection.handle))
        }
    }

    /// Runs an upsert, to its end, of rows that should be there.
    ///
    /// The identifier of the last row that was inserted stays the one before.
    ///
    /// - Parameter count: How many rows it has, of a table with row identifiers.
    /// - Returns: Whether it has updated all, and inserted none, be it before it failed.
    package func runUpdating(_ count: Int) throws(SQLiteError) -> Bool {
        let last = sqlite3_last_insert_rowid(connection.handle)
        sqlite3_set_last_insert_rowid(connection.handle, Self.noRowID)
        defer { sqlite3_set_last_insert_rowid(connection.handle, last) }
        do throws(SQLiteError) {
            let written = try run()
            return written == count && sqlite3_last_insert_rowid(connection.handle) == Self.noRowID
        } catch {
            guard error.code == .constraint, sqlite3_last_insert_rowid(connection.handle) != Self.noRowID else {
                throw error
            }
            return false
        }
    }

    /// An identifier that no row has, but by a chance of one in 2⁶⁴.
    private static let noRowID = Int64.random(in: .min ... .max)

    /// Starts a query; its rows are read as they are asked for.
    ///
    /// A query that this statement was still answering ends: its result set throws when it is asked for more.
    ///
    /// - Parameters:
    ///   - arguments: Values for all the parameters. Without any, those that were bound before, one by one or by
    ///     interpolation, stand.
    ///   - more: More of them.
    /// - Throws: ``SQLiteError`` when the values do not fit the parameters.
    public func query(_ arguments: Arguments = [], _ more: Arguments = []) throws(SQLiteError) -> ResultSet {
        try begin(arguments, more)
        return ResultSet(self)
    }

    /// Starts afresh with these values; without any, with those that the caller has bound.
    private func begin(_ arguments: Arguments, _ more: Arguments) throws(SQLiteError) {
        reset()
        if isBoundByCaller, arguments.isEmpty, more.isEmpty { return }
        if more.isEmpty { try bind(arguments) } else { try bind(arguments + more) }
        isBoundByCaller = false
        isBoundForExecution = true
    }

    /// Moves to the next row.
    ///
    /// - Returns: True on a row, false when there are no more; then false again, until ``reset()``.
    /// - Throws: ``SQLiteError``. The statement is reset.
    public func step() throws(SQLiteError) -> Bool {
        let isFirst = !isRunning
        if isFirst {
            if state == .done { return false }
            try connection.willBegin(self)
            state = .running
            epoch = connection.epoch
            isPendingWrite = false
            hasChangedRows = false
            if !isReadOnly { changesBefore = sqlite3_total_changes64(connection.handle) }
            connection.runningStatements += 1
        }
        position &+= 1
        connection.stepCount &+= 1
        let code = sqlite3_step(handle)
        connection.stepCount &-= 1
        switch code {
        case SQLITE_ROW:
            // Between an execution's rows nothing prepares the statement again.
            if isFirst {
                width = Int(sqlite3_column_count(handle))
                if names != nil, !isStillPrepared { names = nil }
            }
            if !isReadOnly, !isPendingWrite {
                isPendingWrite = true
                connection.addPendingWrite(self)
            }
            return true
        case SQLITE_DONE:
            rewind()
            state = .done
            if !isReadOnly {
                hasChangedRows = !isCreating && sqlite3_total_changes64(connection.handle) != changesBefore
                if !hasChangedRows, connection.isGuarded { connection.mayHaveNewSchema = true }
            } else if isAttaching {
                connection.hasNewAttachment = true
                connection.recorder?.noteAttachment()
                // What it throws the next statement throws: the database has been attached.
                try? connection.settleAttachments()
                connection.mayHaveNewSchema = true
            }
            return false
        default:
            let error = connection.failure(code, sql: sql)
            if connection.isTraced { connection.noteFailure(of: handle, error) }
            rewind()
            throw error.isConstraint(.foreignKey) ? connection.namingForeignKey(error, self) : error
        }
    }

    /// Whether the statement stands between its first step and its end.
    private var isRunning: Bool { state == .running && epoch == connection.epoch }

    /// - Returns: The result code of the reset.
    @discardableResult
    private func rewind() -> Int32 {
        if isRunning { connection.runningStatements -= 1 }
        if isPendingWrite {
            isPendingWrite = false
            connection.removePendingWrite(self)
        }
        // What sqlite3_reset returns is the error of the last step, which is thrown by now. An access has reset its
        // statements when it ended; who has no right to use the connection leaves them alone.
        state = .ready
        guard connection.isAccessible else { return SQLITE_OK }
        let code = sqlite3_reset(handle)
        if connection.reportsEnds { reportEnd(code) }
        if code == SQLITE_OK { connection.noteSuccess() }
        return code
    }

    /// Says that an execution has ended. Inlined, it would slow down statements that aren't traced.
    @inline(never)
    private func reportEnd(_ code: Int32) {
        if connection.isRecording { connection.recorder?.didEnd(self, failed: code != SQLITE_OK) }
        guard connection.isTraced, let tracer = connection.hooks.tracer else { return }
        if code != SQLITE_OK {
            // Not the connection's own error, which says once what has become of a commit.
            let message = String(cString: sqlite3_errmsg(connection.handle))
            tracer.didFail(
                handle, SQLiteError(ResultCode(rawValue: code), message, sql: sql, path: connection.path))
        }
        tracer.report(handle, connection)
    }

    /// Moves back before the first row. Values stay bound.
    ///
    /// A write that returns rows is done by its first step, and outside a transaction committed by its end. When it is
    /// reset before, a commit that fails is an error of the access it is in; where there is none, nobody is told.
    public func reset() {
        // One that has come to its end is at its beginning already.
        if state == .running, case let code = rewind(), code != SQLITE_OK {
            connection.lostCommit = connection.lostCommit ?? connection.failure(code, sql: sql)
        }
        state = .ready
        execution &+= 1
        position &+= 1
    }

    /// Goes back to before the first row, since what a row holds cannot be read. What was written outside a transaction
    /// is undone: the caller is told that it failed.
    package func giveUp() {
        guard state == .running else { return }
        let wasRejecting = connection.rejectsCommits
        connection.rejectsCommits = true
        rewind()
        connection.rejectsCommits = wasRejecting
        connection.hooks.errorMessage = nil
        connection.hasCommitBegun = false
        reset()
    }

    /// Sets every parameter to NULL.
    public func clearBindings() {
        // It has no way to fail: https://www.sqlite.org/c3ref/clear_bindings.html
        if isBound, connection.isAccessible { sqlite3_clear_bindings(handle) }
        isBound = false
        isBoundByCaller = false
        isBoundForExecution = false
        isLargeBound = false
    }

    /// Says that all parameters are about to be bound.
    func willBindAll() {
        // SQLite doesn't bind while the statement runs, which still needs what is bound.
        if state == .running { return }
        boundBytes.removeAll()
        isBoundForExecution = false
    }

    /// Sets every parameter to NULL after some of them could not be bound: the others may refer to what is not kept.
    func giveUpBinding() {
        if state != .running { clearBindings() }
    }

    /// Ends an execution. Large values are released immediately, small ones when the statement is next handed out or
    /// bound, which is to existing memory.
    package func clear() {
        reset()
        if isLargeBound { clearBindings() }
    }

    /// The same, but that what the caller has bound stays for the next execution.
    func end() {
        if isBoundByCaller { reset() } else { clear() }
    }

    /// Whether the statement has a current row.
    public var isBusy: Bool { isRunning }

    /// Whether the text begins with EXPLAIN, or EXPLAIN QUERY PLAN.
    public var isExplain: Bool { sqlite3_stmt_isexplain(handle) != 0 }

    /// The SQL text with the bound values in it, for a log. It shows the values: consider who can read it.
    ///
    /// It is SQLite's own text, for a log and not to be run again: a text for a parameter directly before a quoted
    /// name, as in `SELECT ?1'name'`, is written so that the two become one. ``SQL/expandedSQL`` keeps them apart.
    ///
    /// Nil when it would be longer than SQLite allows, and outside the access that the statement belongs to.
    public var expandedSQL: String? {
        guard connection.isAccessible, let text = sqlite3_expanded_sql(handle) else { return nil }
        defer { sqlite3_free(text) }
        return String(cString: text)
    }

    /// The names of the result's columns, in order; empty for a statement that returns no rows.
    public var columnNames: [String] { columns.names }

    /// The parameters' names, looked up once.
    var parameters: ParameterNames {
        if let knownParameters { return knownParameters }
        let found = ParameterNames(
            (0..<parameterCount).map { index in
                sqlite3_bind_parameter_name(handle, Int32(index + 1)).map { String(cString: $0) }
            })
        knownParameters = found
        return found
    }

    /// The names, looked up once and again after SQLite has prepared the statement again because the schema changed.
    package var columns: ColumnNames {
        if isRunning {
            // On a row, they have been looked at since the statement was prepared.
            if let names { return names }
            return note(readColumns(), schema: nil)
        }
        // SQLite prepares the statement again when it begins, and until then says what it knew before.
        let schema = connection.schemaChangesSeen()
        if let names, let schema, schema == namesSchema, isStillPrepared { return names }
        let fresh = try? Statement(sql, connection, isPersistent: false)
        return note((fresh ?? self).readColumns(), schema: schema)
    }

    private func readColumns() -> ColumnNames {
        let columns = 0..<sqlite3_column_count(handle)
        return ColumnNames(
            names: columns.map { sqlite3_column_name(handle, $0).map { String(cString: $0) } ?? "" },
            tables: columns.map { sqlite3_column_table_name_if_available(handle, $0) })
    }

    private func note(_ fresh: ColumnNames, schema: Int32?) -> ColumnNames {
        names = fresh
        namesSchema = schema
        preparations = sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0)
        return fresh
    }

    /// The first column with a name, also as `table.column`; nil if there is none.
    func columnIndex(_ name: String) -> Int? {
        // On a row, the names are the columns' own.
        if isRunning, let index = asked.next(name) { return index }
        guard let index = columns.index(of: name) else { return nil }
        asked.note(name, at: index)
        return index
    }

    /// Whether SQLite has not prepared the statement again since its columns' names were read.
    private var isStillPrepared: Bool {
        preparations == sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_REPREPARE, 0)
    }
}

@available(*, unavailable)
extension Statement: Sendable {}
