public import Foundation

/// The forms in which a date can be stored.
///
/// All are in UTC, and all but ``iso8601`` sort as numbers. SQLite's own date functions read ``iso8601`` and
/// ``julianDay`` as they are, and ``unixSeconds`` with the modifier `'unixepoch'`. See [Date And Time
/// Functions](https://www.sqlite.org/lang_datefunc.html).
public enum DateStorage: Sendable, Hashable {
    /// A REAL: seconds since 1970. The default, and what FMDB writes. Precise to a quarter of a microsecond in our
    /// days.
    case unixSeconds
    /// An INTEGER: milliseconds since 1970, rounded to the nearest.
    case unixMilliseconds
    /// A TEXT such as `2024-02-29T23:59:59.250000Z`, rounded to the microsecond. Years 0 to 9999.
    case iso8601
    /// A REAL: days since noon of 24 November 4714 BC. Precise to some 40 microseconds.
    case julianDay
    /// A REAL: seconds since 2001, as Core Data stores dates. The exact number inside a `Date`.
    case referenceDate

    /// The type to declare a column with.
    public var columnType: ColumnType {
        switch self {
        case .unixSeconds, .julianDay, .referenceDate: .real
        case .unixMilliseconds: .integer
        case .iso8601: .text
        }
    }

    /// The value that stores a date in this form.
    ///
    /// - Throws: ``ResultCode/typeMismatch`` for a date that the form has no value for: one that is not finite, a count
    ///   of milliseconds beyond `Int64`, a year outside 0 to 9999 as text.
    public func value(for date: Date) throws(SQLiteError) -> SQLiteValue {
        let seconds = date.timeIntervalSince1970
        guard seconds.isFinite else { throw Self.unstorable(date, "it is not finite") }
        switch self {
        case .unixSeconds: return .real(seconds)
        case .referenceDate: return .real(date.timeIntervalSinceReferenceDate)
        case .julianDay:
            let days = seconds / 86400 + Self.julianDayOf1970
            guard self.date(from: days).timeIntervalSince1970.isFinite else {
                throw Self.unstorable(date, "its days are not read back as a finite date")
            }
            return .real(days)
        case .unixMilliseconds:
            guard let milliseconds = Int64(exactly: (seconds * 1000).rounded()) else {
                throw Self.unstorable(date, "its milliseconds are beyond Int64")
            }
            return .integer(milliseconds)
        case .iso8601:
            guard let text = CalendarTime(secondsSince1970: seconds)?.description else {
                throw Self.unstorable(date, "its year is not within 0 to 9999")
            }
            return .text(text)
        }
    }

    /// The date that a stored value stands for.
    ///
    /// A number is taken in this form's unit, whether INTEGER or REAL; for ``iso8601`` a number is seconds since 1970.
    /// A TEXT is read as ISO 8601 or in any of SQLite's forms with a date: `2024-02-29`, `2024-02-29 23:59`,
    /// `2024-02-29T23:59:59.25+01:00`; without a zone it is UTC.
    ///
    /// - Throws: ``ResultCode/typeMismatch`` for another text, for a number beyond all dates, and for NULL and BLOB.
    public func date(from value: SQLiteValue) throws(SQLiteError) -> Date {
        switch value {
        case .real(let number):
            let date = date(from: number)
            guard date.timeIntervalSinceReferenceDate.isFinite else { throw value.mismatch(Date.self) }
            return date
        case .integer(let number): return date(from: Double(number))
        case .text(let text):
            guard let seconds = CalendarTime.secondsSince1970(parsing: text) else { throw value.mismatch(Date.self) }
            return Date(timeIntervalSince1970: seconds)
        case .null, .blob: throw value.mismatch(Date.self)
        }
    }

    private func date(from number: Double) -> Date {
        switch self {
        case .unixSeconds, .iso8601: Date(timeIntervalSince1970: number)
        case .unixMilliseconds: Date(timeIntervalSince1970: number / 1000)
        case .julianDay: Date(timeIntervalSince1970: (number - Self.julianDayOf1970) * 86400)
        case .referenceDate: Date(timeIntervalSinceReferenceDate: number)
        }
    }

    private static let julianDayOf1970 = 2_440_587.5

    private static func unstorable(_ date: Date, _ reason: String) -> SQLiteError {
        SQLiteError(.typeMismatch, "Date \(date.timeIntervalSince1970) s since 1970 cannot be stored: \(reason)")
    }
}

extension Date: SQLiteValueConvertible {
    /// A REAL of seconds since 1970. For another form use ``DateStorage``.
    ///
    /// - Throws: ``ResultCode/typeMismatch`` when the date is not finite.
    @inlinable
    public func sqliteValue() throws -> SQLiteValue { try DateStorage.unixSeconds.value(for: self) }

    /// A number of seconds since 1970, or a TEXT as ``DateStorage/date(from:)`` reads it.
    @inlinable
    public init(sqliteValue: SQLiteValue) throws { self = try DateStorage.unixSeconds.date(from: sqliteValue) }

    /// ``ColumnType/real``
    public static var columnType: ColumnType { .real }

