public import Foundation

/// The order of a property on the classes, `sortedBy: \.title`.
extension ActiveRecord {
    /// Fetches the objects whose rows match a condition, in the order of a property.
    ///
    /// - Parameters:
    ///   - criteria: The condition; nil matches every row.
    ///   - keyPath: The property, from its least value to its greatest.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    /// - Throws: ``PersistenceError``.
    public static func all<Value>(
        where criteria: Criteria<Self>? = nil, sortedBy keyPath: KeyPath<Self, Value>,
        limit: Int? = nil, offset: Int? = nil
    ) throws -> [Self] {
        try all(
            where: criteria, sortedBy: .ascending(keyPath), limit: limit, offset: offset)
    }

    /// Fetches the first object in the order of a property whose row matches a condition; nil when there is none.
    ///
    /// - Parameters:
    ///   - criteria: The condition; nil matches every row.
    ///   - keyPath: The property, from its least value to its greatest.
    /// - Throws: ``PersistenceError``.
    public static func findOne<Value>(
        where criteria: Criteria<Self>? = nil, sortedBy keyPath: KeyPath<Self, Value>
    ) throws -> Self? {
        try findOne(where: criteria, sortedBy: .ascending(keyPath))
    }

    /// Fetches the objects whose rows match a condition, in the order of a property, while the task is suspended.
    ///
    /// - Parameters:
    ///   - criteria: The condition; nil matches every row.
    ///   - keyPath: The property, from its least value to its greatest.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public static func all<Value>(
        where criteria: Criteria<Self>? = nil, sortedBy keyPath: KeyPath<Self, Value>,
        limit: Int? = nil, offset: Int? = nil
    ) async throws -> sending [Self] {
        try await all(
            where: criteria, sortedBy: .ascending(keyPath), limit: limit, offset: offset)
    }

    /// Fetches the first object in the order of a property whose row matches a condition, while the task is suspended;
    /// nil when there is none.
    ///
    /// - Parameters:
    ///   - criteria: The condition; nil matches every row.
    ///   - keyPath: The property, from its least value to its greatest.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public static func findOne<Value>(
        where criteria: Criteria<Self>? = nil, sortedBy keyPath: KeyPath<Self, Value>
    ) async throws -> sending Self? {
        try await findOne(where: criteria, sortedBy: .ascending(keyPath))
    }
}

/// Foundation's sort descriptors in the place of an ordering, on the classes.
extension ActiveRecord {
    /// A query of all rows in the order of a sort descriptor.
    public static func sorted(by descriptor: SortDescriptor<Self>) -> Query<Self> {
        Query(self).sorted(by: descriptor)
    }

    /// The objects of the rows that a condition takes, in the order of a sort descriptor.
    public static func all(
        where criteria: Criteria<Self>? = nil, sortedBy descriptor: SortDescriptor<Self>, limit: Int? = nil,
        offset: Int? = nil
    ) throws -> [Self] {
        try all(where: criteria, sortedBy: Ordering(descriptor), limit: limit, offset: offset)
    }

    /// The objects of the rows that a condition takes, in the order of sort descriptors.
    @_disfavoredOverload
    public static func all(
        where criteria: Criteria<Self>? = nil, sortedBy descriptors: [SortDescriptor<Self>], limit: Int? = nil,
        offset: Int? = nil
    ) throws -> [Self] {
        try all(where: criteria, sortedBy: Ordering(descriptors), limit: limit, offset: offset)
    }

    /// The objects of the rows that a condition takes, in the order of a sort descriptor, while the task is suspended.
    public static func all(
        where criteria: Criteria<Self>? = nil, sortedBy descriptor: SortDescriptor<Self>, limit: Int? = nil,
        offset: Int? = nil
    ) async throws -> sending [Self] {
        try await all(where: criteria, sortedBy: Ordering(descriptor), limit: limit, offset: offset)
    }

    /// The objects of the rows that a condition takes, in the order of sort descriptors, while the task is suspended.
    @_disfavoredOverload
    public static func all(
        where criteria: Criteria<Self>? = nil, sortedBy descriptors: [SortDescriptor<Self>], limit: Int? = nil,
        offset: Int? = nil
    ) async throws -> sending [Self] {
        try await all(where: criteria, sortedBy: Ordering(descriptors), limit: limit, offset: offset)
    }
}
