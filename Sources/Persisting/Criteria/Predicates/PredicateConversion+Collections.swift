internal import Foundation

extension PredicateExpressions.CollectionContainsCollection: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        guard Base.Output.self is any StringProtocol.Type, Other.Output.self is any StringProtocol.Type else {
            throw conversion.refusal(of: self)
        }
        return .condition(.matches(try conversion.term(base), .contains, try conversion.term(other), []))
    }
}

extension PredicateExpressions.SequenceStartsWith: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        guard Base.Output.self is any StringProtocol.Type, Prefix.Output.self is any StringProtocol.Type else {
            throw conversion.refusal(of: self)
        }
        return .condition(.matches(try conversion.term(base), .hasPrefix, try conversion.term(prefix), []))
    }
}

extension PredicateExpressions.SequenceContains: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        guard case .term(.value(let value)) = try conversion.part(sequence), let values = value.value as? LHS.Output
        else { throw conversion.refusal(of: self, ": it takes a collection that is given") }
        let terms = values.map { CriteriaTerm.value(assumingSendable($0)) }
        return .condition(.isIn(try conversion.term(element, sample: values.first { _ in true }), terms, []))
    }
}

extension PredicateExpressions.RangeExpressionContains: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        guard let range = range as? any RangeOfTerms, let limits = try range.limits(&conversion) else {
            throw conversion.refusal(of: self)
        }
        let term = try conversion.term(element)
        let nodes = limits.map { CriteriaNode.compares(term, $0, $1, []) }
        return .condition(nodes.count == 1 ? nodes[0] : .and(nodes))
    }
}

/// What makes the limits of a range.
private protocol RangeOfTerms {
    func limits(
        _ conversion: inout PredicateConversion
    ) throws -> [(comparison: CriteriaNode.Comparison, limit: CriteriaTerm)]?
}

extension PredicateExpressions.Range: RangeOfTerms {
    func limits(
        _ conversion: inout PredicateConversion
    ) throws -> [(comparison: CriteriaNode.Comparison, limit: CriteriaTerm)]? {
        [(.greaterOrEqual, try conversion.term(lower)), (.less, try conversion.term(upper))]
    }
}

extension PredicateExpressions.ClosedRange: RangeOfTerms {
    func limits(
        _ conversion: inout PredicateConversion
    ) throws -> [(comparison: CriteriaNode.Comparison, limit: CriteriaTerm)]? {
        [(.greaterOrEqual, try conversion.term(lower)), (.lessOrEqual, try conversion.term(upper))]
    }
}

extension PredicateExpressions.Value: RangeOfTerms where Output: RangeExpression {
    func limits(
        _ conversion: inout PredicateConversion
    ) throws -> [(comparison: CriteriaNode.Comparison, limit: CriteriaTerm)]? {
        func term(_ bound: Output.Bound) -> CriteriaTerm { .value(assumingSendable(bound)) }
        return switch value {
        case let range as Range<Output.Bound>:
            [(.greaterOrEqual, term(range.lowerBound)), (.less, term(range.upperBound))]
        case let range as ClosedRange<Output.Bound>:
            [(.greaterOrEqual, term(range.lowerBound)), (.lessOrEqual, term(range.upperBound))]
        case let range as PartialRangeFrom<Output.Bound>: [(.greaterOrEqual, term(range.lowerBound))]
        case let range as PartialRangeUpTo<Output.Bound>: [(.less, term(range.upperBound))]
        case let range as PartialRangeThrough<Output.Bound>: [(.lessOrEqual, term(range.upperBound))]
        default: nil
        }
    }
}

#if canImport(Darwin)
    // Without a locale, as all folding here, so that SQL and memory agree on every system.
    extension PredicateExpressions.StringLocalizedStandardContains: RowExpression {
        func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
            .condition(
                .matches(
                    try conversion.term(root), .contains, try conversion.term(other),
                    [.caseInsensitive, .diacriticInsensitive]))
        }
    }

    extension PredicateExpressions.StringCaseInsensitiveCompare: RowExpression {
        func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
            .ordering(try conversion.term(root), try conversion.term(other), .caseInsensitive)
        }
    }
#endif
