/// Fetching the objects of a query.
extension PersistenceManager {
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
        return try reading(table) { db in
            let fetch = try query.traits(table.mapping)
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

    /// The first object of a query; nil when there is none.
    ///
    /// - Parameter query: The query.
    /// - Throws: ``PersistenceError``.
    public func fetchOne<Model: PersistingModel>(_ query: Query<Model>) throws -> Model? {
        try fetchAll(query.atMost(1)).first
    }

    /// The number of a query's rows: of one with a limit, that many at most.
    ///
    /// - Parameter query: The query.
    /// - Throws: ``PersistenceError``.
    public func count<Model: PersistingModel>(_ query: Query<Model>) throws -> Int {
        try scalar(query, of: ["1"], as: Int.self) { _ in "count(*)" } ?? 0
    }

    /// Whether a query has any row.
    ///
    /// - Parameter query: The query.
    /// - Throws: ``PersistenceError``.
    public func exists<Model: PersistingModel>(_ query: Query<Model>) throws -> Bool {
        let table = try table(of: query.modelType)
        return try reading(table) { db in
            let select = "SELECT 1 FROM \(table.mapping.sql.table)"
            return try table.withForms(db, query.node) { forms in
                try query.atMost(1).sql(select, table.mapping, forms, isOrdered: false)
            } run: { sql in
                try db.scalar(SQL(sql.text), sql.arguments, as: Int.self) != nil
            }
        }
    }
}

/// The same, while the task is suspended.
extension PersistenceManager {
    /// The objects of a query's rows, in order.
    ///
    /// - Parameters:
    ///   - query: Which rows.
    ///   - tracked: Whether each object remembers its stored values.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func fetchAll<Model: PersistingModel>(
        _ query: Query<Model>, tracked: Bool = true
    ) async throws -> sending [Model] {
        try await onReadingSide(of: query.modelType) { manager in try manager.fetchAll(query, tracked: tracked) }
    }

    /// The first object of a query; nil when there is none.
    ///
    /// - Parameter query: The query.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func fetchOne<Model: PersistingModel>(_ query: Query<Model>) async throws -> sending Model? {
        try await onReadingSide(of: query.modelType) { manager in try manager.fetchOne(query) }
    }

    /// The number of a query's rows: of one with a limit, that many at most.
    ///
    /// - Parameter query: The query.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func count<Model: PersistingModel>(_ query: Query<Model>) async throws -> Int {
        try await onReadingSide(of: query.modelType) { manager in try manager.count(query) }
    }

    /// Whether a query has any row.
    ///
    /// - Parameter query: The query.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func exists<Model: PersistingModel>(_ query: Query<Model>) async throws -> Bool {
        try await onReadingSide(of: query.modelType) { manager in try manager.exists(query) }
    }
}

extension PersistenceManager {
    /// The column of a key path, which does not cross to the database's side.
    func column<Model: PersistingModel>(_ keyPath: PartialKeyPath<Model>, _ query: Query<Model>) throws -> Int {
        try Mapping.of(query.modelType, dates: dates).index(of: keyPath)
    }

    /// A value that is computed of a query's rows.
    ///
    /// - Parameter expression: Writes what is computed.
    func scalar<Model: PersistingModel, Value: SQLiteValueConvertible>(
        _ query: Query<Model>, of columns: [String], as type: Value.Type, _ expression: (StoredForms) throws -> String
    ) throws -> Value? {
        let table = try table(of: query.modelType)
        return try reading(table) { db in
            try table.withForms(db, query.node) { forms in
                try query.sql(computing: expression(forms), of: columns, table.mapping, forms)
            } run: { sql in
                try db.scalar(SQL(sql.text), sql.arguments, as: type)
            }
        }
    }
}
