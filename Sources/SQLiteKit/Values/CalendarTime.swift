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
            default: ("T", 27)
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
        guard let day = rest.day(), let (seconds, fraction) = rest.time(), rest.isEmpty else { return nil }
        return Double(day * 86_400 + Int64(seconds)) + fraction
    }
}

extension CalendarText {
    /// Reads `YYYY-MM-DD`.
    ///
    /// - Returns: The number of the day; nil for one that the month doesn't have.
    fileprivate mutating func day() -> Int64? {
        guard let year = number(4, upTo: 9999), skip("-"), let month = number(2, upTo: 12), skip("-"),
            let day = number(2, upTo: 31), month > 0, day > 0
        else { return nil }
        let days = CivilDay(year: Int64(year), month: Int64(month), day: Int64(day)).number
        let nextMonth = CivilDay(
            year: Int64(month == 12 ? year + 1 : year), month: month == 12 ? 1 : Int64(month) + 1
        ).number
        // A day that the month does not have is one of the next.
        return days < nextMonth ? days : nil
    }

    /// Reads a time of the day with its offset, if one follows.
    ///
    /// - Returns: The seconds since midnight in UTC, 0 without a time; nil for what is none.
    fileprivate mutating func time() -> (seconds: Int, fraction: Double)? {
        guard skip("T") || skip("t") || skip(" ") else { return (0, 0) }
        guard let hour = number(2, upTo: 24), skip(":"), let minute = number(2, upTo: 59) else { return nil }
        var seconds = hour * 3600 + minute * 60
        var fraction = 0.0
        if skip(":") {
            guard let second = number(2, upTo: 59) else { return nil }
            seconds += second
            if skip(".") || skip(",") {
                guard let value = self.fraction() else { return nil }
                fraction = value
            }
        }
        // 24:00 is the midnight that ends the day.
        guard seconds + (fraction > 0 ? 1 : 0) <= 86_400, let offset = offset() else { return nil }
        return (seconds - offset, fraction)
    }

    /// Reads the offset from UTC, if one follows.
    ///
    /// - Returns: Its seconds, 0 without one; nil for what is none.
    private mutating func offset() -> Int? {
        while skip(" ") {}
        let isWest = skip("-")
        guard isWest || skip("+") else {
            if !skip("Z") { _ = skip("z") }
            return 0
        }
        guard let hours = number(2, upTo: 23) else { return nil }
        var offset = hours * 3600
        if skip(":") || !isEmpty {
            guard let minutes = number(2, upTo: 59) else { return nil }
            offset += minutes * 60
        }
        return isWest ? -offset : offset
    }
}

extension DateStorage {
    /// The seconds since 1970 that a text says, which are more exact near 1970 than those of a `Date`; nil when it says
    /// none.
    package static func secondsSince1970(parsing utf8: UnsafeRawBufferPointer) -> Double? {
        CalendarTime.secondsSince1970(parsing: utf8)
    }
}

/// What is left to read of a date's text.
private struct CalendarText {
    private let utf8: UnsafeRawBufferPointer
    private var position = 0

    init(_ utf8: UnsafeRawBufferPointer) { self.utf8 = utf8 }

    var isEmpty: Bool { position == utf8.count }

    /// Skips a character, if it is the next.
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

    /// The digits after a decimal point, one at least.
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
