public import Foundation

/// The forms in which a date can be stored.
///
/// All are in UTC. Values of one form sort by time, the texts by their bytes. SQLite's own date functions read the
/// texts and ``julianDay`` as they are, and ``unixSeconds`` with the modifier `'unixepoch'`. See [Date And Time
/// Functions](https://www.sqlite.org/lang_datefunc.html).
///
/// Each form reads what the others write as text, and other programs' texts: see ``date(from:)``.
public enum DateStorage: String, Sendable, Hashable, CaseIterable {
    /// A REAL: seconds since 1970. The default, and what FMDB writes. Precise to a quarter of a microsecond in our
    /// days.
    case unixSeconds
    /// An INTEGER: milliseconds since 1970, rounded to the nearest. What JavaScript's `Date.now()` and Java write.
    case unixMilliseconds
    /// An INTEGER: microseconds since 1970, rounded to the nearest. What Firefox writes.
    case unixMicroseconds
    /// An INTEGER: microseconds since 1601, rounded to the nearest. What Chromium writes.
    case microsecondsSince1601
    /// A TEXT such as `2024-02-29T23:59:59.250000Z`, rounded to the microsecond. Years 0 to 9999.
    case iso8601
    /// A TEXT such as `2024-02-29T23:59:59.250Z`, without what is less than a millisecond: what JavaScript's
    /// `toISOString()` writes. Years 0 to 9999.
    case iso8601Milliseconds
    /// A REAL: days since noon of 24 November 4714 BC. Precise to some 40 microseconds.
    case julianDay
    /// A REAL: seconds since 2001, as Core Data stores dates. The exact number inside a `Date`.
    case referenceDate
    /// A TEXT such as `2024-02-29 23:59:59`, without the fraction of the second: what SQLite's `CURRENT_TIMESTAMP` and
    /// `datetime()` write. Years 0 to 9999.
    case dateTime
    /// A TEXT such as `2024-02-29 23:59:59.250000`, rounded to the microsecond: what Rails and SQLAlchemy write. Years
    /// 0 to 9999.
    ///
    /// Entity Framework reads it, and writes up to seven digits without trailing zeros, which are read.
    case fractionalDateTime
    /// A TEXT such as `2024-02-29 23:59:59.250000`, rounded to the microsecond, or `2024-02-29 23:59:59` if the
    /// fraction is zero: what Python's `str(datetime)` gives, and Django and peewee write. Years 0 to 9999.
    ///
    /// A program that compares for equality finds its texts in this form alone.
    case pythonDateTime
    /// A TEXT such as `2024-02-29`, the day in UTC: what SQLite's `CURRENT_DATE` and `date()` write. Years 0 to 9999.
    case date

    /// The type to declare a column with.
    public var columnType: ColumnType {
        switch self {
        case .unixSeconds, .julianDay, .referenceDate: .real
        case .unixMilliseconds, .unixMicroseconds, .microsecondsSince1601: .integer
        case .iso8601, .iso8601Milliseconds, .dateTime, .fractionalDateTime, .pythonDateTime, .date: .text
        }
    }

