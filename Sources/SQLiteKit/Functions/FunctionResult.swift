internal import CSystemSQLite
internal import Foundation

/// Makes what `body` returns the result of the SQL function that is being called, or what it throws its error.
///
/// See [Setting The Result Of An SQL Function](https://www.sqlite.org/c3ref/result_blob.html).
func setResult(_ context: OpaquePointer?, _ body: () throws -> (any SQLiteValueConvertible)?) {
    do {
        switch try body()?.sqliteValue() ?? .null {
        case .null: sqlite3_result_null(context)
        case .integer(let value): sqlite3_result_int64(context, value)
        case .real(let value): sqlite3_result_double(context, value)
        case .text(var text):
            text.withUTF8 { utf8 in
                utf8.withMemoryRebound(to: CChar.self) { bytes in
                    sqlite3_result_text64(
                        context, bytes.baseAddress ?? csqlite_empty(), UInt64(bytes.count), csqlite_transient(),
                        UInt8(SQLITE_UTF8))
                }
            }
        case .blob(let data):
            data.withUnsafeBytes { bytes in
                sqlite3_result_blob64(
                    context, bytes.baseAddress ?? UnsafeRawPointer(csqlite_empty()), UInt64(bytes.count),
                    csqlite_transient())
            }
        }
    } catch {
        setError(context, error)
    }
}

/// Makes the call fail with the error's message, and with its code when it is SQLite's.
func setError(_ context: OpaquePointer?, _ error: any Error) {
    var message = reason(of: error)
    message.withUTF8 { utf8 in
        utf8.withMemoryRebound(to: CChar.self) { bytes in
            sqlite3_result_error(context, bytes.baseAddress ?? csqlite_empty(), Int32(clamping: bytes.count))
        }
    }
    if let code = failureCode(of: error) { sqlite3_result_error_code(context, code) }
}

/// The code of an error that is SQLite's.
func failureCode(of error: any Error) -> Int32? {
    guard let code = (error as? SQLiteError)?.extendedCode, code.rawValue > 0,
        // These aren't errors to SQLite: success, a row, or a reason to try again.
        ![.ok, .row, .done, .schema].contains(code.primary)
    else { return nil }
    return code.rawValue
}

/// A text in memory of SQLite's, which frees it; nil without memory.
func sqliteCopy(of text: String) -> UnsafeMutablePointer<CChar>? {
    var text = text
    return text.withUTF8 { bytes in
        guard let copy = sqlite3_malloc64(UInt64(bytes.count + 1)) else { return nil }
        let buffer = UnsafeMutableRawBufferPointer(start: copy, count: bytes.count + 1)
        buffer.copyBytes(from: bytes)
        buffer[bytes.count] = 0
        return copy.assumingMemoryBound(to: CChar.self)
    }
}
