public import Foundation

/// Upserting, and finding or creating, on the models. Each throws what the manager's verb of the name throws.
extension ActiveRecord {
    /// Inserts the object, or writes it over the row that is in its way. See
    /// `PersistenceManager.upsert(_:by:updating:)`.
    public func upsert(by keys: [String]? = nil, updating updated: [String]? = nil) throws {
        try ownManager().upsert(self, by: keys, updating: updated)
    }

    /// Inserts objects, or writes them over the rows that are in their way: all of them or none.
    public static func upsert(
        _ objects: [Self], by keys: [String]? = nil, updating updated: [String]? = nil, progress: Progress? = nil
    ) throws {
        try PersistenceManager.current(for: self).upsert(objects, by: keys, updating: updated, progress: progress)
    }

    /// The object with a primary key; when there is none, a new one, inserted. See
    /// `PersistenceManager.findOrCreate(_:_:_:)`.
    public static func findOrCreate(
        _ key: (any SQLiteValueConvertible)?, _ setUp: (Self) throws -> Void = { _ in }
    ) throws -> Self {
        try PersistenceManager.current(for: self).findOrCreate(self, key, setUp)
    }

    /// The first object whose properties have some values; when there is none, a new one, inserted. See
    /// `PersistenceManager.findOrCreate(_:where:_:)`.
    public static func findOrCreate(
        where values: [String: (any Sendable)?], _ setUp: (Self) throws -> Void = { _ in }
    ) throws -> Self {
        try PersistenceManager.current(for: self).findOrCreate(self, where: values, setUp)
    }

    /// Inserts the object, or writes it over the row that is in its way, while the task is suspended.
    public func upsert(by keys: [String]? = nil, updating updated: [String]? = nil) async throws {
        try await ownManager().upsert(self, by: keys, updating: updated)
    }

    /// Inserts objects, or writes them over the rows that are in their way, while the task is suspended.
    public static func upsert(
        _ objects: [Self], by keys: [String]? = nil, updating updated: [String]? = nil, progress: Progress? = nil
    ) async throws {
        try await PersistenceManager.current(for: self)
            .upsert(objects, by: keys, updating: updated, progress: progress)
    }

    /// The object with a primary key; when there is none, a new one, while the task is suspended.
    public static func findOrCreate(
        _ key: (any SQLiteValueConvertible)?, _ setUp: @escaping @Sendable (Self) throws -> Void = { _ in }
    ) async throws -> sending Self {
        try await PersistenceManager.current(for: self).findOrCreate(self, key, setUp)
    }

    /// The first object whose properties have some values; when there is none, a new one, while the task is suspended.
    public static func findOrCreate(
        where values: [String: (any Sendable)?], _ setUp: @escaping @Sendable (Self) throws -> Void = { _ in }
    ) async throws -> sending Self {
        try await PersistenceManager.current(for: self).findOrCreate(self, where: values, setUp)
    }
}