    /// A number of seconds since 1970, or a TEXT as ``DateStorage/date(from:)`` reads it.
    @inlinable
    public init<Source: ColumnSource>(
        column index: Int, _ storageClass: StorageClass, of source: borrowing Source
    ) throws {
        guard storageClass == .real else {
            try self.init(sqliteValue: source.value(at: index))
            return
        }
        let seconds = source.double(at: index)
        guard seconds.isFinite else { throw source.mismatch(Date.self, at: index) }
        self.init(timeIntervalSince1970: seconds)
    }

    /// Binds a REAL of seconds since 1970.
    @inlinable
    public func bind(to statement: Statement, at index: Int) throws {
        guard timeIntervalSince1970.isFinite else {
            _ = try sqliteValue()
            return
        }
        try statement.bind(double: timeIntervalSince1970, at: index)
    }
}

/// A moment in the Gregorian calendar, in UTC: the texts of ``DateStorage/iso8601``.
///
/// The conversion of days is Howard Hinnant's, which holds for all years:
/// [chrono-Compatible Low-Level Date Algorithms](https://howardhinnant.github.io/date_algorithms.html).
struct CalendarTime: CustomStringConvertible {
    private let year: Int, month: Int, day: Int, microsecondOfDay: Int

    /// Nil outside the years 0 to 9999.
    init?(secondsSince1970 seconds: Double) {
        // The years 0 to 9999, with a day to spare; no arithmetic below can overflow then.
        guard (-62_167_305_600...253_402_387_200).contains(seconds) else { return nil }
        let microseconds = Int((seconds * 1_000_000).rounded())
        let perDay = 86_400_000_000
        let days = (microseconds - (microseconds % perDay + perDay) % perDay) / perDay
        microsecondOfDay = microseconds - days * perDay

        let shifted = days + 719_468  // days since 1 March of year 0
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        guard (0...9999).contains(year) else { return nil }
    }

    /// `2024-02-29T23:59:59.250000Z`
    var description: String {
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let second = microsecondOfDay / 1_000_000
        return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2) + "T" + padded(second / 3600, 2) + ":"
            + padded(second / 60 % 60, 2) + ":" + padded(second % 60, 2) + "."
            + padded(microsecondOfDay % 1_000_000, 6) + "Z"
    }

    /// Days from 1970 to a date of the calendar.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Reads `YYYY-MM-DD`, then perhaps `T` or a blank and `HH:MM`, `:SS`, a fraction, and `Z` or an offset `±HH:MM`,
    /// `±HHMM`, `±HH`. Nil for anything else, a 30 February included.
    static func secondsSince1970(parsing text: String) -> Double? {
        var rest = text.utf8[...]
        func skip(_ characters: String) -> Character? {
            guard let byte = rest.first, characters.utf8.contains(byte) else { return nil }
            rest = rest.dropFirst()
            return Character(Unicode.Scalar(byte))
        }
        func number(_ width: Int, upTo limit: Int) -> Int? {
            let digits = rest.prefix(width)
            guard digits.count == width, digits.allSatisfy({ 48 <= $0 && $0 <= 57 }) else { return nil }
            rest = rest.dropFirst(width)
            let value = digits.reduce(0) { $0 * 10 + Int($1 - 48) }
            return value <= limit ? value : nil
        }
        guard let year = number(4, upTo: 9999), skip("-") != nil, let month = number(2, upTo: 12), skip("-") != nil,
            let day = number(2, upTo: 31), month > 0, day > 0
        else { return nil }
        let days = daysSince1970(year: year, month: month, day: day)
        let daysInMonth =
            daysSince1970(year: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1)
            - daysSince1970(year: year, month: month, day: 1)
        guard day <= daysInMonth else { return nil }

        var seconds = 0
        var fraction = 0.0
        if skip("Tt ") != nil {
            guard let hour = number(2, upTo: 24), skip(":") != nil, let minute = number(2, upTo: 59) else { return nil }
            seconds = hour * 3600 + minute * 60
            if skip(":") != nil {
                guard let second = number(2, upTo: 59) else { return nil }
                seconds += second
                if skip(".,") != nil {
                    let digits = rest.prefix { 48 <= $0 && $0 <= 57 }
                    guard !digits.isEmpty, let value = Double("0." + String(Substring(digits))) else { return nil }
                    fraction = value
                    rest = rest[digits.endIndex...]
                }
            }
            // 24:00 is the midnight that ends the day.
            guard seconds + (fraction > 0 ? 1 : 0) <= 86_400 else { return nil }
            while skip(" ") != nil {}
            if let sign = skip("+-") {
                guard let hours = number(2, upTo: 23) else { return nil }
                var offset = hours * 3600
                if skip(":") != nil || !rest.isEmpty {
                    guard let minutes = number(2, upTo: 59) else { return nil }
                    offset += minutes * 60
                }
                seconds += sign == "-" ? offset : -offset
            } else {
                _ = skip("Zz")
            }
        }
        return rest.isEmpty ? Double(days * 86_400 + seconds) + fraction : nil
    }
}
