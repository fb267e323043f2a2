/// A table as its schema says it: what a class is checked against.
struct TableSchema {
    struct Column {
        let name: String
        let hasDefault: Bool
        let isGenerated: Bool
    }

    /// The columns, hidden ones among them.
    let columns: [Column]
    let key: SchemaKey
    let isView: Bool
    let hasRowIDs: Bool
    private let byName: [String: Column]

    /// - Returns: Nil when there is no table or view of the name.
    init?(_ name: String, _ db: Database) throws {
        let rows = try db.rows(
            "SELECT name, dflt_value IS NOT NULL, pk, hidden FROM pragma_table_xinfo(\(name))")
        guard !rows.isEmpty else { return nil }
        columns = try rows.map { row in
            // 2 and 3 are the generated ones.
            Column(
                name: try row.value(at: 0, as: String.self), hasDefault: try row.value(at: 1, as: Bool.self),
                isGenerated: try row.value(at: 3, as: Int.self) >= 2)
        }
        byName = Dictionary(columns.map { (asciiLowercased($0.name), $0) }) { first, _ in first }
        // As SQLite finds a name: temporary tables first, attached ones last.
        let kind = try db.rows(
            "SELECT type, wr FROM pragma_table_list(\(name)) ORDER BY schema <> 'temp', schema <> 'main'"
        ).first
        isView = try kind?.value(at: 0, as: String.self) == "view"
        hasRowIDs = try !isView && kind?.value(at: 1, as: Bool.self) == false
        let positions = try rows.map { try $0.value(at: 2, as: Int.self) }
        let keys = zip(positions, columns).filter { $0.0 > 0 }.sorted { $0.0 < $1.0 }.map { asciiLowercased($0.1.name) }
        // Any other primary key has an index of its own, INTEGER PRIMARY KEY DESC among them.
        let isRowID =
            try keys.count == 1 && hasRowIDs
            && db.scalar(
                "SELECT count(*) = 0 FROM pragma_index_list(\(name)) WHERE origin = 'pk'", as: Bool.self) == true
        key = SchemaKey(columns: keys, isRowID: isRowID)
    }

    /// The column of a name, without regard to the case of ASCII letters.
    func column(_ name: String) -> Column? { byName[asciiLowercased(name)] }
}
