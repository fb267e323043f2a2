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
    /// - Parameters:
    ///   - location: Where the database lives.
    ///   - name: What SQL calls it: any name that is not taken, `main` and `temp` are.
    /// - Throws: ``SQLiteError``.
    public func attach(_ location: DatabaseLocation, as name: String) throws(SQLiteError) {
        try connection.checkText(location.name + name)
        try execute("ATTACH \(location.name) AS \(name)")
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
    /// - Throws: ``SQLiteError``.
    public func vacuum(into location: DatabaseLocation, from database: String = "main") throws(SQLiteError) {
        try connection.checkText(location.name)
        try execute("VACUUM \(identifier: database) INTO \(location.name)")
    }
}
