internal import Foundation

/// The mappings of all classes that have been used, each made once.
private let registry = MappingRegistry()

private final class MappingRegistry: Sendable {
    private let lock = NSLock()
    // All guarded by `lock`. A class has one for each form of dates and each key that a table has said.
    @exclusivity(unchecked) nonisolated(unsafe) private var mappings = ByClass<[Mapping]>()
    /// The one that was last asked for, which is as a rule the next one too.
    @exclusivity(unchecked) nonisolated(unsafe) private var last: Mapping?
    /// The names of tables, in lower case, that alone mean another table than that of `main` in a connection of the
    /// process. To name `main` is right everywhere, so that no text depends on the connection.
    @exclusivity(unchecked) nonisolated(unsafe) private var namesakes: Set<String> = []

    func mapping(
        of type: PersistingModel.Type, dates: DateStorage, schemaKey: SchemaKey?
    ) throws -> Mapping {
        func known() -> Mapping? {
            if let last, last.modelType == type, last.dates == dates, last.schemaKey == schemaKey { return last }
            last = mappings[type]?.first { $0.dates == dates && $0.schemaKey == schemaKey }
            return last
        }
        if let known = lock.withLock(known) { return known }
        // Outside the lock, since it runs the class's own code, which may use another class. Of two threads one's work
        // is dropped.
        let made = try makeMappings(of: type, dates: dates, schemaKey: schemaKey)
        return lock.withLock {
            if let known = known() { return known }
            for mapping in made where namesakes.contains(asciiLowercased(mapping.tableName)) { mapping.qualify() }
            for mapping in made { mappings[mapping.modelType] = (mappings[mapping.modelType] ?? []) + [mapping] }
            return made[0]
        }
    }

    func hasNamesakes(among names: Set<String>) -> Bool { lock.withLock { !namesakes.isDisjoint(with: names) } }

    /// - Returns: Whether any of them is a new one.
    func note(namesakes names: Set<String>) -> Bool {
        lock.withLock {
            guard !namesakes.isSuperset(of: names) else { return false }
            namesakes.formUnion(names)
            for mapping in mappings.values.joined() where names.contains(asciiLowercased(mapping.tableName)) {
                mapping.qualify()
            }
            return true
        }
    }

    /// The mapping of a class, and then those of the others that share its table.
    private func makeMappings(
        of type: PersistingModel.Type, dates: DateStorage, schemaKey: SchemaKey?
    ) throws -> [Mapping] {
        guard let hierarchy = try Hierarchy(of: type) else {
            return [Mapping(try ModelDescription(type, dates: dates, schemaKey: schemaKey))]
        }
        let descriptions = try hierarchy.members.map { try ModelDescription($0, dates: dates, schemaKey: schemaKey) }
        let table = try HierarchyTable(hierarchy, descriptions)
        var made: [Mapping] = []
        // A class knows the mappings of those that inherit from it.
        for description in descriptions.reversed() {
            made.append(Mapping(description, HierarchyPlace(table, of: description, made)))
        }
        return made.filter { $0.modelType == type } + made.filter { $0.modelType != type }
    }
}

extension Mapping {
    /// The mapping of a class.
    ///
    /// - Parameter schemaKey: The primary key of the table, for a class whose key is ``PrimaryKey/fromSchema``. Without
    ///   it such a class is mapped as one without a key: its columns are the same.
    /// - Throws: ``PersistenceError`` when the class cannot be mapped.
    package static func of(
        _ type: PersistingModel.Type, dates: DateStorage = .unixSeconds, schemaKey: SchemaKey? = nil
    ) throws -> Mapping {
        try registry.mapping(of: type, dates: dates, schemaKey: schemaKey)
    }

    /// Has the classes of tables name their database in SQL, since the names alone mean other tables.
    ///
    /// - Parameter names: The tables' names.
    /// - Returns: Whether any of them was unknown.
    @discardableResult
    static func noteNamesakes(_ names: [String]) -> Bool {
        !names.isEmpty && registry.note(namesakes: Set(names.map(asciiLowercased)))
    }

    /// Whether any of some tables, whose names are in lower case, has to be named with its database.
    static func hasNamesakes(among names: Set<String>) -> Bool { registry.hasNamesakes(among: names) }

    /// Notes a table that SQL finds elsewhere than in `main` by its name alone, or would if that of `main` were
    /// dropped.
    ///
    /// - Parameter databases: Those that have a table of the name.
    static func noteNamesakes(_ name: String, _ databases: [String]) {
        if databases.contains(where: { !isSameName($0, "main") }) { noteNamesakes([name]) }
    }

    /// The mapping that an object was stored by, or its class's own.
    static func of(_ object: PersistingModel, dates: DateStorage = .unixSeconds) throws -> Mapping {
        try object.record.trackedRows?.mapping ?? of(type(of: object), dates: dates)
    }
}
