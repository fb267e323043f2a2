import Foundation
import Persisting
import RandomTables
import SQLiteKit

/// R9: values at the ends of their types and of any bits. What comes back is what went in, by its key and by a
/// condition on the value, or the value was rejected; NaN is NULL, and -0.0 is 0.
enum HostileValues {
    static func run(_ options: Options) throws -> [Figures] {
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Value.self)
        var random = SeededGenerator(seed: options.seed)
        var values = Figures("R9 values at random, by insert, update and upsert")
        for number in 0..<options.count(long: 1_000_000, full: 20_000, quick: 200) {
            var faults: [Fault] = []
            let value = Value()
            value.fill(&random)
            do {
                try manager.insert(value)
                try check(value, manager, "inserted", &faults)
                value.fill(&random)
                try manager.save(value)
                try check(value, manager, "updated", &faults)
                value.fill(&random)
                try manager.upsert(value)
                try check(value, manager, "upserted", &faults)
                try manager.delete(value)
            } catch {
                faults.append(Fault(.error, "\(error)"))
            }
            values.add(faults, "value \(number)")
        }
        return [values, try rejected(manager), try large(options, manager)]
    }

    private static func check(
        _ value: Value, _ manager: PersistenceManager, _ way: String, _ faults: inout [Fault]
    ) throws {
        guard let found = try manager.find(Value.self, value.id) else {
            return faults.append(Fault(.lost, "the object \(way)"))
        }
        for (key, isSame) in value.compared(with: found) where !isSame { faults.append(Fault(.lost, "\(key), \(way)")) }
        let conditions: [Criteria<Value>] = [
            \.text == value.text, \.data == value.data, \.integer == value.integer, \.date == value.date,
            \.decimal == value.decimal, value.real?.isNaN == true ? \.real == nil : \.real == value.real,
        ]
        for (number, condition) in conditions.enumerated() {
            let id = value.id
            if try manager.count(Value.self, where: \.id == id && condition) != 1 {
                faults.append(Fault(.lost, "condition \(number) does not find what was \(way)"))
            }
            if try !condition.matches(value) { faults.append(Fault(.lost, "condition \(number) does not match")) }
        }
    }

    /// What has no stored form is an error, before anything is written.
    private static func rejected(_ manager: PersistenceManager) throws -> Figures {
        var figures = Figures("R9 values without a stored form")
        let keys: [(String, (any Sendable)?)] = [
            ("unsigned", UInt64.max), ("unsigned", UInt64(1) << 63), ("decimal", Decimal.nan), ("integer", "1x"),
            ("integer", 1.5), ("integer", Double.infinity), ("integer", 1e19), ("flag", 2), ("text", [1]),
            ("date", Date(timeIntervalSince1970: .infinity)), ("date", Date(timeIntervalSince1970: .nan)),
            ("isoDate", Date.distantPast.addingTimeInterval(-1e12)), ("small", 128), ("small", -129),
        ]
        for (number, (key, value)) in keys.enumerated() {
            var faults: [Fault] = []
            let object = Value()
            do {
                try object.setValue(value, forKey: key)
                try manager.insert(object)
                faults.append(Fault(.applied, "it was stored as \(try stored(key, manager))"))
            } catch let error as PersistenceError {
                if error.key != key { faults.append(Fault(.error, "\(error)")) }
            } catch {
                faults.append(Fault(.error, "\(error)"))
            }
            if try manager.count(Value.self) != 0 || object.isPersisted { faults.append(Fault(.object, "stored")) }
            try manager.deleteAll(Value.self)
            // Foundation can't write a date that isn't a number.
            figures.add(faults, "\(number): \(key)")
        }
        return figures
    }

    private static func stored(_ key: String, _ manager: PersistenceManager) throws -> String {
        try manager.read { db in try db.scalar("SELECT quote(\(identifier: key)) FROM VALUE", as: String.self) }
            ?? "NULL"
    }

    /// A blob and a text of many megabytes.
    private static func large(_ options: Options, _ manager: PersistenceManager) throws -> Figures {
        var figures = Figures("R9 large values")
        let size = options.isQuick ? 1 << 20 : 100 << 20
        let value = Value()
        value.data = Data(repeating: 0xA5, count: size)
        value.text = String(repeating: "é\0", count: size / 6)
        var faults: [Fault] = []
        do {
            try manager.insert(value)
            let found = try manager.find(Value.self, value.id)
            if found?.data != value.data || found?.text != value.text { faults.append(Fault(.lost, "\(size) bytes")) }
            try manager.delete(value)
        } catch {
            faults.append(Fault(.error, "\(error)"))
        }
        figures.add(faults, "\(size) bytes")
        figures.count("MB", size >> 20)
        return figures
    }
}

private final class Value: PersistingModel {
    var id: Int64?
    var text = ""
    var data: Data?
    var integer: Int64 = 0
    var small: Int8?
    var unsigned: UInt64?
    var real: Double?
    var flag: Bool?
    var date: Date?
    var isoDate: Date?
    var decimal: Decimal?

    override class var columns: Columns {
        var columns = super.columns
        columns["ISO_DATE"] = .date.stored(as: .iso8601)
        return columns
    }

    func fill(_ random: inout SeededGenerator) {
        let scalars = (0..<Int.random(in: 0...8, using: &random)).map { _ in
            Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &random)) ?? "\u{0}"
        }
        text = String(String.UnicodeScalarView(scalars))
        let count = Int.random(in: 0...9, using: &random)
        data =
            [nil, Data((0..<count).map { _ in .random(in: 0...255, using: &random) })].randomElement(using: &random)
            ?? nil
        integer = [.min, .max, 0, -1, .random(in: .min ... .max, using: &random)].randomElement(using: &random) ?? 0
        small = .random(in: .min ... .max, using: &random)
        unsigned = .random(in: 0...UInt64(Int64.max), using: &random)
        // Any of them, those that are none among them.
        real = Double(bitPattern: .random(in: 0 ... .max, using: &random))
        if Int.random(in: 0..<4, using: &random) == 0 {
            real = [.nan, -0.0, .infinity, -.infinity, .leastNonzeroMagnitude].randomElement(using: &random)
        }
        flag = [nil, true, false].randomElement(using: &random) ?? nil
        date = Date(timeIntervalSinceReferenceDate: .random(in: -6e9...6e9, using: &random))
        // In the years 0 to 9999.
        isoDate = Date(timeIntervalSince1970: Double(Int.random(in: -62_167_219_200...253_402_300_799, using: &random)))
        decimal =
            Decimal(Int64.random(in: .min ... .max, using: &random))
            * Decimal(sign: .plus, exponent: .random(in: -20...20, using: &random), significand: 1)
    }

    /// Each property, and whether it is the same.
    func compared(with other: Value) -> [(String, Bool)] {
        [
            ("text", Array(text.utf8) == Array(other.text.utf8)), ("data", data == other.data),
            ("integer", integer == other.integer), ("small", small == other.small),
            ("unsigned", unsigned == other.unsigned), ("flag", flag == other.flag), ("date", isClose(other.date)),
            ("real", real?.isNaN == true ? other.real == nil : real == other.real),
            ("isoDate", isoDate == other.isoDate), ("decimal", decimal == other.decimal),
        ]
    }

    /// Seconds as a number with a fraction are exact to a quarter of a microsecond, which far dates are not either.
    private func isClose(_ other: Date?) -> Bool {
        guard let date, let other else { return date == other }
        return abs(date.timeIntervalSince(other)) <= 1e-6
    }
}
