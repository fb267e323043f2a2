import Foundation
import Persisting
import Testing

private final class Moment: PersistingModel {
    var id: Int64?
    var date: Date?

    override class var naming: Naming { .snakeCase }
}

/// Texts and numbers that programs write for a date, made by Foundation and not by the library.
private enum Writer: CaseIterable {
    case number, dateTime, sixDigits, sevenDigitsTrimmed, day, zulu, offset

    /// A stored value, and the date that it is.
    func write(_ seconds: Int, ticks: Int, _ form: DateStorage) throws -> (SQLiteValue, Date) {
        let iso = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
        let (day, time) = (iso.prefix(10), iso.dropFirst(11).prefix(8))
        func date(_ text: String, _ fraction: Double = 0) -> (SQLiteValue, Date) {
            (.text(text), Date(timeIntervalSince1970: Double(seconds) + fraction))
        }
        switch self {
        case .number:
            let unit = form.columnType == .text ? DateStorage.unixSeconds : form
            let value = try unit.value(for: Date(timeIntervalSince1970: Double(seconds) + Double(ticks) / 1e7))
            return (value, try unit.date(from: value))
        case .dateTime: return date("\(day) \(time)")
        case .sixDigits:
            let digits = String("\(1_000_000 + ticks / 10)".dropFirst())
            return date("\(day) \(time).\(digits)", Double(ticks / 10) / 1e6)
        case .sevenDigitsTrimmed:
            var digits = String("\(10_000_000 + ticks)".dropFirst())
            while digits.hasSuffix("0") { digits.removeLast() }
            return date("\(day) \(time)" + (digits.isEmpty ? "" : ".\(digits)"), Double(ticks) / 1e7)
        case .day: return (.text(String(day)), Date(timeIntervalSince1970: Double(seconds / 86_400 * 86_400)))
        case .zulu: return date(iso)
        case .offset:
            let local = Date(timeIntervalSince1970: Double(seconds + 19_800)).formatted(.iso8601)
            return date("\(local.prefix(10)) \(local.dropFirst(11).prefix(8))+05:30")
        }
    }
}

/// What a table holds, and how it is declared.
struct DateTable: CustomTestStringConvertible, Sendable {
    let type: String
    let isIndexed: Bool
    fileprivate let writers: [Writer]
    let form: DateStorage

    var testDescription: String { "\(type)\(isIndexed ? " indexed" : ""), \(writers), \(form)" }

    static var all: [DateTable] {
        let types = ["DATETIME", "TEXT", "VARCHAR(40)", "REAL", "DATE", ""]
        let mixes: [[Writer]] =
            Writer.allCases.map { [$0] } + [
                [.number, .dateTime], [.dateTime, .sixDigits], [.day, .dateTime], Writer.allCases,
            ]
        let forms: [DateStorage] = [
            .unixSeconds, .unixMilliseconds, .referenceDate, .iso8601, .dateTime, .fractionalDateTime, .date,
        ]
        return types.flatMap { type in
            mixes.flatMap { mix in
                forms.flatMap { form in
                    [true, false].map { DateTable(type: type, isIndexed: $0, writers: mix, form: form) }
                }
            }
        }
        // A column of texts makes of a count of milliseconds, or of seconds since 2001, what is told by its form alone.
        .filter { table in
            (!["TEXT", "VARCHAR(40)"].contains(table.type) || !table.writers.contains(.number))
                && (table.type != "REAL" || table.form != .unixMilliseconds)
        }
    }
}

