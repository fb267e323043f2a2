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
    guard let code = (error as? SQLiteError)?.extendedCode, code.rawValue > 0,
        // These aren't errors to SQLite: success, a row, or a reason to try again.
        ![.ok, .row, .done, .schema].contains(code.primary)
    else { return }
    sqlite3_result_error_code(context, code.rawValue)
}
