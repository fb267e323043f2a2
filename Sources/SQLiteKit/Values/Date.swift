public import Foundation

/// The forms in which a date can be stored.
///
/// All are in UTC. Values of one form sort by time: the texts by their bytes, since each form writes all its texts with
/// the same number of digits. SQLite's own date functions read the texts and ``julianDay`` as they are, and
/// ``unixSeconds`` with the modifier `'unixepoch'`. See [Date And Time
/// Functions](https://www.sqlite.org/lang_datefunc.html).
///
/// Each form reads what the others write as text, and other programs' texts: see ``date(from:)``.
public enum DateStorage: String, Sendable, Hashable, CaseIterable {
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
    /// A TEXT such as `2024-02-29 23:59:59`, without the fraction of the second: what SQLite's `CURRENT_TIMESTAMP` and
    /// `datetime()` write. Years 0 to 9999.
    case dateTime
    /// A TEXT such as `2024-02-29 23:59:59.250000`, rounded to the microsecond: what Rails writes, and what Django and
    /// Entity Framework read. Years 0 to 9999.
    ///
    /// Django leaves a fraction of zero out, and Entity Framework writes up to seven digits without trailing zeros;
    /// both are read.
    case fractionalDateTime
    /// A TEXT such as `2024-02-29`, the day in UTC: what SQLite's `CURRENT_DATE` and `date()` write. Years 0 to 9999.
    case date

    /// The type to declare a column with.
    public var columnType: ColumnType {
        switch self {
        case .unixSeconds, .julianDay, .referenceDate: .real
        case .unixMilliseconds: .integer
        case .iso8601, .dateTime, .fractionalDateTime, .date: .text
        }
    }

