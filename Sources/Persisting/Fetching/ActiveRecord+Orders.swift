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

/// Foundation's sort descriptors as the order of a query; see ``Ordering/init(_:)``.
extension ActiveRecord {
    /// Returns a query of all rows in the order of a sort descriptor.
    ///
    /// - Parameter descriptor: The sort descriptor.
    public static func sorted(by descriptor: SortDescriptor<Self>) -> Query<Self> {
        Query(self).sorted(by: descriptor)
    }

    /// Fetches the objects whose rows match a condition, in the order of a sort descriptor.
    ///
    /// - Parameters:
    ///   - criteria: The condition; nil matches every row.
    ///   - descriptor: The sort descriptor; see `Ordering(_:)`.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    /// - Returns: The objects.
    /// - Throws: ``PersistenceError``.
    public static func all(
        where criteria: Criteria<Self>? = nil, sortedBy descriptor: SortDescriptor<Self>,
        limit: Int? = nil, offset: Int? = nil
    ) throws -> [Self] {
        try all(where: criteria, sortedBy: Ordering(descriptor), limit: limit, offset: offset)
    }

    /// Fetches the first object whose row matches a condition, in the order of a sort descriptor; nil when there is
    /// none.
    ///
    /// - Parameters:
    ///   - criteria: The condition; nil matches every row.
    ///   - descriptor: The sort descriptor; see `Ordering(_:)`.
    /// - Returns: The object; nil when there is none.
    /// - Throws: ``PersistenceError``.
    public static func findOne(
        where criteria: Criteria<Self>? = nil, sortedBy descriptor: SortDescriptor<Self>
    ) throws -> Self? {
        try findOne(where: criteria, sortedBy: Ordering(descriptor))
    }

    /// Fetches the objects whose rows match a condition, in the order of a sort descriptor, while the task is
    /// suspended.
    ///
    /// - Parameters:
    ///   - criteria: The condition; nil matches every row.
    ///   - descriptor: The sort descriptor; see `Ordering(_:)`.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    /// - Returns: The objects.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public static func all(
        where criteria: Criteria<Self>? = nil, sortedBy descriptor: SortDescriptor<Self>,
        limit: Int? = nil, offset: Int? = nil
    ) async throws -> sending [Self] {
        try await all(where: criteria, sortedBy: Ordering(descriptor), limit: limit, offset: offset)
    }

    /// Fetches the first object whose row matches a condition, in the order of a sort descriptor, while the task is
    /// suspended; nil when there is none.
    ///
    /// - Parameters:
    ///   - criteria: The condition; nil matches every row.
    ///   - descriptor: The sort descriptor; see `Ordering(_:)`.
    /// - Returns: The object; nil when there is none.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public static func findOne(
        where criteria: Criteria<Self>? = nil, sortedBy descriptor: SortDescriptor<Self>
    ) async throws -> sending Self? {
        try await findOne(where: criteria, sortedBy: Ordering(descriptor))
    }
}

/// The order of a property, with a `Bool` property or a predicate as the condition.
extension ActiveRecord {
    /// Fetches the objects whose rows have a `Bool` property that is true, in the order of a property.
    ///
    /// - Parameters:
    ///   - keyPath: The `Bool` property.
    ///   - order: The property to order by, from its least value to its greatest.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    /// - Returns: The objects.
    /// - Throws: ``PersistenceError``.
    public static func all<Value>(
        where keyPath: KeyPath<Self, Bool>, sortedBy order: KeyPath<Self, Value>,
        limit: Int? = nil, offset: Int? = nil
    ) throws -> [Self] {
        try all(where: keyPath == true, sortedBy: .ascending(order), limit: limit, offset: offset)
    }

    /// Fetches the first object in the order of a property whose row has a `Bool` property that is true; nil when
    /// there is none.
    ///
    /// - Parameters:
    ///   - keyPath: The `Bool` property.
    ///   - order: The property to order by, from its least value to its greatest.
    /// - Returns: The object; nil when there is none.
    /// - Throws: ``PersistenceError``.
    public static func findOne<Value>(
        where keyPath: KeyPath<Self, Bool>, sortedBy order: KeyPath<Self, Value>
    ) throws -> Self? {
        try findOne(where: keyPath == true, sortedBy: .ascending(order))
    }

