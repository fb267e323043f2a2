public import Foundation

/// A `Bool` property, `where: \.isLoved`, or Foundation's `#Predicate` as the condition of the methods on the classes.
extension ActiveRecord {
    /// Fetches the objects whose rows have a `Bool` property that is true.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - ordering: The order; nil leaves it to SQLite.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    /// - Throws: ``PersistenceError``.
    public static func all(
        where keyPath: KeyPath<Self, Bool>, sortedBy ordering: Ordering<Self>? = nil, limit: Int? = nil,
        offset: Int? = nil
    ) throws -> [Self] {
        try all(where: keyPath == true, sortedBy: ordering, limit: limit, offset: offset)
    }

    /// Fetches the objects whose rows match a predicate of Foundation.
    ///
    /// - Parameters:
    ///   - predicate: The predicate.
    ///   - ordering: The order; nil leaves it to SQLite.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    /// - Throws: ``PersistenceError``.
    public static func all(
        where predicate: Predicate<Self>, sortedBy ordering: Ordering<Self>? = nil, limit: Int? = nil,
        offset: Int? = nil
    ) throws -> [Self] {
        try all(where: .predicate(predicate), sortedBy: ordering, limit: limit, offset: offset)
    }

    /// Fetches the first object whose row has a `Bool` property that is true; nil when there is none.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - ordering: The order; nil leaves it to SQLite.
    /// - Throws: ``PersistenceError``.
    public static func findOne(
        where keyPath: KeyPath<Self, Bool>, sortedBy ordering: Ordering<Self>? = nil
    ) throws -> Self? {
        try findOne(where: keyPath == true, sortedBy: ordering)
    }

    /// Fetches the first object whose row matches a predicate of Foundation; nil when there is none.
    ///
    /// - Parameters:
    ///   - predicate: The predicate.
    ///   - ordering: The order; nil leaves it to SQLite.
    /// - Throws: ``PersistenceError``.
    public static func findOne(
        where predicate: Predicate<Self>, sortedBy ordering: Ordering<Self>? = nil
    ) throws -> Self? {
        try findOne(where: .predicate(predicate), sortedBy: ordering)
    }

    /// Counts the rows that have a `Bool` property that is true.
    ///
    /// - Parameter keyPath: The property.
    /// - Throws: ``PersistenceError``.
    public static func count(
        where keyPath: KeyPath<Self, Bool>
    ) throws -> Int {
        try count(where: keyPath == true)
    }

    /// Counts the rows that match a predicate of Foundation.
    ///
    /// - Parameter predicate: The predicate.
    /// - Throws: ``PersistenceError``.
    public static func count(
        where predicate: Predicate<Self>
    ) throws -> Int {
        try count(where: .predicate(predicate))
    }

    /// Returns whether there is a row that has a `Bool` property that is true.
    ///
    /// - Parameter keyPath: The property.
    /// - Throws: ``PersistenceError``.
    public static func exists(
        where keyPath: KeyPath<Self, Bool>
    ) throws -> Bool {
        try exists(where: keyPath == true)
    }

    /// Returns whether there is a row that matches a predicate of Foundation.
    ///
    /// - Parameter predicate: The predicate.
    /// - Throws: ``PersistenceError``.
    public static func exists(
        where predicate: Predicate<Self>
    ) throws -> Bool {
        try exists(where: .predicate(predicate))
    }
}

/// The same, while the task is suspended.
extension ActiveRecord {
    /// Fetches the objects whose rows have a `Bool` property that is true, while the task is suspended.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - ordering: The order; nil leaves it to SQLite.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public static func all(
        where keyPath: KeyPath<Self, Bool>, sortedBy ordering: Ordering<Self>? = nil, limit: Int? = nil,
        offset: Int? = nil
    ) async throws -> sending [Self] {
        try await all(where: keyPath == true, sortedBy: ordering, limit: limit, offset: offset)
    }

    /// Fetches the objects whose rows match a predicate of Foundation, while the task is suspended.
    ///
    /// - Parameters:
    ///   - predicate: The predicate.
    ///   - ordering: The order; nil leaves it to SQLite.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public static func all(
        where predicate: Predicate<Self>, sortedBy ordering: Ordering<Self>? = nil, limit: Int? = nil,
        offset: Int? = nil
    ) async throws -> sending [Self] {
        try await all(where: .predicate(predicate), sortedBy: ordering, limit: limit, offset: offset)
    }

    /// Fetches the first object whose row has a `Bool` property that is true, while the task is suspended; nil when
    /// there is none.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - ordering: The order; nil leaves it to SQLite.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public static func findOne(
        where keyPath: KeyPath<Self, Bool>, sortedBy ordering: Ordering<Self>? = nil
    ) async throws -> sending Self? {
        try await findOne(where: keyPath == true, sortedBy: ordering)
    }

    /// Fetches the first object whose row matches a predicate of Foundation, while the task is suspended; nil when
    /// there is none.
    ///
    /// - Parameters:
    ///   - predicate: The predicate.
    ///   - ordering: The order; nil leaves it to SQLite.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public static func findOne(
        where predicate: Predicate<Self>, sortedBy ordering: Ordering<Self>? = nil
    ) async throws -> sending Self? {
        try await findOne(where: .predicate(predicate), sortedBy: ordering)
    }

    /// Counts the rows that have a `Bool` property that is true, while the task is suspended.
    ///
    /// - Parameter keyPath: The property.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public static func count(
        where keyPath: KeyPath<Self, Bool>
    ) async throws -> Int {
        try await count(where: keyPath == true)
    }

    /// Counts the rows that match a predicate of Foundation, while the task is suspended.
    ///
    /// - Parameter predicate: The predicate.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public static func count(
        where predicate: Predicate<Self>
    ) async throws -> Int {
        try await count(where: .predicate(predicate))
    }

    /// Returns whether there is a row that has a `Bool` property that is true, while the task is suspended.
    ///
    /// - Parameter keyPath: The property.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public static func exists(
        where keyPath: KeyPath<Self, Bool>
    ) async throws -> Bool {
        try await exists(where: keyPath == true)
    }

    /// Returns whether there is a row that matches a predicate of Foundation, while the task is suspended.
    ///
    /// - Parameter predicate: The predicate.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public static func exists(
        where predicate: Predicate<Self>
    ) async throws -> Bool {
        try await exists(where: .predicate(predicate))
    }
}
