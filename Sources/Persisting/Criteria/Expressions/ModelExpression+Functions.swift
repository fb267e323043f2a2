/// Numbers, choices and conversions.
extension ModelExpression {
    /// The number without its sign. NULL for NULL; of `Int64.min` it is an error.
    public var magnitude: ModelExpression { function(.absolute) }

    /// The number rounded, half away from zero, as a floating-point number; NULL for NULL. It is SQL's `round`.
    ///
    /// - Parameter digits: How many digits stay after the point; a negative number is 0.
    public func rounded(digits: Int = 0) -> ModelExpression { function(.rounded, ModelExpression(value: digits)) }

    /// The value as an integer, a floating-point number or a text, as SQL's CAST converts it: an integer is what a
    /// number has before its point, or what a text begins with, or 0. NULL for NULL.
    ///
    /// - Parameter type: `.integer`, `.real` or `.text`; another throws when the expression is used.
    public func cast(to type: ColumnType) -> ModelExpression {
        switch type {
        case .integer: function(.integer)
        case .real: function(.real)
        case .text: function(.text)
        default:
            ModelExpression(
                PersistenceError(
                    .invalidCriteria, "a cast is to .integer, .real or .text, not to \(type)",
                    model: ModelDescription.name(of: Model.self)))
        }
    }

    /// The value; where it is NULL, the other.
    @_disfavoredOverload
    public static func ?? (lhs: Self, rhs: Self) -> Self { lhs.function(.coalesced, rhs) }

    /// The value; where it is NULL, the other.
    @_disfavoredOverload
    public static func ?? (lhs: Self, rhs: some SQLiteValueConvertible & Sendable) -> Self { lhs ?? Self(value: rhs) }

    /// One of two values, by a condition.
    ///
    /// ```swift
    /// let price = ModelExpression<Item>.if(
    ///     \.isReduced == true, then: Item.row.price / 2, else: Item.row.price)
    /// ```
    ///
    /// - Parameters:
    ///   - condition: The condition. For more cases, the other value can be a choice itself.
    ///   - value: The value where the condition is true.
    ///   - other: The value where it isn't.
    public static func `if`(_ condition: Criteria<Model>, then value: Self, else other: Self) -> Self {
        let node = condition.node
        return Self([value, other]) { .conditional(node, $0[0], $0[1]) }
    }

    func function(_ function: RowFunction, _ others: ModelExpression...) -> ModelExpression {
        ModelExpression([self] + others) { .function(function, $0) }
    }
}

/// Texts.
extension ModelExpression {
    /// The text in small letters, of any alphabet. NULL for NULL.
    public func lowercased() -> ModelExpression { function(.lowercased) }

    /// The text in capital letters, of any alphabet. NULL for NULL.
    public func uppercased() -> ModelExpression { function(.uppercased) }

    /// The text without spaces at its beginning and end. Other white space stays.
    public func trimmed() -> ModelExpression { function(.trimmed) }

    /// How many Unicode scalars the text has, up to its first NUL: SQL's `length`.
    public var length: ModelExpression { function(.length) }

    /// The first characters of the text, or all where it has fewer.
    ///
    /// - Parameter count: How many Unicode scalars; a negative number is 0.
    public func prefix(_ count: Int) -> ModelExpression {
        function(.substring, 1, Self.count(count))
    }

    /// The last characters of the text, or all where it has fewer.
    ///
    /// - Parameter count: How many Unicode scalars; a negative number is 0.
    public func suffix(_ count: Int) -> ModelExpression {
        // From 0 on, SQLite would take all.
        count > 0 ? function(.substring, -Self.count(count)) : prefix(0)
    }

    /// The text without its first characters.
    ///
    /// - Parameter count: How many Unicode scalars; a negative number is 0.
    public func dropFirst(_ count: Int = 1) -> ModelExpression {
        function(.substring, Self.count(count) + 1)
    }

    /// A number of characters, of which no text has more than the last place, and one is left for what follows.
    private static func count(_ count: Int) -> ModelExpression {
        ModelExpression(value: Swift.min(Swift.max(0, count), RowFunction.lastPlace - 1))
    }

    /// The text with each occurrence of another replaced.
    ///
    /// - Parameters:
    ///   - text: What is replaced; of the empty text, nothing is.
    ///   - replacement: What takes its place.
    public func replacing(_ text: String, with replacement: String) -> ModelExpression {
        function(.replaced, ModelExpression(value: text), ModelExpression(value: replacement))
    }

    /// The rows for which the text is another.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - options: How texts are compared; by default by their bytes.
    public func equals(_ text: String, _ options: TextOptions = []) -> Criteria<Model> {
        condition { .compares($0, .equal, .value(text), options) }
    }

    /// The rows for which the text contains another.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - options: How texts are compared; by default by their bytes.
    public func contains(_ text: String, _ options: TextOptions = []) -> Criteria<Model> {
        condition { .matches($0, .contains, .value(text), options) }
    }

    /// The rows for which the text begins with another.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - options: How texts are compared; by default by their bytes.
    public func hasPrefix(_ text: String, _ options: TextOptions = []) -> Criteria<Model> {
        condition { .matches($0, .hasPrefix, .value(text), options) }
    }

    /// The rows for which the text ends with another.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - options: How texts are compared; by default by their bytes.
    public func hasSuffix(_ text: String, _ options: TextOptions = []) -> Criteria<Model> {
        condition { .matches($0, .hasSuffix, .value(text), options) }
    }

    /// The rows for which the value is one of a list. Nil among them is NULL.
    ///
    /// - Parameter values: The values.
    public func isIn<Value: SQLiteValueConvertible & Sendable>(_ values: some Sequence<Value>) -> Criteria<Model> {
        condition { .isIn($0, values.map { .value($0) }, []) }
    }
}

/// Dates. A part is told in UTC unless another zone is given, whatever form the column holds dates in; of NULL it is
/// NULL.
extension ModelExpression {
    /// The year of the date, in UTC.
    public var year: ModelExpression { component(.year) }
    /// The month of the date, 1 to 12, in UTC.
    public var month: ModelExpression { component(.month) }
    /// The week of the date's year by ISO 8601, 1 to 53, in UTC.
    public var week: ModelExpression { component(.week) }
    /// The day of the date's month, 1 to 31, in UTC.
    public var day: ModelExpression { component(.day) }
    /// The day of the date's week, in UTC: 1 is Sunday, 7 is Saturday.
    public var weekday: ModelExpression { component(.weekday) }
    /// The hour of the date, 0 to 23, in UTC.
    public var hour: ModelExpression { component(.hour) }

    /// A part of the date, an integer.
    ///
    /// - Parameters:
    ///   - part: The part.
    ///   - secondsFromGMT: By how many seconds the zone is east of UTC, such as 3600.
    public func component(_ part: DatePart, secondsFromGMT: Int = 0) -> ModelExpression {
        ModelExpression([self]) { .date(.part(part, offset: secondsFromGMT), $0[0]) }
    }

    /// The beginning of the year, month, week, day or other unit that the date is in: a date, in the form that the
    /// column holds.
    ///
    /// - Parameters:
    ///   - unit: The unit.
    ///   - secondsFromGMT: By how many seconds the zone is east of UTC, such as 3600.
    public func start(of unit: DateUnit, secondsFromGMT: Int = 0) -> ModelExpression {
        ModelExpression([self]) { .date(.start(unit, offset: secondsFromGMT), $0[0]) }
    }
}
