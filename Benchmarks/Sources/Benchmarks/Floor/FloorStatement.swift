import CBenchmarkSQLite
import Foundation

/// A prepared statement of the floor: two addresses, and each call goes straight to SQLite.
struct FloorStatement {
    let handle: OpaquePointer
    let db: OpaquePointer

    func finalize() {
        // Its result is the error of the last step, which was thrown then.
        sqlite3_finalize(handle)
    }

    @inline(__always)
    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw FloorError(code, db) }
    }

    /// Goes to the next row: false at the end.
    @inline(__always)
    func step() throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw FloorError(code, db)
        }
    }

    @inline(__always)
    func reset() throws {
        try check(sqlite3_reset(handle))
    }

    /// Runs a statement without rows, and makes it ready for the next time.
    @inline(__always)
    func run() throws {
        guard try !step() else { throw FloorError(code: SQLITE_MISUSE, message: "there is a row") }
        try reset()
    }
}

/// Binding, from 1.
extension FloorStatement {
    @inline(__always)
    func bind(_ value: Int64?, _ index: Int32) throws {
        try check(value.map { sqlite3_bind_int64(handle, index, $0) } ?? sqlite3_bind_null(handle, index))
    }

    @inline(__always)
    func bind(_ value: Int?, _ index: Int32) throws {
        try bind(value.map(Int64.init), index)
    }

    @inline(__always)
    func bind(_ value: Double?, _ index: Int32) throws {
        try check(value.map { sqlite3_bind_double(handle, index, $0) } ?? sqlite3_bind_null(handle, index))
    }

    @inline(__always)
    func bind(_ value: Date?, _ index: Int32) throws {
        try bind(value?.timeIntervalSince1970, index)
    }

    @inline(__always)
    func bind(_ value: String?, _ index: Int32) throws {
        guard var value else { return try check(sqlite3_bind_null(handle, index)) }
        try check(
            value.withUTF8 { utf8 in
                utf8.withMemoryRebound(to: CChar.self) {
                    sqlite3_bind_text64(
                        handle, index, $0.baseAddress, UInt64($0.count), csqlite_transient(), UInt8(SQLITE_UTF8))
                }
            })
    }

    @inline(__always)
    func bind(_ value: Data?, _ index: Int32) throws {
        guard let value else { return try check(sqlite3_bind_null(handle, index)) }
        try check(
            value.withUnsafeBytes {
                sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), csqlite_transient())
            })
    }
}

/// Reading columns, from 0. One that may hold NULL is asked for its type.
extension FloorStatement {
    @inline(__always)
    func isNull(_ index: Int32) -> Bool { sqlite3_column_type(handle, index) == SQLITE_NULL }

    @inline(__always)
    func required(_ index: Int32) -> Int { Int(sqlite3_column_int64(handle, index)) }

    @inline(__always)
    func int64(_ index: Int32) -> Int64? { isNull(index) ? nil : sqlite3_column_int64(handle, index) }

    @inline(__always)
    func int(_ index: Int32) -> Int? { isNull(index) ? nil : required(index) }

    @inline(__always)
    func double(_ index: Int32) -> Double? { isNull(index) ? nil : sqlite3_column_double(handle, index) }

    @inline(__always)
    func date(_ index: Int32) -> Date? { double(index).map(Date.init(timeIntervalSince1970:)) }

    @inline(__always)
    func text(_ index: Int32) throws -> String? {
        if isNull(index) { return nil }
        guard let bytes = sqlite3_column_text(handle, index) else { throw FloorError(sqlite3_errcode(db), db) }
        let count = Int(sqlite3_column_bytes(handle, index))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    @inline(__always)
    func data(_ index: Int32) -> Data? {
        if isNull(index) { return nil }
        // No address is an empty blob.
        guard let bytes = sqlite3_column_blob(handle, index) else { return Data() }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(handle, index)))
    }

    /// The date of a text such as `1996-07-04 09:30:00.000`, in UTC.
    @inline(__always)
    func dateText(_ index: Int32) throws -> Date? {
        if isNull(index) { return nil }
        guard let bytes = sqlite3_column_text(handle, index) else { throw FloorError(sqlite3_errcode(db), db) }
        let text = UnsafeBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, index)))
        guard let seconds = secondsSince1970(text) else {
            throw FloorError(code: SQLITE_MISMATCH, message: "\(String(decoding: text, as: UTF8.self)) is no date")
        }
        return Date(timeIntervalSince1970: seconds)
    }
}

/// Reads `1996-07-04 09:30:00.000`, and nothing else.
private func secondsSince1970(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    guard text.count == 23, text[4] == 45, text[7] == 45, text[10] == 32, text[13] == 58, text[16] == 58, text[19] == 46
    else { return nil }
    var isValid = true
    func number(_ places: Range<Int>) -> Int {
        var number = 0
        for place in places {
            let digit = Int(text[place]) - 48
            if digit < 0 || digit > 9 { isValid = false }
            number = number * 10 + digit
        }
        return number
    }
    let (year, month, day) = (number(0..<4), number(5..<7), number(8..<10))
    let seconds = number(11..<13) * 3600 + number(14..<16) * 60 + number(17..<19)
    let milliseconds = number(20..<23)
    guard isValid, (1...12).contains(month), (1...31).contains(day) else { return nil }
    // Days since 1970 of the Gregorian calendar, in years that begin with March.
    let marchYear = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let days = 365 * marchYear + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468
    return Double(days * 86400 + seconds) + Double(milliseconds) / 1000
}
