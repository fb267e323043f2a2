/// The properties of a model's rows as expressions: `row.price * row.quantity`. It is made by ``ActiveRecord/row``.
@dynamicMemberLookup
public struct ModelRow<Model: PersistingModel>: Sendable {
    init() {}

    /// A property that has a column.
    ///
    /// - Parameter keyPath: The property. One that has no column throws when the expression is used.
    public subscript<Value>(dynamicMember keyPath: KeyPath<Model, Value>) -> ModelExpression<Model> {
        ModelExpression(keyPath)
    }

    /// A property of a type with a raw value, such as an enum: `row.kind == .full`. As a key path it knows the type.
    ///
    /// - Parameter keyPath: The property.
    public subscript<Value: SQLiteValueConvertible>(dynamicMember keyPath: KeyPath<Model, Value>) -> KeyPath<
        Model, Value
    >
    where Value.NonOptional: RawRepresentable { keyPath }

    /// A property by its name, a bit field, an alias or a calculation; with dots, a value of related rows, such as
    /// `show.title` or `episodes.@count`.
    ///
    /// - Parameter key: The name. An unknown one throws when the expression is used.
    public subscript(key: String) -> ModelExpression<Model> { ModelExpression(.key(key)) }

    /// A value of related rows: `row[Show.episodes.count] * 2`.
    ///
    /// - Parameter value: The value.
    public subscript<Value>(value: RelatedValue<Model, Value>) -> ModelExpression<Model> { ModelExpression(value) }
}

extension ActiveRecord {
    /// The class's rows, whose properties stand in calculations.
    ///
    /// ```swift
    /// let line = OrderLine.row
    /// let large = try OrderLine.all(
    ///     where: line.price * line.quantity > 100 && line.date.year == 2026)
    /// ```
    public static var row: ModelRow<Self> { ModelRow() }
}
