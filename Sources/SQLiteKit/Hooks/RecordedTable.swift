/// A table whose changes are recorded.
struct RecordedTable {
    /// The name that changes are reported under: of a virtual table's shadow, the virtual table's.
    let name: String
    let ownName: String
    private(set) var columns: [String] = []
    /// The columns of the primary key, in its order; none where the row's identifier is the key.
    private(set) var key: [Int] = []
    /// Their names, also where the key is the row's identifier.
    private(set) var keyColumns: [String] = []
    /// Whether a column is not where SQLite's numbers say, or the hook does not say what was in it.
    private(set) var isOpaque = false
    private var all: Set<String> = []
    var isWanted = true

    private init(name: String, ownName: String) {
        self.name = name
        self.ownName = ownName
    }

    /// What is reported of a change; nil when its key can't be read, so that any row may have changed.
    func row(_ change: borrowing PreUpdate) -> CommittedChanges.Row? {
        var kind = change.kind
        var changed = all
        if let column = change.blobColumn {
            // A write in place is reported as a deletion.
            kind = .update
            changed = columns.indices.contains(column) ? [columns[column]] : all
        } else if kind == .update, !isOpaque {
            changed = []
            for (index, name) in columns.enumerated() where change.isChanged(at: index) { changed.insert(name) }
            if change.oldRowID != change.newRowID, key.isEmpty { changed = all }
        }
        let isInsert = kind == .insert
        let rowID = kind == .delete || change.blobColumn != nil ? change.oldRowID : change.newRowID
        var values: [SQLiteValue] = []
        if key.isEmpty {
            values = [.integer(isInsert ? change.newRowID : change.oldRowID)]
        } else {
            for index in key {
                let value = try? isInsert ? change.new(at: index, as: SQLiteValue.self) : change.old(at: index)
                guard let value else { return nil }
                values.append(value)
            }
        }
        return CommittedChanges.Row(kind: kind, rowID: rowID, key: values, columns: changed)
    }

    /// The tables of `main`.
    static func all(_ connection: Connection) throws(SQLiteError) -> [RecordedTable] {
        let query = try Statement(
            """
            SELECT l.name, l.type, l.wr, c.name, c.pk, c.hidden, upper(c.type) = 'INTEGER' AND (
                c.pk = 0 OR NOT EXISTS (SELECT 1 FROM pragma_index_list(l.name, 'main') AS i WHERE i.origin = 'pk'))
            FROM pragma_table_list AS l JOIN pragma_table_xinfo(l.name, 'main') AS c
            WHERE l.schema = 'main' AND l.type <> 'view' ORDER BY l.rowid, c.cid
            """, connection, isPersistent: false)
        var tables: [RecordedTable] = []
        var virtual: [String] = []
        var isShadow: [Bool] = []
        var keys: [[(number: Int64, index: Int)]] = []
        var isRowID: [Bool] = []
        while try query.step() {
            let name = try query.text(at: 0)
            if tables.last?.ownName != name {
                let type = try query.text(at: 1)
                if type == "virtual" { virtual.append(name) }
                isShadow.append(type == "shadow")
                tables.append(RecordedTable(name: name, ownName: name))
                keys.append([])
                isRowID.append(query.int64(at: 2) == 0)
            }
            let last = tables.count - 1
            if query.int64(at: 4) > 0 {
                keys[last].append((query.int64(at: 4), tables[last].columns.count))
                // An INTEGER PRIMARY KEY is the row's identifier, but for one that is DESC, which has an index.
                if query.int64(at: 6) == 0 { isRowID[last] = false }
            }
            if query.int64(at: 5) > 1 { tables[last].isOpaque = true }
            tables[last].columns.append(try query.text(at: 3))
        }
        for index in tables.indices {
            tables[index].all = Set(tables[index].columns)
            if !tables[index].isOpaque {
                tables[index].keyColumns = keys[index].sorted { $0.number < $1.number }
                    .map { tables[index].columns[$0.index] }
            }
            let isKeyRowID = isRowID[index] && keys[index].count <= 1
            tables[index].key = isKeyRowID ? [] : keys[index].sorted { $0.number < $1.number }.map(\.index)
            guard isShadow[index] else { continue }
            let owners = virtual.filter { tables[index].ownName.hasPrefix($0 + "_") }
            if let owner = owners.max(by: { $0.utf8.count < $1.utf8.count }) {
                var shadow = RecordedTable(name: owner, ownName: tables[index].ownName)
                shadow.isOpaque = true
                tables[index] = shadow
            }
        }
        return tables
    }
}
