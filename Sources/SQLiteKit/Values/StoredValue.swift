internal import CSystemSQLite
internal import Foundation

/// A value that SQLite lends: an argument of a function, a column before or after a change.
///
/// It reads as a row of this one column, whatever the index, so that each type's own way of reading a column serves
/// here too. See [Obtaining SQL Values](https://www.sqlite.org/c3ref/value_blob.html).
@usableFromInline
struct StoredValue: ColumnSource {
    let pointer: OpaquePointer?
    let repairsText: Bool

    @usableFromInline var columnCount: Int { 1 }

    @usableFromInline
    func storageClass(at index: Int) -> StorageClass {
        // SQLite reads a missing value as NULL.
        StorageClass(sqlite3_value_type(pointer))
    }

    @usableFromInline
    func int64(at index: Int) -> Int64 { sqlite3_value_int64(pointer) }

    @usableFromInline
    func double(at index: Int) -> Double { sqlite3_value_double(pointer) }

    /// The value as text; a number in SQLite's spelling of it.
    @usableFromInline
    func text(at index: Int) throws(SQLiteError) -> String {
        guard let start = sqlite3_value_text(pointer) else { return "" }
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(pointer)))
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        guard repairsText else {
            throw SQLiteError(.invalidText, "the text is not UTF-8; its bytes can be read as Data")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @usableFromInline
    func withBytes<T>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        // As text, a TEXT is UTF-8 in a database of UTF-16 as well.
        let start =
            sqlite3_value_type(pointer) == SQLITE_TEXT
            ? UnsafeRawPointer(sqlite3_value_text(pointer)) : sqlite3_value_blob(pointer)
        // SQLite has none for a blob that there is no memory for.
        let count = start == nil ? 0 : Int(sqlite3_value_bytes(pointer))
        return try body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// The value as a type; an error says what it was.
    @inlinable
    func read<Value: SQLiteValueConvertible>(
        as type: Value.Type, what: @autoclosure () -> String
    ) throws(SQLiteError) -> Value {
        do {
            return try Value(column: 0, storageClass(at: 0), of: self)
        } catch {
            throw conversionFailure(error, what())
        }
    }

    @usableFromInline
    func conversionFailure(_ error: any Error, _ what: String) -> SQLiteError {
        let code = (error as? SQLiteError)?.extendedCode ?? .typeMismatch
        return SQLiteError(code, "\(what): \(reason(of: error))")
    }
}
