/// Upserting, and finding or creating, on the models. Each throws what the manager's method of the same name throws.
extension ActiveRecord {
    /// Inserts the object, or writes it over the row that is in its way. See
    /// `PersistenceManager.upsert(_:by:updating:)`.
    ///
    /// - Parameters:
    ///   - keys: The names of the properties that a unique constraint is on; nil is any constraint.
    ///   - updated: The names of the properties to write to an existing row. Nil is all but the key and creation times.
    ///     If the array is empty, the row stays as it is, and the object gets its values; UPDATE triggers run all the
    ///     same.
    /// - Throws: What the manager's method throws.
    public func upsert(by keys: [String]? = nil, updating updated: [String]? = nil) throws {
        try ownManager().upsert(self, by: keys, updating: updated)
    }

    /// The object with a primary key; when there is none, a new one, inserted. See
    /// `PersistenceManager.findOrCreate(_:_:_:)`.
    ///
    /// - Parameters:
    ///   - key: The property's name.
    ///   - setUp: Called with a new object that has the key already, before it is inserted.
    /// - Throws: What the manager's method throws.
    public static func findOrCreate(
        _ key: (any SQLiteValueConvertible)?, _ setUp: (Self) throws -> Void = { _ in }
    ) throws -> Self {
        try PersistenceManager.current(for: self).findOrCreate(self, key, setUp)
    }

    /// The first object whose properties have some values; when there is none, a new one, inserted. See
    /// `PersistenceManager.findOrCreate(_:where:_:)`.
    ///
    /// - Parameters:
    ///   - values: The values to find the object by, by property name.
    ///   - setUp: Called with a new object that has the key already, before it is inserted.
    /// - Throws: What the manager's method throws.
    public static func findOrCreate(
        where values: [String: (any Sendable)?], _ setUp: (Self) throws -> Void = { _ in }
    ) throws -> Self {
        try PersistenceManager.current(for: self).findOrCreate(self, where: values, setUp)
    }

    /// Inserts the object, or writes it over the row that is in its way, while the task is suspended.
    ///
    /// - Parameters:
    ///   - keys: The names of the properties that a unique constraint is on; nil is any constraint.
    ///   - updated: The names of the properties to write to an existing row. Nil is all but the key and creation times.
    ///     If the array is empty, the row stays as it is, and the object gets its values; UPDATE triggers run all the
    ///     same.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func upsert(by keys: [String]? = nil, updating updated: [String]? = nil) async throws {
        try await ownManager().upsert(self, by: keys, updating: updated)
    }

    /// The object with a primary key; when there is none, a new one, while the task is suspended.
    ///
    /// - Parameters:
    ///   - key: The property's name.
    ///   - setUp: Called with a new object that has the key already, before it is inserted.
    /// - Throws: What the manager's method throws.
    public static func findOrCreate(
        _ key: (any SQLiteValueConvertible)?, _ setUp: @escaping @Sendable (Self) throws -> Void = { _ in }
    ) async throws -> sending Self {
        try await PersistenceManager.current(for: self).findOrCreate(self, key, setUp)
    }

    /// The first object whose properties have some values; when there is none, a new one, while the task is suspended.
    ///
    /// - Parameters:
    ///   - values: The values to find the object by, by property name.
    ///   - setUp: Called with a new object that has the key already, before it is inserted.
    /// - Throws: What the manager's method throws.
    public static func findOrCreate(
        where values: [String: (any Sendable)?], _ setUp: @escaping @Sendable (Self) throws -> Void = { _ in }
    ) async throws -> sending Self {
        try await PersistenceManager.current(for: self).findOrCreate(self, where: values, setUp)
    }
}
