public import Foundation

/// Groups by the calendar. A key is the date at which its unit begins, such as the first of a month.
///
/// ```swift
/// try manager.groups(Order.rows, by: .month(\.date), computing: .count)
/// try manager.groups(
///     Line.rows, by: .key(Line.order[\.placed]).start(of: .quarter),
///     computing: .count)
/// ```
extension GroupKey where Value: SQLiteValueConvertible, Value.NonOptional == Date {
    /// The year of a date.
    ///
    /// - Parameters:
    ///   - keyPath: The date. Nil is a group of its own.
    ///   - secondsFromGMT: By how many seconds the zone, whose years they are, is east of UTC.
    public static func year(_ keyPath: KeyPath<Model, Value>, secondsFromGMT: Int = 0) -> GroupKey {
        key(keyPath).start(of: .year, secondsFromGMT: secondsFromGMT)
    }

    /// The month of a date, with its year.
    ///
    /// - Parameters:
    ///   - keyPath: The date. Nil is a group of its own.
    ///   - secondsFromGMT: By how many seconds the zone is east of UTC.
    public static func month(_ keyPath: KeyPath<Model, Value>, secondsFromGMT: Int = 0) -> GroupKey {
        key(keyPath).start(of: .month, secondsFromGMT: secondsFromGMT)
    }

    /// The week of a date, from Monday on.
    ///
    /// - Parameters:
    ///   - keyPath: The date. Nil is a group of its own.
    ///   - secondsFromGMT: By how many seconds the zone is east of UTC.
    public static func week(_ keyPath: KeyPath<Model, Value>, secondsFromGMT: Int = 0) -> GroupKey {
        key(keyPath).start(of: .week, secondsFromGMT: secondsFromGMT)
    }

    /// The day of a date.
    ///
    /// - Parameters:
    ///   - keyPath: The date. Nil is a group of its own.
    ///   - secondsFromGMT: By how many seconds the zone is east of UTC.
    public static func day(_ keyPath: KeyPath<Model, Value>, secondsFromGMT: Int = 0) -> GroupKey {
        key(keyPath).start(of: .day, secondsFromGMT: secondsFromGMT)
    }

    /// The start of the key's year, quarter, month, week, day, hour or minute. It is named after the unit.
    ///
    /// - Parameters:
    ///   - unit: The unit.
    ///   - secondsFromGMT: By how many seconds the zone is east of UTC.
    public func start(of unit: DateUnit, secondsFromGMT: Int = 0) -> GroupKey {
        GroupKey(expression.start(of: unit, secondsFromGMT: secondsFromGMT), name: unit.rawValue)
    }
}
