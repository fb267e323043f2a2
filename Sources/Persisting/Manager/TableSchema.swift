/// A table as its schema says it: what a class is checked against.
struct TableSchema {
    /// The columns, hidden ones among them.
    let columns: [DatabaseSchema.Column]
    let key: SchemaKey
    let isView: Bool
    let isStrict: Bool
    let hasRowIDs: Bool
    let indexes: [DatabaseSchema.IndexHeader]
    private let byName: NameIndex

    /// - Returns: Nil when the class's database has no table or view of the name.
    init?(_ mapping: Mapping, _ db: any EngineConnection) throws {
        let (name, database) = (mapping.tableName, mapping.database)
        columns = try mapping.foundColumns(db)
        let headers = try db.headers(of: name)
        if mapping.schemaName == nil { Mapping.noteNamesakes(name, headers.map(\.database)) }
        guard !columns.isEmpty else { return nil }
        var byName = NameIndex()
        for (place, column) in columns.enumerated() { _ = byName.add(asciiLowercased(column.name), at: place) }
        self.byName = byName
        let header = headers.first { isSameName($0.database, database) }
        isView = header?.kind == .view
        isStrict = header?.isStrict == true
        hasRowIDs = !isView && header?.isWithoutRowID == false
        indexes = try db.indexes(of: name, in: database)
        let keys = primaryKeyNames(columns).map(asciiLowercased)
        // Any other primary key has an index of its own, INTEGER PRIMARY KEY DESC among them.
        let isIndexed = indexes.contains { $0.origin == .primaryKey }
        key = SchemaKey(columns: keys, isRowID: keys.count == 1 && hasRowIDs && !isIndexed)
    }

    /// The column of a name, without regard to the case of ASCII letters.
    func column(_ name: String) -> DatabaseSchema.Column? { byName[asciiLowercased(name)].map { columns[$0] } }
}

extension [DatabaseSchema.Column] {
    /// Whether they are those of a table of Core Data, which stores dates as seconds since 2001.
    package var areOfCoreData: Bool { ["Z_PK", "Z_ENT"].allSatisfy { name in contains { $0.name == name } } }
}

extension DatabaseSchema.Column {
    var affinity: Affinity { Affinity(ColumnType(rawValue: declaredType)) }
    var hasDefault: Bool { defaultSQL != nil }
    package var isGenerated: Bool { kind == .generatedVirtual || kind == .generatedStored }
}
