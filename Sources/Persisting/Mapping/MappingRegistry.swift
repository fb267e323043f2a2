internal import Foundation

/// The mappings of all classes that have been used, each made once.
private let registry = MappingRegistry()

private final class MappingRegistry: Sendable {
    private struct Key: Hashable {
        let type: ObjectIdentifier
        let dates: DateStorage
        let schemaKey: SchemaKey?
    }

    private let lock = NSLock()
    // Both guarded by `lock`.
    @exclusivity(unchecked) nonisolated(unsafe) private var mappings: [Key: Mapping] = [:]
    /// The one that was last asked for, which is as a rule the next one too.
    @exclusivity(unchecked) nonisolated(unsafe) private var last: Mapping?

    func mapping(
        of type: PersistingModel.Type, dates: DateStorage, schemaKey: SchemaKey?
    ) throws -> Mapping {
        let key = Key(type: ObjectIdentifier(type), dates: dates, schemaKey: schemaKey)
        let known: Mapping? = lock.withLock {
            if let last, last.modelType == type, last.dates == dates, last.schemaKey == schemaKey { return last }
            last = mappings[key]
            return last
        }
        if let known { return known }
        // Outside the lock, since it runs the class's own code, which may use another class. Of two threads one's work
        // is dropped.
        let mapping = Mapping(try ModelDescription(type, dates: dates, schemaKey: schemaKey))
        return lock.withLock {
            if let known = mappings[key] { return known }
            mappings[key] = mapping
            return mapping
        }
    }
}

extension Mapping {
    /// The mapping of a class.
    ///
    /// - Parameter schemaKey: The primary key of the table, for a class whose key is ``PrimaryKey/fromSchema``. Without
    ///   it such a class is mapped as one without a key: its columns are the same.
    /// - Throws: ``PersistenceError`` when the class cannot be mapped.
    static func of(
        _ type: PersistingModel.Type, dates: DateStorage = .unixSeconds, schemaKey: SchemaKey? = nil
    ) throws -> Mapping {
        try registry.mapping(of: type, dates: dates, schemaKey: schemaKey)
    }

    /// The mapping that an object was stored by, or its class's own.
    static func of(_ object: PersistingModel, dates: DateStorage = .unixSeconds) throws -> Mapping {
        try object.record.images?.mapping ?? of(type(of: object), dates: dates)
    }
}
