/// A value that is calculated for each row, from its properties, constants and related rows.
///
/// ```swift
/// let line = OrderLine.row
/// let large = try manager.fetchAll(
///     OrderLine.where(line.price * line.quantity - line.discount > 100))
/// let same = try manager.fetchAll(
///     OrderLine.self, where: \.price * \.quantity - \.discount > 100)
/// let ranked = try manager.fetchAll(
///     OrderLine.sorted(by: .descending(line.price * line.quantity)))
/// try manager.update(
///     OrderLine.where(\.isOpen == true), \.quantity, to: line.quantity + 1)
/// ```
///
/// Both spellings are the same. In a long calculation take ``ActiveRecord/row``: it compiles faster than key paths, and
/// the compiler explains a mistake sooner. It also has what is computed of texts and dates: `row.title.lowercased()`,
/// `row.date.year`.
///
/// SQLite and ``Criteria/matches(_:)`` calculate alike. Of integers, there is an integer, where `/` cuts off the
/// fraction, and beyond Int64 a floating-point number; with a floating-point number or a `Decimal`, a floating-point
/// number. What has NULL in it is NULL, and so is a division by 0: only `== nil` takes it. See
/// [SQL Language Expressions](https://www.sqlite.org/lang_expr.html).
///
/// A calculation with a property of the wrong kind, such as `row.name * 2`, and any other mistake, is thrown when the
/// expression is used.
public struct ModelExpression<Model: PersistingModel>: Sendable {
    let content: Result<CriteriaTerm, PersistenceError>
    private let depth: Int

    /// What an expression may be deep: it is walked, and destroyed, by recursion. SQLite's limit is lower.
    private static var greatestDepth: Int { 100 }

    init(_ term: CriteriaTerm) {
        (content, depth) = (.success(term), term.depth)
    }

    /// A mistake, to be thrown when the expression is used.
    init(_ mistake: PersistenceError) {
        (content, depth) = (.failure(mistake), 0)
    }

    /// An expression of others.
    init(_ operands: [ModelExpression], _ make: ([CriteriaTerm]) -> CriteriaTerm) {
        let depth = operands.reduce(0) { Swift.max($0, $1.depth) } + 1
        self.depth = depth
        content = PersistenceError.kept {
            guard depth <= Self.greatestDepth else {
                throw PersistenceError(
                    .invalidCriteria, "more than \(Self.greatestDepth) calculations are nested",
                    model: ModelDescription.name(of: Model.self))
            }
            return make(try operands.map { try $0.content.get() })
        }
    }

    /// The value of a property, such as one of which the key path is in a variable.
    ///
    /// - Parameter keyPath: The property. One that has no column throws when the expression is used.
    public init(_ keyPath: PartialKeyPath<Model>) {
        // A key path does not cross to another task, a column's key does: so it is looked up here.
        content = PersistenceError.kept { try Mapping.of(Model.self).term(of: keyPath) }
        depth = 0
    }

    /// A value of related rows: their number, a sum of theirs, or a property of the related row.
    ///
    /// - Parameter related: The value, such as `Show.episodes.count`.
    public init<Value>(_ related: RelatedValue<Model, Value>) {
        self.init(related.term)
    }

    /// A value, the same for every row.
    ///
    /// - Parameter value: The value; nil is NULL.
    public init(value: (any SQLiteValueConvertible & Sendable)?) {
        self.init(CriteriaTerm.value(value))
    }

    func compared(_ comparison: CriteriaNode.Comparison, with other: Self) -> Criteria<Model> {
        Criteria(catching: { .compares(try content.get(), comparison, try other.content.get(), []) })
    }

    /// A condition on the expression.
    func condition(_ make: (CriteriaTerm) -> CriteriaNode) -> Criteria<Model> {
        Criteria(catching: { make(try content.get()) })
    }
}

extension PersistenceError {
    /// What `make` gives, or the mistake that it throws, which is kept until it is of interest.
    static func kept<Value>(_ make: () throws -> Value) -> Result<Value, PersistenceError> {
        do {
            return .success(try make())
        } catch let error as PersistenceError {
            return .failure(error)
        } catch {
            return .failure(PersistenceError(.invalidCriteria, "\(error)", underlying: error))
        }
    }
}

extension ModelExpression: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByNilLiteral
{
    /// NULL: `== nil` is IS NULL.
    public init(nilLiteral: ()) { self.init(CriteriaTerm.value(nil)) }

    /// A number.
    public init(integerLiteral value: Int64) { self.init(value: value) }

    /// A number with a fraction.
    public init(floatLiteral value: Double) { self.init(value: value) }

    /// A text.
    public init(stringLiteral value: String) { self.init(value: value) }
}
