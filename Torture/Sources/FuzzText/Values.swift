import Foundation
import Fuzzing
import SQLiteKit

/// Converts names between camel case and words with `_` between them.
struct Names: TextReader {
    func check(_ bytes: Data) throws {
        let text = bytes.text
        let (snake, upper) = (NameText.snakeCase(text), NameText.upperSnakeCase(text))
        try expect(haveSameBytes(NameText.snakeCase(snake), snake), "\(text): \(snake) isn't in snake case")
        try expect(haveSameBytes(letters(upper), letters(text)), "\(text) becomes \(upper)")
        try expect(haveSameBytes(letters(snake), letters(text)), "\(text) becomes \(snake)")
        try expect(upper.utf8.elementsEqual(snake.utf8) { $0 == $1 || $0 | 32 == $1 }, "\(upper) isn't \(snake)")
        try expect(!upper.utf8.contains { (97...122).contains($0) }, "\(text) becomes \(upper)")
        let (camel, capital) = (NameText.camelCase(text), NameText.upperCamelCase(text))
        // Capitals of other scripts may be more letters.
        if text.utf8.allSatisfy({ $0 < 128 }) {
            try expect(letters(camel) == letters(text) && !camel.contains("_"), "\(text) becomes \(camel)")
            try expect(letters(capital) == letters(text) && !capital.contains("_"), "\(text) becomes \(capital)")
        }
        try expect(NameText.plural(text).utf8.count > text.utf8.count, "the plural of \(text)")
        let trimmed = NameText.trimmed(text)
        try expect(haveSameBytes(NameText.trimmed(trimmed), trimmed), "\(text) is trimmed to \(trimmed)")
    }

    /// The letters of a name in lower case, without `_`.
    private func letters(_ text: String) -> String {
        String(decoding: text.utf8.filter { $0 != 95 }.map { (65...90).contains($0) ? $0 | 32 : $0 }, as: UTF8.self)
    }
}

/// Reads dates from texts and from any number of seconds, and writes them.
struct Dates: TextReader {
    private let db: Database
    private let julianDay: Statement

    init() throws {
        db = try Database(.memory)
        julianDay = try db.prepare("SELECT (julianday(?) - 2440587.5) * 86400")
    }

    func check(_ bytes: Data) throws {
        let text = bytes.text
        var dates: [Date] = []
        for form in DateStorage.allCases {
            do { dates.append(try form.date(from: .text(text))) } catch {}
        }
        // A text that isn't a number, and that SQLite reads too, is the same moment.
        if text.utf8.prefix(4).allSatisfy({ 48...57 ~= $0 }), text.utf8.dropFirst(4).first == 45, let date = dates.first
        {
            try expect(dates.allSatisfy { $0 == date }, "\(text): \(dates)")
            let rows = try julianDay.query([text])
            if let seconds = try rows.next()?.real(0) {
                let distance = abs(seconds - date.timeIntervalSince1970)
                try expect(distance < 0.002, "\(text): \(date.timeIntervalSince1970), and \(seconds) in SQLite")
            }
        }
        if let number = bytes.number {
            let seconds = Double(bitPattern: number)
            dates.append(Date(timeIntervalSince1970: seconds))
            dates.append(Date(timeIntervalSince1970: Double(Int64(bitPattern: number) >> 20) / 100))
        }
        for date in dates { try checkForms(date) }
    }

    private func checkForms(_ date: Date) throws {
        for form in DateStorage.allCases {
            let stored: SQLiteValue
            do { stored = try form.value(for: date) } catch { continue }
            let read = try form.date(from: stored)
            let distance = abs(read.timeIntervalSince(date))
            let precision: Double =
                switch form {
                case .unixSeconds, .referenceDate: 0
                case .unixMilliseconds: 0.0005
                case .iso8601Milliseconds: 0.001
                case .iso8601, .fractionalDateTime, .pythonDateTime, .unixMicroseconds, .microsecondsSince1601:
                    0.000_000_5
                case .julianDay: 0.000_05
                case .dateTime: 1
                case .date: 86_400
                }
            // A number far away has no more digits than a Double.
            let rounding = abs(date.timeIntervalSince1970).ulp * 4
            try expect(
                distance <= precision + rounding, "\(date.timeIntervalSince1970) as \(stored): off by \(distance)")
            // Once written, it is written alike.
            if form.columnType == .text {
                let again = try form.value(for: read)
                try expect(again == stored, "\(stored) is written again as \(again)")
            }
        }
    }
}

/// Reads decimal numbers and UUIDs from texts, and writes them.
struct Decimals: TextReader {
    func check(_ bytes: Data) throws {
        let text = bytes.text
        if let decimal = try? Decimal(sqliteValue: .text(text)) {
            let stored = try decimal.sqliteValue()
            let again = try Decimal(sqliteValue: stored)
            try expect(again == decimal, "\(text) is \(decimal), and as \(stored) \(again)")
            let storedAgain = try again.sqliteValue()
            try expect(storedAgain == stored, "\(text) is \(stored), and then \(storedAgain)")
            guard let number = Double(text) else {
                throw Fuzzing.Found("\(text) is \(decimal), and no Double")
            }
            guard case .text(let digits) = stored, let same = Double(digits) else {
                throw Fuzzing.Found("\(text) is \(stored)")
            }
            try expect(same == number, "\(text) is \(digits)")
        }
        if let uuid = try? UUID(sqliteValue: .text(text)) {
            try expect(uuid.sqliteValue() == .text(text.uppercased()), "\(text) is \(uuid)")
        }
        if let number = bytes.number {
            let double = Double(bitPattern: number)
            if let decimal = try? Decimal(sqliteValue: .real(double)) {
                let stored = try decimal.sqliteValue()
                guard case .text(let digits) = stored else { throw Fuzzing.Found("\(double) is \(stored)") }
                try expect(Double(digits) == double, "\(double) is \(stored)")
            }
            let integer = Int64(bitPattern: number)
            let stored = try Decimal(sqliteValue: .integer(integer)).sqliteValue()
            try expect(stored == .text("\(integer)"), "\(integer) is \(stored)")
        }
    }
}
