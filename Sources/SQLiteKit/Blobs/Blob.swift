internal import CSystemSQLite
public import Foundation

/// The bytes of one BLOB or TEXT in a table, read and written in place, piece by piece.
///
/// ```swift
/// try queue.write { db in
///     // room for the bytes
///     try db.execute("INSERT INTO film (data) VALUES (zeroblob(?))", [size])
///     let blob = try db.openBlob(
///         table: "film", column: "data", rowID: db.lastInsertRowID,
///         access: .readWrite)
///     var offset = 0
///     while let piece = try file.read(upToCount: 65_536), !piece.isEmpty {
///         try blob.write(piece, at: offset)
///         offset += piece.count
///     }
///     try blob.close()
/// }
/// ```
///
/// A blob cannot grow or shrink: its length is that of the value in the row. `zeroblob(?)` makes a value of any length
/// without memory for it.
///
/// It belongs to its connection and to the access it was opened in; used later, it throws ``ResultCode/expired``. One
/// that can write ends with the transaction or savepoint around it as well, also with one that began after it: none of
/// them can end while it is open. When another statement changes or deletes its row, or a rollback does, it throws
/// ``ResultCode/abort``.
///
/// See [Open A BLOB For Incremental I/O](https://www.sqlite.org/c3ref/blob_open.html).
public final class Blob {
    /// What may be done with a blob.
    public enum Access: Sendable, Hashable {
        /// Reading.
        case readOnly
        /// Reading and writing. SQLite opens no column so that is part of an index, a primary key, or a foreign key
        /// that is enforced.
        case readWrite
    }

    /// What may be done with the blob.
    public let access: Access
    /// The number of bytes.
    public private(set) var count: Int

    private let connection: Connection
    private let handle: OpaquePointer
    private let resource: Resource
    private var isClosed = false

    fileprivate init(_ handle: OpaquePointer, _ name: String, _ access: Access, _ connection: Connection) {
        self.handle = handle
        self.access = access
        self.connection = connection
        count = Int(sqlite3_blob_bytes(handle))
        // The handle is closed once, here.
        resource = Resource("the blob \(name)", isWriting: access == .readWrite) { sqlite3_blob_close(handle) }
        connection.resources.append(resource)
    }

    deinit {
        // On a thread without the right to it, the connection ends it with its access. What closing returns is the
        // error of a commit; those who write outside a transaction close the blob to see it.
        if connection.isAccessible { try? connection.end(resource) }
    }

    /// Reads bytes.
    ///
    /// - Parameters:
    ///   - offset: The first byte, counted from 0.
    ///   - count: How many bytes; nil reads to the end.
    /// - Throws: ``ResultCode/range`` for bytes that are not there, ``ResultCode/abort`` when the row has changed,
    ///   ``ResultCode/expired`` or ``ResultCode/closed``.
    public func read(offset: Int = 0, count: Int? = nil) throws(SQLiteError) -> Data {
        try checkIsOpen(writes: false)
        let length = count ?? ((0...self.count).contains(offset) ? self.count - offset : 0)
        let start = try checkedOffset(offset, length)
        var data = Data(count: length)
        let code = data.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map { sqlite3_blob_read(handle, $0, Int32(clamping: length), start) } ?? SQLITE_OK
        }
        try check(code)
        return data
    }

    /// Overwrites bytes. The blob keeps its length.
    ///
    /// - Parameters:
    ///   - data: The new bytes.
    ///   - offset: The first byte to overwrite, counted from 0.
    /// - Throws: ``ResultCode/range`` when they reach beyond the end, and nothing is written; ``ResultCode/readOnly``;
    ///   ``ResultCode/abort`` when the row has changed; ``ResultCode/expired`` or ``ResultCode/closed``.
    public func write(_ data: some ContiguousBytes, at offset: Int = 0) throws(SQLiteError) {
        try checkIsOpen(writes: true)
        guard access == .readWrite else {
            throw connection.failure(.readOnly, "\(resource.name) was opened for reading only")
        }
        let length = data.withUnsafeBytes { $0.count }
        let start = try checkedOffset(offset, length)
        connection.recorder?.prepare()
        let code = data.withUnsafeBytes { bytes in
            bytes.baseAddress.map { sqlite3_blob_write(handle, $0, Int32(clamping: length), start) } ?? SQLITE_OK
        }
        try check(code)
    }

    /// Reads the whole blob in pieces, from its beginning.
    ///
    /// - Parameters:
    ///   - size: How many bytes a piece has; the last may have fewer.
    ///   - body: What to do with a piece.
    /// - Throws: What ``read(offset:count:)`` throws, ``ResultCode/range`` for a size below 1, and what `body` throws.
    public func forEachChunk(of size: Int = 65_536, _ body: (Data) throws -> Void) throws {
        guard size > 0 else { throw connection.failure(.range, "a piece of a blob has at least one byte, not \(size)") }
        var offset = 0
        while offset < count {
            let piece = try read(offset: offset, count: min(size, count - offset))
            offset += piece.count
            try body(piece)
        }
    }

    /// Moves to the same column of another row, which costs less than opening another blob.
    ///
    /// - Parameter rowID: The other row.
    /// - Throws: ``ResultCode/error`` when there is no such row, or its value is neither BLOB nor TEXT. The blob can
    ///   then only be closed: further calls throw ``ResultCode/abort``. See
    ///   [sqlite3_blob_reopen](https://www.sqlite.org/c3ref/blob_reopen.html).
    public func reopen(rowID: Int64) throws(SQLiteError) {
        try checkIsOpen(writes: false)
        let code = sqlite3_blob_reopen(handle, rowID)
        count = Int(sqlite3_blob_bytes(handle))
        try check(code)
    }

    /// Closes the blob. Closing a closed one does nothing.
    ///
    /// Outside a transaction, what was written is committed when the blob is closed: this is where that can fail. See
    /// [sqlite3_blob_close](https://www.sqlite.org/c3ref/blob_close.html).
    ///
    /// - Throws: ``SQLiteError`` of the commit; ``ResultCode/expired`` outside the blob's access, which has ended it.
    public func close() throws(SQLiteError) {
        if isClosed { return }
        // One that its access has ended is in the connection's list no more, and others may be using that.
        let isOpen = resource.isOpen
        if isOpen { _ = try connection.accessible() }
        isClosed = true
        if isOpen { try connection.end(resource) }
    }

    private func checkIsOpen(writes: Bool) throws(SQLiteError) {
        guard !isClosed else { throw connection.failure(.closed, "\(resource.name) is closed") }
        try connection.willUse(resource, writes: writes)
    }

    private func checkedOffset(_ offset: Int, _ length: Int) throws(SQLiteError) -> Int32 {
        guard offset >= 0, length >= 0, offset <= count, length <= count - offset else {
            throw connection.failure(
                .range, "\(resource.name) has \(count) bytes; \(length) from byte \(offset) on are not in it")
        }
        return Int32(clamping: offset)
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard ResultCode(rawValue: code).primary == .abort else { return try connection.check(code) }
        throw connection.failure(
            ResultCode(rawValue: code),
            "\(resource.name) can no longer be used: its row was changed or deleted, by a rollback perhaps, "
                + "or going to another row failed")
    }
}