    /// The value that stores a date in this form.
    ///
    /// - Parameter date: The date.
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
        case .iso8601, .dateTime, .fractionalDateTime, .date:
            guard let time = CalendarTime(secondsSince1970: seconds) else {
                throw Self.unstorable(date, "its year is not within 0 to 9999")
            }
            return .text(time.text(self))
        }
    }

    /// The date that a stored value stands for.
    ///
    /// A number is taken in this form's unit, whether INTEGER or REAL; for a form of text a number is seconds since
    /// 1970. A TEXT is read as ISO 8601 or in any of SQLite's forms with a date: `2024-02-29`, `2024-02-29 23:59`,
    /// `2024-02-29T23:59:59.25+01:00`; without a zone it is UTC, and a fraction may have any number of digits.
    ///
    /// A TEXT such as `1700000000.0` is the number that it spells: it is what a column of texts makes of a REAL. One
    /// without a point, such as `20240229`, may mean anything, and is read as a number of milliseconds alone.
    ///
    /// - Parameter value: The value.
    /// - Throws: ``ResultCode/typeMismatch`` for another text, for a number beyond all dates, and for NULL and BLOB.
    public func date(from value: SQLiteValue) throws(SQLiteError) -> Date {
        switch value {
        case .real(let number):
            let date = date(from: number)
            guard date.timeIntervalSinceReferenceDate.isFinite else { throw value.mismatch(Date.self) }
            return date
        case .integer(let number): return date(from: Double(number))
        case .text(var text):
            let date = text.withUTF8 { self.date(parsing: UnsafeRawBufferPointer($0)) }
            guard let date else { throw value.mismatch(Date.self) }
            return date
        case .null, .blob: throw value.mismatch(Date.self)
        }
    }

    /// The date that a text says; nil when it says none.
    @usableFromInline
    package func date(parsing utf8: UnsafeRawBufferPointer) -> Date? {
        if let seconds = CalendarTime.secondsSince1970(parsing: utf8) { return Date(timeIntervalSince1970: seconds) }
        // A REAL has a point in SQLite's spelling, an INTEGER none.
        let isReal = utf8.contains(UInt8(ascii: "."))
        let isNumber = utf8.allSatisfy { (48...57).contains($0) || [43, 45, 46, 69, 101].contains($0) }
        guard isReal || self == .unixMilliseconds, isNumber,
            let number = Double(String(decoding: utf8, as: UTF8.self))
        else { return nil }
        let date = date(from: number)
        return date.timeIntervalSinceReferenceDate.isFinite ? date : nil
    }

    private func date(from number: Double) -> Date {
        switch self {
        case .unixSeconds, .iso8601, .dateTime, .fractionalDateTime, .date: Date(timeIntervalSince1970: number)
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
    @inlinable @inline(__always)
    public init<Source: ColumnSource>(
        column index: Int, _ storageClass: StorageClass, of source: borrowing Source
    ) throws {
        let seconds: Double? =
            switch storageClass {
            case .real: source.double(at: index)
            case .integer: Double(source.int64(at: index))
            case .text:
                source.withBytes(at: index) { DateStorage.unixSeconds.date(parsing: $0)?.timeIntervalSince1970 }
            case .null, .blob: nil
            }
        guard let seconds, seconds.isFinite else { throw source.mismatch(Date.self, at: index) }
        self.init(timeIntervalSince1970: seconds)
    }

    /// Binds a REAL of seconds since 1970.
    @inlinable @inline(__always)
    public func bind<Sink: ParameterSink>(to sink: Sink, at index: Int) throws {
        guard timeIntervalSince1970.isFinite else {
            _ = try sqliteValue()
            return
        }
        try sink.bind(double: timeIntervalSince1970, at: index)
    }
}

/// A moment in the Gregorian calendar, in UTC: the texts of ``DateStorage``.
@usableFromInline
struct CalendarTime {
    private let year: Int, month: Int, day: Int, microsecondOfDay: Int

    /// Nil outside the years 0 to 9999.
    init?(secondsSince1970 seconds: Double) {
        // The years 0 to 9999, with a day to spare; no arithmetic below can overflow then.
        guard (-62_167_305_600...253_402_387_200).contains(seconds) else { return nil }
        // Of the fraction alone, which is exact: of a date far away the product would be off by more than the date is.
        let whole = seconds.rounded(.down)
        let microseconds = Int(whole) * 1_000_000 + Int(((seconds - whole) * 1_000_000).rounded())
        let perDay = 86_400_000_000
        let days = (microseconds - (microseconds % perDay + perDay) % perDay) / perDay
        microsecondOfDay = microseconds - days * perDay

        let civil = CivilDay(Int64(days))
        (year, month, day) = (Int(civil.year), Int(civil.month), Int(civil.day))
        guard (0...9999).contains(year) else { return nil }
    }

    /// `2024-02-29T23:59:59.250000Z`, or with a blank for the `T` as much of it as a form writes.
    func text(_ form: DateStorage) -> String {
        let (separator, count): (Unicode.Scalar, Int) =
            switch form {
            case .date: (" ", 10)
            case .dateTime: (" ", 19)
            case .fractionalDateTime: (" ", 26)
            case .iso8601, .unixSeconds, .unixMilliseconds, .julianDay, .referenceDate: ("T", 27)
            }
        let second = microsecondOfDay / 1_000_000
        let parts: [(number: Int, width: Int, end: Unicode.Scalar)] = [
            (year, 4, "-"), (month, 2, "-"), (day, 2, separator), (second / 3600, 2, ":"), (second / 60 % 60, 2, ":"),
            (second % 60, 2, "."), (microsecondOfDay % 1_000_000, 6, "Z"),
        ]
        return String(unsafeUninitializedCapacity: 27) { utf8 in
            var end = 0
            for part in parts {
                var number = part.number
                for position in (end..<(end + part.width)).reversed() {
                    utf8[position] = 48 + UInt8(number % 10)
                    number /= 10
                }
                end += part.width + 1
                utf8[end - 1] = UInt8(ascii: part.end)
            }
            return count
        }
    }

    /// Reads `YYYY-MM-DD`, then perhaps `T` or a blank and `HH:MM`, `:SS`, a fraction, and `Z` or an offset `±HH:MM`,
    /// `±HHMM`, `±HH`. Nil for anything else, a 30 February included.
    @usableFromInline
    static func secondsSince1970(parsing utf8: UnsafeRawBufferPointer) -> Double? {
        var rest = CalendarText(utf8)
        guard let year = rest.number(4, upTo: 9999), rest.skip("-"), let month = rest.number(2, upTo: 12),
            rest.skip("-"), let day = rest.number(2, upTo: 31), month > 0, day > 0
        else { return nil }
        let days = CivilDay(year: Int64(year), month: Int64(month), day: Int64(day)).number
        let nextMonth = CivilDay(
            year: Int64(month == 12 ? year + 1 : year), month: month == 12 ? 1 : Int64(month) + 1
        ).number
        // A day that the month does not have is one of the next.
        guard days < nextMonth else { return nil }

        var seconds = 0
        var fraction = 0.0
        if rest.skip("T") || rest.skip("t") || rest.skip(" ") {
            guard let hour = rest.number(2, upTo: 24), rest.skip(":"), let minute = rest.number(2, upTo: 59) else {
                return nil
            }
            seconds = hour * 3600 + minute * 60
            if rest.skip(":") {
                guard let second = rest.number(2, upTo: 59) else { return nil }
                seconds += second
                if rest.skip(".") || rest.skip(",") {
                    guard let value = rest.fraction() else { return nil }
                    fraction = value
                }
            }
            // 24:00 is the midnight that ends the day.
            guard seconds + (fraction > 0 ? 1 : 0) <= 86_400 else { return nil }
            while rest.skip(" ") {}
            let isWest = rest.skip("-")
            if isWest || rest.skip("+") {
                guard let hours = rest.number(2, upTo: 23) else { return nil }
                var offset = hours * 3600
                if rest.skip(":") || !rest.isEmpty {
                    guard let minutes = rest.number(2, upTo: 59) else { return nil }
                    offset += minutes * 60
                }
                seconds += isWest ? offset : -offset
            } else if !rest.skip("Z") {
                _ = rest.skip("z")
            }
        }
        return rest.isEmpty ? Double(days * 86_400 + Int64(seconds)) + fraction : nil
    }
}

/// What is left to read of a date's text.
private struct CalendarText {
    private let utf8: UnsafeRawBufferPointer
    private var position = 0

    init(_ utf8: UnsafeRawBufferPointer) { self.utf8 = utf8 }

    var isEmpty: Bool { position == utf8.count }

    /// Passes over a character, if it is the next.
    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard !isEmpty, utf8[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// The next character as a digit.
    private mutating func digit() -> Int? {
        guard !isEmpty, case 48...57 = utf8[position] else { return nil }
        position += 1
        return Int(utf8[position - 1] - 48)
    }

    /// A number of so many digits.
    mutating func number(_ width: Int, upTo limit: Int) -> Int? {
        var value = 0
        for _ in 0..<width {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value <= limit ? value : nil
    }

    /// The digits behind a decimal point, one at least.
    mutating func fraction() -> Double? {
        let start = position
        var numerator = 0
        var denominator = 1.0
        while let digit = digit() {
            guard denominator < 1e15 else { continue }
            numerator = numerator * 10 + digit
            denominator *= 10
        }
        if position == start { return nil }
        // Of up to 15 digits both are exact, and their quotient is the nearest number there is.
        if position - start <= 15 { return Double(numerator) / denominator }
        return Double("0." + String(decoding: utf8[start..<position], as: UTF8.self))
    }
}
