internal import Foundation

extension PredicateExpressions.Conjunction: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        .condition(.and(try conversion.condition(lhs).conjuncts + conversion.condition(rhs).conjuncts))
    }
}

extension PredicateExpressions.Disjunction: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        .condition(.or(try conversion.condition(lhs).disjuncts + conversion.condition(rhs).disjuncts))
    }
}

extension PredicateExpressions.Negation: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        .condition(try conversion.condition(wrapped).negated)
    }
}

extension PredicateExpressions.Equal: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        .condition(try conversion.equality(lhs, rhs))
    }
}

extension PredicateExpressions.NotEqual: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        .condition(try conversion.equality(lhs, rhs).negated)
    }
}

extension PredicateExpressions.Comparison: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        let comparison: CriteriaNode.Comparison =
            switch op {
            case .lessThan: .less
            case .lessThanOrEqual: .lessOrEqual
            case .greaterThan: .greater
            case .greaterThanOrEqual: .greaterOrEqual
            @unknown default: throw conversion.unsupported(self)
            }
        let (left, right) = try conversion.parts(lhs, rhs)
        return .condition(
            .compares(try conversion.term(of: left, lhs), comparison, try conversion.term(of: right, rhs), []))
    }
}

extension PredicateConversion {
    fileprivate mutating func equality(
        _ lhs: some PredicateExpression, _ rhs: some PredicateExpression
    ) throws -> CriteriaNode {
        let (left, right) = try parts(lhs, rhs)
        if let node = Self.equality(left, right) ?? Self.equality(right, left) { return node }
        return .compares(try term(of: left, lhs), .equal, try term(of: right, rhs), [])
    }

    /// The equality of a condition, or of an ordering of texts, with a value that is given; nil for other parts.
    /// Conditions stay conditions so, for which SQLite can use an index.
    private static func equality(_ part: PredicatePart, _ value: PredicatePart) -> CriteriaNode? {
        guard case .term(let term) = value, let given = term.given else { return nil }
        switch (part, given) {
        case (.condition(let node), let value as Bool): return value ? node : node.negated
        case (.optional(let isPresent, _), nil): return isPresent.negated
        case (.optional(let isPresent, let node), let value as Bool):
            return .and([isPresent] + (value ? node : node.negated).conjuncts)
        case (.ordering(let lhs, let rhs, let options), let result as ComparisonResult):
            let comparison: CriteriaNode.Comparison =
                result == .orderedSame ? .equal : result == .orderedAscending ? .less : .greater
            return .compares(lhs, comparison, rhs, options)
        default: return nil
        }
    }
}
