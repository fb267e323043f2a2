/// A table as its schema says it: what a class is checked against.
struct TableSchema {
    /// The columns, hidden ones among them.
    let columns: [DatabaseSchema.Column]
    let key: SchemaKey
    let isView: Bool
    let isStrict: Bool
    let hasRowIDs: Bool
    let indexes: [DatabaseSchema.IndexHeader]
    private let byName: [String: DatabaseSchema.Column]

    /// - Returns: Nil when there is no table or view of the name.
    init?(_ name: String, _ db: any EngineConnection) throws {
        columns = try db.columns(of: name)
        guard !columns.isEmpty else { return nil }
        byName = Dictionary(columns.map { (asciiLowercased($0.name), $0) }) { first, _ in first }
        let header = try db.header(of: name)
        isView = header?.kind == .view
        isStrict = header?.isStrict == true
        hasRowIDs = !isView && header?.isWithoutRowID == false
        indexes = try db.indexes(of: name)
        let keys = primaryKeyNames(columns).map(asciiLowercased)
        // Any other primary key has an index of its own, INTEGER PRIMARY KEY DESC among them.
        let isIndexed = indexes.contains { $0.origin == .primaryKey }
        key = SchemaKey(columns: keys, isRowID: keys.count == 1 && hasRowIDs && !isIndexed)
    }

    /// The column of a name, without regard to the case of ASCII letters.
    func column(_ name: String) -> DatabaseSchema.Column? { byName[asciiLowercased(name)] }
}

extension DatabaseSchema.Column {
    var affinity: Affinity { Affinity(ColumnType(rawValue: declaredType)) }
    var hasDefault: Bool { defaultSQL != nil }
    var isGenerated: Bool { kind == .generatedVirtual || kind == .generatedStored }
}
