import Foundation
import SQLiteKit
import Testing

@Suite("Integers")
struct IntegerTests {
    // K4
    @Test("Int64 keeps its extremes", arguments: [Int64.min, -1, 0, 1, Int64.max])
    func int64(_ value: Int64) throws {
        #expect(try roundTrip(value) == value)
    }

    // K4
    @Test("every integer width keeps its extremes")
    func widths() throws {
        #expect(try roundTrip(Int.min) == .min)
        #expect(try roundTrip(Int8.min) == .min)
        #expect(try roundTrip(Int16.max) == .max)
        #expect(try roundTrip(Int32.min) == .min)
        #expect(try roundTrip(UInt8.max) == .max)
        #expect(try roundTrip(UInt16.max) == .max)
        #expect(try roundTrip(UInt32.max) == .max)
        #expect(try roundTrip(UInt(Int64.max)) == UInt(Int64.max))
        #expect(try roundTrip(UInt64(Int64.max)) == UInt64(Int64.max))
    }

    // K4
    @Test("an integer is stored as INTEGER")
    func storageClass() throws {
        #expect(try memory().scalar("SELECT typeof(?)", [UInt16(7)], as: String.self) == "integer")
    }

    // K4, FMDB: int narrowing
    @Test("a stored integer that is too large for the type throws")
    func tooLarge() {
        #expect(failure { try read("128", as: Int8.self) }?.extendedCode == .typeMismatch)
        #expect(failure { try read("65536", as: UInt16.self) }?.extendedCode == .typeMismatch)
        #expect(failure { try read("2147483648", as: Int32.self) }?.extendedCode == .typeMismatch)
    }

    // K4, FMDB: UInt64 > Int64.max
    @Test("a negative stored integer isn't an unsigned integer")
    func negative() {
        #expect(failure { try read("-1", as: UInt64.self) }?.extendedCode == .typeMismatch)
        #expect(failure { try read("-1", as: UInt.self) }?.extendedCode == .typeMismatch)
    }

    // K4, FMDB: UInt64 > Int64.max
    @Test("a UInt64 above Int64.max is rejected and named")
    func unsignedBeyond() throws {
        let db = try memory()
        let value = UInt64(Int64.max) + 1
        let error = failure { try db.execute("SELECT ?", [value]) }
        #expect(error?.extendedCode == .typeMismatch)
        #expect(error?.message.contains("9223372036854775808") == true)
        #expect(error?.sql == "SELECT ?")
    }

    // K4, FMDB: UInt64 > Int64.max
    @Test(
        "the bits of a UInt64 are stored as FMDB does where that is asked for",
        arguments: [0, 1 << 63, .max] as [UInt64])
    func bitPattern(_ value: UInt64) throws {
        let db = try memory("CREATE TABLE t (hash INTEGER)")
        try db.execute("INSERT INTO t VALUES (?)", [Int64(bitPattern: value)])
        let row = try db.rows("SELECT hash FROM t")[0]
        #expect(UInt64(bitPattern: try row["hash"]) == value)
    }

    // K4
    @Test("a UInt above Int64.max is rejected as a value too")
    func unsignedValue() {
        #expect(failure { try UInt.max.sqliteValue() }?.extendedCode == .typeMismatch)
    }

    // K4
    @Test("a real without a fraction is read as an integer")
    func wholeReal() throws {
        #expect(try read("3.0", as: Int.self) == 3)
    }

    // K4
    @Test("a real with a fraction isn't an integer")
    func fraction() {
        #expect(failure { try read("3.5", as: Int.self) }?.extendedCode == .typeMismatch)
    }

    // K4
    @Test("a real beyond Int64 isn't an integer", arguments: ["9223372036854775808.0", "-1e300", "9e999"])
    func realBeyond(_ literal: String) {
        #expect(failure { try read(literal, as: Int64.self) }?.extendedCode == .typeMismatch)
    }

    // K4
    @Test("text, blob and NULL aren't integers", arguments: ["'1'", "''", "X'31'", "NULL"])
    func otherClasses(_ literal: String) {
        #expect(failure { try read(literal, as: Int.self) }?.extendedCode == .typeMismatch)
    }

    // K1
    @Test("the error names the column, the value and the type")
    func message() {
        let message = failure { try read("300", as: UInt8.self) }?.message
        #expect(message == "column v: a stored INTEGER 300 isn't a valid UInt8")
    }

    // K1
    @Test("a text that isn't an integer is not repeated in the error")
    func secretText() {
        #expect(failure { try read("'secret'", as: Int.self) }?.message.contains("secret") == false)
    }

    // K4
    @Test("Bool is stored as 1 and 0")
    func boolStored() throws {
        #expect(try quoted(true) == "1")
        #expect(try quoted(false) == "0")
    }

    // K4
    @Test(
        "any number but 0 is true", arguments: [("0", false), ("2", true), ("-1", true), ("0.0", false), ("0.5", true)])
    func boolRead(_ literal: String, _ expected: Bool) throws {
        #expect(try read(literal, as: Bool.self) == expected)
    }

    // K4
    @Test("text and NULL aren't a Bool", arguments: ["'true'", "'1'", "NULL", "X'01'"])
    func boolMismatch(_ literal: String) {
        #expect(failure { try read(literal, as: Bool.self) }?.extendedCode == .typeMismatch)
    }
}
