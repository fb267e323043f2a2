import Foundation
import SQLiteKit
import Testing

private let sampleValues: [SQLiteValue] = [
    .null, .integer(.min), .integer(0), .integer(.max), .real(0.1), .real(1e300), .real(-.infinity),
    .text(""), .text("it's"), .text("a\0b"), .text("'\u{301}"), .text("\u{1F600}"), .blob(Data()),
    .blob(Data([0, 0xCA, 0xFE])),
]

@Suite("SQLiteValue")
struct SQLiteValueTests {
    // K4
    @Test("every value is read back as it was bound", arguments: sampleValues)
    func roundTrips(_ value: SQLiteValue) throws {
        #expect(try roundTrip(value) == value)
    }

    // K42
    @Test("the description is a literal that SQLite reads as the same value", arguments: sampleValues)
    func literal(_ value: SQLiteValue) throws {
        #expect(try read(value.description, as: SQLiteValue.self) == value)
    }

    // K4
    @Test("the storage class is the one SQLite reports", arguments: sampleValues)
    func storageClass(_ value: SQLiteValue) throws {
        let name = try memory().scalar("SELECT upper(typeof(?))", [value], as: String.self)
        #expect(name == value.storageClass.description)
    }

    // K4
    @Test("texts are equal by their bytes")
    func textEquality() {
        #expect(SQLiteValue.text("\u{E9}") != .text("e\u{301}"))
        #expect(Set([SQLiteValue.text("\u{E9}"), .text("e\u{301}"), .text("\u{E9}")]).count == 2)
    }

    // K4
    @Test("values of different storage classes are never equal")
    func classEquality() {
        #expect(SQLiteValue.integer(1) != .real(1))
        #expect(SQLiteValue.text("a") != .blob(Data("a".utf8)))
        #expect(SQLiteValue.null != .text(""))
    }

    // K4
    @Test("reals are equal by their bits")
    func realEquality() {
        #expect(SQLiteValue.real(0) != .real(-0.0))
        #expect(SQLiteValue.real(.nan) == .real(.nan))
    }

    // K4
    @Test("literals make values")
    func literals() {
        #expect((nil as SQLiteValue).isNull)
        #expect(1 as SQLiteValue == .integer(1))
        #expect(1.5 as SQLiteValue == .real(1.5))
        #expect("x" as SQLiteValue == .text("x"))
        #expect(true as SQLiteValue == .integer(1))
    }

    // K4
    @Test("NaN is written as NULL, which is what SQLite stores")
    func nan() {
        #expect(SQLiteValue.real(.nan).description == "NULL")
    }

    // K4
    @Test("a mismatch does not repeat texts and blobs")
    func mismatch() {
        #expect(SQLiteValue.text("secret").mismatch(Int.self).message == "a stored TEXT of 6 bytes isn't a valid Int")
        #expect(
            SQLiteValue.blob(Data([1, 2])).mismatch(Int.self).message == "a stored BLOB of 2 bytes isn't a valid Int")
        #expect(SQLiteValue.null.mismatch(Int.self).message == "a stored NULL isn't a valid Int")
    }
}
