internal import Foundation

extension PredicateExpressions.CollectionContainsCollection: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        guard Base.Output.self is any StringProtocol.Type, Other.Output.self is any StringProtocol.Type else {
            throw conversion.unsupported(self)
        }
        return .condition(.matches(try conversion.term(base), .contains, try conversion.term(other), []))
    }
}

extension PredicateExpressions.SequenceStartsWith: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        guard Base.Output.self is any StringProtocol.Type, Prefix.Output.self is any StringProtocol.Type else {
            throw conversion.unsupported(self)
        }
        return .condition(.matches(try conversion.term(base), .hasPrefix, try conversion.term(prefix), []))
    }
}

extension PredicateExpressions.SequenceContains: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        let sequence = try conversion.part(sequence)
        // A property that is a list.
        if case .term(.key(let key)) = sequence {
            return .condition(.matches(.key(key), .contains, try conversion.term(element), []))
        }
        guard case .term(.value(let value)) = sequence, let values = value.value as? LHS.Output
        else { throw conversion.unsupported(self, ": it takes a collection that is given, or a property") }
        let terms = values.map { CriteriaTerm.value(assumingSendable($0)) }
        return .condition(.isIn(try conversion.term(element, sample: values.first { _ in true }), terms, []))
    }
}

extension PredicateExpressions.RangeExpressionContains: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        let term = try conversion.term(element)
        if let range = range as? any RangeOfTerms {
            let (lower, comparison, upper) = try range.limits(&conversion)
            return .condition(
                .and([.compares(term, .greaterOrEqual, lower, []), .compares(term, comparison, upper, [])]))
        }
        guard case .term(.value(let value)) = try conversion.part(range),
            let range = value.value as? any CriteriaRange
        else { throw conversion.unsupported(self) }
        return .condition(range.contains(term))
    }
}

/// A range that is made of expressions.
private protocol RangeOfTerms {
    /// The limits, and how a value stands to the upper one.
    func limits(
        _ conversion: inout PredicateConversion
    ) throws -> (lower: CriteriaTerm, CriteriaNode.Comparison, upper: CriteriaTerm)
}

extension PredicateExpressions.Range: RangeOfTerms {
    func limits(
        _ conversion: inout PredicateConversion
    ) throws -> (lower: CriteriaTerm, CriteriaNode.Comparison, upper: CriteriaTerm) {
        (try conversion.term(lower), .less, try conversion.term(upper))
    }
}

extension PredicateExpressions.ClosedRange: RangeOfTerms {
    func limits(
        _ conversion: inout PredicateConversion
    ) throws -> (lower: CriteriaTerm, CriteriaNode.Comparison, upper: CriteriaTerm) {
        (try conversion.term(lower), .lessOrEqual, try conversion.term(upper))
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