@available(*, unavailable)
extension Blob: Sendable {}

extension Database {
    /// Opens the BLOB or TEXT in one column of one row, to be read or written piece by piece.
    ///
    /// - Parameters:
    ///   - table: An ordinary table with row identifiers; no view, no virtual table.
    ///   - column: The column.
    ///   - rowID: The row.
    ///   - database: `main`, `temp`, or the name of an attached database.
    ///   - access: Whether the blob will be written.
    /// - Throws: ``ResultCode/error``, with SQLite's words, when there is no such table, column or row, or the value is
    ///   NULL or a number, for a virtual generated column and one after it, of which SQLite would open a neighbour, and
    ///   for a blob to be written in a table that computes columns, or whose partial indexes name the column: they would
    ///   keep what was; ``ResultCode/readOnly`` for a blob to be written in a read. Newer releases of SQLite, such as
    ///   3.53, open no blob of a table that has generated columns.
    public func openBlob(
        table: String, column: String, rowID: Int64, database: String = "main", access: Blob.Access = .readOnly
    ) throws(SQLiteError) -> Blob {
        let db = try connection.accessible()
        let name = "\(database).\(table).\(column)"
        try connection.checkText(name)
        try connection.willUse(nil, writes: access == .readWrite)
        if access == .readWrite { connection.recorder?.prepare() }
        try checkPlace(of: column, in: table, database, name)
        if access == .readWrite { try checkDependents(of: column, in: table, database, name) }
        var handle: OpaquePointer?
        try connection.check(
            sqlite3_blob_open(db, database, table, column, rowID, access == .readWrite ? 1 : 0, &handle))
        guard let handle else { throw connection.failure(.internal, "SQLite opened no blob \(name)") }
        return Blob(handle, name, access, connection)
    }

    /// SQLite counts a blob's column among those of the table, and looks for it among those that are stored: of a
    /// virtual generated column, and after it, it opens the next one.
    private func checkPlace(
        of column: String, in table: String, _ database: String, _ name: String
    ) throws(SQLiteError) {
        let isShifted = try scalar(
            """
            SELECT count(*) > 0 FROM pragma_table_xinfo(\(table), \(database)) AS before,
            pragma_table_xinfo(\(table), \(database)) AS this
            WHERE before.hidden = 2 AND before.cid <= this.cid AND this.name = \(column) COLLATE NOCASE
            """, as: Bool.self)
        guard isShifted != true else {
            throw connection.failure(
                .error,
                "no blob of \(name) can be opened: it is a virtual generated column, or follows one, where SQLite opens "
                    + "another column in its place; SELECT reads the value whole")
        }
    }

    /// SQLite rejects a blob that an index has, but doesn't look at what is computed from it.
    private func checkDependents(
        of column: String, in table: String, _ database: String, _ name: String
    ) throws(SQLiteError) {
        let hasDependents = try scalar(
            """
            SELECT EXISTS (SELECT 1 FROM pragma_table_xinfo(\(table), \(database)) WHERE hidden IN (2, 3)) OR EXISTS (
            SELECT 1 FROM pragma_index_list(\(table), \(database)) AS list
            JOIN \(identifier: database).sqlite_schema AS item ON item.name = list.name
            WHERE list.partial AND instr(lower(item.sql), lower(\(column))) > 0)
            """, as: Bool.self)
        guard hasDependents != true else {
            throw connection.failure(
                .error,
                "no blob of \(name) can be written: a generated column or a partial index may depend on it, and would "
                    + "keep what was; UPDATE writes the value whole")
        }
    }
}
