/// A property that a class doesn't have: what a misspelled `\.titel == "x"` is taken for, so that the compiler finds
/// the mistake immediately.
///
/// Without it, the compiler would try each operator of all other types in each term of the condition, and give up after
/// some seconds without saying where the mistake is. Its error is that ``PropertyOfTheClass`` is unavailable, at the
/// operator of the term. Nothing that compiles makes use of it.
@dynamicMemberLookup
public struct NoSuchProperty: Sendable {
    private init() {}

    /// Any property of it, which isn't one of the class either.
    ///
    /// - Parameter name: The property's name.
    public subscript(dynamicMember name: String) -> NoSuchProperty { self }
}

/// What ``NoSuchProperty`` isn't. The compiler's error names it.
public protocol PropertyOfTheClass {}

@available(
    *, unavailable,
    message: """
        the class has no property with this name and a type that fits the value; for a more exact error, write the class in \
        the key path, as in \\Album.title
        """
)
extension NoSuchProperty: PropertyOfTheClass {}

/// The condition of a term that doesn't compile.
private func noCriteria<Model>() -> Criteria<Model> {
    Criteria(
        .invalid(
            PersistenceError(
                .unknownKey, "a key path leads to no property of the class",
                model: ModelDescription.name(of: Model.self))))
}

/// A comparison with what isn't a property of the class: it doesn't compile.
@_disfavoredOverload
public func == <Model, Property: PropertyOfTheClass>(
    keyPath: KeyPath<NoSuchProperty, Property>, value: Any?
) -> Criteria<Model> {
    noCriteria()
}

/// A comparison with what isn't a property of the class: it doesn't compile.
@_disfavoredOverload
public func != <Model, Property: PropertyOfTheClass>(
    keyPath: KeyPath<NoSuchProperty, Property>, value: Any?
) -> Criteria<Model> {
    noCriteria()
}

/// A comparison with what isn't a property of the class: it doesn't compile.
@_disfavoredOverload
public func < <Model, Property: PropertyOfTheClass>(
    keyPath: KeyPath<NoSuchProperty, Property>, value: Any?
) -> Criteria<Model> {
    noCriteria()
}

/// A comparison with what isn't a property of the class: it doesn't compile.
@_disfavoredOverload
public func <= <Model, Property: PropertyOfTheClass>(
    keyPath: KeyPath<NoSuchProperty, Property>, value: Any?
) -> Criteria<Model> {
    noCriteria()
}

/// A comparison with what isn't a property of the class: it doesn't compile.
@_disfavoredOverload
public func > <Model, Property: PropertyOfTheClass>(
    keyPath: KeyPath<NoSuchProperty, Property>, value: Any?
) -> Criteria<Model> {
    noCriteria()
}

/// A comparison with what isn't a property of the class: it doesn't compile.
@_disfavoredOverload
public func >= <Model, Property: PropertyOfTheClass>(
    keyPath: KeyPath<NoSuchProperty, Property>, value: Any?
) -> Criteria<Model> {
    noCriteria()
}

/// The negation of what isn't a property of the class: it doesn't compile.
@_disfavoredOverload
public prefix func ! <Model, Property: PropertyOfTheClass>(
    keyPath: KeyPath<NoSuchProperty, Property>
) -> Criteria<Model> {
    noCriteria()
}

extension Ordering {
    /// An order by what isn't a property of the class: it doesn't compile.
    @_documentation(visibility: internal)
    @_disfavoredOverload
    public static func ascending<Property: PropertyOfTheClass>(
        _ keyPath: KeyPath<NoSuchProperty, Property>, by comparison: TextComparison = .stored,
        nils: NilPlacement? = nil
    ) -> Ordering { Ordering(terms: []) }

    /// An order by what isn't a property of the class: it doesn't compile.
    @_documentation(visibility: internal)
    @_disfavoredOverload
    public static func descending<Property: PropertyOfTheClass>(
        _ keyPath: KeyPath<NoSuchProperty, Property>, by comparison: TextComparison = .stored,
        nils: NilPlacement? = nil
    ) -> Ordering { Ordering(terms: []) }
}

extension Query {
    /// An order by what isn't a property of the class: it doesn't compile.
    @_documentation(visibility: internal)
    @_disfavoredOverload
    public func sorted<Property: PropertyOfTheClass>(
        by keyPath: KeyPath<NoSuchProperty, Property>, _ direction: SortDirection = .ascending
    ) -> Query { self }
}

extension ActiveRecord {
    /// An order by what isn't a property of the class: it doesn't compile.
    @_documentation(visibility: internal)
    @_disfavoredOverload
    public static func sorted<Property: PropertyOfTheClass>(
        by keyPath: KeyPath<NoSuchProperty, Property>, _ direction: SortDirection = .ascending
    ) -> Query<Self> { Query(self) }
}
