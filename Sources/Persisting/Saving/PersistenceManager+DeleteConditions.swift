public import Foundation

/// A `Bool` property, `where: \.isLoved`, or Foundation's `#Predicate` as the condition.
extension PersistenceManager {
    /// Deletes the rows that have a `Bool` property that is true. No object runs its hooks.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    /// - Throws: ``PersistenceError``.
    @discardableResult
    public func delete<Model: PersistingModel>(
        _ type: Model.Type, where keyPath: KeyPath<Model, Bool>
    ) throws -> Int {
        try delete(type, where: keyPath == true)
    }

    /// Deletes the rows that match a predicate of Foundation. No object runs its hooks.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - predicate: The predicate.
    /// - Throws: ``PersistenceError``.
    @discardableResult
    public func delete<Model: PersistingModel>(
        _ type: Model.Type, where predicate: Predicate<Model>
    ) throws -> Int {
        try delete(type, where: .predicate(predicate))
    }

    /// Deletes the rows that have a `Bool` property that is true, while the task is suspended. No object runs its
    /// hooks.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    @discardableResult
    public func delete<Model: PersistingModel>(
        _ type: Model.Type, where keyPath: KeyPath<Model, Bool>
    ) async throws -> Int {
        try await delete(type, where: keyPath == true)
    }

    /// Deletes the rows that match a predicate of Foundation, while the task is suspended. No object runs its hooks.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - predicate: The predicate.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    @discardableResult
    public func delete<Model: PersistingModel>(
        _ type: Model.Type, where predicate: Predicate<Model>
    ) async throws -> Int {
        try await delete(type, where: .predicate(predicate))
    }
}
