/// What is compared in a condition besides a property and a calculation: an ``Aggregate`` or a ``RelatedValue``.
///
/// They have their operators in common, and each takes an Optional value. The compiler tries all operators of a sign in
/// each term of a condition: with more of them, it would need longer for a long one, and would give up one with a
/// mistake.
public protocol ComparedValue<Model> {
    /// The class of the condition.
    associatedtype Model: PersistingModel
    /// The type of the value.
    associatedtype Operand: Sendable

    /// The rows, or the groups, whose value compares so with another. For the library's use.
    ///
    /// - Parameters:
    ///   - comparison: The comparison.
    ///   - value: The other value; nil is NULL.
    func compared(_ comparison: ValueComparison, with value: Operand?) -> Criteria<Model>
}

/// How a ``ComparedValue`` is compared. For the library's use.
public struct ValueComparison: Sendable {
    let comparison: CriteriaNode.Comparison

    fileprivate init(_ comparison: CriteriaNode.Comparison) {
        self.comparison = comparison
    }
}

/// The rows, or the groups, whose value is equal to the other. Nil is IS NULL.
@_disfavoredOverload
public func == <Term: ComparedValue>(term: Term, value: Term.Operand?) -> Criteria<Term.Model> {
    term.compared(ValueComparison(.equal), with: value)
}

/// The rows, or the groups, whose value isn't equal to the other. Nil is IS NOT NULL; any other value matches NULL,
/// too.
@_disfavoredOverload
public func != <Term: ComparedValue>(term: Term, value: Term.Operand?) -> Criteria<Term.Model> {
    !term.compared(ValueComparison(.equal), with: value)
}

/// The rows, or the groups, whose value is less than the other.
@_disfavoredOverload
public func < <Term: ComparedValue>(term: Term, value: Term.Operand?) -> Criteria<Term.Model> {
    term.compared(ValueComparison(.less), with: value)
}

/// The rows, or the groups, whose value is less than or equal to the other.
@_disfavoredOverload
public func <= <Term: ComparedValue>(term: Term, value: Term.Operand?) -> Criteria<Term.Model> {
    term.compared(ValueComparison(.lessOrEqual), with: value)
}

/// The rows, or the groups, whose value is greater than the other.
@_disfavoredOverload
public func > <Term: ComparedValue>(term: Term, value: Term.Operand?) -> Criteria<Term.Model> {
    term.compared(ValueComparison(.greater), with: value)
}

/// The rows, or the groups, whose value is greater than or equal to the other.
@_disfavoredOverload
public func >= <Term: ComparedValue>(term: Term, value: Term.Operand?) -> Criteria<Term.Model> {
    term.compared(ValueComparison(.greaterOrEqual), with: value)
}
