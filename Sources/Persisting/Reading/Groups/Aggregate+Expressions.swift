internal import Foundation

/// Aggregates of what is calculated for each row.
extension Aggregate {
    /// The number of rows for which a calculation isn't NULL.
    ///
    /// - Parameter expression: The calculation.
    public static func count(_ expression: ModelExpression<Model>) -> Aggregate where Value == Int {
        Aggregate(.count, expression, name: "count")
    }

    /// The number of different values of a calculation, except for NULL.
    ///
    /// - Parameter expression: The calculation.
    public static func count(distinct expression: ModelExpression<Model>) -> Aggregate where Value == Int {
        Aggregate(.count, expression, AggregateOptions(isDistinct: true), name: "count")
    }

    /// The sum of a calculation: `.sum(\.price * \.quantity)`; nil where all values are NULL.
    ///
    /// Integers are added as such, and a sum beyond Int64 throws ``PersistenceError/Code/overflow``.
    ///
    /// - Parameter expression: The calculation, of numbers.
    public static func sum(_ expression: ModelExpression<Model>) -> Aggregate where Value == Double? {
        sum(expression, as: Double.self)
    }

    /// The sum of a calculation as a type: `.sum(\.boxes * \.size, as: Int.self)`; nil where all values are NULL.
    ///
    /// As a `Decimal`, the sum is exact of what is calculated, which has up to 15 digits.
    ///
    /// - Parameters:
    ///   - expression: The calculation, of numbers.
    ///   - type: The type of the sum.
    public static func sum<Number: SQLiteValueConvertible>(
        _ expression: ModelExpression<Model>, as type: Number.Type
    ) -> Aggregate where Value == Number? {
        Aggregate(.sum, expression, AggregateOptions(isExact: type == Decimal.self), name: "sum")
    }

    /// The sum of a calculation as a floating-point number, 0 where all values are NULL.
    ///
    /// - Parameter expression: The calculation, of numbers.
    public static func total(_ expression: ModelExpression<Model>) -> Aggregate where Value == Double {
        Aggregate(.total, expression, name: "total")
    }

    /// The average of a calculation, as a floating-point number; nil where all values are NULL.
    ///
    /// - Parameter expression: The calculation, of numbers.
    public static func average(_ expression: ModelExpression<Model>) -> Aggregate where Value == Double? {
        Aggregate(.average, expression, name: "average")
    }

    /// The least value of a calculation of numbers; nil where all are NULL.
    ///
    /// - Parameter expression: The calculation.
    public static func min(_ expression: ModelExpression<Model>) -> Aggregate where Value == Double? {
        min(expression, as: Double.self)
    }

    /// The least value of a calculation; nil where all are NULL.
    ///
    /// - Parameters:
    ///   - expression: The calculation.
    ///   - type: The type of the value, such as `Int.self`.
    public static func min<Result: SQLiteValueConvertible>(
        _ expression: ModelExpression<Model>, as type: Result.Type
    ) -> Aggregate where Value == Result? {
        Aggregate(.least, expression, name: "min")
    }

    /// The greatest value of a calculation of numbers; nil where all are NULL.
    ///
    /// - Parameter expression: The calculation.
    public static func max(_ expression: ModelExpression<Model>) -> Aggregate where Value == Double? {
        max(expression, as: Double.self)
    }

    /// The greatest value of a calculation; nil where all are NULL.
    ///
    /// - Parameters:
    ///   - expression: The calculation.
    ///   - type: The type of the value, such as `Int.self`.
    public static func max<Result: SQLiteValueConvertible>(
        _ expression: ModelExpression<Model>, as type: Result.Type
    ) -> Aggregate where Value == Result? {
        Aggregate(.greatest, expression, name: "max")
    }

    /// The values of a calculation as one text, in no particular order; nil where all are NULL.
    ///
    /// - Parameters:
    ///   - expression: The calculation.
    ///   - separator: What stands between two values.
    public static func joined(
        _ expression: ModelExpression<Model>, separator: String = ","
    ) -> Aggregate where Value == String? {
        Aggregate(.joined, expression, AggregateOptions(separator: separator), name: "joined")
    }
}

/// Aggregates of related rows' values.
extension Aggregate {
    /// The number of different related values, except for NULL.
    ///
    /// - Parameter related: The value, such as `Line.customer[\.country]`.
    public static func count<Related>(distinct related: RelatedValue<Model, Related>) -> Aggregate where Value == Int {
        count(distinct: ModelExpression(related))
    }

    /// The sum of a related value; nil where all are NULL. A sum of Decimals is exact.
    ///
    /// - Parameter related: The value, a number, such as `Show.episodes.count`.
    public static func sum<Number: SQLiteValueConvertible>(
        _ related: RelatedValue<Model, Number>
    ) -> Aggregate where Value == Number.NonOptional? {
        sum(ModelExpression(related), as: Number.NonOptional.self)
    }

    /// The average of a related value, as a floating-point number; nil where all are NULL.
    ///
    /// - Parameter related: The value, a number.
    public static func average<Number: SQLiteValueConvertible>(
        _ related: RelatedValue<Model, Number>
    ) -> Aggregate where Value == Double? {
        average(ModelExpression(related))
    }

    /// The least related value; nil where all are NULL.
    ///
    /// - Parameter related: The value.
    public static func min<Result: SQLiteValueConvertible>(
        _ related: RelatedValue<Model, Result>
    ) -> Aggregate where Value == Result.NonOptional? {
        min(ModelExpression(related), as: Result.NonOptional.self)
    }

    /// The greatest related value; nil where all are NULL.
    ///
    /// - Parameter related: The value.
    public static func max<Result: SQLiteValueConvertible>(
        _ related: RelatedValue<Model, Result>
    ) -> Aggregate where Value == Result.NonOptional? {
        max(ModelExpression(related), as: Result.NonOptional.self)
    }
}
