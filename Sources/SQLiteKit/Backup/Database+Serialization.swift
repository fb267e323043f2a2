internal import CSystemSQLite
public import Foundation

/// A whole database as bytes, and back.
extension Database {
    /// The bytes of a database: those of its file, or those its file would have.
    ///
    /// What a transaction that is open has written is among them. A database without any content has no bytes, or with
    /// newer versions of SQLite one page. See
    /// [sqlite3_serialize](https://www.sqlite.org/c3ref/serialize.html).
    ///
    /// - Parameter database: `main`, `temp`, or the name of an attached database.
    /// - Throws: ``ResultCode/missingFeature`` when the system's SQLite cannot do it; ``ResultCode/outOfMemory``;
    ///   ``ResultCode/error`` for a name that is unknown.
    public func serialize(_ database: String = "main") throws(SQLiteError) -> Data {
        let db = try connection.accessible()
        guard let serialize = sqlite3_serialize_if_available else { throw noSerialization() }
        try connection.checkText(database)
        try connection.willUse(nil, writes: false)
        var size: Int64 = -1
        let bytes = serialize(db, database, &size, 0)
        defer { sqlite3_free(bytes) }
        if let bytes, let count = Int(exactly: size) { return Data(bytes: bytes, count: count) }
        if size == 0 { return Data() }
        if size > 0 { try connection.check(SQLITE_NOMEM) }
        throw connection.failure(.error, "there is no database \(database), or it cannot be read")
    }

    /// Replaces a database by one in memory with these bytes.
    ///
    /// ```swift
    /// let db = try Database(.memory)
    /// try db.deserialize(Data(contentsOf: url))
    /// ```
    ///
    /// A connection to a file releases the file, which stays as it is. No transaction may be open, and no query may
    /// stand on a row. After `main` was replaced, the connection no longer has SQLite's tables about itself: `dbstat`,
    /// `sqlite_dbpage`, `sqlite_stmt`, `bytecode`, `tables_used` and `fts3tokenize`. See
    /// [sqlite3_deserialize](https://www.sqlite.org/c3ref/deserialize.html).
    ///
    /// - Parameters:
    ///   - data: What ``serialize(_:)`` returned, or the bytes of a database file that no one was writing. Those of a
    ///     file in WAL mode are taken, without what is in its `-wal` file. No bytes are an empty database.
    ///   - database: `main`, or the name of an attached database.
    ///   - readOnly: Whether the database can only be read.
    /// - Throws: ``ResultCode/notADatabase`` when the bytes are none; ``ResultCode/busy`` when it is in use,
    ///   ``ResultCode/error`` for a name that is unknown or `temp`, ``ResultCode/missingFeature``.
    public func deserialize(
        _ data: Data, into database: String = "main", readOnly: Bool = false
    ) throws(SQLiteError) {
        let db = try connection.accessible()
        guard let deserialize = sqlite3_deserialize_if_available else { throw noSerialization() }
        try prepareToReplace(database, db)
        // SQLite asks for memory of its own making, which it frees whether or not it succeeds.
        let size = UInt64(data.count)
        guard let memory = sqlite3_malloc64(max(size, 1)) else { return try connection.check(SQLITE_NOMEM) }
        let buffer = UnsafeMutableRawBufferPointer(start: memory, count: data.count)
        data.copyBytes(to: buffer)
        // A database in memory has no write-ahead log; the bytes 18 and 19 say that its file had one.
        if data.count > 19, buffer[18] == 2, buffer[19] == 2 { (buffer[18], buffer[19]) = (1, 1) }
        do throws(SQLiteError) {
            try checkIsDatabase(buffer, deserialize)
            if asciiLowercased(database) == "main" { try renewFunctionTables() }
        } catch {
            sqlite3_free(memory)
            throw error
        }
        let flags =
            readOnly
            ? SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY
            : SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE
        try connection.check(
            deserialize(
                db, database, memory.assumingMemoryBound(to: UInt8.self), Int64(data.count), Int64(data.count),
                UInt32(bitPattern: flags)))
        connection.mayHaveNewSchema = true
        connection.recorder?.noteReplacement()
        try expireStatements()
        _ = try scalar("PRAGMA \(identifier: database).schema_version", as: Int.self)
    }

    /// Throws if a database can't be replaced now.
    private func prepareToReplace(_ database: String, _ db: OpaquePointer) throws(SQLiteError) {
        guard !connection.hasReaders else {
            throw connection.failure(
                .notAllowedHere, "a pool's readers would stay with the file: deserialize into a queue's connection")
        }
        try connection.checkText(database)
        try connection.willUse(nil, writes: true)
        // SQLite does not look, and would take a database in memory away from under those who use it.
        guard sqlite3_txn_state(db, database) <= SQLITE_TXN_NONE, !isInTransaction,
            !connection.resources.contains(where: \.isOpen)
        else {
            throw connection.failure(
                .busy,
                "the database \(database) cannot be replaced while a transaction, a query, a blob or a backup is open")
        }
    }

    /// Reads the bytes in another connection, as a database that can't be read could not be replaced again.
    private func checkIsDatabase(
        _ buffer: UnsafeMutableRawBufferPointer, _ deserialize: Deserialize
    ) throws(SQLiteError) {
        var other: OpaquePointer?
        defer { sqlite3_close_v2(other) }
        let bytes = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
        try connection.check(sqlite3_open_v2(":memory:", &other, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil))
        let code = deserialize(
            other, "main", bytes, Int64(buffer.count), Int64(buffer.count), UInt32(SQLITE_DESERIALIZE_READONLY))
        try connection.check(code)
        guard sqlite3_exec(other, "PRAGMA schema_version", nil, nil, nil) == SQLITE_OK else {
            let reason = String(cString: sqlite3_errmsg(other))
            throw connection.failure(
                ResultCode(rawValue: sqlite3_errcode(other)), "the bytes can't be read: \(reason)")
        }
    }

    /// Takes away the tables that SQLite has made by itself for functions such as `pragma_table_info`.
    ///
    /// SQLite lets them keep the schema that is replaced, which then is freed memory. Those of pragmas it makes again
    /// when they are next used; those of JSON have a substitute; the others are gone.
    private func renewFunctionTables() throws(SQLiteError) {
        let wasUnasked = connection.isUnasked
        connection.isUnasked = true
        defer { connection.isUnasked = wasUnasked }
        let modules = try Statement("PRAGMA module_list", connection, isPersistent: false)
        var names: [String] = []
        while try modules.step() { names.append(try modules.text(at: 0)) }
        let db = try connection.open()
        let others: Set = ["dbstat", "sqlite_dbpage", "sqlite_stmt", "bytecode", "tables_used", "fts3tokenize"]
        for name in names where name.hasPrefix("pragma_") || others.contains(name) {
            try connection.check(sqlite3_create_module(db, name, nil, nil))
        }
        for name in names where name == "json_each" || name == "json_tree" {
            try connection.check(JSONTable.substitute(name, on: db))
        }
    }

    /// SQLite would go on with statements prepared for the tables that were there before.
    private func expireStatements() throws(SQLiteError) {
        // Changing a setting has all statements prepared again; this one is about EXPLAIN QUERY PLAN.
        for value in [Int32(1), 0] {
            try connection.check(csqlite_db_config_flag(connection.open(), SQLITE_DBCONFIG_TRIGGER_EQP, value))
        }
    }

    private func noSerialization() -> SQLiteError {
        connection.failure(.missingFeature, "this system's SQLite cannot serialize (SQLITE_OMIT_DESERIALIZE)")
    }
}
