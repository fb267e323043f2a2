import Foundation
import SQLiteKit
import Testing

let dateForms: [DateStorage] = [
    .unixSeconds, .unixMilliseconds, .unixMicroseconds, .microsecondsSince1601, .iso8601, .julianDay, .referenceDate,
]

@Suite("Dates as stored")
struct DateStorageTests {
    // 2024-02-29T23:59:59.25Z
    private let leapDay = Date(timeIntervalSince1970: 1_709_251_199.25)

    // K4, FMDB: dates
    @Test("a date is stored as seconds since 1970 unless something else is asked for")
    func byDefault() throws {
        #expect(try leapDay.sqliteValue() == .real(1_709_251_199.25))
        #expect(try roundTrip(leapDay) == leapDay)
        #expect(try memory().scalar("SELECT typeof(?)", [Date(timeIntervalSince1970: 5)], as: String.self) == "real")
    }

    // K4, FMDB: dates
    @Test("each form has its value")
    func forms() throws {
        #expect(try DateStorage.unixSeconds.value(for: leapDay) == .real(1_709_251_199.25))
        #expect(try DateStorage.unixMilliseconds.value(for: leapDay) == .integer(1_709_251_199_250))
        #expect(try DateStorage.iso8601.value(for: leapDay) == .text("2024-02-29T23:59:59.250000Z"))
        #expect(try DateStorage.referenceDate.value(for: leapDay) == .real(730_943_999.25))
        #expect(try DateStorage.unixMicroseconds.value(for: leapDay) == .integer(1_709_251_199_250_000))
        // What Chromium has for this moment.
        #expect(try DateStorage.microsecondsSince1601.value(for: leapDay) == .integer(13_353_724_799_250_000))
        #expect(try DateStorage.iso8601Milliseconds.value(for: leapDay) == .text("2024-02-29T23:59:59.250Z"))
        #expect(try DateStorage.pythonDateTime.value(for: leapDay) == .text("2024-02-29 23:59:59.250000"))
        #expect(try DateStorage.pythonDateTime.value(for: leapDay - 0.25) == .text("2024-02-29 23:59:59"))
        #expect(try DateStorage.julianDay.value(for: Date(timeIntervalSince1970: 43_200)) == .real(2_440_588))
    }

    // K4, FMDB: dates
    @Test(
        "A text in milliseconds is written again as it was read, however far it is from 1970",
        arguments: [
            "3062-12-01T07:31:57.629Z", "9999-12-31T23:59:59.999Z", "0001-01-01T00:00:00.001Z",
        ])
    func milliseconds(text: String) throws {
        let date = try DateStorage.iso8601Milliseconds.date(from: .text(text))
        #expect(try DateStorage.iso8601Milliseconds.value(for: date) == .text(text))
    }

    @Test("each form names the column type it needs")
    func columnTypes() {
        #expect(DateStorage.unixSeconds.columnType == .real)
        #expect(DateStorage.unixMilliseconds.columnType == .integer)
        #expect(DateStorage.iso8601.columnType == .text)
        #expect(DateStorage.julianDay.columnType == .real)
        #expect(DateStorage.referenceDate.columnType == .real)
        #expect(Date.columnType == .real)
    }

    // K4, FMDB: dates
    @Test("dates before 1970 are read back", arguments: dateForms)
    func before1970(_ form: DateStorage) throws {
        // 1901-12-13T20:45:51.5Z
        let date = Date(timeIntervalSince1970: -2_147_483_648.5)
        let stored = try form.date(from: form.value(for: date))
        #expect(abs(stored.timeIntervalSince(date)) < 0.001)
    }

