public import Foundation

/// Groups by the calendar. A key is the date at which its unit begins, such as the first of a month.
extension GroupKey where Value == Date {
    /// The year of a date.
    ///
    /// - Parameters:
    ///   - keyPath: The date.
    ///   - secondsFromGMT: By how many seconds the zone, whose years they are, is east of UTC.
    public static func year(_ keyPath: KeyPath<Model, Date>, secondsFromGMT: Int = 0) -> GroupKey {
        start(of: .year, keyPath, secondsFromGMT: secondsFromGMT)
    }

    /// The month of a date, with its year.
    ///
    /// - Parameters:
    ///   - keyPath: The date.
    ///   - secondsFromGMT: By how many seconds the zone is east of UTC.
    public static func month(_ keyPath: KeyPath<Model, Date>, secondsFromGMT: Int = 0) -> GroupKey {
        start(of: .month, keyPath, secondsFromGMT: secondsFromGMT)
    }

    /// The week of a date, from Monday on.
    ///
    /// - Parameters:
    ///   - keyPath: The date.
    ///   - secondsFromGMT: By how many seconds the zone is east of UTC.
    public static func week(_ keyPath: KeyPath<Model, Date>, secondsFromGMT: Int = 0) -> GroupKey {
        start(of: .week, keyPath, secondsFromGMT: secondsFromGMT)
    }

    /// The day of a date.
    ///
    /// - Parameters:
    ///   - keyPath: The date.
    ///   - secondsFromGMT: By how many seconds the zone is east of UTC.
    public static func day(_ keyPath: KeyPath<Model, Date>, secondsFromGMT: Int = 0) -> GroupKey {
        start(of: .day, keyPath, secondsFromGMT: secondsFromGMT)
    }

    /// The start of a date's year, quarter, month, week, day, hour or minute.
    ///
    /// - Parameters:
    ///   - unit: The unit.
    ///   - keyPath: The date.
    ///   - secondsFromGMT: By how many seconds the zone is east of UTC.
    public static func start(of unit: DateUnit, _ keyPath: KeyPath<Model, Date>, secondsFromGMT: Int = 0) -> GroupKey {
        GroupKey(ModelExpression(keyPath).start(of: unit, secondsFromGMT: secondsFromGMT), name: unit.rawValue)
    }
}

/// The same of a property that may be nil, whose group is that of nil.
extension GroupKey where Value == Date? {
    /// The year of a date.
    ///
    /// - Parameters:
    ///   - keyPath: The date.
    ///   - secondsFromGMT: By how many seconds the zone is east of UTC.
    public static func year(_ keyPath: KeyPath<Model, Date?>, secondsFromGMT: Int = 0) -> GroupKey {
        start(of: .year, keyPath, secondsFromGMT: secondsFromGMT)
    }

    /// The month of a date, with its year.
    ///
    /// - Parameters:
    ///   - keyPath: The date.
    ///   - secondsFromGMT: By how many seconds the zone is east of UTC.
    public static func month(_ keyPath: KeyPath<Model, Date?>, secondsFromGMT: Int = 0) -> GroupKey {
        start(of: .month, keyPath, secondsFromGMT: secondsFromGMT)
    }

    /// The week of a date, from Monday on.
    ///
    /// - Parameters:
    ///   - keyPath: The date.
    ///   - secondsFromGMT: By how many seconds the zone is east of UTC.
    public static func week(_ keyPath: KeyPath<Model, Date?>, secondsFromGMT: Int = 0) -> GroupKey {
        start(of: .week, keyPath, secondsFromGMT: secondsFromGMT)
    }

    /// The day of a date.
    ///
    /// - Parameters:
    ///   - keyPath: The date.
    ///   - secondsFromGMT: By how many seconds the zone is east of UTC.
    public static func day(_ keyPath: KeyPath<Model, Date?>, secondsFromGMT: Int = 0) -> GroupKey {
        start(of: .day, keyPath, secondsFromGMT: secondsFromGMT)
    }

    /// The start of a date's year, quarter, month, week, day, hour or minute.
    ///
    /// - Parameters:
    ///   - unit: The unit.
    ///   - keyPath: The date.
    ///   - secondsFromGMT: By how many seconds the zone is east of UTC.
    public static func start(of unit: DateUnit, _ keyPath: KeyPath<Model, Date?>, secondsFromGMT: Int = 0) -> GroupKey {
        GroupKey(ModelExpression(keyPath).start(of: unit, secondsFromGMT: secondsFromGMT), name: unit.rawValue)
    }
}

/// The same of a value of related rows. Rows without one are the group of nil.
extension GroupKey where Value == Date? {
    /// The year of a related date.
    ///
    /// - Parameters:
    ///   - related: The date, such as `Line.order[\.placed]`.
    ///   - secondsFromGMT: By how many seconds the zone is east of UTC.
    public static func year<Related: SQLiteValueConvertible>(
        _ related: RelatedValue<Model, Related>, secondsFromGMT: Int = 0
    ) -> GroupKey where Related.NonOptional == Date {
        start(of: .year, related, secondsFromGMT: secondsFromGMT)
    }

    /// The month of a related date, with its year.
    ///
    /// - Parameters:
    ///   - related: The date, such as `Line.order[\.placed]`.
    ///   - secondsFromGMT: By how many seconds the zone is east of UTC.
    public static func month<Related: SQLiteValueConvertible>(
        _ related: RelatedValue<Model, Related>, secondsFromGMT: Int = 0
    ) -> GroupKey where Related.NonOptional == Date {
        start(of: .month, related, secondsFromGMT: secondsFromGMT)
    }

    /// The week of a related date, from Monday on.
    ///
    /// - Parameters:
    ///   - related: The date, such as `Line.order[\.placed]`.
    ///   - secondsFromGMT: By how many seconds the zone is east of UTC.
    public static func week<Related: SQLiteValueConvertible>(
        _ related: RelatedValue<Model, Related>, secondsFromGMT: Int = 0
    ) -> GroupKey where Related.NonOptional == Date {
        start(of: .week, related, secondsFromGMT: secondsFromGMT)
    }

    /// The day of a related date.
    ///
    /// - Parameters:
    ///   - related: The date, such as `Line.order[\.placed]`.
    ///   - secondsFromGMT: By how many seconds the zone is east of UTC.
    public static func day<Related: SQLiteValueConvertible>(
        _ related: RelatedValue<Model, Related>, secondsFromGMT: Int = 0
    ) -> GroupKey where Related.NonOptional == Date {
        start(of: .day, related, secondsFromGMT: secondsFromGMT)
    }

    /// The start of a related date's year, quarter, month, week, day, hour or minute.
    ///
    /// - Parameters:
    ///   - unit: The unit.
    ///   - related: The date, such as `Line.order[\.placed]`.
    ///   - secondsFromGMT: By how many seconds the zone is east of UTC.
    public static func start<Related: SQLiteValueConvertible>(
        of unit: DateUnit, _ related: RelatedValue<Model, Related>, secondsFromGMT: Int = 0
    ) -> GroupKey where Related.NonOptional == Date {
        GroupKey(ModelExpression(related).start(of: unit, secondsFromGMT: secondsFromGMT), name: unit.rawValue)
    }
}
