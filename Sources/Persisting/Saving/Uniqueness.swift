/// What keeps the rows of a table from being there twice, as far as an upsert of a class need know.
struct Uniqueness: Sendable {
    /// Whether a unique constraint is on the class's key, and no more.
    private(set) var hasKey = false
    /// Whether keys that are equal there are the same, to the byte.
    private(set) var isKeyExact = false
    /// Whether there is another that the class's columns can violate.
    private(set) var hasOthers = false

    /// Of a table without any.
    init() {}

    /// Looks at a table's unique indexes.
    ///
    /// - Parameter rowIDColumn: The column that is the rows' identifier, which has no index.
    init(_ mapping: Mapping, rowIDColumn: String?, _ db: Database) throws {
        let key = Set(mapping.key.map { asciiLowercased(mapping.columns[$0].name) })
        let columns = Set(mapping.columns.map { asciiLowercased($0.name) })
        if let rowIDColumn = rowIDColumn.map(asciiLowercased), columns.contains(rowIDColumn) {
            add([rowIDColumn], key, isExact: true)
        }
        let terms = try db.rows(
            """
            SELECT list.name, list.partial, term.name, term.coll FROM pragma_index_list(\(mapping.tableName)) AS list,
            pragma_index_xinfo(list.name) AS term WHERE list."unique" AND term.key ORDER BY list.seq, term.seqno
            """)
        let indexes = try Dictionary(grouping: terms) { try $0.value(at: 0, as: String.self) }
        for index in indexes.values {
            // An expression has no name.
            let names = try index.map { try $0.value(at: 2, as: String?.self).map(asciiLowercased) }
            let isPartial = try index[0].value(at: 1, as: Bool.self)
            guard names.contains(where: { $0.map(columns.contains) ?? true }) else { continue }
            let isExact = try index.allSatisfy { try asciiLowercased($0.value(at: 3, as: String.self)) == "binary" }
            add(isPartial ? [nil] : names, key, isExact: isExact)
        }
    }

    private mutating func add(_ names: [String?], _ key: Set<String>, isExact: Bool) {
        if Set(names) == Set(key.map(Optional.some)) {
            isKeyExact = isExact && (!hasKey || isKeyExact)
            hasKey = true
        } else {
            hasOthers = true
        }
    }
}