    // K4, FMDB: dates
    @Test("fractions of seconds are read back", arguments: dateForms)
    func fractions(_ form: DateStorage) throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000.125)
        let stored = try form.date(from: form.value(for: date))
        #expect(abs(stored.timeIntervalSince(date)) < 0.0001)
    }

    // K4, FMDB: dates
    @Test("dates after 9999 are read back, save as text", arguments: dateForms)
    func after9999(_ form: DateStorage) throws {
        let date = Date(timeIntervalSince1970: 300_000_000_000)
        if form == .iso8601 {
            #expect(failure { try form.value(for: date) }?.extendedCode == .typeMismatch)
        } else {
            let stored = try form.date(from: form.value(for: date))
            #expect(abs(stored.timeIntervalSince(date)) < 0.01)
        }
    }

    // K4, FMDB: dates
    @Test("as text the years 0 to 9999 can be stored, and no others")
    func textYears() throws {
        let first = -62_167_219_200.0
        let last = 253_402_300_799.0
        #expect(
            try DateStorage.iso8601.value(for: Date(timeIntervalSince1970: first))
                == .text("0000-01-01T00:00:00.000000Z"))
        #expect(
            try DateStorage.iso8601.value(for: Date(timeIntervalSince1970: last))
                == .text("9999-12-31T23:59:59.000000Z"))
        for outside in [first - 1, last + 1] {
            let date = Date(timeIntervalSince1970: outside)
            #expect(failure { try DateStorage.iso8601.value(for: date) }?.extendedCode == .typeMismatch)
        }
    }

    // K4, FMDB: dates
    @Test("the microsecond before 1970 has its text")
    func justBefore1970() throws {
        let date = Date(timeIntervalSince1970: -0.000001)
        #expect(try DateStorage.iso8601.value(for: date) == .text("1969-12-31T23:59:59.999999Z"))
    }

    // K4, FMDB: dates
    @Test("milliseconds are rounded to the nearest", arguments: [(0.0014, 1), (0.0016, 2), (-0.0016, -2)])
    func milliseconds(_ seconds: Double, _ expected: Int64) throws {
        #expect(try DateStorage.unixMilliseconds.value(for: Date(timeIntervalSince1970: seconds)) == .integer(expected))
    }

    // K4, FMDB: dates
    @Test("a date that is not finite is rejected in every form", arguments: dateForms)
    func notFinite(_ form: DateStorage) {
        for seconds in [Double.infinity, -.infinity, .nan] {
            let date = Date(timeIntervalSince1970: seconds)
            #expect(failure { try form.value(for: date) }?.extendedCode == .typeMismatch)
        }
    }

    // K4, FMDB: dates
    @Test("a date that is not finite is not bound")
    func notFiniteBound() throws {
        let db = try memory()
        let date = Date(timeIntervalSince1970: .infinity)
        #expect(failure { try db.execute("SELECT ?", [date]) }?.extendedCode == .typeMismatch)
    }

    // K4, FMDB: dates
    @Test("milliseconds beyond Int64 are rejected")
    func millisecondsBeyond() {
        let date = Date(timeIntervalSince1970: 1e17)
        #expect(failure { try DateStorage.unixMilliseconds.value(for: date) }?.extendedCode == .typeMismatch)
    }

    // K4, FMDB: dates
    @Test("a reference date keeps every bit")
    func referenceBits() throws {
        let date = Date(timeIntervalSinceReferenceDate: 0.1 + 0.2)
        #expect(try DateStorage.referenceDate.date(from: DateStorage.referenceDate.value(for: date)) == date)
    }

    // K4, FMDB: dates
    @Test("SQLite's date functions read text and Julian days as they are")
    func sqliteReads() throws {
        let db = try memory()
        let text = try DateStorage.iso8601.value(for: leapDay)
        let julian = try DateStorage.julianDay.value(for: leapDay)
        #expect(try db.scalar("SELECT datetime(?)", [text], as: String.self) == "2024-02-29 23:59:59")
        #expect(try db.scalar("SELECT datetime(?)", [julian], as: String.self) == "2024-02-29 23:59:59")
        #expect(try db.scalar("SELECT datetime(?, 'unixepoch')", [leapDay], as: String.self) == "2024-02-29 23:59:59")
    }

    // K4, FMDB: dates
    @Test("a date is read from an integer of seconds")
    func integerSeconds() throws {
        #expect(try read("-1", as: Date.self) == Date(timeIntervalSince1970: -1))
    }

    // K4, FMDB: dates
    @Test("a number is taken in the unit of its form, whether integer or real", arguments: dateForms)
    func units(_ form: DateStorage) throws {
        #expect(try form.date(from: .integer(2)) == form.date(from: .real(2)))
    }

    // K4, FMDB: dates
    @Test("NULL and blobs aren't a date", arguments: [SQLiteValue.null, .blob(Data([1]))])
    func mismatch(_ value: SQLiteValue) {
        #expect(failure { try DateStorage.unixSeconds.date(from: value) }?.extendedCode == .typeMismatch)
    }

    // K4, FMDB: dates, Settled 17
    @Test(
        "the forms that other programs write as text",
        arguments: [
            (DateStorage.dateTime, "2024-02-29 23:59:59"), (.fractionalDateTime, "2024-02-29 23:59:59.250000"),
            (.date, "2024-02-29"),
        ])
    func texts(_ form: DateStorage, _ text: String) throws {
        #expect(try form.value(for: leapDay) == .text(text))
        #expect(form.columnType == .text)
        #expect(
            failure { try form.value(for: Date(timeIntervalSince1970: 300_000_000_000)) }?.extendedCode == .typeMismatch
        )
    }

    // K4, Settled 17
    @Test("a text form leaves out what it has no place for, before 1970 too, and the noise of a floating point number")
    func truncated() throws {
        #expect(try DateStorage.dateTime.value(for: Date(timeIntervalSince1970: -0.5)) == "1969-12-31 23:59:59")
        #expect(try DateStorage.date.value(for: Date(timeIntervalSince1970: -0.5)) == "1969-12-31")
        #expect(try DateStorage.dateTime.value(for: Date(timeIntervalSince1970: 59.999_999_9)) == "1970-01-01 00:01:00")
    }

    // K4, Settled 17
    @Test("SQLite's functions write and read the text forms")
    func sqliteWrites() throws {
        let db = try memory()
        for (form, function) in [(DateStorage.dateTime, "datetime"), (.date, "date")] {
            let text = try #require(
                try db.scalar(SQL("SELECT \(function)(1709251199, 'unixepoch')" as String), as: String.self))
            #expect(try form.value(for: Date(timeIntervalSince1970: 1_709_251_199)) == .text(text))
        }
        let text = try DateStorage.fractionalDateTime.value(for: leapDay)
        #expect(try db.scalar("SELECT datetime(?)", [text], as: String.self) == "2024-02-29 23:59:59")
    }

    // K4, Settled 17
    @Test("values of one text form are in the order of their dates")
    func order() throws {
        var generator = SystemRandomNumberGenerator()
        for form in [DateStorage.iso8601, .dateTime, .fractionalDateTime, .date] {
            let dates = (0..<200).map { _ in Date(timeIntervalSince1970: .random(in: -6e10...2.5e11, using: &generator))
            }
            let texts = try dates.sorted().map { try String(sqliteValue: form.value(for: $0)) }
            #expect(texts == texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
        }
    }

    // K4, Settled 17
    @Test("the text that a column makes of a number is that number")
    func numberAsText() throws {
        let db = try memory()
        try db.execute("CREATE TABLE t (a TEXT)")
        for seconds in [1_700_000_000.0, -1, 0.5, 1e15] {
            try db.execute("DELETE FROM t")
            try db.execute("INSERT INTO t VALUES (\(seconds))")
            #expect(try db.scalar("SELECT a FROM t", as: Date.self) == Date(timeIntervalSince1970: seconds))
        }
        #expect(
            try DateStorage.unixMilliseconds.date(from: "1700000000250")
                == Date(timeIntervalSince1970: 1_700_000_000.25))
        #expect(failure { try DateStorage.unixSeconds.date(from: "20240229") }?.extendedCode == .typeMismatch)
        // Swift's spelling of a REAL may have an exponent and no point.
        #expect(try DateStorage.unixSeconds.date(from: "1e+24") == Date(timeIntervalSince1970: 1e24))
        #expect(try DateStorage.referenceDate.date(from: "-1E16") == Date(timeIntervalSinceReferenceDate: -1e16))
    }

    // K4, Settled 28
    @Test("microseconds are read back to the last", arguments: [DateStorage.unixMicroseconds, .microsecondsSince1601])
    func microseconds(_ form: DateStorage) throws {
        let start: Int64 = form == .unixMicroseconds ? 0 : 11_644_473_600_000_000
        for count in [0, 1, -1, 1_709_251_199_123_457, 4_000_000_000_999_999, -2_147_483_648_500_001] as [Int64] {
            let value = SQLiteValue.integer(count + start)
            #expect(try form.value(for: form.date(from: value)) == value)
            #expect(try form.date(from: .text("\(count + start)")) == form.date(from: value))
        }
        #expect(try form.date(from: 0) == Date(timeIntervalSince1970: form == .unixMicroseconds ? 0 : -11_644_473_600))
        let far = Date(timeIntervalSince1970: 1e13)
        #expect(failure { try form.value(for: far) }?.extendedCode == .typeMismatch)
    }

    // K4, Settled 28
    @Test(
        "texts of a form are in the order of their dates",
        arguments: DateStorage.allCases.filter { $0.columnType == .text })
    func order(_ form: DateStorage) throws {
        let dates = [-1e9, -0.5, 0, 0.25, 1, 1.000001, 59.999999, 60, 86_400, 1_709_251_199.25, 2e9].map {
            Date(timeIntervalSince1970: $0)
        }
        let texts = try dates.map { try String(sqliteValue: form.value(for: $0)) }
        #expect(texts == texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    }

    // K29, Settled 17
    @Test("SQL converts any stored date to a form")
    func function() throws {
        let db = try memory()
        for (sql, wanted) in [
            ("sqlitekit_date('2024-02-29 23:59:59.25', 'unixSeconds')", SQLiteValue.real(1_709_251_199.25)),
            ("sqlitekit_date(1709251199.25, 'dateTime')", "2024-02-29 23:59:59"),
            ("sqlitekit_date('2024-02-29T23:59:59+01:00', 'fractionalDateTime')", "2024-02-29 22:59:59.000000"),
            ("sqlitekit_date(5, 'unixMilliseconds')", 5), ("sqlitekit_date('soon', 'date')", .null),
            ("sqlitekit_date(NULL, 'date')", .null), ("sqlitekit_date(x'00', 'date')", .null),
        ] {
            #expect(try db.column(SQL("SELECT \(sql)" as String), as: SQLiteValue.self) == [wanted], "\(sql)")
        }
        #expect(failure { try db.column("SELECT sqlitekit_date(1, 'now')", as: SQLiteValue.self) } != nil)
    }
}
