/// Pages, sections and streams of a class's objects: what the methods that take a ``Query`` do, with `Album.self` in
/// the place of the query.
///
/// ```swift
/// try manager.forEach(Album.self, where: \.artist == nil) { album in … }
/// let sections = try manager.sections(Album.self, by: \.artist, sortedBy: "artist, title")
/// ```
extension PersistenceManager {
    /// The objects that come after one in an order, without an order in that of the primary key. See
    /// `fetchPage(_:after:before:limit:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; nil leaves it to SQLite.
    ///   - last: The last object of the page before; nil for the first page.
    ///   - first: The first object of the page after; nil is no end.
    ///   - limit: How many objects at most.
    /// - Throws: ``PersistenceError``.
    public func fetchPage<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil,
        after last: Model? = nil, before first: Model? = nil, limit: Int
    ) throws -> [Model] {
        try fetchPage(Query(type, where: criteria, sortedBy: ordering), after: last, before: first, limit: limit)
    }

    /// The objects by sections, one for each value of a property, with which the order begins. See `sections(_:by:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order.
    /// - Throws: ``PersistenceError``.
    public func sections<Model: PersistingModel, Name: Hashable>(
        _ type: Model.Type, by keyPath: KeyPath<Model, Name>, where criteria: Criteria<Model>? = nil,
        sortedBy ordering: Ordering<Model>
    ) throws -> Sections<Model, Name> {
        try sections(Query(type, where: criteria, sortedBy: ordering), by: keyPath)
    }

    /// Calls `body` with each object, in order. A hundred are read at once. See `forEach(_:tracked:_:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; nil leaves it to SQLite.
    ///   - tracked: Whether to keep what was read, so that a save writes only what has changed.
    ///   - body: The closure that is called with each object.
    /// - Throws: ``PersistenceError``, or what `body` throws, which ends it.
    public func forEach<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil,
        tracked: Bool = true, _ body: (Model) throws -> Void
    ) throws {
        try forEach(Query(type, where: criteria, sortedBy: ordering), tracked: tracked, body)
    }
}

/// The same, while the task is suspended.
extension PersistenceManager {
    /// The objects that come after one in an order, without an order in that of the primary key. See
    /// `fetchPage(_:after:before:limit:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; nil leaves it to SQLite.
    ///   - last: The last object of the page before; nil for the first page.
    ///   - first: The first object of the page after; nil is no end.
    ///   - limit: How many objects at most.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func fetchPage<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil,
        after last: Model? = nil, before first: Model? = nil, limit: Int
    ) async throws -> sending [Model] {
        try await fetchPage(Query(type, where: criteria, sortedBy: ordering), after: last, before: first, limit: limit)
    }

    /// The objects by sections, one for each value of a property, with which the order begins. See `sections(_:by:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func sections<Model: PersistingModel, Name: Hashable>(
        _ type: Model.Type, by keyPath: KeyPath<Model, Name>, where criteria: Criteria<Model>? = nil,
        sortedBy ordering: Ordering<Model>
    ) async throws -> Sections<Model, Name> {
        try await sections(Query(type, where: criteria, sortedBy: ordering), by: keyPath)
    }

    /// Calls `body` with each object, in order, in the caller's isolation. A hundred are read at once. See
    /// `forEach(_:tracked:_:)`.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; nil leaves it to SQLite.
    ///   - tracked: Whether to keep what was read, so that a save writes only what has changed.
    ///   - body: The closure that is called with each object.
    /// - Throws: ``PersistenceError``, what `body` throws, or `CancellationError`.
    public func forEach<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil,
        tracked: Bool = true, _ body: (Model) async throws -> Void
    ) async throws {
        try await forEach(Query(type, where: criteria, sortedBy: ordering), tracked: tracked, body)
    }

    /// Calls `body` with each object, in order, while the task is suspended between batches. A hundred are read at
    /// once.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; nil leaves it to SQLite.
    ///   - tracked: Whether to keep what was read, so that a save writes only what has changed.
    ///   - body: The closure that is called with each object.
    /// - Throws: ``PersistenceError``, what `body` throws, or `CancellationError`.
    public func forEach<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil,
        tracked: Bool = true, _ body: (Model) throws -> Void
    ) async throws {
        try await forEach(Query(type, where: criteria, sortedBy: ordering), tracked: tracked, body)
    }
}
