internal import Foundation

/// What `#Expression` has made, evaluated inside a predicate.
extension PredicateExpressions.ExpressionEvaluate: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        guard case .term(.value(let value)) = try conversion.part(expression),
            let expression = value.value as? Transformation.Output
        else { throw conversion.unsupported(self) }
        var (variables, inputs): ([PredicateExpressions.VariableID], [PredicatePart]) = ([], [])
        for variable in repeat each expression.variable { variables.append(variable.key) }
        for input in repeat each input { inputs.append(try conversion.part(input)) }
        return try conversion.part(expression.expression, where: Array(zip(variables, inputs)))
    }
}

#if canImport(Darwin)
    /// Another predicate, evaluated inside one.
    extension PredicateExpressions.PredicateEvaluate: RowExpression {
        func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
            guard case .term(.value(let value)) = try conversion.part(predicate),
                let predicate = value.value as? Condition.Output
            else { throw conversion.unsupported(self) }
            var (variables, inputs): ([PredicateExpressions.VariableID], [PredicatePart]) = ([], [])
            for variable in repeat each predicate.variable { variables.append(variable.key) }
            for input in repeat each input { inputs.append(try conversion.part(input)) }
            return try conversion.part(predicate.expression, where: Array(zip(variables, inputs)))
        }
    }
#endif
