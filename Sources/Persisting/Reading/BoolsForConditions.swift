/// A `Bool` property where a verb wants a condition: it doesn't compile, and the error says that a query takes one.
///
/// The compiler needs these declarations to find its way in long conditions, too. Of two declarations of a verb that
/// differ in `async` alone it tries every operator there is in each term, and gives up from eight terms on; it doesn't
/// when there is a third, whose condition has another type.
extension PersistenceManager {
    /// A query takes a `Bool` property: `Model.where(\.property)`.
    @available(*, unavailable, message: "pass a query, as in Album.where(\\.isLoved), or write \\.isLoved == true")
    public func fetchAll<Model: PersistingModel>(
        _ type: Model.Type, where keyPath: KeyPath<Model, Bool>, sortedBy ordering: Ordering<Model>? = nil,
        limit: Int? = nil, offset: Int? = nil, tracked: Bool = true
    ) throws -> [Model] { throw neverCalled }

    /// A query takes a `Bool` property: `Model.where(\.property)`.
    @available(*, unavailable, message: "pass a query, as in Album.where(\\.isLoved), or write \\.isLoved == true")
    public func fetchOne<Model: PersistingModel>(
        _ type: Model.Type, where keyPath: KeyPath<Model, Bool>, sortedBy ordering: Ordering<Model>? = nil
    ) throws -> Model? { throw neverCalled }

    /// A query takes a `Bool` property: `Model.where(\.property)`.
    @available(*, unavailable, message: "pass a query, as in Album.where(\\.isLoved), or write \\.isLoved == true")
    public func count<Model: PersistingModel>(
        _ type: Model.Type, where keyPath: KeyPath<Model, Bool>
    ) throws -> Int { throw neverCalled }

    /// A query takes a `Bool` property: `Model.where(\.property)`.
    @available(*, unavailable, message: "pass a query, as in Album.where(\\.isLoved), or write \\.isLoved == true")
    public func exists<Model: PersistingModel>(
        _ type: Model.Type, where keyPath: KeyPath<Model, Bool>
    ) throws -> Bool { throw neverCalled }

    /// A query takes a `Bool` property: `Model.where(\.property)`.
    @available(*, unavailable, message: "pass a query, as in Album.where(\\.isLoved), or write \\.isLoved == true")
    public func delete<Model: PersistingModel>(
        _ type: Model.Type, where keyPath: KeyPath<Model, Bool>
    ) throws -> Int { throw neverCalled }
}

/// The same on the classes.
extension ActiveRecord {
    /// A query takes a `Bool` property: `Model.where(\.property)`.
    @available(*, unavailable, message: "begin with a query, as in Album.where(\\.isLoved)")
    public static func all(
        where keyPath: KeyPath<Self, Bool>, sortedBy ordering: Ordering<Self>? = nil, limit: Int? = nil,
        offset: Int? = nil
    ) throws -> [Self] { throw neverCalled }

    /// A query takes a `Bool` property: `Model.where(\.property)`.
    @available(*, unavailable, message: "begin with a query, as in Album.where(\\.isLoved)")
    public static func findOne(
        where keyPath: KeyPath<Self, Bool>, sortedBy ordering: Ordering<Self>? = nil
    ) throws -> Self? { throw neverCalled }

    /// A query takes a `Bool` property: `Model.where(\.property)`.
    @available(*, unavailable, message: "begin with a query, as in Album.where(\\.isLoved)")
    public static func count(
        where keyPath: KeyPath<Self, Bool>
    ) throws -> Int { throw neverCalled }
}

/// The body of the declarations that can't be called. Nobody sees it.
let neverCalled = PersistenceError(.invalidCriteria, "a declaration that can't be called has been called")
