/// What groups rows: rows with equal keys are one group.
///
/// ```swift
/// try manager.groups(
///     Track.self, by: .key(\.composer), .key(Track.album[\.title]),
///     computing: .count)
/// try manager.groups(
///     Track.self,
///     by: .key(\.milliseconds / 60_000, as: Int.self).named("minutes"),
///     computing: .count)
/// ```
///
/// Which values of a property are equal is up to its column's collation. NULL makes a group as any value does.
public struct GroupKey<Model: PersistingModel, Value>: Sendable {
    private enum Reading: Sendable {
        /// By the property's own codec.
        case property
        case value(@Sendable (Operand, Mapping) -> (SQLiteValue) throws -> Value)
    }

    let expression: ModelExpression<Model>
    /// What its column is called.
    private(set) var name: String
    private let reading: Reading

    /// What is calculated of each row.
    ///
    /// - Parameter name: What its column is called.
    init(_ expression: ModelExpression<Model>, name: String) where Value: SQLiteValueConvertible {
        self.expression = expression
        self.name = name
        reading = .value { $1.reader(of: $0, as: Value.self) }
    }

    private init(_ keyPath: KeyPath<Model, Value>) {
        expression = ModelExpression(keyPath)
        name = (try? expression.content.get().key) ?? "key"
        reading = .property
    }

    /// A property's value.
    ///
    /// - Parameter keyPath: The property.
    public static func key(_ keyPath: KeyPath<Model, Value>) -> GroupKey { GroupKey(keyPath) }

    /// A calculation for each row, which may be NULL.
    ///
    /// - Parameters:
    ///   - expression: The calculation, such as `\.milliseconds / 60_000`.
    ///   - type: The type of its value.
    public static func key<Calculated: SQLiteValueConvertible>(
        _ expression: ModelExpression<Model>, as type: Calculated.Type
    ) -> GroupKey where Value == Calculated? {
        GroupKey(expression, name: "key")
    }

    /// A value of related rows.
    ///
    /// - Parameter related: The value, such as `Line.customer[\.country]`. A property's name is that of the key.
    public static func key(_ related: RelatedValue<Model, Value>) -> GroupKey where Value: SQLiteValueConvertible {
        let name = if case .term(.key(let key)) = related.leaf { key } else { "key" }
        return GroupKey(ModelExpression(related), name: name)
    }

    /// The same with another name, by which a `Decodable` type finds it.
    ///
    /// - Parameter name: The name, which is found without regard to the case of ASCII letters.
    public func named(_ name: String) -> GroupKey {
        var key = self
        key.name = name
        return key
    }

    /// Reads the key of a group.
    func reader(_ operand: Operand, _ mapping: Mapping) throws -> (SQLiteValue) throws -> Value {
        switch (reading, operand) {
        case (.property, .column(let column)): try mapping.selected(column).read
        case (.property, _):
            throw PersistenceError(
                .invalidCriteria, "the key \(name) isn't a property with a column", model: mapping.modelName, key: name)
        case (.value(let reader), _): reader(operand, mapping)
        }
    }
}
