import Foundation
import SQLiteKit
import Testing

@Suite("Dates from text")
struct DateTextTests {
    // K4, FMDB: dates
    @Test(
        "texts with a date are read",
        arguments: [
            ("1970-01-01", 0),
            ("1970-01-02T00:00", 86_400),
            ("1970-01-01 00:00:01", 1),
            ("1970-01-01t00:00:01z", 1),
            ("1970-01-01T00:00:00.5", 0.5),
            ("1970-01-01T00:00:00,5Z", 0.5),
            ("1970-01-01T00:00:00.123456789Z", 0.123456789),
            ("1970-01-01T00:00:00.123456789012345", 0.123456789012345),
            ("1970-01-01T00:00:00.1234567890123456789", 0.1234567890123456789),
            ("1970-01-01T00:00:00.50000000000000000000", 0.5),
            ("1970-01-01T01:00:00+01:00", 0),
            ("1970-01-01T01:00:00+0100", 0),
            ("1970-01-01T01:00:00+01", 0),
            ("1969-12-31T22:30:00-01:30", 0),
            ("1970-01-01 01:00:00 +01:00", 0),
            ("2024-02-29", 1_709_164_800),
            ("2000-02-29T24:00:00Z", 951_868_800),
            ("1969-12-31T23:59:59.75Z", -0.25),
            ("0000-01-01", -62_167_219_200),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] as [(String, Double)])
    func valid(_ text: String, _ seconds: Double) throws {
        #expect(try DateStorage.iso8601.date(from: .text(text)) == Date(timeIntervalSince1970: seconds))
    }

    // K4, FMDB: dates
    @Test(
        "texts that aren't a date throw",
        arguments: [
            "", " ", "now", "12:00", "2024", "2024-02", "2024-2-9", "24-02-29", "2023-02-29", "1900-02-29",
            "2024-02-30", "2024-04-31", "2024-00-10", "2024-13-01", "2024-01-00", "2024-01-32", "2024-01-01T",
            "2024-01-01T1", "2024-01-01T12", "2024-01-01T25:00", "2024-01-01T24:01", "2024-01-01T12:60",
            "2024-01-01T12:00:61", "2024-01-01T12:00:00.", "2024-01-01T12:00:00+", "2024-01-01T12:00:00+1",
            "2024-01-01T12:00:00+01:", "2024-01-01T12:00:00+01:0", "2024-01-01T12:00:00+01:60",
            "2024-01-01T12:00:00ZZ", "2024-01-01T12:00:00 UTC", "2024-01-01x", " 2024-01-01", "2024-01-01\0",
            "-001-01-01", "+2024-01-01", "20240101", "２０２４-01-01", "1709164800", "2024/01/01",
        ])
    func invalid(_ text: String) {
        #expect(failure { try DateStorage.iso8601.date(from: .text(text)) }?.extendedCode == .typeMismatch)
    }

    // K4, FMDB: dates
    @Test("a text in a date column is read whatever form the column has")
    func textInAnyForm() throws {
        for form in dateForms {
            #expect(try form.date(from: .text("1970-01-01T00:00:10Z")) == Date(timeIntervalSince1970: 10))
        }
        #expect(try read("'1970-01-01 00:00:10'", as: Date.self) == Date(timeIntervalSince1970: 10))
    }

    // K4, FMDB: dates
    @Test("what SQLite writes as date and time is read")
    func sqliteText() throws {
        #expect(try read("datetime(1709251199, 'unixepoch')", as: Date.self).timeIntervalSince1970 == 1_709_251_199)
        #expect(try read("date(1709251199, 'unixepoch')", as: Date.self).timeIntervalSince1970 == 1_709_164_800)
    }

    // K4, FMDB: dates
    @Test("the error for a text that isn't a date does not repeat it")
    func notRepeated() {
        #expect(failure { try read("'secret'", as: Date.self) }?.message.contains("secret") == false)
    }
}
