/// Fetching objects.
extension PersistenceManager {
    /// The objects of the rows that a condition takes, in order.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - criteria: Which rows; nil is all.
    ///   - ordering: In which order; nil leaves it to SQLite.
    ///   - limit: How many at most; nil is no limit, 0 none at all.
    ///   - offset: How many to skip first.
    ///   - tracked: Whether to keep what was read, so that a save writes only what has changed. Without it an object is
    ///     smaller and fetched faster, and saved whole.
    /// - Returns: The objects; none when no row is found.
    /// - Throws: ``PersistenceError``: a mistake in the condition or ordering, or a stored value that a property cannot
    ///   hold.
    public func fetchAll<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil,
        limit: Int? = nil, offset: Int? = nil, tracked: Bool = true
    ) throws -> [Model] {
        try fetchAll(
            Query(type, where: criteria, sortedBy: ordering, limit: limit, offset: offset), tracked: tracked)
    }

    /// The same, while the task is suspended.
    public func fetchAll<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil,
        limit: Int? = nil, offset: Int? = nil, tracked: Bool = true
    ) async throws -> sending [Model] {
        try await onReadingSide(of: type) { manager in
            try manager.fetchAll(
                type, where: criteria, sortedBy: ordering, limit: limit, offset: offset, tracked: tracked)
        }
    }

    /// The objects of a query's rows, in order.
    ///
    /// - Parameters:
    ///   - query: Which rows.
    ///   - tracked: Whether to keep what was read, so that a save writes only what has changed. Without it an object is
    ///     smaller and fetched faster, and saved whole.
    /// - Returns: The objects; none when no row is found.
    /// - Throws: ``PersistenceError``: a mistake in the query, or a stored value that a property cannot hold.
    public func fetchAll<Model: PersistingModel>(_ query: Query<Model>, tracked: Bool = true) throws -> [Model] {
        let table = try table(of: query.modelType)
        return try reading(table, asOf: query.past) { db in
            let query = query.ofNow
            var fetch = try query.traits(table.mapping)
            fetch.past = (db as? PastConnection)?.number
            func fetchAll() throws -> ContiguousArray<PersistingModel> {
                try table.withForms(db, query.node) { forms in
                    try query.sql(table.mapping.sql.select, table.mapping, forms)
                } run: { sql in
                    try objects(query.modelType, table.mapping, sql, db, tracked: tracked, fetch: fetch)
                }
            }
            if query.loads.isEmpty { return downcast(try fetchAll(), to: Model.self) }
            let loader = RelationLoader(manager: self, db: db, rollbacks: rollbacksSoFar(db))
            return try loader.ofOneMoment {
                let objects = try fetchAll()
                try loader.load(query.loads, of: objects, table.mapping, fetch)
                return downcast(objects, to: Model.self)
            }
        }
    }

    /// The same, while the task is suspended.
    public func fetchAll<Model: PersistingModel>(
        _ query: Query<Model>, tracked: Bool = true
    ) async throws -> sending [Model] {
        try await onReadingSide(of: query.modelType) { manager in try manager.fetchAll(query, tracked: tracked) }
    }

    /// The first object that a condition takes, in order; nil when there is none.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - criteria: Which rows; nil is all.
    ///   - ordering: In which order; nil leaves it to SQLite which row comes first.
    /// - Throws: ``PersistenceError``.
    public func fetchOne<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil
    ) throws -> Model? {
        try fetchOne(Query(type, where: criteria, sortedBy: ordering))
    }

    /// The same, while the task is suspended.
    public func fetchOne<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy ordering: Ordering<Model>? = nil
    ) async throws -> sending Model? {
        try await onReadingSide(of: type) { manager in try manager.fetchOne(type, where: criteria, sortedBy: ordering) }
    }

    /// The first object of a query; nil when there is none.
    ///
    /// - Parameter query: The query.
    /// - Throws: ``PersistenceError``.
    public func fetchOne<Model: PersistingModel>(_ query: Query<Model>) throws -> Model? {
        try fetchAll(query.atMost(1)).first
    }

    /// The same, while the task is suspended.
    public func fetchOne<Model: PersistingModel>(_ query: Query<Model>) async throws -> sending Model? {
        try await onReadingSide(of: query.modelType) { manager in try manager.fetchOne(query) }
    }
}

/// The same methods of a query. They use the manager that ``ActiveRecord`` describes.
extension Query {
    /// The objects of the query's rows, in order. See `PersistenceManager.fetchAll(_:tracked:)`.
    ///
    /// - Throws: What the manager's method throws.
    public func all() throws -> [Model] {
        try PersistenceManager.current(for: modelType).fetchAll(self)
    }

    /// The same, while the task is suspended.
    public func all() async throws -> sending [Model] {
        try await PersistenceManager.current(for: modelType).fetchAll(self)
    }

    /// The first object of the query; nil when there is none.
    ///
    /// - Throws: What the manager's method throws.
    public func first() throws -> Model? {
        try PersistenceManager.current(for: modelType).fetchOne(self)
    }

    /// The same, while the task is suspended.
    public func first() async throws -> sending Model? {
        try await PersistenceManager.current(for: modelType).fetchOne(self)
    }
}

/// The same methods of classes. They use the manager that ``ActiveRecord`` describes.
extension ActiveRecord {
    /// The objects of the rows that a condition takes, in order. See
    /// `PersistenceManager.fetchAll(_:where:sortedBy:limit:offset:tracked:)`.
    ///
    /// - Parameters:
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; nil leaves it to SQLite.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    /// - Throws: What the manager's method throws.
    public static func all(
        where criteria: Criteria<Self>? = nil, sortedBy ordering: Ordering<Self>? = nil, limit: Int? = nil,
        offset: Int? = nil
    ) throws -> [Self] {
        try PersistenceManager.current(for: self)
            .fetchAll(self, where: criteria, sortedBy: ordering, limit: limit, offset: offset)
    }

    /// The same, while the task is suspended.
    public static func all(
        where criteria: Criteria<Self>? = nil, sortedBy ordering: Ordering<Self>? = nil, limit: Int? = nil,
        offset: Int? = nil
    ) async throws -> sending [Self] {
        try await PersistenceManager.current(for: self)
            .fetchAll(self, where: criteria, sortedBy: ordering, limit: limit, offset: offset)
    }

    /// The first object that a condition takes, in order; nil when there is none.
    ///
    /// - Parameters:
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; nil leaves it to SQLite.
    /// - Throws: What the manager's method throws.
    public static func findOne(
        where criteria: Criteria<Self>? = nil, sortedBy ordering: Ordering<Self>? = nil
    ) throws -> Self? {
        try PersistenceManager.current(for: self).fetchOne(self, where: criteria, sortedBy: ordering)
    }

    /// The same, while the task is suspended.
    public static func findOne(
        where criteria: Criteria<Self>? = nil, sortedBy ordering: Ordering<Self>? = nil
    ) async throws -> sending Self? {
        try await PersistenceManager.current(for: self).fetchOne(self, where: criteria, sortedBy: ordering)
    }
}
