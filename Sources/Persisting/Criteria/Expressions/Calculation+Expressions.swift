extension Calculation {
    /// Declares what a computed property is calculated from.
    ///
    /// - Parameters:
    ///   - key: The property's name.
    ///   - keyPath: The property. If it is nil, conditions and orderings can name the calculation only by `key`.
    ///   - expression: The calculation, which is made when it is used. So it can use another one of the class, by its
    ///     property or its name: `row.total`, `row["total"]`.
    public init<Model: PersistingModel>(
        _ key: String, _ keyPath: PartialKeyPath<Model>? = nil,
        as expression: @autoclosure @escaping @Sendable () -> ModelExpression<Model>
    ) {
        self.key = key
        self.keyPath = keyPath
        content = { expression().content }
    }
}

extension CriteriaResolver {
    /// The expression of a calculation of the class; nil if no calculation has the key.
    func calculated(_ key: String, _ context: Context) throws -> Operand? {
        guard let calculation = mapping.calculation(key) else { return nil }
        let name = CalculationName(owner: ObjectIdentifier(mapping.modelType), key: key)
        guard !calculating.contains(name) else {
            throw criteriaError("the calculation \(key) is made of itself", key: key)
        }
        var resolver = self
        resolver.calculating.append(name)
        return try resolver.operand(calculation.content().get(), context)
    }
}

/// A calculation of a class.
struct CalculationName: Equatable {
    let owner: ObjectIdentifier
    let key: String
}
