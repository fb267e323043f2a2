internal import CSystemSQLite

/// A connection to an SQLite database.
///
/// A connection is used by one thread at a time, and the compiler sees to it: `Database` is not `Sendable`. To share a
/// database between threads and tasks, use a ``DatabaseQueue``, which lends its connection to one closure after the
/// other, or a ``DatabasePool``.
///
/// ```swift
/// let db = try Database(.memory)
/// try db.execute("CREATE TABLE t (a INTEGER, b TEXT)")
/// try db.execute("INSERT INTO t VALUES (?, ?)", [1, "one"])
/// let b = try db.scalar("SELECT b FROM t WHERE a = \(1)", as: String.self)
/// // b is "one"
/// ```
///
/// It differs from a connection opened by hand in this: double-quoted text is never a string, so that a misspelt column
/// name is an error; foreign keys are enforced; and there is more to use in SQL:
///
/// - `X REGEXP Y`: whether the regular expression Y is found in X, in the notation of Foundation's
///   `NSRegularExpression`. The pattern of an attacker can make it take forever.
/// - `fold(X)`: the text X without case and diacritics, in all of Unicode and whatever the locale; `fold(X, 'c')`
///   without case alone, `fold(X, 'd')` without diacritics alone.
/// - The collation `UNACCENTED_NOCASE`, which compares texts so folded, and the collation `DECIMAL`, which orders
///   decimal numbers. After an update of Unicode's tables that has new letters in them, an index by `fold` or
///   `UNACCENTED_NOCASE` that holds such letters wants a `REINDEX`.
/// - `sqlitekit_date(X, FORM)`: the date X, in any stored form, as a ``DateStorage`` by its name stores it; NULL for
///   what isn't a date. A number is in that form's unit already.
/// - `sqlitekit_date(X, FORM, NEW)`: the date X, a number of FORM or any text, as NEW stores it; NULL for what isn't a
///   date, and where NEW would store another time. `sqlitekit_uuid(X, 'blob')` and `sqlitekit_uuid(X, 'text')` do the
///   same for UUIDs.
/// - `sqlitekit_date_like(X, FORM, NEW, OLD)`: the date X, as FORM stores it, written as the text OLD is; or by NEW, if
///   OLD isn't a text of a date.
/// - `sqlitekit_sum(X)`: the exact sum of a group's decimal numbers, as text.
/// - The collation `UTF8`, which compares texts by their bytes in UTF-8, whatever the database's encoding.
/// - The collation `LOCALIZED`, which orders texts as Foundation's `localizedStandardCompare` does in the current
///   locale. It is for ORDER BY: an index in this order is of use in the locale alone that it was made in.
///
/// ``DatabaseConfiguration`` says what else is set.
public final class Database {
    let connection: Connection
    let statements: StatementCache
    /// The statements of transactions, by the number of their control, as soon as they have been used.
    @exclusivity(unchecked) var controls = [Statement?](repeating: nil, count: TransactionControl.allCases.count)

    /// The statements of savepoints, by their depth, as soon as they have been used.
    @exclusivity(unchecked) var savepoints: [Savepoint?] = []

    /// Where the database lives.
    public let location: DatabaseLocation
    /// What the connection was opened with.
    public let configuration: DatabaseConfiguration

    /// A connection that has been opened, of which nothing has been set.
    init(_ connection: Connection, _ location: DatabaseLocation, _ configuration: DatabaseConfiguration) {
        self.connection = connection
        self.location = location
        self.configuration = configuration
        statements = StatementCache(capacity: configuration.statementCacheCapacity)
    }

    /// Closes the connection. Closing a closed one does nothing; every other use of it throws ``ResultCode/closed``.
    ///
    /// - Throws: ``ResultCode/busy`` when a statement of this connection is still held by someone, or a blob or a
    ///   backup is open: it is named, and the connection stays open.
    public func close() throws(SQLiteError) {
        guard isOpen else { return }
        guard connection.holder == nil || connection.holder === AccessHolder.nobody else {
            throw connection.failure(.notAllowedHere, "the connection is its queue's or pool's to close")
        }
        // SQLite would let a hook close what it is working with.
        _ = try connection.accessible()
        try closeConnection()
    }

    /// Closes the connection, for its owner.
    func closeConnection() throws(SQLiteError) {
        statements.removeAll()
        for index in controls.indices { controls[index] = nil }
        savepoints = []
        try connection.close()
    }

    /// Whether the connection has not been closed.
    public var isOpen: Bool { connection.handle != nil }

    /// Whether the database is read-only, because it was opened so or the file is write-protected.
    public var isReadOnly: Bool { connection.handleIfAccessible.map { sqlite3_db_readonly($0, "main") == 1 } ?? false }

    /// Whether the database is a file without any table.
    package var isEmptyFile: Bool { connection.isEmptyFile }

    /// The path of the file; nil for a database without one.
    public var path: String? { location.path }

    /// The row identifier of the last row inserted through this connection; 0 before the first.
    ///
    /// See [sqlite3_last_insert_rowid](https://www.sqlite.org/c3ref/last_insert_rowid.html).
    public var lastInsertRowID: Int64 {
        connection.handleIfAccessible.map { sqlite3_last_insert_rowid($0) } ?? 0
    }

    /// Sets ``lastInsertRowID`` back after an INSERT of the library's own.
    package func setLastInsertRowID(_ rowID: Int64) {
        if let handle = connection.handleIfAccessible { sqlite3_set_last_insert_rowid(handle, rowID) }
    }

    /// The number of rows that the last INSERT, UPDATE or DELETE changed, those of triggers and foreign keys left out.
    ///
    /// See [sqlite3_changes64](https://www.sqlite.org/c3ref/changes.html).
    public var changes: Int { connection.handleIfAccessible.map { Int(sqlite3_changes64($0)) } ?? 0 }

    /// The number of rows changed since the connection was opened, those of triggers and foreign keys included.
    public var totalChanges: Int { connection.handleIfAccessible.map { Int(sqlite3_total_changes64($0)) } ?? 0 }

    /// Whether a transaction is open, as SQLite sees it.
    public var isInTransaction: Bool { connection.hasAccess && connection.isInTransaction }
}

@available(*, unavailable)
extension Database: Sendable {}
