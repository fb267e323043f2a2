/// The methods of a manager, on the classes. ``ActiveRecord`` says which manager they use; each throws what the
/// manager's method of the same name throws.
extension ActiveRecord {
    /// The object with a primary key; nil when there is none. See `PersistenceManager.find(_:_:)`.
    ///
    /// - Parameter key: The primary key.
    /// - Throws: What the manager's method throws.
    public static func find(_ key: (any SQLiteValueConvertible)?) throws -> Self? {
        try PersistenceManager.current(for: self).find(self, key)
    }

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

    /// The number of rows that a condition takes.
    ///
    /// - Parameter criteria: Which rows; nil is all.
    /// - Throws: What the manager's method throws.
    public static func count(where criteria: Criteria<Self>? = nil) throws -> Int {
        try PersistenceManager.current(for: self).count(self, where: criteria)
    }
}

/// The methods of a manager, on the classes, while the task is suspended.
extension ActiveRecord {
    /// The object with a primary key; nil when there is none.
    ///
    /// - Parameter key: The primary key.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public static func find(_ key: (any SQLiteValueConvertible)?) async throws -> sending Self? {
        try await PersistenceManager.current(for: self).find(self, key)
    }

    /// The objects of the rows that a condition takes, in order.
    ///
    /// - Parameters:
    ///   - criteria: The condition; nil matches every row.
    ///   - ordering: The order; nil leaves it to SQLite.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
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
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public static func findOne(
        where criteria: Criteria<Self>? = nil, sortedBy ordering: Ordering<Self>? = nil
    ) async throws -> sending Self? {
        try await PersistenceManager.current(for: self).fetchOne(self, where: criteria, sortedBy: ordering)
    }

    /// The number of rows that a condition takes.
    ///
    /// - Parameter criteria: Which rows; nil is all.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public static func count(where criteria: Criteria<Self>? = nil) async throws -> Int {
        try await PersistenceManager.current(for: self).count(self, where: criteria)
    }
}
