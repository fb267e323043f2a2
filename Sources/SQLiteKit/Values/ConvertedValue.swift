internal import CSystemSQLite
internal import Foundation

/// A value that is read as a storage class, whatever its own.
///
/// It converts what was read by the value's own class: a conversion by SQLite would change the value where it stands,
/// which others may be reading.
protocol ConvertedValue: SQLiteValueConvertible {}

extension ConvertedValue {
    // These are read and never stored.
    func sqliteValue() throws -> SQLiteValue { .null }
    init(sqliteValue: SQLiteValue) throws { throw sqliteValue.mismatch(Self.self) }
}

struct AsText: ConvertedValue {
    let value: String

    init<Source: ColumnSource>(column index: Int, _ storageClass: StorageClass, of source: borrowing Source) throws {
        switch storageClass {
        case .integer: value = "\(source.int64(at: index))"
        case .real: value = SQLiteValue.text(of: source.double(at: index))
        case .text: value = try source.text(at: index)
        case .blob:
            guard let text = source.withBytes(at: index, { String(validating: $0, as: UTF8.self) }) else {
                throw SQLiteError(.invalidText, "a blob isn't UTF-8 text; its bytes can be read as Data")
            }
            value = text
        case .null: value = ""
        }
    }
}

struct AsInteger: ConvertedValue {
    let value: Int64

    init<Source: ColumnSource>(column index: Int, _ storageClass: StorageClass, of source: borrowing Source) throws {
        switch storageClass {
        case .integer: value = source.int64(at: index)
        case .real: value = integer(of: source.double(at: index))
        case .text, .blob: value = source.withBytes(at: index) { integer(of: $0) }
        case .null: value = 0
        }
    }
}

struct AsReal: ConvertedValue {
    let value: Double

    init<Source: ColumnSource>(column index: Int, _ storageClass: StorageClass, of source: borrowing Source) throws {
        switch storageClass {
        case .integer: value = Double(source.int64(at: index))
        case .real: value = source.double(at: index)
        case .text, .blob: value = source.withBytes(at: index) { real(of: $0) }
        case .null: value = 0
        }
    }
}

struct AsBytes: ConvertedValue {
    let value: Data

    init<Source: ColumnSource>(column index: Int, _ storageClass: StorageClass, of source: borrowing Source) throws {
        switch storageClass {
        case .text, .blob: value = source.withBytes(at: index) { Data($0) }
        case .integer, .real, .null: value = Data(try AsText(column: index, storageClass, of: source).value.utf8)
        }
    }
}

struct ItsStorageClass: ConvertedValue {
    let value: StorageClass

    init<Source: ColumnSource>(column index: Int, _ storageClass: StorageClass, of source: borrowing Source) throws {
        value = storageClass
    }
}

extension SQLiteValue {
    /// A floating-point number as SQLite writes it as a text.
    package static func text(of real: Double) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            csqlite_print_real(Int32(buffer.count), start, realDigits, real)
            return String(cString: start)
        }
    }
}

/// How many digits SQLite writes of a floating-point number: 15, and 17 since 3.52.
private let realDigits: Int32 = {
    var (handle, statement): (OpaquePointer?, OpaquePointer?)
    defer {
        sqlite3_finalize(statement)
        sqlite3_close_v2(handle)
    }
    guard sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
        sqlite3_prepare_v2(handle, "SELECT length(CAST(1.0 / 3 AS TEXT)) - 2", -1, &statement, nil) == SQLITE_OK,
        sqlite3_step(statement) == SQLITE_ROW
    else { return 15 }
    return sqlite3_column_int(statement, 0)
}()

/// What is before the point of a number, or the integer next to it that there is.
private func integer(of real: Double) -> Int64 {
    if real <= Double(Int64.min) { return .min }
    if real >= Double(Int64.max) { return .max }
    return real.isNaN ? 0 : Int64(real)
}

/// The integer that a text begins with.
private func integer(of bytes: UnsafeRawBufferPointer) -> Int64 {
    var number = NumberPrefix(bytes)
    let digits = number.takeSignAndDigits()
    guard let value = Int64(digits) else {
        return digits.utf8.contains { isDigit($0) } ? (number.isNegative ? .min : .max) : 0
    }
    return value
}

/// The number that a text begins with.
private func real(of bytes: UnsafeRawBufferPointer) -> Double {
    var number = NumberPrefix(bytes)
    return Double(number.takeNumber()) ?? 0
}

/// The beginning of a text as a number, as SQLite reads it.
private struct NumberPrefix {
    private var rest: UnsafeRawBufferPointer.SubSequence
    private(set) var isNegative = false

    init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes.drop { $0 == 32 || (9...13).contains($0) }
    }

    /// A sign and digits; no digits where there is no number.
    mutating func takeSignAndDigits() -> String {
        if take(UInt8(ascii: "-")) { isNegative = true } else { _ = take(UInt8(ascii: "+")) }
        return (isNegative ? "-" : "") + takeDigits()
    }

    /// A number with fraction and exponent, in Swift's notation.
    mutating func takeNumber() -> String {
        var text = takeSignAndDigits()
        let whole = text.utf8.contains { isDigit($0) }
        if !whole { text += "0" }
        var fraction = ""
        if take(UInt8(ascii: ".")) { fraction = takeDigits() }
        guard whole || !fraction.isEmpty else { return isNegative ? "-0" : "0" }
        if !fraction.isEmpty { text += "." + fraction }
        guard take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) else { return text }
        let isSmall = take(UInt8(ascii: "-"))
        if !isSmall { _ = take(UInt8(ascii: "+")) }
        let exponent = takeDigits()
        return exponent.isEmpty ? text : text + (isSmall ? "e-" : "e") + exponent
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func takeDigits() -> String {
        let digits = rest.prefix { isDigit($0) }
        rest = rest.dropFirst(digits.count)
        return String(decoding: digits, as: UTF8.self)
    }
}

private func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
