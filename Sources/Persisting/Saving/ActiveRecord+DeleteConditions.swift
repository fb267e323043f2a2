public import Foundation

/// A `Bool` property or Foundation's `#Predicate` as the condition of a deletion.
extension ActiveRecord {
    /// Deletes the rows that have a `Bool` property that is true. No object runs its hooks.
    ///
    /// - Parameter keyPath: The property.
    /// - Throws: ``PersistenceError``.
    @discardableResult
    public static func delete(
        where keyPath: KeyPath<Self, Bool>
    ) throws -> Int {
        try delete(where: keyPath == true)
    }

    /// Deletes the rows that match a predicate of Foundation. No object runs its hooks.
    ///
    /// - Parameter predicate: The predicate.
    /// - Throws: ``PersistenceError``.
    @discardableResult
    public static func delete(
        where predicate: Predicate<Self>
    ) throws -> Int {
        try delete(where: .predicate(predicate))
    }
}

/// The same, while the task is suspended.
extension ActiveRecord {
    /// Deletes the rows that have a `Bool` property that is true, while the task is suspended. No object runs its
    /// hooks.
    ///
    /// - Parameter keyPath: The property.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    @discardableResult
    public static func delete(
        where keyPath: KeyPath<Self, Bool>
    ) async throws -> Int {
        try await delete(where: keyPath == true)
    }

    /// Deletes the rows that match a predicate of Foundation, while the task is suspended. No object runs its hooks.
    ///
    /// - Parameter predicate: The predicate.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    @discardableResult
    public static func delete(
        where predicate: Predicate<Self>
    ) async throws -> Int {
        try await delete(where: .predicate(predicate))
    }
}
