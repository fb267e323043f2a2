/// What keeps the rows of a table from being there twice, as far as an upsert of a class need know.
struct Uniqueness: Sendable {
    /// Whether a unique constraint is on the class's key, and no more.
    private(set) var hasKey = false
    /// Whether keys that are equal there are the same, to the byte.
    private(set) var isKeyExact = false
    /// Whether there is another that the class's columns can violate.
    private(set) var hasOthers = false
    /// The class's columns of each constraint that is on columns alone.
    private(set) var constraints: [[Int]] = []

    /// Of a table without any.
    init() {}

    /// Looks at a table's unique indexes.
    ///
    init(_ mapping: Mapping, _ schema: TableSchema, _ db: any EngineConnection) throws {
        let key = Set(mapping.key.map { asciiLowercased(mapping.columns[$0].name) })
        let columns = Set(mapping.columns.map { asciiLowercased($0.name) })
        if mapping.rowID != nil { add(key.map(Optional.some), key, mapping, isExact: true) }
        // The column that is the rows' identifier has no index.
        if schema.key.isRowID, let rowIDColumn = schema.key.columns.first, columns.contains(rowIDColumn) {
            add([rowIDColumn], key, mapping, isExact: true)
        }
        for index in schema.indexes where index.isUnique {
            let terms = try db.columns(ofIndex: index.name, in: mapping.database)
            // An expression has no name.
            let names = terms.map { $0.name.map(asciiLowercased) }
            guard names.contains(where: { $0.map(columns.contains) ?? true }) else { continue }
            let isExact = terms.allSatisfy { asciiLowercased($0.collation) == "binary" }
            add(index.isPartial ? [nil] : names, key, mapping, isExact: isExact)
        }
    }

    private mutating func add(_ names: [String?], _ key: Set<String>, _ mapping: Mapping, isExact: Bool) {
        let columns = names.compactMap { name in
            name.flatMap { name in mapping.columns.firstIndex { asciiLowercased($0.name) == name } }
        }
        if columns.count == names.count, !constraints.contains(columns) { constraints.append(columns) }
        if Set(names) == Set(key.map(Optional.some)) {
            isKeyExact = isExact && (!hasKey || isKeyExact)
            hasKey = true
        } else {
            hasOthers = true
        }
    }
}