    /// The value that stores a date in this form.
    ///
    /// - Parameter date: The date.
    /// - Throws: ``ResultCode/typeMismatch`` for a date that the form has no value for: one that is not finite, a count
    ///   of milli- or microseconds beyond `Int64`, a year outside 0 to 9999 as text.
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
        case .unixMicroseconds, .microsecondsSince1601:
            // The whole seconds alone: of a date far away, their product would lose digits.
            let whole = seconds.rounded(.down)
            let start = self == .unixMicroseconds ? 0 : Self.secondsFrom1601To1970
            if let count = Int64(exactly: whole) {
                let (counted, hasOverflowed) = (count &+ start).multipliedReportingOverflow(by: 1_000_000)
                let fraction = Int64(((seconds - whole) * 1_000_000).rounded())
                let (sum, isBeyond) = counted.addingReportingOverflow(fraction)
                if !hasOverflowed, !isBeyond, whole.magnitude < 1e14 { return .integer(sum) }
            }
            throw Self.unstorable(date, "its microseconds are beyond Int64")
        case .iso8601, .dateTime, .fractionalDateTime, .date:
            guard let time = CalendarTime(secondsSince1970: seconds) else {
                throw Self.unstorable(date, "its year is not within 0 to 9999")
            }
            return .text(time.text(self))
        case .iso8601Milliseconds, .pythonDateTime:
            guard let text = text?.text(for: date) else {
                throw Self.unstorable(date, "its year is not within 0 to 9999")
            }
            return .text(text)
        }
    }

    /// The date that a stored value stands for.
    ///
    /// A number is taken in this form's unit, whether INTEGER or REAL; for a form of text a number is seconds since
    /// 1970. A TEXT is read as ISO 8601 or in any of SQLite's forms with a date: `2024-02-29`, `2024-02-29 23:59`,
    /// `2024-02-29T23:59:59.25+01:00`; without a zone it is UTC, and a fraction may have any number of digits.
    ///
    /// A TEXT such as `1700000000.0` is the number that it spells: it is what a column of texts makes of a REAL. One
    /// without a point or an exponent, such as `20240229`, may mean anything, and is read as a number of milli- or
    /// microseconds alone.
    ///
    /// - Parameter value: The value.
    /// - Throws: ``ResultCode/typeMismatch`` for another text, for a number beyond all dates, and for NULL and BLOB.
    public func date(from value: SQLiteValue) throws(SQLiteError) -> Date {
        switch value {
        case .real(let number):
            let date = date(from: number)
            guard date.timeIntervalSinceReferenceDate.isFinite else { throw value.mismatch(Date.self) }
            return date
        case .integer(let number): return date(from: number)
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
        // A REAL has a point in SQLite's spelling, an INTEGER none. Swift writes large ones as 1e+24.
        let isReal = utf8.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") }
        let isNumber = utf8.allSatisfy { (48...57).contains($0) || [43, 45, 46, 69, 101].contains($0) }
        guard isReal || columnType == .integer, isNumber else { return nil }
        let text = String(decoding: utf8, as: UTF8.self)
        if !isReal, let number = Int64(text) { return date(from: number) }
        guard let number = Double(text) else { return nil }
        let date = date(from: number)
        return date.timeIntervalSinceReferenceDate.isFinite ? date : nil
    }

    /// The date of a count of units, whose whole seconds are exact.
    private func date(from number: Int64) -> Date {
        guard self == .unixMicroseconds || self == .microsecondsSince1601 else { return date(from: Double(number)) }
        let (seconds, rest) = number.quotientAndRemainder(dividingBy: 1_000_000)
        let start = self == .unixMicroseconds ? 0 : Self.secondsFrom1601To1970
        return Date(timeIntervalSince1970: Double(seconds - start) + Double(rest) / 1_000_000)
    }

    private func date(from number: Double) -> Date {
        switch self {
        case .unixSeconds, .iso8601, .iso8601Milliseconds, .dateTime, .fractionalDateTime, .pythonDateTime, .date:
            Date(timeIntervalSince1970: number)
        case .unixMilliseconds: Date(timeIntervalSince1970: number / 1000)
        case .unixMicroseconds: Date(timeIntervalSince1970: number / 1_000_000)
        case .microsecondsSince1601:
            Date(timeIntervalSince1970: number / 1_000_000 - Double(Self.secondsFrom1601To1970))
        case .julianDay: Date(timeIntervalSince1970: (number - Self.julianDayOf1970) * 86400)
        case .referenceDate: Date(timeIntervalSinceReferenceDate: number)
        }
    }

    private static let julianDayOf1970 = 2_440_587.5
    private static let secondsFrom1601To1970 = 11_644_473_600 as Int64

    static func unstorable(_ date: Date, _ reason: String) -> SQLiteError {
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
