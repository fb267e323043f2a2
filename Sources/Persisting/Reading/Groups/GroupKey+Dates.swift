public import Foundation

/// Groups by calendar units. A key is the date at which its unit begins, such as the first of a month.
///
/// ```swift
/// try manager.groups(Order.rows, by: .month(\.date), computing: .count)
/// try manager.groups(
///     Line.rows, by: .key(Line.order[\.placed]).start(of: .quarter),
///     computing: .count)
/// ```
extension GroupKey where Value: SQLiteValueConvertible, Value.NonOptional == Date {
    /// Groups by the year of a date.
    ///
    /// - Parameters:
    ///   - keyPath: The date. Rows in which it is nil form their own group.
    ///   - secondsFromGMT: The time zone's offset from UTC in seconds, positive to the east.
    public static func year(_ keyPath: KeyPath<Model, Value>, secondsFromGMT: Int = 0) -> GroupKey {
        key(keyPath).start(of: .year, secondsFromGMT: secondsFromGMT)
    }

    /// Groups by the month of a date, in its year.
    ///
    /// - Parameters:
    ///   - keyPath: The date. Rows in which it is nil form their own group.
    ///   - secondsFromGMT: The time zone's offset from UTC in seconds, positive to the east.
    public static func month(_ keyPath: KeyPath<Model, Value>, secondsFromGMT: Int = 0) -> GroupKey {
        key(keyPath).start(of: .month, secondsFromGMT: secondsFromGMT)
    }

    /// Groups by the week of a date. Weeks begin on Monday.
    ///
    /// - Parameters:
    ///   - keyPath: The date. Rows in which it is nil form their own group.
    ///   - secondsFromGMT: The time zone's offset from UTC in seconds, positive to the east.
    public static func week(_ keyPath: KeyPath<Model, Value>, secondsFromGMT: Int = 0) -> GroupKey {
        key(keyPath).start(of: .week, secondsFromGMT: secondsFromGMT)
    }

    /// Groups by the day of a date.
    ///
    /// - Parameters:
    ///   - keyPath: The date. Rows in which it is nil form their own group.
    ///   - secondsFromGMT: The time zone's offset from UTC in seconds, positive to the east.
    public static func day(_ keyPath: KeyPath<Model, Value>, secondsFromGMT: Int = 0) -> GroupKey {
        key(keyPath).start(of: .day, secondsFromGMT: secondsFromGMT)
    }

    /// Groups by a calendar unit of this key's dates. The new key is named after the unit.
    ///
    /// - Parameters:
    ///   - unit: The unit: a year, quarter, month, week, day, hour or minute.
    ///   - secondsFromGMT: The time zone's offset from UTC in seconds, positive to the east.
    public func start(of unit: DateUnit, secondsFromGMT: Int = 0) -> GroupKey {
        GroupKey(expression.start(of: unit, secondsFromGMT: secondsFromGMT), name: unit.rawValue)
    }
}
