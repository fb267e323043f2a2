internal import Foundation

extension PredicateExpressions.ForcedUnwrap: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        try conversion.part(inner)
    }
}

extension PredicateExpressions.NilCoalesce: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        switch try conversion.part(lhs) {
        case .term(let term):
            let isNil = CriteriaNode.compares(term, .equal, .null, [])
            return .term(.conditional(isNil, try conversion.term(rhs), term))
        case .optional(let isPresent, let node):
            let other = try conversion.condition(rhs)
            if other.isNoRow { return .condition(.and([isPresent] + node.conjuncts)) }
            return .condition(.or([.and([isPresent] + node.conjuncts), .and([isPresent.negated] + other.conjuncts)]))
        case .condition, .ordering, .object: throw conversion.unsupported(self)
        }
    }
}

extension PredicateExpressions.OptionalFlatMap: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        let term = try conversion.term(wrapped)
        let isPresent = CriteriaNode.not(.compares(term, .equal, .null, []))
        switch try conversion.part(transform, where: [(variable.key, .term(term))]) {
        case .condition(let node): return .optional(ifPresent: isPresent, node)
        case .term(let value): return .term(.conditional(isPresent, value, .null))
        case .optional(let isInnerPresent, let node):
            return .optional(ifPresent: .and([isPresent, isInnerPresent]), node)
        case .ordering, .object: throw conversion.unsupported(self)
        }
    }
}
