/// The databases of a connection.
extension Database {
    /// A database that a connection has open.
    public struct Attachment: Sendable, Hashable {
        /// The name before the dot: `main`, `temp`, or the one it was attached by.
        public let name: String
        /// The path of its file; nil for one without.
        public let path: String?
    }

    /// The databases of the connection: `main`, `temp` when it is in use, and the attached ones, in the order they were
    /// attached.
    public var attachments: [Attachment] {
        get throws(SQLiteError) {
            let rows = try query("PRAGMA database_list")
            var attachments: [Attachment] = []
            while let row = try rows.next() {
                let path = try row.value(at: 2, as: String?.self) ?? ""
                attachments.append(Attachment(name: try row[1], path: path.isEmpty ? nil : path))
            }
            return attachments
        }
    }

    /// Adds another database to the connection: `SELECT * FROM other.album`. A transaction spans both.
    ///
    /// A file that is missing is created unless the connection was opened otherwise, in a directory that must exist and
    /// with a rollback journal, whatever ``DatabaseConfiguration/journalMode`` says. Its commits wait for the disk as
    /// ``DatabaseConfiguration/synchronous`` says, if it is attached inside a transaction then from the next one. Ten
    /// can be attached, unless SQLite was built otherwise. To attach one to each connection of a queue or pool, do it
    /// in ``DatabaseConfiguration/prepare``. See [ATTACH](https://www.sqlite.org/lang_attach.html).
    ///
    /// An immediate transaction, as queues, pools and managers begin, locks all attached files: it waits for whoever
    /// writes one of them, and fails with ``ResultCode/busy`` when that takes longer than the busy timeout. In a file
    /// without a write-ahead log a commit also waits for readers: don't write to it inside a loop over its rows.
    ///
    /// - Parameters:
    ///   - location: Where the database lives.
    ///   - name: What SQL calls it: any name that is not taken, `main` and `temp` are.
    ///   - key: The key of its file. Nil takes the one of `main`, if it has one.
    /// - Throws: ``SQLiteError``: ``ResultCode/wrongKey`` for a file that the key doesn't open,
    ///   ``ResultCode/missingFeature`` for a key where SQLite has no cipher.
    public func attach(
        _ location: DatabaseLocation, as name: String, key: DatabaseKey? = nil
    ) throws(SQLiteError) {
        try connection.checkText(fileName(of: location) + name)
        guard let key = location.path == nil ? nil : key ?? connection.key else {
            try execute("ATTACH \(fileName(of: location)) AS \(name)")
            return
        }
        let bytes = try keyBytes(key)
        do throws(SQLiteError) {
            try untraced { () throws(SQLiteError) in
                try execute("ATTACH \(fileName(of: location)) AS \(name) KEY \(String(decoding: bytes, as: UTF8.self))")
            }
        } catch  where error.code == .notADatabase && !bytes.isEmpty {
            throw SQLiteError(
                .wrongKey, "the key isn't that of the file, or the file is plain or no database", sql: error.sql,
                path: location.path)
        }
    }

    /// Takes an attached database away. It cannot be in use, and not in a transaction. See
    /// [DETACH](https://www.sqlite.org/lang_detach.html).
    ///
    /// - Parameter name: The name of the attached database.
    /// - Throws: ``SQLiteError``.
    public func detach(_ name: String) throws(SQLiteError) {
        try connection.checkText(name)
        try execute("DETACH \(name)")
    }

    /// Writes a copy of the database, without unused pages, to a file that must be missing or empty.
    ///
    /// Other connections can go on writing. It cannot run in a transaction: in a queue or pool, use
    /// `DatabaseAccess.withoutTransaction(_:)`. SQLite syncs the copy as ``DatabaseConfiguration/synchronous`` says: by
    /// default, the copy is on the disk when the call returns. See [VACUUM](https://www.sqlite.org/lang_vacuum.html).
    ///
    /// - Parameters:
    ///   - location: A file, in a directory that must exist.
    ///   - database: The database to copy.
    ///   - key: The key of the copy. Nil takes that of `main`, if it has one. So a plain file is encrypted, an
    ///     encrypted one decrypted (``DatabaseKey/plain``), or given another key.
    /// - Throws: ``SQLiteError``: ``ResultCode/missingFeature`` for a key where SQLite has no cipher.
    public func vacuum(
        into location: DatabaseLocation, from database: String = "main", key: DatabaseKey? = nil
    ) throws(SQLiteError) {
        try connection.checkText(fileName(of: location))
        guard let key = key ?? connection.key else {
            try execute("VACUUM \(identifier: database) INTO \(fileName(of: location))")
            return
        }
        let bytes = try keyBytes(key)
        if bytes.isEmpty, connection.key != nil, try cipher?.hasPrefix("SQLCipher") == true {
            return try vacuumPlain(into: location, from: database)
        }
        let name = location.name(
            with: "key", String(decoding: bytes, as: UTF8.self), isGiven: configuration.vfs != nil)
        do throws(SQLiteError) {
            try untraced { () throws(SQLiteError) in try execute("VACUUM \(identifier: database) INTO \(name)") }
        } catch {
            // SQLite says the name, in which the key is.
            guard error.message.contains(name) else { throw error }
            throw connection.failure(
                error.extendedCode, error.message.replacing(name, with: fileName(of: location)), sql: error.sql)
        }
    }

    /// Writes a plain copy with SQLCipher, which doesn't take an empty key for none: a copy has the key of `main`, and
    /// so none where `main` is plain.
    private func vacuumPlain(into location: DatabaseLocation, from database: String) throws(SQLiteError) {
        guard asciiLowercased(database) == "main", connection.key?.settings.isEmpty == true else {
            throw connection.failure(
                .missingFeature, "SQLCipher decrypts only a main database whose key has no settings, not \(database)")
        }
        do {
            var configuration = DatabaseConfiguration()
            configuration.synchronous = self.configuration.synchronous
            let other = try Database(.memory, configuration: configuration)
            try other.attach(self.location, as: "source", key: connection.key)
            try other.vacuum(into: location, from: "source")
        } catch let error as SQLiteError {
            throw error
        } catch {
            throw connection.failure(.error, "\(error)")
        }
    }

    /// The bytes of a key that a statement is handed, none for a plain file.
    private func keyBytes(_ key: DatabaseKey) throws(SQLiteError) -> [UInt8] {
        // Without a cipher SQLite takes no notice of it: of none either.
        if key == .plain, connection.key == nil { return [] }
        _ = try keys()
        return try connection.bytes(of: key) ?? []
    }

    /// Runs a statement with a key in it.
    private func untraced(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        let wasProbing = connection.isProbing
        connection.isProbing = true
        defer { connection.isProbing = wasProbing }
        try body()
    }

    /// The name of another file, which SQLite opens by the VFS of this connection.
    private func fileName(of location: DatabaseLocation) -> String { location.name(isGiven: configuration.vfs != nil) }
}
