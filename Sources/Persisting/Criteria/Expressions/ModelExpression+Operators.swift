/// Calculations of properties and values.
extension ModelExpression {
    /// The sum of both; of two texts, the second after the first. NULL if one is NULL.
    public static func + (lhs: Self, rhs: Self) -> Self { Self([lhs, rhs]) { .arithmetic($0[0], .add, $0[1]) } }

    /// The sum of both; of two texts, the second after the first. NULL if one is NULL.
    @_disfavoredOverload
    public static func + (lhs: Self, rhs: some SQLiteValueConvertible & Sendable) -> Self { lhs + Self(value: rhs) }

    /// The sum of both; of two texts, the second after the first. NULL if one is NULL.
    @_disfavoredOverload
    public static func + (lhs: some SQLiteValueConvertible & Sendable, rhs: Self) -> Self { Self(value: lhs) + rhs }

    /// The first less the second. NULL if one is NULL.
    public static func - (lhs: Self, rhs: Self) -> Self { Self([lhs, rhs]) { .arithmetic($0[0], .subtract, $0[1]) } }

    /// The first less the second. NULL if one is NULL.
    @_disfavoredOverload
    public static func - (lhs: Self, rhs: some SQLiteValueConvertible & Sendable) -> Self { lhs - Self(value: rhs) }

    /// The first less the second. NULL if one is NULL.
    @_disfavoredOverload
    public static func - (lhs: some SQLiteValueConvertible & Sendable, rhs: Self) -> Self { Self(value: lhs) - rhs }

    /// The product of both. NULL if one is NULL.
    public static func * (lhs: Self, rhs: Self) -> Self { Self([lhs, rhs]) { .arithmetic($0[0], .multiply, $0[1]) } }

    /// The product of both. NULL if one is NULL.
    @_disfavoredOverload
    public static func * (lhs: Self, rhs: some SQLiteValueConvertible & Sendable) -> Self { lhs * Self(value: rhs) }

    /// The product of both. NULL if one is NULL.
    @_disfavoredOverload
    public static func * (lhs: some SQLiteValueConvertible & Sendable, rhs: Self) -> Self { Self(value: lhs) * rhs }

    /// The first divided by the second, without the fraction if both are integers. NULL if one is NULL or the second
    /// is 0.
    public static func / (lhs: Self, rhs: Self) -> Self { Self([lhs, rhs]) { .arithmetic($0[0], .divide, $0[1]) } }

    /// The first divided by the second, without the fraction if both are integers. NULL if one is NULL or the second
    /// is 0.
    @_disfavoredOverload
    public static func / (lhs: Self, rhs: some SQLiteValueConvertible & Sendable) -> Self { lhs / Self(value: rhs) }

    /// The first divided by the second, without the fraction if both are integers. NULL if one is NULL or the second
    /// is 0.
    @_disfavoredOverload
    public static func / (lhs: some SQLiteValueConvertible & Sendable, rhs: Self) -> Self { Self(value: lhs) / rhs }

    /// The remainder of the whole parts. NULL if one is NULL or the second is 0.
    public static func % (lhs: Self, rhs: Self) -> Self { Self([lhs, rhs]) { .arithmetic($0[0], .remainder, $0[1]) } }

    /// The remainder of the whole parts. NULL if one is NULL or the second is 0.
    @_disfavoredOverload
    public static func % (lhs: Self, rhs: some SQLiteValueConvertible & Sendable) -> Self { lhs % Self(value: rhs) }

    /// The remainder of the whole parts. NULL if one is NULL or the second is 0.
    @_disfavoredOverload
    public static func % (lhs: some SQLiteValueConvertible & Sendable, rhs: Self) -> Self { Self(value: lhs) % rhs }

    /// The number with the other sign. NULL for NULL.
    public static prefix func - (expression: Self) -> Self { 0 - expression }
}

/// Comparisons of calculations.
extension ModelExpression {
    /// The rows for which both are equal. Nil is equal to nil.
    public static func == (lhs: Self, rhs: Self) -> Criteria<Model> { lhs.compared(.equal, with: rhs) }

    /// The rows for which both are equal. Nil is equal to nil.
    @_disfavoredOverload
    public static func == (lhs: Self, rhs: (some SQLiteValueConvertible & Sendable)?) -> Criteria<Model> {
        lhs.compared(.equal, with: Self(value: rhs))
    }

    /// The rows for which both are not equal. Nil is equal to nil alone.
    public static func != (lhs: Self, rhs: Self) -> Criteria<Model> { !lhs.compared(.equal, with: rhs) }

    /// The rows for which both are not equal. Nil is equal to nil alone.
    @_disfavoredOverload
    public static func != (lhs: Self, rhs: (some SQLiteValueConvertible & Sendable)?) -> Criteria<Model> {
        !lhs.compared(.equal, with: Self(value: rhs))
    }

    /// The rows for which the first is less.
    public static func < (lhs: Self, rhs: Self) -> Criteria<Model> { lhs.compared(.less, with: rhs) }

    /// The rows for which the first is less.
    @_disfavoredOverload
    public static func < (lhs: Self, rhs: (some SQLiteValueConvertible & Sendable)?) -> Criteria<Model> {
        lhs.compared(.less, with: Self(value: rhs))
    }

    /// The rows for which the first is less, or both are equal.
    public static func <= (lhs: Self, rhs: Self) -> Criteria<Model> { lhs.compared(.lessOrEqual, with: rhs) }

    /// The rows for which the first is less, or both are equal.
    @_disfavoredOverload
    public static func <= (lhs: Self, rhs: (some SQLiteValueConvertible & Sendable)?) -> Criteria<Model> {
        lhs.compared(.lessOrEqual, with: Self(value: rhs))
    }

    /// The rows for which the first is greater.
    public static func > (lhs: Self, rhs: Self) -> Criteria<Model> { lhs.compared(.greater, with: rhs) }

    /// The rows for which the first is greater.
    @_disfavoredOverload
    public static func > (lhs: Self, rhs: (some SQLiteValueConvertible & Sendable)?) -> Criteria<Model> {
        lhs.compared(.greater, with: Self(value: rhs))
    }

    /// The rows for which the first is greater, or both are equal.
    public static func >= (lhs: Self, rhs: Self) -> Criteria<Model> { lhs.compared(.greaterOrEqual, with: rhs) }

    /// The rows for which the first is greater, or both are equal.
    @_disfavoredOverload
    public static func >= (lhs: Self, rhs: (some SQLiteValueConvertible & Sendable)?) -> Criteria<Model> {
        lhs.compared(.greaterOrEqual, with: Self(value: rhs))
    }
}
