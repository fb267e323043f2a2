/// Counting rows.
extension PersistenceManager {
    /// The number of rows that a condition takes.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - criteria: Which rows; nil is all.
    /// - Throws: ``PersistenceError``.
    public func count<Model: PersistingModel>(_ type: Model.Type, where criteria: Criteria<Model>? = nil) throws -> Int
    {
        try count(Query(type, where: criteria))
    }

    /// The same, while the task is suspended.
    public func count<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil
    ) async throws -> Int {
        try await onReadingSide(of: type) { manager in try manager.count(type, where: criteria) }
    }

    /// The number of a query's rows: of one with a limit, that many at most.
    ///
    /// - Parameter query: The query.
    /// - Throws: ``PersistenceError``.
    public func count<Model: PersistingModel>(_ query: Query<Model>) throws -> Int {
        let table = try table(of: query.modelType)
        return try reading(table, asOf: query.past) { db in
            try table.withForms(db, query.node) { forms in
                try query.ofNow.countSQL(table.mapping, forms)
            } run: { sql in
                try db.scalar(SQL(sql.text), sql.arguments, as: Int.self) ?? 0
            }
        }
    }

    /// The same, while the task is suspended.
    public func count<Model: PersistingModel>(_ query: Query<Model>) async throws -> Int {
        try await onReadingSide(of: query.modelType) { manager in try manager.count(query) }
    }

    /// Whether a condition takes any row.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    /// - Throws: ``PersistenceError``.
    public func exists<Model: PersistingModel>(_ type: Model.Type, where criteria: Criteria<Model>? = nil) throws
        -> Bool
    {
        try exists(Query(type, where: criteria))
    }

    /// The same, while the task is suspended.
    public func exists<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil
    ) async throws -> Bool {
        try await onReadingSide(of: type) { manager in try manager.exists(type, where: criteria) }
    }

    /// Whether a query has any row.
    ///
    /// - Parameter query: The query.
    /// - Throws: ``PersistenceError``.
    public func exists<Model: PersistingModel>(_ query: Query<Model>) throws -> Bool {
        let table = try table(of: query.modelType)
        return try reading(table, asOf: query.past) { db in
            let query = query.ofNow
            let select = "SELECT 1 FROM \(table.mapping.sql.table)"
            return try table.withForms(db, query.node) { forms in
                try query.atMost(1).sql(select, table.mapping, forms, isOrdered: false)
            } run: { sql in
                try db.scalar(SQL(sql.text), sql.arguments, as: Int.self) != nil
            }
        }
    }

    /// The same, while the task is suspended.
    public func exists<Model: PersistingModel>(_ query: Query<Model>) async throws -> Bool {
        try await onReadingSide(of: query.modelType) { manager in try manager.exists(query) }
    }
}

/// The same methods of a query. They use the manager that ``ActiveRecord`` describes.
extension Query {
    /// The number of the query's rows.
    ///
    /// - Throws: What the manager's method throws.
    public func count() throws -> Int {
        try PersistenceManager.current(for: modelType).count(self)
    }

    /// The same, while the task is suspended.
    public func count() async throws -> Int {
        try await PersistenceManager.current(for: modelType).count(self)
    }

    /// Whether the query has any row.
    ///
    /// - Throws: What the manager's method throws.
    public func exists() throws -> Bool {
        try PersistenceManager.current(for: modelType).exists(self)
    }

    /// The same, while the task is suspended.
    public func exists() async throws -> Bool {
        try await PersistenceManager.current(for: modelType).exists(self)
    }
}

/// The same methods of classes. They use the manager that ``ActiveRecord`` describes.
extension ActiveRecord {
    /// The number of rows that a condition takes.
    ///
    /// - Parameter criteria: Which rows; nil is all.
    /// - Throws: What the manager's method throws.
    public static func count(where criteria: Criteria<Self>? = nil) throws -> Int {
        try PersistenceManager.current(for: self).count(self, where: criteria)
    }

    /// The same, while the task is suspended.
    public static func count(where criteria: Criteria<Self>? = nil) async throws -> Int {
        try await PersistenceManager.current(for: self).count(self, where: criteria)
    }
}
