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
        for index in schema.uniqueIndexes {
            // Behind the terms are the columns by which a term finds its row.
            let terms = try db.rows("PRAGMA index_xinfo(\(identifier: index.name))", cached: false)
                .filter { try $0.value(at: 5, as: Bool.self) }
            // An expression has no name.
            let names = try terms.map { try $0.value(at: 2, as: String?.self).map(asciiLowercased) }
            guard names.contains(where: { $0.map(columns.contains) ?? true }) else { continue }
            let isExact = try terms.allSatisfy { try asciiLowercased($0.value(at: 4, as: String.self)) == "binary" }
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
