import Foundation
import SQLiteKit
import Testing

@Suite("Conversions of a row's values")
struct ConversionTests {
    private func row(_ sql: SQL) throws -> RowSnapshot { try memory().rows(sql)[0] }

    // K6
    @Test("a text that begins with a number converts to it, where row[…] throws")
    func text() throws {
        let row = try row("SELECT ' 12.75 apples' AS x")
        #expect(try row.integer("x") == 12)
        #expect(try row.real("X") == 12.75)
        #expect(failure { try row["x"] as Int }?.extendedCode == .typeMismatch)
    }

    // K6
    @Test("a text without a number is 0")
    func noNumber() throws {
        let row = try row("SELECT 'apples' AS x, '' AS y, '-' AS z, '.' AS p")
        #expect(try [row.integer("x"), row.integer("y"), row.integer("z"), row.integer("p")] == [0, 0, 0, 0])
        #expect(try [row.real(0), row.real(1), row.real(2), row.real(3)] == [0, 0, 0, 0])
    }

    // K6
    @Test("numbers convert to SQLite's text")
    func numbers() throws {
        let row = try row("SELECT 9.5 AS x, 7 AS y, 1e100 AS z, 9e999 AS i")
        #expect(try [row.text("x"), row.text("y"), row.text("z"), row.text("i")] == ["9.5", "7", "1.0e+100", "Inf"])
        #expect(try row.bytes("y") == Data("7".utf8))
    }

    // K6
    @Test("an index does what a name does")
    func byIndex() throws {
        let rows = try memory().query("SELECT '12.75 apples' AS x, 7 AS y")
        let live = try #require(try rows.next())
        for row in [live, try live.snapshot()] as [any RowReading] {
            #expect(try row.integer(0) == 12 && row.real(0) == 12.75)
            #expect(try row.text(1) == "7" && row.bytes(1) == Data("7".utf8))
        }
    }

    // K6
    @Test("what is out of range is the nearest integer")
    func range() throws {
        let row = try row("SELECT 1e19 AS x, '-99999999999999999999' AS y, -9e999 AS z")
        #expect(try row.integer("x") == .max)
        #expect(try row.integer("y") == .min)
        #expect(try row.integer("z") == .min)
    }

    // K6
    @Test("NULL is nil as every class")
    func null() throws {
        let row = try row("SELECT NULL AS x")
        #expect(try row.text("x") == nil)
        #expect(try row.integer("x") == nil)
        #expect(try row.real("x") == nil)
        #expect(try row.bytes("x") == nil)
    }

    // K6
    @Test("an empty text and an empty blob aren't NULL")
    func empty() throws {
        let row = try row("SELECT '' AS x, x'' AS y")
        #expect(try row.text("x") == "" && row.bytes("x") == Data())
        #expect(try row.text("y") == "" && row.bytes("y") == Data())
    }

    // K6
    @Test("NULL and the storage class are asked by name and by index")
    func classes() throws {
        let row = try row("SELECT NULL AS x, 1.5 AS y")
        #expect(try row.isNull("x") && row.isNull(0) && !row.isNull("y") && !row.isNull(1))
        #expect(try row.storageClass("x") == .null && row.storageClass(1) == .real)
    }

    // K6
    @Test("a column that isn't there throws")
    func missing() throws {
        let rows = try memory().query("SELECT 1 AS x")
        let live = try #require(try rows.next())
        for row in [live, try live.snapshot()] as [any RowReading] {
            #expect(failure { try row.text("y") }?.extendedCode == .noSuchColumn)
            #expect(failure { try row.integer(1) }?.extendedCode == .noSuchColumnIndex)
            #expect(failure { try row.isNull("y") }?.extendedCode == .noSuchColumn)
            #expect(failure { try row.storageClass(-1) }?.extendedCode == .noSuchColumnIndex)
        }
    }

    // K6
    @Test("a row that has passed throws")
    func expired() throws {
        let rows = try memory().query("SELECT 1 AS x UNION ALL SELECT 2")
        let row = try #require(try rows.next())
        _ = try rows.next()
        #expect(failure { try row.integer(0) }?.extendedCode == .expired)
    }

    // K6
    @Test("a conversion leaves the value as it is")
    func unchanged() throws {
        let rows = try memory().query("SELECT 12 AS x, '7' AS y")
        let row = try #require(try rows.next())
        #expect(try row.text("x") == "12" && row.integer("y") == 7 && row.bytes("x") == Data("12".utf8))
        #expect(try row.values() == [12, "7"])
        #expect(try row["x"] == 12)
    }

    // K6
    @Test("bytes that aren't UTF-8 are bytes, and no text")
    func invalid() throws {
        let row = try row("SELECT x'31ff' AS x")
        #expect(failure { try row.text("x") }?.extendedCode == .invalidText)
        #expect(try row.integer("x") == 1)
        #expect(try row.bytes("x") == Data([0x31, 0xFF]))
    }

    // K6, K33
    @Test("random values convert as CAST does")
    func random() throws {
        var generator = SeededGenerator()
        let db = try memory()
        for _ in 0..<3000 {
            let value = Self.value(&generator)
            let rows = try db.query(
                """
                SELECT \(value) AS v, CAST(\(value) AS INTEGER) AS i, CAST(\(value) AS REAL) AS r,
                CAST(\(value) AS TEXT) AS t, CAST(CAST(\(value) AS TEXT) AS BLOB) AS b
                """)
            let live = try #require(try rows.next())
            for row in [live, try live.snapshot()] as [any RowReading] {
                let real: Double? = try row["r"]
                #expect(try row.integer("v") == row["i"], "\(value), seed \(generator.seed)")
                #expect(try Self.isSame(row.real("v"), real), "\(value), seed \(generator.seed)")
                #expect(try row.text("v") == row["t"], "\(value), seed \(generator.seed)")
                #expect(try row.bytes("v") == row["b"], "\(value), seed \(generator.seed)")
            }
        }
    }

    /// Whether two numbers are the same but for the last bit, which SQLite gets wrong for more than 15 digits.
    private static func isSame(_ lhs: Double?, _ rhs: Double?) -> Bool {
        guard let lhs, let rhs, lhs != rhs else { return lhs == rhs }
        return abs(lhs - rhs) <= lhs.ulp
    }

    private static func value(_ generator: inout SeededGenerator) -> SQLiteValue {
        func number() -> String {
            let parts = [
                ["", " ", "\t\n "], ["", "-", "+", "--"], ["", "0", "7", "00123", "1234567"], ["", ".", ".5", ".0625"],
                ["", "e", "e2", "E+3", "e-2", "x", " 9"],
            ]
            return parts.map { $0.randomElement(using: &generator) ?? "" }.joined()
        }
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: return .null
        case 1: return .integer(.random(in: .min ... .max, using: &generator))
        case 2: return .real(Double(bitPattern: .random(in: 0 ... .max, using: &generator)))
        case 3: return .real(Double(Int.random(in: -1000...1000, using: &generator)) / 8)
        case 4: return .blob(Data(number().utf8))
        case 5:
            return .text(
                String(Int64.random(in: .min ... .max, using: &generator)) + ["", "0", ".5"].randomElement(
                    using: &generator)!)
        default: return .text(number())
        }
    }
}