@Suite("Dates in any column, of any form, by chance")
struct OthersDatesRandomTests {
    @Test("SQL, memory and a third evaluation agree", .oneAtATime, arguments: Effort.some(of: DateTable.all))
    func agree(_ table: DateTable) throws {
        // F31, F71, F80, Settled 17
        var generator = SeededGenerator()
        let manager = try PersistenceManager(.memory, dates: table.form)
        try manager.run("CREATE TABLE moment (id INTEGER PRIMARY KEY, date \(table.type))")
        if table.isIndexed { try manager.run("CREATE INDEX moment_date ON moment (date)") }
        var moments: [Int64: Date] = [:]
        try manager.database.write { db in
            for id in 1...24 as ClosedRange<Int64> {
                // Few, so that some are the same in several forms.
                let seconds =
                    1_700_000_000 / 86_400 * 86_400 + [0, 0, 1, 43_200, 86_399, 86_400, -1].randomElement(
                        using: &generator)!
                let ticks = [0, 0, 5_000_000, 1_234_567, 1_234_560].randomElement(using: &generator)!
                let (value, date) = try table.writers.randomElement(using: &generator)!.write(
                    seconds, ticks: ticks, table.form)
                try db.execute("INSERT INTO moment VALUES (\(id), \(value))")
                moments[id] = date
            }
            try db.execute("INSERT INTO moment VALUES (25, NULL)")
        }
        let message = Comment(rawValue: "\(table.testDescription), seed \(generator.seed)")

        /// What the class makes of a date, as a number.
        func key(_ date: Date) throws -> Double {
            try table.form.date(from: table.form.value(for: date)).timeIntervalSinceReferenceDate
        }
        let keys = try moments.mapValues(key)
        let objects = try manager.fetchAll(Moment.self, sortedBy: "id")
        for date in [moments.values.randomElement(using: &generator)!, Date(timeIntervalSince1970: 1_700_006_400.5)] {
            let limit = try key(date)
            let conditions: [(Criteria<Moment>, (Double) -> Bool)] = [
                (\.date > date, { $0 > limit }), (\.date >= date, { $0 >= limit }), (\.date < date, { $0 < limit }),
                (\.date <= date, { $0 <= limit }), (\.date == date, { $0 == limit }),
                (.in(\.date, [date, Date(timeIntervalSince1970: 0)]), { $0 == limit }),
                (\.date >= date && \.date <= date + 86_400, { try! $0 >= limit && $0 <= key(date + 86_400) }),
            ]
            for (condition, holds) in conditions {
                let wanted = keys.filter { holds($0.value) }.keys.sorted()
                #expect(
                    try manager.fetchAll(Moment.self, where: condition, sortedBy: "id").map(\.id) == wanted, message)
                #expect(try condition.filter(objects).map(\.id) == wanted, message)
                #expect(try manager.count(Moment.self, where: !condition) == 25 - wanted.count, message)
            }
        }
        let order = keys.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
        #expect(
            try manager.fetchAll(Moment.self, where: \.date != nil, sortedBy: "date, id").map(\.id) == order, message)
        let extremes = try [manager.min(Moment.rows, \.date), manager.max(Moment.rows, \.date)].compactMap { $0 ?? nil }
        #expect(try extremes.map(key) == [keys.values.min(), keys.values.max()], message)
        #expect(try manager.compute(Query(Moment.self), .count(distinct: \.date)) == Set(keys.values).count, message)
    }

    @Test(
        "A write keeps texts texts, and what was written is found", .oneAtATime,
        arguments: Effort.some(of: DateTable.all))
    func write(_ table: DateTable) throws {
        // Settled 17
        var generator = SeededGenerator()
        let manager = try PersistenceManager(.memory, dates: table.form)
        try manager.run("CREATE TABLE moment (id INTEGER PRIMARY KEY, date \(table.type))")
        try manager.database.write { db in
            for id in 1...8 as ClosedRange<Int64> {
                let (value, _) = try table.writers[Int(id) % table.writers.count].write(
                    1_700_000_000 + Int(id), ticks: 0, table.form)
                try db.execute("INSERT INTO moment VALUES (\(id), \(value))")
            }
        }
        let message = Comment(rawValue: "\(table.testDescription), seed \(generator.seed)")
        // Another day than any that is stored: the same would be no change of a column of days.
        let date = Date(
            timeIntervalSince1970: Double(Int.random(in: 0...1_600_000_000, using: &generator) / 86_400 * 86_400))
        let object = try #require(try manager.find(Moment.self, Int64.random(in: 1...8, using: &generator)))
        let wasText =
            try manager.stored("SELECT typeof(date) FROM moment WHERE id = \(object.id ?? 0)") == "text"
        object.date = date
        do {
            try manager.save(object)
        } catch let error as PersistenceError {
            // A column of numbers takes neither texts nor, from a class of milliseconds, a REAL.
            let isRejectedByType = table.type == "REAL" && ![.unixSeconds, .referenceDate].contains(table.form)
            let isUnknown = table.writers.count > 1 || table.writers == [.offset] || table.form.columnType != .text
            #expect(
                error.code == .schemaMismatch ? isRejectedByType : error.code == .invalidModel && isUnknown, message)
            return
        }
        let isText =
            try manager.stored("SELECT typeof(date) FROM moment WHERE id = \(object.id ?? 0)") == "text"
        let isMixed = table.writers.contains(.number) && table.type == "REAL"
        #expect(!wasText || isText || isMixed, message)
        #expect(try manager.find(Moment.self, object.id)?.date == date, message)
        #expect(try manager.fetchAll(Moment.self, where: \.date == date).map(\.id) == [object.id], message)
    }
}
