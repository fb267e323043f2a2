public import Foundation

/// A `Bool` property, `where: \.isLoved`, or Foundation's `#Predicate` as the condition of the methods of a manager.
extension PersistenceManager {
    /// Fetches the objects whose rows have a `Bool` property that is true.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - ordering: The order; nil leaves it to SQLite.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    ///   - tracked: Whether each object remembers its stored values.
    /// - Throws: ``PersistenceError``.
    public func fetchAll<Model: PersistingModel>(
        _ type: Model.Type, where keyPath: KeyPath<Model, Bool>, sortedBy ordering: Ordering<Model>? = nil,
        limit: Int? = nil, offset: Int? = nil, tracked: Bool = true
    ) throws -> [Model] {
        try fetchAll(type, where: keyPath == true, sortedBy: ordering, limit: limit, offset: offset, tracked: tracked)
    }

    /// Fetches the objects whose rows match a predicate of Foundation.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - predicate: The predicate.
    ///   - ordering: The order; nil leaves it to SQLite.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    ///   - tracked: Whether each object remembers its stored values.
    /// - Throws: ``PersistenceError``.
    public func fetchAll<Model: PersistingModel>(
        _ type: Model.Type, where predicate: Predicate<Model>, sortedBy ordering: Ordering<Model>? = nil,
        limit: Int? = nil, offset: Int? = nil, tracked: Bool = true
    ) throws -> [Model] {
        try fetchAll(
            type, where: .predicate(predicate), sortedBy: ordering, limit: limit, offset: offset, tracked: tracked)
    }

    /// Fetches the first object whose row has a `Bool` property that is true; nil when there is none.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - ordering: The order; nil leaves it to SQLite.
    /// - Throws: ``PersistenceError``.
    public func fetchOne<Model: PersistingModel>(
        _ type: Model.Type, where keyPath: KeyPath<Model, Bool>, sortedBy ordering: Ordering<Model>? = nil
    ) throws -> Model? {
        try fetchOne(type, where: keyPath == true, sortedBy: ordering)
    }

    /// Fetches the first object whose row matches a predicate of Foundation; nil when there is none.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - predicate: The predicate.
    ///   - ordering: The order; nil leaves it to SQLite.
    /// - Throws: ``PersistenceError``.
    public func fetchOne<Model: PersistingModel>(
        _ type: Model.Type, where predicate: Predicate<Model>, sortedBy ordering: Ordering<Model>? = nil
    ) throws -> Model? {
        try fetchOne(type, where: .predicate(predicate), sortedBy: ordering)
    }

    /// Counts the rows that have a `Bool` property that is true.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    /// - Throws: ``PersistenceError``.
    public func count<Model: PersistingModel>(
        _ type: Model.Type, where keyPath: KeyPath<Model, Bool>
    ) throws -> Int {
        try count(type, where: keyPath == true)
    }

    /// Counts the rows that match a predicate of Foundation.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - predicate: The predicate.
    /// - Throws: ``PersistenceError``.
    public func count<Model: PersistingModel>(
        _ type: Model.Type, where predicate: Predicate<Model>
    ) throws -> Int {
        try count(type, where: .predicate(predicate))
    }

    /// Returns whether there is a row that has a `Bool` property that is true.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    /// - Throws: ``PersistenceError``.
    public func exists<Model: PersistingModel>(
        _ type: Model.Type, where keyPath: KeyPath<Model, Bool>
    ) throws -> Bool {
        try exists(type, where: keyPath == true)
    }

    /// Returns whether there is a row that matches a predicate of Foundation.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - predicate: The predicate.
    /// - Throws: ``PersistenceError``.
    public func exists<Model: PersistingModel>(
        _ type: Model.Type, where predicate: Predicate<Model>
    ) throws -> Bool {
        try exists(type, where: .predicate(predicate))
    }
}

/// The same, while the task is suspended.
extension PersistenceManager {
    /// Fetches the objects whose rows have a `Bool` property that is true, while the task is suspended.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - ordering: The order; nil leaves it to SQLite.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    ///   - tracked: Whether each object remembers its stored values.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func fetchAll<Model: PersistingModel>(
        _ type: Model.Type, where keyPath: KeyPath<Model, Bool>, sortedBy ordering: Ordering<Model>? = nil,
        limit: Int? = nil, offset: Int? = nil, tracked: Bool = true
    ) async throws -> sending [Model] {
        try await fetchAll(
            type, where: keyPath == true, sortedBy: ordering, limit: limit, offset: offset, tracked: tracked)
    }

    /// Fetches the objects whose rows match a predicate of Foundation, while the task is suspended.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - predicate: The predicate.
    ///   - ordering: The order; nil leaves it to SQLite.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    ///   - tracked: Whether each object remembers its stored values.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func fetchAll<Model: PersistingModel>(
        _ type: Model.Type, where predicate: Predicate<Model>, sortedBy ordering: Ordering<Model>? = nil,
        limit: Int? = nil, offset: Int? = nil, tracked: Bool = true
    ) async throws -> sending [Model] {
        try await fetchAll(
            type, where: .predicate(predicate), sortedBy: ordering, limit: limit, offset: offset, tracked: tracked)
    }

    /// Fetches the first object whose row has a `Bool` property that is true, while the task is suspended; nil when
    /// there is none.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    ///   - ordering: The order; nil leaves it to SQLite.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func fetchOne<Model: PersistingModel>(
        _ type: Model.Type, where keyPath: KeyPath<Model, Bool>, sortedBy ordering: Ordering<Model>? = nil
    ) async throws -> sending Model? {
        try await fetchOne(type, where: keyPath == true, sortedBy: ordering)
    }

    /// Fetches the first object whose row matches a predicate of Foundation, while the task is suspended; nil when
    /// there is none.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - predicate: The predicate.
    ///   - ordering: The order; nil leaves it to SQLite.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func fetchOne<Model: PersistingModel>(
        _ type: Model.Type, where predicate: Predicate<Model>, sortedBy ordering: Ordering<Model>? = nil
    ) async throws -> sending Model? {
        try await fetchOne(type, where: .predicate(predicate), sortedBy: ordering)
    }

    /// Counts the rows that have a `Bool` property that is true, while the task is suspended.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func count<Model: PersistingModel>(
        _ type: Model.Type, where keyPath: KeyPath<Model, Bool>
    ) async throws -> Int {
        try await count(type, where: keyPath == true)
    }

    /// Counts the rows that match a predicate of Foundation, while the task is suspended.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - predicate: The predicate.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func count<Model: PersistingModel>(
        _ type: Model.Type, where predicate: Predicate<Model>
    ) async throws -> Int {
        try await count(type, where: .predicate(predicate))
    }

    /// Returns whether there is a row that has a `Bool` property that is true, while the task is suspended.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The property.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func exists<Model: PersistingModel>(
        _ type: Model.Type, where keyPath: KeyPath<Model, Bool>
    ) async throws -> Bool {
        try await exists(type, where: keyPath == true)
    }

    /// Returns whether there is a row that matches a predicate of Foundation, while the task is suspended.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - predicate: The predicate.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func exists<Model: PersistingModel>(
        _ type: Model.Type, where predicate: Predicate<Model>
    ) async throws -> Bool {
        try await exists(type, where: .predicate(predicate))
    }
}
