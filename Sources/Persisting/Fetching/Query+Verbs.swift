/// The methods of a manager, on a query. ``ActiveRecord`` says which manager they use; each throws what the manager's
/// method throws.
///
/// ```swift
/// let users = try User.where(\.luckyNumber > 7).sorted(by: \.lastName).all()
/// ```
extension Query {
    /// The objects of the query's rows, in order. See `PersistenceManager.fetchAll(_:tracked:)`.
    ///
    /// - Throws: What the manager's method throws.
    public func all() throws -> [Model] {
        try PersistenceManager.current(for: modelType).fetchAll(self)
    }

    /// The first object of the query; nil when there is none.
    ///
    /// - Throws: What the manager's method throws.
    public func first() throws -> Model? {
        try PersistenceManager.current(for: modelType).fetchOne(self)
    }

    /// The number of the query's rows.
    ///
    /// - Throws: What the manager's method throws.
    public func count() throws -> Int {
        try PersistenceManager.current(for: modelType).count(self)
    }

    /// Whether the query has any row.
    ///
    /// - Throws: What the manager's method throws.
    public func exists() throws -> Bool {
        try PersistenceManager.current(for: modelType).exists(self)
    }

    /// Calls `body` with each object of the query, in order. See `PersistenceManager.forEach(_:tracked:_:)`.
    ///
    /// - Throws: What the manager's method throws.
    public func forEach(_ body: (Model) throws -> Void) throws {
        try PersistenceManager.current(for: modelType).forEach(self, body)
    }
}

/// The methods of a manager, on a query, while the task is suspended.
extension Query {
    /// The objects of the query's rows, in order. See `PersistenceManager.fetchAll(_:tracked:)`.
    ///
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func all() async throws -> sending [Model] {
        try await PersistenceManager.current(for: modelType).fetchAll(self)
    }

    /// The first object of the query; nil when there is none.
    ///
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func first() async throws -> sending Model? {
        try await PersistenceManager.current(for: modelType).fetchOne(self)
    }

    /// The number of the query's rows.
    ///
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func count() async throws -> Int {
        try await PersistenceManager.current(for: modelType).count(self)
    }

    /// Whether the query has any row.
    ///
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func exists() async throws -> Bool {
        try await PersistenceManager.current(for: modelType).exists(self)
    }

    /// Calls `body` with each object of the query, in order. See `PersistenceManager.forEach(_:tracked:_:)`.
    ///
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func forEach(_ body: (Model) async throws -> Void) async throws {
        try await PersistenceManager.current(for: modelType).forEach(self, body)
    }

    /// Calls `body` with each object of the query, in order.
    ///
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func forEach(_ body: (Model) throws -> Void) async throws {
        try await PersistenceManager.current(for: modelType).forEach(self, body)
    }
}
