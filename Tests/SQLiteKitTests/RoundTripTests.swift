import Foundation
import SQLiteKit
import Testing

@Suite("Random values come back as they were")
struct RoundTripTests {
    /// Stores 500 random values of one type and reads each back.
    private func check<Value: SQLiteValueConvertible>(
        _ make: (inout SeededGenerator) -> Value, isSame: (Value, Value) -> Bool
    ) throws {
        var generator = SeededGenerator()
        let db = try memory("CREATE TABLE t (v)")
        let insert = try db.prepare("INSERT INTO t VALUES (?) RETURNING v")
        for _ in 0..<500 {
            let value = make(&generator)
            let rows = try insert.query([value])
            let stored = try #require(try rows.next()).value(at: 0, as: Value.self)
            rows.close()
            #expect(isSame(stored, value), "seed \(generator.seed)")
        }
    }

    private static func text(_ generator: inout SeededGenerator) -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...20, using: &generator) {
            let limit: UInt32 = [0x80, 0x400, 0x3000, 0x10FFFF].randomElement(using: &generator) ?? 0x80
            if let scalar = Unicode.Scalar(UInt32.random(in: 0...limit, using: &generator)) { scalars.append(scalar) }
        }
        return String(scalars)
    }

    // K4
    @Test("integers")
    func integers() throws {
        try check({ Int64(truncatingIfNeeded: $0.next()) >> Int64.random(in: 0...63, using: &$0) }, isSame: ==)
    }

    // K4
    @Test("reals of any bits")
    func reals() throws {
        try check(
            { generator in
                let value = Double(bitPattern: generator.next())
                return value.isNaN || value == 0 ? 1 : value
            }, isSame: { $0.bitPattern == $1.bitPattern })
    }

    // K4
    @Test("floats of any bits")
    func floats() throws {
        try check(
            { generator in
                let value = Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))
                return value.isNaN || value == 0 ? 1 : value
            }, isSame: { $0.bitPattern == $1.bitPattern })
    }

    // K4
    @Test("texts of any characters")
    func texts() throws {
        try check(Self.text, isSame: { $0.utf8.elementsEqual($1.utf8) })
    }

    // K4
    @Test("bytes")
    func bytes() throws {
        try check(
            { generator in
                (0..<Int.random(in: 0...64, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator)
                }
            },
            isSame: ==)
    }

    // K4
    @Test("decimals of up to 38 digits")
    func decimals() throws {
        try check(
            { generator in
                let digits = (0..<Int.random(in: 1...38, using: &generator)).map { _ in
                    String(Int.random(in: 0...9, using: &generator))
                }.joined()
                let exponent = Int.random(in: -60...60, using: &generator)
                let text = (Bool.random(using: &generator) ? "-" : "") + digits + "e\(exponent)"
                return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) ?? 0
            }, isSame: ==)
    }

    // K4
    @Test("UUIDs")
    func uuids() throws {
        try check(
            { generator in
                withUnsafeBytes(of: (generator.next(), generator.next())) { UUID(uuid: $0.load(as: uuid_t.self)) }
            }, isSame: ==)
    }

    // K4
    @Test("values of every storage class, and as literals")
    func values() throws {
        func value(_ generator: inout SeededGenerator) -> SQLiteValue {
            switch Int.random(in: 0...4, using: &generator) {
            case 0: .null
            case 1: .integer(Int64(truncatingIfNeeded: generator.next()))
            case 2: .real(Double.random(in: -1e9...1e9, using: &generator))
            case 3: .text(Self.text(&generator))
            default: .blob(Data((0..<Int.random(in: 0...8, using: &generator)).map { UInt8($0) }))
            }
        }
        try check(value, isSame: ==)
        var generator = SeededGenerator()
        for _ in 0..<200 {
            let value = value(&generator)
            #expect(try read(value.description, as: SQLiteValue.self) == value, "seed \(generator.seed)")
        }
    }

    // K4, FMDB: dates
    @Test("dates in every form, to the precision of the form", arguments: dateForms)
    func dates(_ form: DateStorage) throws {
        var generator = SeededGenerator()
        let precision: TimeInterval =
            switch form {
            case .unixSeconds: 0.000_001
            case .unixMilliseconds: 0.000_501
            case .iso8601, .pythonDateTime, .unixMicroseconds, .microsecondsSince1601: 0.000_002
            case .iso8601Milliseconds: 0.001
            case .julianDay: 0.000_1
            case .referenceDate: 0
            case .fractionalDateTime: 0.000_002
            case .dateTime: 1
            case .date: 86_400
            }
        for _ in 0..<500 {
            // 1900 to 2100
            let date = Date(timeIntervalSince1970: Double.random(in: -2_208_988_800...4_102_444_800, using: &generator))
            let stored = try form.date(from: form.value(for: date))
            #expect(abs(stored.timeIntervalSince(date)) <= precision, "seed \(generator.seed)")
        }
    }

    // K4, FMDB: dates
    @Test("the text of a date is what SQLite's own function makes of it")
    func dateTexts() throws {
        var generator = SeededGenerator()
        let db = try memory()
        for _ in 0..<500 {
            // 0000 to 9999
            let second = Int.random(in: -62_167_219_200...253_402_300_799, using: &generator)
            let text = try DateStorage.iso8601.value(for: Date(timeIntervalSince1970: Double(second)))
            let expected = try db.scalar(
                "SELECT strftime('%Y-%m-%dT%H:%M:%S.000000Z', ?, 'unixepoch')", [second], as: SQLiteValue.self)
            #expect(text == expected, "seed \(generator.seed)")
        }
    }

    // K28
    @Test("the collation DECIMAL orders as the numbers do")
    func decimalOrder() throws {
        var generator = SeededGenerator()
        let db = try memory()
        for _ in 0..<300 {
            func make() -> Decimal {
                let digits = Decimal(
                    Int64(truncatingIfNeeded: generator.next() >> UInt64.random(in: 0...63, using: &generator)))
                return digits
                    * Decimal(sign: .plus, exponent: Int.random(in: -20...10, using: &generator), significand: 1)
            }
            let (a, b) = (make(), make())
            let isLess = try db.scalar("SELECT ? < ? COLLATE DECIMAL", [a, b], as: Bool.self)
            #expect(isLess == (a < b), "seed \(generator.seed): \(a) \(b)")
        }
    }
}
