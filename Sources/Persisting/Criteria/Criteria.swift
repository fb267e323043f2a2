/// A condition on the rows of a model: which to fetch, count, update or delete.
///
/// It has several spellings, which all become one tree:
///
/// ```swift
/// try User.all(where: ["lastName": "Bluth", "<NOT>luckyNumber": 13])       // a dictionary: AND; nil is IS NULL; an array is IN
/// try User.all(where: \.lastName == "Bluth" && \.luckyNumber > 7)          // key paths
/// try User.all(where: .sql("LUCKY_NUMBER > :n", ["n": 7]))                 // SQL; also "LUCKY_NUMBER > \(n)", which binds n
/// ```
///
/// Conditions are true or false, never unknown: `!= x` takes the rows that are not `== x`, those with NULL too; any
/// other comparison with NULL is false, and its negation true. Texts are compared by their bytes. Only SQL keeps its
/// own logic of NULL.
///
/// A mistake in a condition, such as a key that no property has, is thrown when it is used.
public struct Criteria<Model: PersistingModel>: Sendable {
    let node: CriteriaNode

    init(_ node: CriteriaNode) {
        self.node = node
    }

    /// Every row. To delete with it throws: `PersistenceManager.deleteAll(_:)` says that in
    /// words.
    public static var all: Criteria { Criteria(.and([])) }

    /// The rows for which SQL text is true.
    ///
    /// - Parameters:
    ///   - condition: What stands behind WHERE, with columns' names. Interpolated values are bound. An empty text is
    ///     every row.
    ///   - arguments: Values for its parameters.
    public static func sql(_ condition: SQL, _ arguments: Arguments = []) -> Criteria {
        Criteria(.sql(condition.text, condition.arguments + arguments))
    }

    /// The rows for which SQL text made at run time is true.
    @_disfavoredOverload
    public static func sql(_ condition: String, _ arguments: Arguments = []) -> Criteria {
        sql(SQL(condition), arguments)
    }

    /// The rows that both conditions take.
    public static func && (lhs: Criteria, rhs: Criteria) -> Criteria {
        Criteria(.and(lhs.node.conjuncts + rhs.node.conjuncts))
    }

    /// The rows that one of the conditions takes, or both.
    public static func || (lhs: Criteria, rhs: Criteria) -> Criteria {
        Criteria(.or(lhs.node.disjuncts + rhs.node.disjuncts))
    }

    /// The rows that the condition does not take.
    public static prefix func ! (criteria: Criteria) -> Criteria {
        Criteria(criteria.node.negated)
    }
}
