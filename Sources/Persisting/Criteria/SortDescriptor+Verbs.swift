public import Foundation

/// Foundation's sort descriptors in the place of an ordering; see ``Ordering/init(_:)``.
extension Query {
    /// The rows in the order of a sort descriptor, which takes the place of the one before.
    public func sorted(by descriptor: SortDescriptor<Model>) -> Query {
        sorted(by: Ordering(descriptor))
    }

    /// The rows in the order of sort descriptors, which takes the place of the one before.
    @_disfavoredOverload
    public func sorted(by descriptors: [SortDescriptor<Model>]) -> Query {
        sorted(by: Ordering(descriptors))
    }
}

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
