internal import Foundation

/// An expression of Foundation's predicates that means something to a row.
protocol RowExpression {
    func part(_ conversion: inout PredicateConversion) throws -> PredicatePart
}

/// What an expression of a predicate becomes.
enum PredicatePart {
    case condition(CriteriaNode)
    case term(CriteriaTerm)
    /// A Bool that is nil unless the first condition holds.
    case optional(ifPresent: CriteriaNode, CriteriaNode)
    /// How one text is ordered relative to another.
    case ordering(CriteriaTerm, CriteriaTerm, TextOptions)
    /// The object itself.
    case object
}

/// Makes the tree of a condition of a predicate's expressions.
struct PredicateConversion {
    let mapping: Mapping
    /// What the predicate's variables stand for: the object, and unwrapped Optionals.
    private var variables: [PredicateExpressions.VariableID: PredicatePart]
    /// A value of the type of the property that is asked for, to tell its key path by.
    private(set) var sample: Any?
    private var nesting = 0

    init(_ object: PredicateExpressions.VariableID, _ mapping: Mapping) {
        self.mapping = mapping
        variables = [object: .object]
    }

    /// Converts an expression.
    ///
    /// - Parameter sample: A value that it is compared with.
    mutating func part(_ expression: some PredicateExpression, sample: Any? = nil) throws -> PredicatePart {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= FormatParser.nestingLimit else {
            throw failure("the predicate is nested more than \(FormatParser.nestingLimit) deep")
        }
        guard let convertible = expression as? any RowExpression else {
            // It has a value without the object too if it does not depend on it.
            guard let value = try? expression.evaluate(PredicateBindings()) else { throw unsupported(expression) }
            return .term(.value(assumingSendable(value)))
        }
        self.sample = sample
        return try convertible.part(&self)
    }

    /// Two expressions that are compared. A value that is given tells the key path of the other.
    mutating func parts<L: PredicateExpression, R: PredicateExpression>(
        _ lhs: L, _ rhs: R
    ) throws -> (PredicatePart, PredicatePart) {
        let given = (lhs as? PredicateExpressions.Value<L.Output>, rhs as? PredicateExpressions.Value<R.Output>)
        return (try part(lhs, sample: given.1?.value), try part(rhs, sample: given.0?.value))
    }

    mutating func condition(_ expression: some PredicateExpression) throws -> CriteriaNode {
        switch try part(expression) {
        case .condition(let node): return node
        case .term(.value(let value)):
            guard let bool = flattened(value.value) as? Bool else { throw unsupported(expression) }
            return bool ? .and([]) : .or([])
        case .term(let term): return .compares(term, .equal, .value(true), [])
        case .optional, .ordering, .object: throw unsupported(expression)
        }
    }

    mutating func term(_ expression: some PredicateExpression, sample: Any? = nil) throws -> CriteriaTerm {
        try term(of: part(expression, sample: sample), expression)
    }

    func term(of part: PredicatePart, _ expression: some PredicateExpression) throws -> CriteriaTerm {
        switch part {
        case .term(let term): return term
        case .condition(let node): return .conditional(node, .value(true), .value(false))
        case .optional(let isPresent, let node):
            return .conditional(isPresent, .conditional(node, .value(true), .value(false)), .null)
        case .ordering, .object: throw unsupported(expression)
        }
    }

    func value(of variable: PredicateExpressions.VariableID) throws -> PredicatePart {
        guard let part = variables[variable] else { throw failure("a variable of the predicate has no value") }
        return part
    }

    /// Converts an expression in which some variables stand for something of their own.
    mutating func part(
        _ expression: some PredicateExpression, where inner: [(PredicateExpressions.VariableID, PredicatePart)]
    ) throws -> PredicatePart {
        let outer = variables
        for (variable, part) in inner { variables[variable] = part }
        defer { variables = outer }
        return try part(expression)
    }

    /// The error for an expression that means nothing to a row.
    func unsupported(_ expression: some PredicateExpression, _ hint: String = "") -> PersistenceError {
        failure("the predicate's \(Self.name(of: expression)) isn't supported\(hint)")
    }

    private func failure(_ reason: String) -> PersistenceError {
        PersistenceError(.invalidCriteria, reason, model: mapping.modelName)
    }

    /// The name of an expression's type, without what it is generic over.
    private static func name(of expression: some PredicateExpression) -> String {
        let name = "\(type(of: expression))"
        return String(name.prefix { $0 != "<" })
    }
}

extension CriteriaTerm {
    static var null: CriteriaTerm { .value(nil as Bool?) }

    /// The value that was given, nil for another term.
    var given: Any?? {
        if case .value(let value) = self { .some(flattened(value.value)) } else { nil }
    }
}

/// A value of a predicate.
func assumingSendable(_ value: Any) -> any Sendable {
    // A predicate's expression is Sendable, and so the values in it, but not by their static types. `any Sendable` has
    // the form of Any: Sendable has nothing to ask at run time. Without `as Any` the value itself would be cast.
    unsafeBitCast(value as Any, to: (any Sendable).self)
}
