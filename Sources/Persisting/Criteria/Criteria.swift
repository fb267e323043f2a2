/// A condition on the rows of a model: which to fetch, count, update or delete. Or one on the elements of a list that
/// is stored as JSON, of which `any(_:_:)` asks.
///
/// It has several spellings, which all become one tree:
///
/// ```swift
/// // a dictionary: AND; nil is IS NULL; an array is IN
/// try User.all(where: ["lastName": "Bluth", "<NOT>luckyNumber": 13])
/// try User.all(where: \.lastName == "Bluth" && \.luckyNumber > 7)  // key paths
/// // NSPredicate's format language
/// try User.all(
///     where: .format("lastName ==[cd] %@ AND luckyNumber == %@", "bluth", 13))
/// // Foundation's Predicate
/// try User.all(where: .predicate(#Predicate { $0.lastName == name }))
/// // SQL; also "LUCKY_NUMBER > \(n)", which binds n
/// try User.all(where: .sql("LUCKY_NUMBER > :n", ["n": 7]))
/// ```
///
/// Conditions are true or false, never unknown: `!= x` takes the rows that are not `== x`, those with NULL too; any
/// other comparison with NULL is false, and its negation true. Texts are compared by their bytes. Only SQL keeps its
/// own logic of NULL.
///
/// A mistake in a condition, such as a key that no property has, is thrown when it is used.
public struct Criteria<Model>: Sendable {
    let tree: CriteriaTree

    var node: CriteriaNode { tree.node }

    /// A tree that a spelling has made, and kept within bounds.
    init(_ node: CriteriaNode) {
        tree = CriteriaTree(node)
    }

    init(_ tree: CriteriaTree) {
        self.tree = tree
    }

    /// That a column holds a stored value.
    package init(key: String, isStoredAs value: SQLiteValue) {
        self.init(.compares(.key(key), .equal, .value(CriteriaValue(value: value)), []))
    }

    /// The condition that `make` gives. An error is kept, to be thrown when the condition is used.
    init(catching make: () throws -> CriteriaNode) {
        switch PersistenceError.kept(make) {
        case .success(let node): self.init(node)
        case .failure(let error): self.init(.invalid(error))
        }
    }

    /// Every row. Deleting with it throws: use `PersistenceManager.deleteAll(_:)`.
    public static var all: Criteria { Criteria(.and([])) }

    /// The rows for which SQL text is true.
    ///
    /// - Parameters:
    ///   - condition: What comes after WHERE, with columns' names. Interpolated values are bound. An empty text is
    ///     every row.
    ///   - arguments: Values for its parameters.
    public static func sql(_ condition: SQL, _ arguments: Arguments = []) -> Criteria {
        Criteria(.sql(condition.sql, condition.arguments + arguments))
    }

    /// The rows that both conditions match.
    ///
    /// Any number of conditions can be joined, in a loop too: `criteria = criteria && \.title != title`. SQLite takes
    /// some 250,000 values in one statement, or 32,766 in its own builds, and an error says so when there are more.
    @_disfavoredOverload
    public static func && (lhs: Criteria, rhs: Criteria) -> Criteria { Criteria(lhs.tree.joined(.and, with: rhs.tree)) }

    /// The rows that one of the conditions matches, or both. Any number can be joined, as for `&&`.
    @_disfavoredOverload
    public static func || (lhs: Criteria, rhs: Criteria) -> Criteria { Criteria(lhs.tree.joined(.or, with: rhs.tree)) }

    /// The rows that the condition doesn't match.
    @_disfavoredOverload
    public static prefix func ! (criteria: Criteria) -> Criteria { Criteria(criteria.tree.negated) }
}

/// What only conditions on rows have.
extension Criteria where Model: PersistingModel {
    /// A condition on a superclass, such as one by its relations, for the rows of this class.
    ///
    /// ```swift
    /// let novels = try Novel.all(
    ///     where: Criteria(Book.author.matches(\.name == "Woolf")))
    /// ```
    ///
    /// - Parameter criteria: The condition.
    /// - Throws: ``PersistenceError/Code/invalidCriteria`` when this class isn't one below the other.
    public init<Base: PersistingModel>(_ criteria: Criteria<Base>) throws {
        guard lineage(of: Model.self, below: PersistingModel.self).contains(where: { $0 == Base.self }) else {
            throw PersistenceError(
                .invalidCriteria,
                "a condition on \(ModelDescription.name(of: Base.self)) holds for its subclasses, which "
                    + "\(ModelDescription.name(of: Model.self)) isn't",
                model: ModelDescription.name(of: Model.self))
        }
        self.init(criteria.tree)
    }
}
