package import Foundation

/// A part of a date by the Gregorian calendar.
public enum DatePart: String, Sendable, Hashable, CaseIterable {
    /// The year, 0 for the one before year 1.
    case year
    /// 1 to 4.
    case quarter
    /// 1 to 12.
    case month
    /// The week of the year by ISO 8601, 1 to 53: a week begins on Monday, and belongs to the year of its Thursday.
    case week
    /// The day of the month, 1 to 31.
    case day
    /// 1 to 366.
    case dayOfYear
    /// 1 is Sunday, 7 is Saturday, as in Foundation's `Calendar`. SQLite's `%w` is one less.
    case weekday
    /// 0 to 23.
    case hour
    /// 0 to 59.
    case minute
    /// 0 to 59, without a fraction.
    case second

    /// The part that a date has.
    ///
    /// - Parameters:
    ///   - date: The date.
    ///   - offset: Seconds by which the zone is east of UTC.
    /// - Returns: Nil for a date that is further than thirty million years away.
    package func value(of date: Date, offset: Int) -> Int64? {
        guard let (days, second) = date.dayAndSecond(offset: offset) else { return nil }
        switch self {
        case .hour: return second / 3600
        case .minute: return second / 60 % 60
        case .second: return second % 60
        case .weekday: return CivilDay.weekday(days) + 1
        case .week:
            // The year of a week is that of its Thursday.
            let thursday = days - (CivilDay.weekday(days) + 6) % 7 + 3
            return (thursday - CivilDay(thursday).firstOfYear) / 7 + 1
        case .year: return CivilDay(days).year
        case .quarter: return (CivilDay(days).month - 1) / 3 + 1
        case .month: return CivilDay(days).month
        case .day: return CivilDay(days).day
        case .dayOfYear: return days - CivilDay(days).firstOfYear + 1
        }
    }
}

/// A span of the calendar, to whose beginning a date can be taken back.
public enum DateUnit: String, Sendable, Hashable, CaseIterable {
    /// From 1 January on.
    case year
    /// Three months, from the first of January, April, July or October on.
    case quarter
    /// From its first day on.
    case month
    /// From Monday on.
    case week
    /// From midnight on.
    case day
    /// Sixty minutes.
    case hour
    /// Sixty seconds.
    case minute

    /// The beginning of the unit that a date is in.
    ///
    /// - Parameters:
    ///   - date: The date.
    ///   - offset: Seconds by which the zone is east of UTC.
    /// - Returns: Nil for a date that is further than thirty million years away.
    package func start(of date: Date, offset: Int) -> Date? {
        guard let (days, second) = date.dayAndSecond(offset: offset) else { return nil }
        let start: Int64 =
            switch self {
            case .year: CivilDay(days).firstOfYear * 86_400
            case .quarter:
                CivilDay(year: CivilDay(days).year, month: (CivilDay(days).month - 1) / 3 * 3 + 1).number * 86_400
            case .month: CivilDay(year: CivilDay(days).year, month: CivilDay(days).month).number * 86_400
            case .week: (days - (CivilDay.weekday(days) + 6) % 7) * 86_400
            case .day: days * 86_400
            case .hour: days * 86_400 + second / 3600 * 3600
            case .minute: days * 86_400 + second / 60 * 60
            }
        return Date(timeIntervalSince1970: Double(start - Int64(offset)))
    }
}

extension Date {
    /// The day, counted from 1 January 1970, and the second within it; nil for a date too far away to be counted.
    fileprivate func dayAndSecond(offset: Int) -> (day: Int64, second: Int64)? {
        let seconds = timeIntervalSince1970.rounded(.down)
        guard seconds.magnitude < 1e15, offset.magnitude <= 1_000_000 else { return nil }
        let local = Int64(seconds) + Int64(offset)
        let second = (local % 86_400 + 86_400) % 86_400
        return ((local - second) / 86_400, second)
    }
}
