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

/// Foundation's sort descriptors in the place of an ordering; see ``Ordering/init(_:)``.
extension PersistenceManager {
    /// The objects of the rows that a condition takes, in the order of a sort descriptor.
    public func fetchAll<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy descriptor: SortDescriptor<Model>,
        limit: Int? = nil, offset: Int? = nil, tracked: Bool = true
    ) throws -> [Model] {
        try fetchAll(
            type, where: criteria, sortedBy: Ordering(descriptor), limit: limit, offset: offset, tracked: tracked)
    }

    /// The objects of the rows that a condition takes, in the order of sort descriptors.
    @_disfavoredOverload
    public func fetchAll<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy descriptors: [SortDescriptor<Model>],
        limit: Int? = nil, offset: Int? = nil, tracked: Bool = true
    ) throws -> [Model] {
        try fetchAll(
            type, where: criteria, sortedBy: Ordering(descriptors), limit: limit, offset: offset, tracked: tracked)
    }

    /// The objects of the rows that a condition takes, in the order of a sort descriptor, while the task is suspended.
    public func fetchAll<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy descriptor: SortDescriptor<Model>,
        limit: Int? = nil, offset: Int? = nil, tracked: Bool = true
    ) async throws -> sending [Model] {
        try await fetchAll(
            type, where: criteria, sortedBy: Ordering(descriptor), limit: limit, offset: offset, tracked: tracked)
    }

    /// The objects of the rows that a condition takes, in the order of sort descriptors, while the task is suspended.
    @_disfavoredOverload
    public func fetchAll<Model: PersistingModel>(
        _ type: Model.Type, where criteria: Criteria<Model>? = nil, sortedBy descriptors: [SortDescriptor<Model>],
        limit: Int? = nil, offset: Int? = nil, tracked: Bool = true
    ) async throws -> sending [Model] {
        try await fetchAll(
            type, where: criteria, sortedBy: Ordering(descriptors), limit: limit, offset: offset, tracked: tracked)
    }
}
