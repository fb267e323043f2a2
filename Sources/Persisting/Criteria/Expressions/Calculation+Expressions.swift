extension Calculation {
    /// What a computed property is calculated from.
    ///
    /// - Parameters:
    ///   - key: The property's name.
    ///   - keyPath: The property. Nil is none: the calculation goes by its name.
    ///   - expression: What is calculated. Another calculation stands in it by its name: `row["total"]`.
    public init<Model: PersistingModel>(
        _ key: String, _ keyPath: PartialKeyPath<Model>? = nil, as expression: ModelExpression<Model>
    ) {
        self.key = key
        self.keyPath = keyPath
        content = expression.content
    }
}

extension CriteriaResolver {
    /// What a calculation of the class stands for; nil for another key.
    func calculated(_ key: String, _ context: Context) throws -> Operand? {
        guard let calculation = mapping.calculation(key) else { return nil }
        guard !calculating.contains(key) else {
            throw criteriaError("the calculation \(key) is made of itself", key: key)
        }
        var resolver = self
        resolver.calculating.append(key)
        return try resolver.operand(calculation.content.get(), context)
    }
}
