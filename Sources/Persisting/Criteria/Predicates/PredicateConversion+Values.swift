internal import Foundation

extension PredicateExpressions.Variable: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        try conversion.value(of: key)
    }
}

extension PredicateExpressions.Value: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        .term(.value(assumingSendable(value)))
    }
}

extension PredicateExpressions.NilLiteral: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        .term(.null)
    }
}

extension PredicateExpressions.KeyPath: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        let sample = conversion.sample
        switch try conversion.part(root) {
        case .object: return .term(try conversion.mapping.term(of: keyPath, sample: sample))
        case .term(.value(let value)):
            guard let value = value.value as? Root.Output else { throw conversion.unsupported(self) }
            return .term(.value(assumingSendable(value[keyPath: keyPath as Swift.KeyPath<Root.Output, Output>])))
        case .term(let term) where Root.Output.self == String.self && kind == .collectionIsEmpty:
            return .condition(.compares(term, .equal, .value(""), []))
        default:
            throw conversion.unsupported(self, ": \(keyPath) is asked of a property's value, not of the object")
        }
    }
}

extension PredicateExpressions.Arithmetic: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        let arithmetic: CriteriaTerm.Arithmetic =
            switch op {
            case .add: .add
            case .subtract: .subtract
            case .multiply: .multiply
            @unknown default: throw conversion.unsupported(self)
            }
        return .term(.arithmetic(try conversion.term(lhs), arithmetic, try conversion.term(rhs)))
    }
}

extension PredicateExpressions.IntDivision: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        .term(.arithmetic(try conversion.term(lhs), .divide, try conversion.term(rhs)))
    }
}

extension PredicateExpressions.IntRemainder: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        .term(.arithmetic(try conversion.term(lhs), .remainder, try conversion.term(rhs)))
    }
}

extension PredicateExpressions.FloatDivision: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        .term(.arithmetic(try conversion.term(lhs), .divide, try conversion.term(rhs)))
    }
}

extension PredicateExpressions.UnaryMinus: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        .term(.arithmetic(.value(Int64(0)), .subtract, try conversion.term(wrapped)))
    }
}

extension PredicateExpressions.Conditional: RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart {
        .term(
            .conditional(
                try conversion.condition(test), try conversion.term(trueBranch), try conversion.term(falseBranch)))
    }
}
