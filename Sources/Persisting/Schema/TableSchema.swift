/// A table as its schema says it: what a class is checked against.
struct TableSchema {
    struct Column {
        let name: String
        let declaredType: String
        var affinity: Affinity { Affinity(ColumnType(rawValue: declaredType)) }
        let hasDefault: Bool
        let isGenerated: Bool
    }

    /// The columns, hidden ones among them.
    let columns: [Column]
    let key: SchemaKey
    let isView: Bool
    let isStrict: Bool
    let hasRowIDs: Bool
    let uniqueIndexes: [(name: String, isPartial: Bool)]
    private let byName: [String: Column]

    /// - Returns: Nil when there is no table or view of the name.
    init?(_ name: String, _ db: any EngineConnection) throws {
        // The pragmas themselves: asked for by SELECT, each costs several times as much.
        let rows = try db.rows("PRAGMA table_xinfo(\(identifier: name))", cached: false)
        guard !rows.isEmpty else { return nil }
        columns = try rows.map { row in
            // 2 and 3 are the generated ones.
            Column(
                name: try row.value(at: 1, as: String.self), declaredType: try row.value(at: 2, as: String.self),
                hasDefault: try !row.isNull(at: 4), isGenerated: try row.value(at: 6, as: Int.self) >= 2)
        }
        byName = Dictionary(columns.map { (asciiLowercased($0.name), $0) }) { first, _ in first }
        // As SQLite finds a name: temporary tables first, attached ones last.
        let kinds = try db.rows("PRAGMA table_list(\(identifier: name))", cached: false)
        let schemas = try kinds.map { try $0.value(at: 0, as: String.self) }
        let kind = (schemas.firstIndex(of: "temp") ?? schemas.firstIndex(of: "main")).map { kinds[$0] } ?? kinds.first
        isView = try kind?.value(at: 2, as: String.self) == "view"
        isStrict = try kind?.value(at: 5, as: Bool.self) == true
        hasRowIDs = try !isView && kind?.value(at: 4, as: Bool.self) == false
        let positions = try rows.map { try $0.value(at: 5, as: Int.self) }
        let keys = zip(positions, columns).filter { $0.0 > 0 }.sorted { $0.0 < $1.0 }.map { asciiLowercased($0.1.name) }
        let indexes = try db.rows("PRAGMA index_list(\(identifier: name))", cached: false)
        uniqueIndexes = try indexes.filter { try $0.value(at: 2, as: Bool.self) }.map {
            (try $0.value(at: 1, as: String.self), try $0.value(at: 4, as: Bool.self))
        }
        // Any other primary key has an index of its own, INTEGER PRIMARY KEY DESC among them.
        let isIndexed = try indexes.contains { try $0.value(at: 3, as: String.self) == "pk" }
        key = SchemaKey(columns: keys, isRowID: keys.count == 1 && hasRowIDs && !isIndexed)
    }

    /// The column of a name, without regard to the case of ASCII letters.
    func column(_ name: String) -> Column? { byName[asciiLowercased(name)] }
}

extension Database {
    /// Runs a query whose statement is not worth keeping.
    func once(_ sql: SQL) throws(SQLiteError) -> ResultSet {
        try prepare(sql, cached: false).query()
    }
}
