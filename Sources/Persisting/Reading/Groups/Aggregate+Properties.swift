internal import Foundation

/// Aggregates of properties.
extension Aggregate {
    /// The number of values of a property that aren't NULL.
    ///
    /// - Parameter keyPath: The property.
    public static func count<Property>(_ keyPath: KeyPath<Model, Property>) -> Aggregate where Value == Int {
        Aggregate(.count, ModelExpression(keyPath), name: "count")
    }

    /// The number of different values of a property, except for NULL. Which are the same is up to the column's
    /// collation.
    ///
    /// - Parameter keyPath: The property.
    public static func count<Property>(distinct keyPath: KeyPath<Model, Property>) -> Aggregate where Value == Int {
        Aggregate(.count, ModelExpression(keyPath), AggregateOptions(isDistinct: true), name: "count")
    }

    /// The sum of a property; nil where all values are NULL.
    ///
    /// A sum of Decimals is exact, and one of integers beyond Int64 throws ``PersistenceError/Code/overflow``.
    ///
    /// - Parameter keyPath: The property, a number.
    public static func sum<Number: SQLiteValueConvertible>(
        _ keyPath: KeyPath<Model, Number>
    ) -> Aggregate where Value == Number.NonOptional? {
        let options = AggregateOptions(isExact: Number.NonOptional.self == Decimal.self)
        return Aggregate(.sum, ModelExpression(keyPath), options, name: "sum")
    }

    /// The sum of a property as a floating-point number, 0 where all values are NULL. It never overflows.
    ///
    /// - Parameter keyPath: The property, a number.
    public static func total<Number: SQLiteValueConvertible>(
        _ keyPath: KeyPath<Model, Number>
    ) -> Aggregate where Value == Double {
        Aggregate(.total, ModelExpression(keyPath), name: "total")
    }

    /// The average of a property, as a floating-point number; nil where all values are NULL. That of Decimals is
    /// rounded once, at the end.
    ///
    /// - Parameter keyPath: The property, a number.
    public static func average<Number: SQLiteValueConvertible>(
        _ keyPath: KeyPath<Model, Number>
    ) -> Aggregate where Value == Double? {
        let options = AggregateOptions(isExact: Number.NonOptional.self == Decimal.self)
        return Aggregate(.average, ModelExpression(keyPath), options, name: "average")
    }

    /// The least value of a property, in its column's order; nil where all are NULL.
    ///
    /// - Parameter keyPath: The property.
    public static func min<Property: SQLiteValueConvertible>(
        _ keyPath: KeyPath<Model, Property>
    ) -> Aggregate where Value == Property.NonOptional? {
        Aggregate(.least, ModelExpression(keyPath), name: "min")
    }

    /// The greatest value of a property, in its column's order; nil where all are NULL.
    ///
    /// - Parameter keyPath: The property.
    public static func max<Property: SQLiteValueConvertible>(
        _ keyPath: KeyPath<Model, Property>
    ) -> Aggregate where Value == Property.NonOptional? {
        Aggregate(.greatest, ModelExpression(keyPath), name: "max")
    }

    /// The values of a property as one text, in no particular order; nil where all are NULL. What isn't a text is in
    /// SQLite's spelling of what is stored.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - separator: What stands between two values.
    public static func joined<Property>(
        _ keyPath: KeyPath<Model, Property>, separator: String = ","
    ) -> Aggregate where Value == String? {
        Aggregate(.joined, ModelExpression(keyPath), AggregateOptions(separator: separator), name: "joined")
    }
}

extension Aggregate where Value == Int {
    /// The number of rows.
    public static var count: Aggregate { Aggregate(.count, nil, name: "count") }
}
