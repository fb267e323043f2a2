public import Foundation

/// The order of a property, `sortedBy: \.title`.
extension PersistenceManager {
    /// Fetches the objects whose rows match a condition, in the order of a property.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    ///   - keyPath: The property, from its least value to its greatest.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    ///   - tracked: Whether each object remembers its stored values.
    /// - Throws: ``PersistenceError``.
    public func fetchAll<Model: PersistingModel, Value>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy keyPath: KeyPath<Model, Value>,
        limit: Int? = nil, offset: Int? = nil, tracked: Bool = true
    ) throws -> [Model] {
        try fetchAll(
            type, where: criteria, sortedBy: .ascending(keyPath), limit: limit, offset: offset, tracked: tracked)
    }

    /// Fetches the first object in the order of a property whose row matches a condition; nil when there is none.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    ///   - keyPath: The property, from its least value to its greatest.
    /// - Throws: ``PersistenceError``.
    public func fetchOne<Model: PersistingModel, Value>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy keyPath: KeyPath<Model, Value>
    ) throws -> Model? {
        try fetchOne(type, where: criteria, sortedBy: .ascending(keyPath))
    }

    /// Fetches the objects whose rows match a condition, in the order of a property, while the task is suspended.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    ///   - keyPath: The property, from its least value to its greatest.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    ///   - tracked: Whether each object remembers its stored values.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func fetchAll<Model: PersistingModel, Value>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy keyPath: KeyPath<Model, Value>,
        limit: Int? = nil, offset: Int? = nil, tracked: Bool = true
    ) async throws -> sending [Model] {
        try await fetchAll(
            type, where: criteria, sortedBy: .ascending(keyPath), limit: limit, offset: offset, tracked: tracked)
    }

    /// Fetches the first object in the order of a property whose row matches a condition, while the task is suspended;
    /// nil when there is none.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    ///   - keyPath: The property, from its least value to its greatest.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func fetchOne<Model: PersistingModel, Value>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy keyPath: KeyPath<Model, Value>
    ) async throws -> sending Model? {
        try await fetchOne(type, where: criteria, sortedBy: .ascending(keyPath))
    }
}

/// The order of a sort descriptor of Foundation.
extension PersistenceManager {
    /// Fetches the objects whose rows match a condition, in the order of a sort descriptor.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    ///   - descriptor: The sort descriptor; see `Ordering(_:)`.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    ///   - tracked: Whether each object remembers its stored values.
    /// - Returns: The objects.
    /// - Throws: ``PersistenceError``.
    public func fetchAll<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy descriptor: SortDescriptor<Model>,
        limit: Int? = nil, offset: Int? = nil, tracked: Bool = true
    ) throws -> [Model] {
        try fetchAll(
            type, where: criteria, sortedBy: Ordering(descriptor), limit: limit, offset: offset, tracked: tracked)
    }

    /// Fetches the first object whose row matches a condition, in the order of a sort descriptor; nil when there is
    /// none.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    ///   - descriptor: The sort descriptor; see `Ordering(_:)`.
    /// - Returns: The object; nil when there is none.
    /// - Throws: ``PersistenceError``.
    public func fetchOne<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy descriptor: SortDescriptor<Model>
    ) throws -> Model? {
        try fetchOne(type, where: criteria, sortedBy: Ordering(descriptor))
    }

    /// Fetches the objects whose rows match a condition, in the order of a sort descriptor, while the task is
    /// suspended.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    ///   - descriptor: The sort descriptor; see `Ordering(_:)`.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    ///   - tracked: Whether each object remembers its stored values.
    /// - Returns: The objects.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func fetchAll<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy descriptor: SortDescriptor<Model>,
        limit: Int? = nil, offset: Int? = nil, tracked: Bool = true
    ) async throws -> sending [Model] {
        try await fetchAll(
            type, where: criteria, sortedBy: Ordering(descriptor), limit: limit, offset: offset, tracked: tracked)
    }

    /// Fetches the first object whose row matches a condition, in the order of a sort descriptor, while the task is
    /// suspended; nil when there is none.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - criteria: The condition; nil matches every row.
    ///   - descriptor: The sort descriptor; see `Ordering(_:)`.
    /// - Returns: The object; nil when there is none.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func fetchOne<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy descriptor: SortDescriptor<Model>
    ) async throws -> sending Model? {
        try await fetchOne(type, where: criteria, sortedBy: Ordering(descriptor))
    }
}

/// The order of a property, with a `Bool` property or a predicate as the condition.
extension PersistenceManager {
    /// Fetches the objects whose rows have a `Bool` property that is true, in the order of a property.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The `Bool` property.
    ///   - order: The property to order by, from its least value to its greatest.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    ///   - tracked: Whether each object remembers its stored values.
    /// - Returns: The objects.
    /// - Throws: ``PersistenceError``.
    public func fetchAll<Model: PersistingModel, Value>(
        _ type: Model.Type, where keyPath: KeyPath<Model, Bool>, sortedBy order: KeyPath<Model, Value>,
        limit: Int? = nil, offset: Int? = nil, tracked: Bool = true
    ) throws -> [Model] {
        try fetchAll(
            type, where: keyPath == true, sortedBy: .ascending(order), limit: limit, offset: offset, tracked: tracked)
    }

