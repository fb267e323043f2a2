import Foundation
import SQLiteKit
import Testing

@Suite("Decimal numbers")
struct DecimalTests {
    private func decimal(_ text: String) throws -> Decimal {
        try #require(Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")))
    }

    // K4
    @Test(
        "a Decimal keeps its digits",
        arguments: [
            "0", "0.1", "-0.1", "123456789.987654321", "99999999999999999999999999999999999999",
            "-0.00000000000000000000000000000000000001", "12345678901234567890.123456789012345678",
        ])
    func digits(_ text: String) throws {
        let value = try decimal(text)
        #expect(try roundTrip(value) == value)
        #expect(try quoted(value) == "'\(text)'")
    }

    // K4
    @Test("a Decimal with a large exponent is read back")
    func exponent() throws {
        for text in ["1e100", "-7e-100"] {
            let value = try decimal(text)
            #expect(try roundTrip(value) == value)
        }
    }

    // K4
    @Test(
        "decimal texts, integers and reals are read",
        arguments: [
            ("'1.10'", "1.1"), ("'+5'", "5"), ("'.5'", "0.5"), ("'5.'", "5"), ("'1e3'", "1000"), ("'12E-1'", "1.2"),
            ("9223372036854775807", "9223372036854775807"), ("-9223372036854775808", "-9223372036854775808"),
            ("0.1", "0.1"), ("-1.5", "-1.5"),
        ])
    func reads(_ literal: String, _ expected: String) throws {
        #expect(try read(literal, as: Decimal.self) == decimal(expected))
    }

    // K4
    @Test(
        "what isn't a decimal number throws",
        arguments: [
            "''", "' 1'", "'1 '", "'1,5'", "'1.2.3'", "'abc'", "'1e'", "'e5'", "'.'", "'-'", "'0x10'", "'NaN'", "'１'",
            "9e999", "X'31'", "NULL",
        ])
    func mismatch(_ literal: String) {
        #expect(failure { try read(literal, as: Decimal.self) }?.extendedCode == .typeMismatch)
    }

    // K4
    @Test("a Decimal that is not a number is rejected")
    func nan() throws {
        let db = try memory()
        #expect(failure { try db.execute("SELECT ?", [Decimal.nan]) }?.extendedCode == .typeMismatch)
    }

    // K4
    @Test("a text of more digits than a Decimal holds is rejected, not rounded")
    func tooManyDigits() {
        let digits = String(repeating: "1234567890", count: 5)
        #expect(failure { try read("'\(digits)'", as: Decimal.self) }?.extendedCode == .typeMismatch)
    }

    // K4
    @Test("a text with an exponent that a Decimal has not is rejected")
    func exponentBeyond() {
        #expect(failure { try read("'1e999'", as: Decimal.self) }?.extendedCode == .typeMismatch)
    }

    // K28
    @Test("a column of decimals is ordered as numbers")
    func order() throws {
        let db = try memory("CREATE TABLE t (v TEXT COLLATE DECIMAL)")
        for text in ["10", "9", "-1", "0.5", "100000000000000000000000", "-20", "9.99"] {
            try db.execute("INSERT INTO t VALUES (?)", [decimal(text)])
        }
        let ordered = try db.column("SELECT v FROM t ORDER BY v", as: String.self)
        #expect(ordered == ["-20", "-1", "0.5", "9", "9.99", "10", "100000000000000000000000"])
    }

    // K28
    @Test("equal numbers written differently are equal to the collation")
    func equal() throws {
        let db = try memory()
        #expect(try db.scalar("SELECT '1.0' = '1' COLLATE DECIMAL", as: Bool.self) == true)
        #expect(try db.scalar("SELECT '2' > '10' COLLATE DECIMAL", as: Bool.self) == false)
    }

    // K28
    @Test("what isn't a number comes after the numbers, by its bytes")
    func notNumbers() throws {
        let db = try memory("CREATE TABLE t (v TEXT COLLATE DECIMAL)")
        try db.execute("INSERT INTO t VALUES ('b'), ('1'), (''), ('a'), ('-5'), ('ab')")
        let ordered = try db.column("SELECT v FROM t ORDER BY v", as: String.self)
        #expect(ordered == ["-5", "1", "", "a", "ab", "b"])
    }

    // K28
    @Test("decimals are found by an index of their column")
    func index() throws {
        let db = try memory("CREATE TABLE t (v TEXT COLLATE DECIMAL UNIQUE)")
        try db.execute("INSERT INTO t VALUES (?)", [decimal("1.5")])
        #expect(try db.scalar("SELECT count(*) FROM t WHERE v = '1.50'", as: Int.self) == 1)
        #expect(failure { try db.execute("INSERT INTO t VALUES ('1.50')") }?.isConstraint(.unique) == true)
    }

    // K28
    @Test("numbers of more digits than a Decimal holds are ordered too")
    func manyDigits() throws {
        let db = try memory()
        let small = String(repeating: "1", count: 45) + "1"
        let large = String(repeating: "1", count: 45) + "2"
        #expect(
            try db.scalar("SELECT ? < ? COLLATE DECIMAL", [small, large], as: Bool.self) == true)
    }
}
