/// Settings of a connection and of its database. See [PRAGMA Statements](https://www.sqlite.org/pragma.html).
extension Database {
    /// What a pragma answers: the first column of its first row.
    ///
    /// ```swift
    /// let size = try db.pragma("cache_size", as: Int.self)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The pragma.
    ///   - database: The database to ask about; nil leaves it to SQLite, which mostly takes `main`.
    ///   - type: The type to read.
    /// - Returns: Nil when the pragma answers nothing. That is so for one that SQLite does not know, too.
    /// - Throws: ``SQLiteError``, also when the answer isn't a `type`.
    public func pragma<Value: SQLiteValueConvertible>(
        _ name: String, of database: String? = nil, as type: Value.Type
    ) throws(SQLiteError) -> Value? {
        try scalar("PRAGMA \(sql: pragmaName(name, database))", as: type)
    }

    /// Sets a pragma. One that SQLite does not know, and a value that it does not take, change nothing and are no
    /// error: where it matters, read it back.
    ///
    /// ```swift
    /// try db.setPragma("cache_size", to: -20_000)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The pragma.
    ///   - database: The database to set it for; nil leaves it to SQLite, which mostly takes `main` or all.
    ///   - value: A number or a text.
    /// - Throws: ``ResultCode/typeMismatch`` for NULL, a blob, or a real that is not finite, or another
    ///   ``SQLiteError``.
    public func setPragma(_ name: String, of database: String? = nil, to value: SQLiteValue) throws(SQLiteError) {
        switch value {
        case .integer, .text: break
        case .real(let number) where number.isFinite: break
        default: throw connection.failure(.typeMismatch, "a pragma takes a number or a text, not \(value)")
        }
        try execute("PRAGMA \(sql: pragmaName(name, database)) = \(sql: SQL(value.description))")
    }

    private func pragmaName(_ name: String, _ database: String?) -> SQL {
        if let database { "\(identifier: database).\(identifier: name)" } else { "\(identifier: name)" }
    }

    /// The number that a program may keep in the database for its own versions; 0 by default.
    ///
    /// While it isn't positive, `updateSchema(for:)` of Persisting stores a negative number here, unless it's told not
    /// to.
    public var userVersion: Int32 {
        get throws(SQLiteError) { try pragma("user_version", as: Int32.self) ?? 0 }
    }

    /// Sets the number that a program may keep in the database for its own versions. In a transaction it is undone with
    /// it.
    ///
    /// - Parameter version: The number.
    /// - Throws: ``SQLiteError``.
    public func setUserVersion(_ version: Int32) throws(SQLiteError) {
        try setPragma("user_version", to: .integer(Int64(version)))
    }

    /// The number that says which program's file the database is; 0 by default.
    public var applicationID: ApplicationID {
        get throws(SQLiteError) {
            ApplicationID(rawValue: try pragma("application_id", as: Int32.self) ?? 0)
        }
    }

    /// Sets the number that says which program's file the database is.
    ///
    /// - Parameter id: The number.
    /// - Throws: ``SQLiteError``.
    public func setApplicationID(_ id: ApplicationID) throws(SQLiteError) {
        try setPragma("application_id", to: .integer(Int64(id.rawValue)))
    }

    /// The journal mode of the main database.
    public var journalMode: JournalMode {
        get throws(SQLiteError) {
            // SQLite counts the question among the writes, since the same statement changes the mode.
            let isReading = connection.isReading
            connection.isReading = false
            defer { connection.isReading = isReading }
            return JournalMode(rawValue: try pragma("journal_mode", of: "main", as: String.self) ?? "")
        }
    }

    /// Changes the journal mode of the main database, which for ``JournalMode/wal`` is a lasting property of the file.
    ///
    /// - Parameter mode: The journal mode.
    /// - Throws: ``ResultCode/error`` when the mode is unavailable: inside a transaction, or ``JournalMode/wal`` in
    ///   memory; ``ResultCode/busy`` when other connections hold locks.
    public func setJournalMode(_ mode: JournalMode) throws(SQLiteError) {
        let mode = JournalMode(rawValue: asciiLowercased(mode.rawValue))
        let actual = try scalar("PRAGMA main.journal_mode = \(identifier: mode.rawValue)", as: String.self)
        guard actual == mode.rawValue else {
            throw connection.failure(
                .error, "the journal mode \(mode.rawValue) isn't available; it is \(actual ?? "unknown")")
        }
    }

    /// Has SQLite gather what it needs to choose good plans, where that has become necessary. A program that keeps a
    /// connection open calls it now and then. See [PRAGMA
    /// optimize](https://www.sqlite.org/pragma.html#pragma_optimize).
    ///
    /// - Throws: ``SQLiteError``.
    public func optimize() throws(SQLiteError) { try execute("PRAGMA optimize") }
}