    /// Fetches the first object in the order of a property whose row has a `Bool` property that is true; nil when
    /// there is none.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The `Bool` property.
    ///   - order: The property to order by, from its least value to its greatest.
    /// - Returns: The object; nil when there is none.
    /// - Throws: ``PersistenceError``.
    public func fetchOne<Model: PersistingModel, Value>(
        _ type: Model.Type, where keyPath: KeyPath<Model, Bool>, sortedBy order: KeyPath<Model, Value>
    ) throws -> Model? {
        try fetchOne(type, where: keyPath == true, sortedBy: .ascending(order))
    }

    /// Fetches the objects whose rows match a predicate of Foundation, in the order of a property.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - predicate: The predicate.
    ///   - order: The property to order by, from its least value to its greatest.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    ///   - tracked: Whether each object remembers its stored values.
    /// - Returns: The objects.
    /// - Throws: ``PersistenceError``.
    public func fetchAll<Model: PersistingModel, Value>(
        _ type: Model.Type, where predicate: Predicate<Model>, sortedBy order: KeyPath<Model, Value>,
        limit: Int? = nil, offset: Int? = nil, tracked: Bool = true
    ) throws -> [Model] {
        try fetchAll(
            type, where: .predicate(predicate), sortedBy: .ascending(order), limit: limit, offset: offset,
            tracked: tracked)
    }

    /// Fetches the first object in the order of a property whose row matches a predicate of Foundation; nil when
    /// there is none.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - predicate: The predicate.
    ///   - order: The property to order by, from its least value to its greatest.
    /// - Returns: The object; nil when there is none.
    /// - Throws: ``PersistenceError``.
    public func fetchOne<Model: PersistingModel, Value>(
        _ type: Model.Type, where predicate: Predicate<Model>, sortedBy order: KeyPath<Model, Value>
    ) throws -> Model? {
        try fetchOne(type, where: .predicate(predicate), sortedBy: .ascending(order))
    }

    /// Fetches the objects whose rows have a `Bool` property that is true, in the order of a property, while the task
    /// is suspended.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The `Bool` property.
    ///   - order: The property to order by, from its least value to its greatest.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    ///   - tracked: Whether each object remembers its stored values.
    /// - Returns: The objects.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func fetchAll<Model: PersistingModel, Value>(
        _ type: Model.Type, where keyPath: KeyPath<Model, Bool>, sortedBy order: KeyPath<Model, Value>,
        limit: Int? = nil, offset: Int? = nil, tracked: Bool = true
    ) async throws -> sending [Model] {
        try await fetchAll(
            type, where: keyPath == true, sortedBy: .ascending(order), limit: limit, offset: offset, tracked: tracked)
    }

    /// Fetches the first object in the order of a property whose row has a `Bool` property that is true, while the
    /// task is suspended; nil when there is none.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - keyPath: The `Bool` property.
    ///   - order: The property to order by, from its least value to its greatest.
    /// - Returns: The object; nil when there is none.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func fetchOne<Model: PersistingModel, Value>(
        _ type: Model.Type, where keyPath: KeyPath<Model, Bool>, sortedBy order: KeyPath<Model, Value>
    ) async throws -> sending Model? {
        try await fetchOne(type, where: keyPath == true, sortedBy: .ascending(order))
    }

    /// Fetches the objects whose rows match a predicate of Foundation, in the order of a property, while the task is
    /// suspended.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - predicate: The predicate.
    ///   - order: The property to order by, from its least value to its greatest.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    ///   - tracked: Whether each object remembers its stored values.
    /// - Returns: The objects.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func fetchAll<Model: PersistingModel, Value>(
        _ type: Model.Type, where predicate: Predicate<Model>, sortedBy order: KeyPath<Model, Value>,
        limit: Int? = nil, offset: Int? = nil, tracked: Bool = true
    ) async throws -> sending [Model] {
        try await fetchAll(
            type, where: .predicate(predicate), sortedBy: .ascending(order), limit: limit, offset: offset,
            tracked: tracked)
    }

    /// Fetches the first object in the order of a property whose row matches a predicate of Foundation, while the
    /// task is suspended; nil when there is none.
    ///
    /// - Parameters:
    ///   - type: The model class.
    ///   - predicate: The predicate.
    ///   - order: The property to order by, from its least value to its greatest.
    /// - Returns: The object; nil when there is none.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public func fetchOne<Model: PersistingModel, Value>(
        _ type: Model.Type, where predicate: Predicate<Model>, sortedBy order: KeyPath<Model, Value>
    ) async throws -> sending Model? {
        try await fetchOne(type, where: .predicate(predicate), sortedBy: .ascending(order))
    }
}