    /// Fetches the objects whose rows match a predicate of Foundation, in the order of a property.
    ///
    /// - Parameters:
    ///   - predicate: The predicate.
    ///   - order: The property to order by, from its least value to its greatest.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    /// - Returns: The objects.
    /// - Throws: ``PersistenceError``.
    public static func all<Value>(
        where predicate: Predicate<Self>, sortedBy order: KeyPath<Self, Value>,
        limit: Int? = nil, offset: Int? = nil
    ) throws -> [Self] {
        try all(where: .predicate(predicate), sortedBy: .ascending(order), limit: limit, offset: offset)
    }

    /// Fetches the first object in the order of a property whose row matches a predicate of Foundation; nil when
    /// there is none.
    ///
    /// - Parameters:
    ///   - predicate: The predicate.
    ///   - order: The property to order by, from its least value to its greatest.
    /// - Returns: The object; nil when there is none.
    /// - Throws: ``PersistenceError``.
    public static func findOne<Value>(
        where predicate: Predicate<Self>, sortedBy order: KeyPath<Self, Value>
    ) throws -> Self? {
        try findOne(where: .predicate(predicate), sortedBy: .ascending(order))
    }

    /// Fetches the objects whose rows have a `Bool` property that is true, in the order of a property, while the task
    /// is suspended.
    ///
    /// - Parameters:
    ///   - keyPath: The `Bool` property.
    ///   - order: The property to order by, from its least value to its greatest.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    /// - Returns: The objects.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public static func all<Value>(
        where keyPath: KeyPath<Self, Bool>, sortedBy order: KeyPath<Self, Value>,
        limit: Int? = nil, offset: Int? = nil
    ) async throws -> sending [Self] {
        try await all(where: keyPath == true, sortedBy: .ascending(order), limit: limit, offset: offset)
    }

    /// Fetches the first object in the order of a property whose row has a `Bool` property that is true, while the
    /// task is suspended; nil when there is none.
    ///
    /// - Parameters:
    ///   - keyPath: The `Bool` property.
    ///   - order: The property to order by, from its least value to its greatest.
    /// - Returns: The object; nil when there is none.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public static func findOne<Value>(
        where keyPath: KeyPath<Self, Bool>, sortedBy order: KeyPath<Self, Value>
    ) async throws -> sending Self? {
        try await findOne(where: keyPath == true, sortedBy: .ascending(order))
    }

    /// Fetches the objects whose rows match a predicate of Foundation, in the order of a property, while the task is
    /// suspended.
    ///
    /// - Parameters:
    ///   - predicate: The predicate.
    ///   - order: The property to order by, from its least value to its greatest.
    ///   - limit: The largest number of objects; nil is no limit, 0 is none.
    ///   - offset: The number of rows to skip first; nil skips none.
    /// - Returns: The objects.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public static func all<Value>(
        where predicate: Predicate<Self>, sortedBy order: KeyPath<Self, Value>,
        limit: Int? = nil, offset: Int? = nil
    ) async throws -> sending [Self] {
        try await all(where: .predicate(predicate), sortedBy: .ascending(order), limit: limit, offset: offset)
    }

    /// Fetches the first object in the order of a property whose row matches a predicate of Foundation, while the
    /// task is suspended; nil when there is none.
    ///
    /// - Parameters:
    ///   - predicate: The predicate.
    ///   - order: The property to order by, from its least value to its greatest.
    /// - Returns: The object; nil when there is none.
    /// - Throws: ``PersistenceError``; `CancellationError` when the task is cancelled.
    public static func findOne<Value>(
        where predicate: Predicate<Self>, sortedBy order: KeyPath<Self, Value>
    ) async throws -> sending Self? {
        try await findOne(where: .predicate(predicate), sortedBy: .ascending(order))
    }
}
