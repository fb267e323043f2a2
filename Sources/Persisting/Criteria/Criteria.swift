/// A condition on the rows of a class, which selects rows to fetch, count, update or delete. It can also be a condition
/// on the elements of a list that is stored as JSON, for `any(_:_:)`.
///
/// There are several ways to write it:
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
/// A condition is true or false, never unknown: `!= x` matches all rows that `== x` doesn't match, including those with
/// NULL. Any other comparison with NULL is false, and its negation is true. Only SQL keeps its own rules for NULL.
/// Texts are compared by their column's collation, or by their bytes if it has none.
///
/// A mistake in a condition, such as a key that no property has, throws when the condition is used.
public struct Criteria<Model>: Sendable {
    let tree: CriteriaTree

    var node: CriteriaNode { tree.node }

    /// A tree from one of the syntaxes, checked against the limits.
    init(_ node: CriteriaNode) {
        tree = CriteriaTree(node)
    }

    init(_ tree: CriteriaTree) {
        self.tree = tree
    }

    /// The condition that a column contains a stored value.
    package init(key: String, isStoredAs value: SQLiteValue) {
        self.init(.compares(.key(key), .equal, .value(CriteriaValue(value: value)), []))
    }

    /// The condition that `make` returns. An error is kept, and thrown when the condition is used.
    init(catching make: () throws -> CriteriaNode) {
        switch PersistenceError.kept(make) {
        case .success(let node): self.init(node)
        case .failure(let error): self.init(.invalid(error))
        }
    }

    /// Every row. To delete all rows, use `PersistenceManager.deleteAll(_:)`: a deletion with this condition throws.
    public static var all: Criteria { Criteria(.and([])) }

    /// The rows for which a condition in SQL is true.
    ///
    /// - Parameters:
    ///   - condition: What comes after WHERE, with names of columns. Interpolated values are bound. An empty text
    ///     matches every row.
    ///   - arguments: The values of its parameters.
    public static func sql(_ condition: SQL, _ arguments: Arguments = []) -> Criteria {
        Criteria(.sql(condition.sql, condition.arguments + arguments))
    }

    /// The rows that match both conditions.
    ///
    /// You can combine any number of conditions, also in a loop: `criteria = criteria && \.title != title`. A statement
    /// can have some 250,000 values on Debian, or 32,766 with SQLite's own settings. More values throw an error.
    @_disfavoredOverload
    public static func && (lhs: Criteria, rhs: Criteria) -> Criteria { Criteria(lhs.tree.joined(.and, with: rhs.tree)) }

    /// The rows that match at least one of the conditions. You can combine any number of conditions, as with `&&`.
    @_disfavoredOverload
    public static func || (lhs: Criteria, rhs: Criteria) -> Criteria { Criteria(lhs.tree.joined(.or, with: rhs.tree)) }

    /// The rows that the condition doesn't match.
    @_disfavoredOverload
    public static prefix func ! (criteria: Criteria) -> Criteria { Criteria(criteria.tree.negated) }
}

/// What is only for conditions on rows.
extension Criteria where Model: PersistingModel {
    /// Turns a condition on a superclass, such as one with its relations, into a condition on this class.
    ///
    /// ```swift
    /// let novels = try Novel.all(
    ///     where: Criteria(Book.author.matches(\.name == "Woolf")))
    /// ```
    ///
    /// - Parameter criteria: The condition.
    /// - Throws: ``PersistenceError/Code/invalidCriteria`` if this class doesn't inherit from the other.
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
