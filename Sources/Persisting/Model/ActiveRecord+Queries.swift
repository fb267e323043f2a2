public import Foundation

/// Queries of a class.
///
/// ```swift
/// let query = User.where(\.luckyNumber > 7).sorted(by: \.lastName).limit(20)
/// ```
extension ActiveRecord {
    /// A query of the rows that a condition takes.
    public static func `where`(_ criteria: Criteria<Self>) -> Query<Self> {
        Query(self).where(criteria)
    }

    /// A query of the rows that have a `Bool` property that is true: `Album.where(\.isLoved)`.
    public static func `where`(_ keyPath: KeyPath<Self, Bool>) -> Query<Self> { Query(self).where(keyPath) }

    /// A query of the rows that a predicate of Foundation matches: `User.where(#Predicate { $0.age > 7 })`.
    public static func `where`(_ predicate: Predicate<Self>) -> Query<Self> { Query(self).where(predicate) }

    /// A query of all rows in an order.
    public static func sorted(by ordering: Ordering<Self>) -> Query<Self> {
        Query(self).sorted(by: ordering)
    }

    /// A query of all rows by a property.
    public static func sorted<Value>(
        by keyPath: KeyPath<Self, Value>, _ direction: SortDirection = .ascending
    ) -> Query<Self> {
        Query(self).sorted(by: keyPath, direction)
    }

    /// A query of so many rows at the most.
    public static func limit(_ count: Int?) -> Query<Self> {
        Query(self).limit(count)
    }
}

/// Finding by several keys, and by composite ones.
extension ActiveRecord {
    /// Fetches the object with a primary key; nil when there is none. It is `find(_:)`.
    public static func find(id key: (any SQLiteValueConvertible)?) throws -> Self? { try find(key) }

    /// The object with a primary key, by the names of its properties: how a composite key is given.
    public static func find(_ key: [String: (any Sendable)?]) throws -> Self? {
        try PersistenceManager.current(for: self).find(self, key)
    }

    /// The objects with some primary keys, in the order of the keys. See `PersistenceManager.find(_:keys:)`.
    public static func find(keys: [(any SQLiteValueConvertible)?]) throws -> [Self] {
        try PersistenceManager.current(for: self).find(self, keys: keys)
    }

    /// The objects with some primary keys, each by the names of its properties, in the order of the keys.
    @_disfavoredOverload
    public static func find(keys: [[String: (any Sendable)?]]) throws -> [Self] {
        try PersistenceManager.current(for: self).find(self, keys: keys)
    }
}

/// Finding by several keys, and by composite ones, while the task is suspended.
extension ActiveRecord {
    /// Fetches the object with a primary key, while the task is suspended; nil when there is none. It is `find(_:)`.
    public static func find(id key: (any SQLiteValueConvertible)?) async throws -> sending Self? {
        try await find(key)
    }

    /// The object with a primary key, by the names of its properties: how a composite key is given.
    public static func find(_ key: [String: (any Sendable)?]) async throws -> sending Self? {
        try await PersistenceManager.current(for: self).find(self, key)
    }

    /// The objects with some primary keys, in the order of the keys. See `PersistenceManager.find(_:keys:)`.
    public static func find(keys: [(any SQLiteValueConvertible)?]) async throws -> sending [Self] {
        try await PersistenceManager.current(for: self).find(self, keys: keys)
    }

    /// The objects with some primary keys, each by the names of its properties, in the order of the keys.
    @_disfavoredOverload
    public static func find(keys: [[String: (any Sendable)?]]) async throws -> sending [Self] {
        try await PersistenceManager.current(for: self).find(self, keys: keys)
    }
}
