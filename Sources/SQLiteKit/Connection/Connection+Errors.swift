internal import CSystemSQLite

/// Errors.
extension Connection {
    /// The one place where a result code becomes an error.
    @inline(__always)
    func check(_ code: Int32, sql: @autoclosure () -> String? = nil) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw failure(code, sql: sql()) }
    }

    /// The error for a result code that a call on this connection has just returned.
    func failure(_ code: Int32, sql: String?) -> SQLiteError {
        guard let handle else { return failure(.closed, "the database is closed", sql: sql) }
        if isWaitCalledOff {
            isWaitCalledOff = false
            if ResultCode(rawValue: code).primary == .busy {
                hasCommitBegun = false
                return cancelled(sql: sql)
            }
        }
        if code == ResultCode.constraintCommitHook.rawValue, rejectsCommits {
            hasCommitBegun = false
            return failure(
                .transactionEnded,
                "SQL text can't commit a closure's transaction, which has been rolled back: return from the closure "
                    + "to commit it", sql: sql)
        }
        let isLast = sqlite3_extended_errcode(handle) == code
        let message = isLast ? sqlite3_errmsg(handle) : sqlite3_errstr(code)
        let text = takeErrorMessage(code) ?? message.map { String(cString: $0) } ?? "code \(code)"
        let offset = isLast && sql != nil ? sqlite3_error_offset_if_available(handle) : -1
        return SQLiteError(
            ResultCode(rawValue: code), text + Self.remedy(text), sql: sql, offset: offset < 0 ? nil : Int(offset),
            path: path, outcome: outcome(of: code))
    }

    /// What to do about a connection that lacks what its program was to add.
    private static func remedy(_ message: String) -> String {
        message.hasPrefix("no such tokenizer: ")
            ? ": add it to each connection by addTokenizer, in the configuration's prepare" : ""
    }

    /// An error that SQLiteKit found.
    func failure(_ code: ResultCode, _ message: String, sql: String? = nil) -> SQLiteError {
        SQLiteError(code, message, sql: sql, path: path)
    }
}
