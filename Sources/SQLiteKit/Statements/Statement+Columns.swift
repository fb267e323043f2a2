internal import CSystemSQLite
internal import Foundation

/// Reading the row that the statement stands on, by the index of its column, counted from 0.
///
/// These are SQLite's own readers: what they return is defined after a ``step()`` that returned true. See
/// [Result Values From A Query](https://www.sqlite.org/c3ref/column_blob.html).
extension Statement: ColumnSource {
    /// The number of columns; 0 for a statement that returns no rows.
    public var columnCount: Int { isBusy ? preparedColumnCount : columns.names.count }

    /// The number of columns as the statement was last prepared: after a change of the schema SQLite prepares it again
    /// when it begins.
    var preparedColumnCount: Int { Int(sqlite3_column_count(handle)) }

    /// The storage class of the value; NULL for an index that is not there.
    public func storageClass(at index: Int) -> StorageClass {
        StorageClass(sqlite3_column_type(handle, Int32(clamping: index)))
    }

    /// The value as an integer.
    public func int64(at index: Int) -> Int64 {
        sqlite3_column_int64(handle, Int32(clamping: index))
    }

    /// The value as a floating-point number.
    public func double(at index: Int) -> Double {
        sqlite3_column_double(handle, Int32(clamping: index))
    }

    /// The value as text.
    ///
    /// - Throws: ``ResultCode/invalidText`` when its bytes are not UTF-8 and ``DatabaseConfiguration/invalidText`` does
    ///   not say to repair them.
    public func text(at index: Int) throws(SQLiteError) -> String {
        let column = Int32(clamping: index)
        guard let start = sqlite3_column_text(handle, column) else { return try missingText(at: index) }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
        if let text = String(valid: bytes) { return text }
        return try invalidText(String(decoding: bytes, as: UTF8.self), at: index)
    }

    private func invalidText(_ repaired: String, at index: Int) throws(SQLiteError) -> String {
        guard !connection.repairsText else { return repaired }
        throw connection.failure(
            .invalidText, "the text in column \(columnNames[index]) is not UTF-8; its bytes can be read as Data",
            sql: sql)
    }

    /// SQLite returns no text for NULL, and when it has no memory for one.
    private func missingText(at index: Int) throws(SQLiteError) -> String {
        if storageClass(at: index) != .null { try connection.check(SQLITE_NOMEM, sql: sql) }
        return ""
    }

    /// Calls `body` with the bytes of a TEXT or BLOB; they are gone when it returns.
    public func withBytes<T>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        let column = Int32(clamping: index)
        // As text, a TEXT is UTF-8 in a database of UTF-16 as well.
        let start =
            sqlite3_column_type(handle, column) == SQLITE_TEXT
            ? UnsafeRawPointer(sqlite3_column_text(handle, column)) : sqlite3_column_blob(handle, column)
        // SQLite has none for a blob that there is no memory for.
        let count = start == nil ? 0 : Int(sqlite3_column_bytes(handle, column))
        return try body(UnsafeRawBufferPointer(start: start, count: count))
    }
}
