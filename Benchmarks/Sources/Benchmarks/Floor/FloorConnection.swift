import CBenchmarkSQLite

/// The floor: sqlite3 called from Swift as a careful person writes it for one program. Every return code is checked,
/// and an error has SQLite's message.
///
/// `@unchecked Sendable`, since a connection may go to the thread that is to use it: one alone does.
final class FloorConnection: @unchecked Sendable {
    let handle: OpaquePointer

    /// Opens a database with what the libraries set, too: foreign keys, and 5 s of patience.
    init(_ path: String = ":memory:", readOnly: Bool = false) throws {
        let mode = readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw FloorError(code: code, message: "cannot open \(path)")
        }
        self.handle = handle
        try check(sqlite3_busy_timeout(handle, 5000))
        try execute("PRAGMA foreign_keys = 1")
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    @inline(__always)
    func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw FloorError(code, handle) }
    }

    func execute(_ sql: String) throws {
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    /// Prepares a statement, which the caller finalizes.
    func prepare(_ sql: String) throws -> FloorStatement {
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
        guard let statement else { throw FloorError(code: SQLITE_ERROR, message: "there is no statement") }
        return FloorStatement(handle: statement, db: handle)
    }

    @inline(__always)
    var lastInsertRowID: Int64 { sqlite3_last_insert_rowid(handle) }

    @inline(__always)
    var changes: Int { Int(sqlite3_changes64(handle)) }

    /// Runs `body` in a transaction.
    @inline(__always)
    func transaction<T>(_ body: () throws -> T) throws -> T {
        try execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            if sqlite3_get_autocommit(handle) == 0 { try execute("ROLLBACK") }
            throw error
        }
    }
}

struct FloorError: Error, CustomStringConvertible {
    let code: Int32
    let message: String

    init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    init(_ code: Int32, _ db: OpaquePointer) {
        self.init(code: code, message: sqlite3_errmsg(db).map { String(cString: $0) } ?? "")
    }

    var isBusy: Bool { code & 0xFF == SQLITE_BUSY }

    var description: String { "SQLite \(code): \(message)" }
}
