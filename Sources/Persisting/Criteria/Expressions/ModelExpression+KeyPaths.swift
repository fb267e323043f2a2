/// Calculations by key path: `\.price * \.quantity > 100`. A long one compiles faster with ``ActiveRecord/row``.

/// The sum of both; of two texts, the second after the first. NULL if one is NULL.
public func + <Model: PersistingModel, Value: SQLiteValueConvertible, Other: SQLiteValueConvertible>(
    lhs: KeyPath<Model, Value>, rhs: KeyPath<Model, Other>
) -> ModelExpression<Model> {
    ModelExpression(lhs) + ModelExpression(rhs)
}

/// The sum of both; of two texts, the second after the first. NULL if one is NULL.
public func + <Model: PersistingModel, Value: SQLiteValueConvertible>(
    lhs: KeyPath<Model, Value>, rhs: Value.NonOptional
) -> ModelExpression<Model> where Value.NonOptional: Sendable {
    ModelExpression(lhs) + ModelExpression(value: rhs)
}

/// The sum of both; of two texts, the second after the first. NULL if one is NULL.
public func + <Model: PersistingModel, Value: SQLiteValueConvertible>(
    lhs: KeyPath<Model, Value>, rhs: ModelExpression<Model>
) -> ModelExpression<Model> {
    ModelExpression(lhs) + rhs
}

/// The sum of both; of two texts, the second after the first. NULL if one is NULL.
public func + <Model: PersistingModel, Value: SQLiteValueConvertible>(
    lhs: ModelExpression<Model>, rhs: KeyPath<Model, Value>
) -> ModelExpression<Model> {
    lhs + ModelExpression(rhs)
}

/// The first less the second. NULL if one is NULL.
public func - <Model: PersistingModel, Value: SQLiteValueConvertible, Other: SQLiteValueConvertible>(
    lhs: KeyPath<Model, Value>, rhs: KeyPath<Model, Other>
) -> ModelExpression<Model> {
    ModelExpression(lhs) - ModelExpression(rhs)
}

/// The first less the second. NULL if one is NULL.
public func - <Model: PersistingModel, Value: SQLiteValueConvertible>(
    lhs: KeyPath<Model, Value>, rhs: Value.NonOptional
) -> ModelExpression<Model> where Value.NonOptional: Sendable {
    ModelExpression(lhs) - ModelExpression(value: rhs)
}

/// The first less the second. NULL if one is NULL.
public func - <Model: PersistingModel, Value: SQLiteValueConvertible>(
    lhs: KeyPath<Model, Value>, rhs: ModelExpression<Model>
) -> ModelExpression<Model> {
    ModelExpression(lhs) - rhs
}

/// The first less the second. NULL if one is NULL.
public func - <Model: PersistingModel, Value: SQLiteValueConvertible>(
    lhs: ModelExpression<Model>, rhs: KeyPath<Model, Value>
) -> ModelExpression<Model> {
    lhs - ModelExpression(rhs)
}

/// The product of both. NULL if one is NULL.
public func * <Model: PersistingModel, Value: SQLiteValueConvertible, Other: SQLiteValueConvertible>(
    lhs: KeyPath<Model, Value>, rhs: KeyPath<Model, Other>
) -> ModelExpression<Model> {
    ModelExpression(lhs) * ModelExpression(rhs)
}

/// The product of both. NULL if one is NULL.
public func * <Model: PersistingModel, Value: SQLiteValueConvertible>(
    lhs: KeyPath<Model, Value>, rhs: Value.NonOptional
) -> ModelExpression<Model> where Value.NonOptional: Sendable {
    ModelExpression(lhs) * ModelExpression(value: rhs)
}

/// The product of both. NULL if one is NULL.
public func * <Model: PersistingModel, Value: SQLiteValueConvertible>(
    lhs: KeyPath<Model, Value>, rhs: ModelExpression<Model>
) -> ModelExpression<Model> {
    ModelExpression(lhs) * rhs
}

/// The product of both. NULL if one is NULL.
public func * <Model: PersistingModel, Value: SQLiteValueConvertible>(
    lhs: ModelExpression<Model>, rhs: KeyPath<Model, Value>
) -> ModelExpression<Model> {
    lhs * ModelExpression(rhs)
}

/// The first divided by the second, without the fraction if both are integers. NULL if one is NULL or the second is 0.
public func / <Model: PersistingModel, Value: SQLiteValueConvertible, Other: SQLiteValueConvertible>(
    lhs: KeyPath<Model, Value>, rhs: KeyPath<Model, Other>
) -> ModelExpression<Model> {
    ModelExpression(lhs) / ModelExpression(rhs)
}

/// The first divided by the second, without the fraction if both are integers. NULL if one is NULL or the second is 0.
public func / <Model: PersistingModel, Value: SQLiteValueConvertible>(
    lhs: KeyPath<Model, Value>, rhs: Value.NonOptional
) -> ModelExpression<Model> where Value.NonOptional: Sendable {
    ModelExpression(lhs) / ModelExpression(value: rhs)
}

/// The first divided by the second, without the fraction if both are integers. NULL if one is NULL or the second is 0.
public func / <Model: PersistingModel, Value: SQLiteValueConvertible>(
    lhs: KeyPath<Model, Value>, rhs: ModelExpression<Model>
) -> ModelExpression<Model> {
    ModelExpression(lhs) / rhs
}

/// The first divided by the second, without the fraction if both are integers. NULL if one is NULL or the second is 0.
public func / <Model: PersistingModel, Value: SQLiteValueConvertible>(
    lhs: ModelExpression<Model>, rhs: KeyPath<Model, Value>
) -> ModelExpression<Model> {
    lhs / ModelExpression(rhs)
}

/// The remainder of the whole parts. NULL if one is NULL or the second is 0.
public func % <Model: PersistingModel, Value: SQLiteValueConvertible, Other: SQLiteValueConvertible>(
    lhs: KeyPath<Model, Value>, rhs: KeyPath<Model, Other>
) -> ModelExpression<Model> {
    ModelExpression(lhs) % ModelExpression(rhs)
}

/// The remainder of the whole parts. NULL if one is NULL or the second is 0.
public func % <Model: PersistingModel, Value: SQLiteValueConvertible>(
    lhs: KeyPath<Model, Value>, rhs: Value.NonOptional
) -> ModelExpression<Model> where Value.NonOptional: Sendable {
    ModelExpression(lhs) % ModelExpression(value: rhs)
}

/// The remainder of the whole parts. NULL if one is NULL or the second is 0.
public func % <Model: PersistingModel, Value: SQLiteValueConvertible>(
    lhs: KeyPath<Model, Value>, rhs: ModelExpression<Model>
) -> ModelExpression<Model> {
    ModelExpression(lhs) % rhs
}

/// The remainder of the whole parts. NULL if one is NULL or the second is 0.
public func % <Model: PersistingModel, Value: SQLiteValueConvertible>(
    lhs: ModelExpression<Model>, rhs: KeyPath<Model, Value>
) -> ModelExpression<Model> {
    lhs % ModelExpression(rhs)
}
