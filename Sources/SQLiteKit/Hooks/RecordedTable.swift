internal import Foundation

/// A table whose changes are recorded.
final class RecordedTable {
    /// Its database: `main`, `temp`, or the name one was attached as.
    let schema: String
    /// The name that changes are reported under: of a virtual table's shadow, the virtual table's.
    let name: String
    let ownName: String
    @exclusivity(unchecked) private(set) var columns: [String] = []
    /// The columns of the primary key, in its order; none where the row's identifier is the key.
    private var key: [Int] = []
    /// Their names, also where the key is the row's identifier.
    private(set) var keyColumns: [String] = []
    /// Whether a column is not where SQLite's numbers say, or the hook does not say what was in it.
    private var isOpaque = false
    /// Whether its rows have an identifier that no column shows.
    private var hasHiddenRowID = false
    private var all: Set<String> = []
    /// Which of its schema's databases has it.
    @exclusivity(unchecked) var database: Int?
    /// Whether somebody listens to it: if nobody does, its rows are not kept.
    @exclusivity(unchecked) var isWanted = true
    /// The columns whose values are noted.
    private var noted: [Int] = []

    /// Has values noted of the columns that have one of some names.
    func note(_ names: Set<String>) {
        noted = names.isEmpty || isOpaque ? [] : columns.indices.filter { names.contains(asciiLowercased(columns[$0])) }
    }

    /// What SQLite calls its database and itself.
    private let names: (database: [CChar], table: [CChar])

    private init(schema: String, name: String, ownName: String) {
        self.schema = schema
        self.name = name
        self.ownName = ownName
        names = (Array(schema.utf8CString), Array(ownName.utf8CString))
    }

    /// Whether it is the table that SQLite means. Once the schema has been read again, another name may be at the same
    /// address: so the texts are compared.
    func `is`(_ database: UnsafePointer<CChar>, _ table: UnsafePointer<CChar>) -> Bool {
        strcmp(names.table, table) == 0 && strcmp(names.database, database) == 0
    }

    var isShadow: Bool { name != ownName }

    /// What is reported of a change; nil when its key can't be read, so that any row may have changed.
    func row(_ change: borrowing PreUpdate) -> CommittedChanges.Row? {
        var kind = change.kind
        var changed = all
        if let column = change.blobColumn {
            // A write in place is reported as a deletion.
            kind = .update
            changed = columns.indices.contains(column) ? [columns[column]] : all
        } else if kind == .update {
            if !isOpaque {
                changed = []
                for (index, name) in columns.enumerated() where change.isChanged(at: index) { changed.insert(name) }
            }
            if hasHiddenRowID, change.oldRowID != change.newRowID { changed.insert("rowid") }
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
        var row = CommittedChanges.Row(kind: kind, rowID: rowID, key: values, columns: changed)
        for index in noted {
            let old: SQLiteValue? = isInsert ? nil : try? change.old(at: index)
            // A write in place is of another column.
            let new: SQLiteValue? =
                change.blobColumn != nil ? old : kind == .delete ? nil : try? change.new(at: index)
            row.noted[asciiLowercased(columns[index])] = CommittedChanges.NotedValue(old: old, new: new)
        }
        return row
    }

    /// The tables of all databases of a connection. It isn't given a temporary one, which each transaction would then
    /// have to begin and end.
    static func all(_ connection: Connection) throws(SQLiteError) -> [RecordedTable] {
        let query = try Statement(
            """
            SELECT l.name, l.type, l.wr, c.name, c.pk, c.hidden, upper(c.type) = 'INTEGER' AND (
                c.pk = 0 OR NOT EXISTS (SELECT 1 FROM pragma_index_list(l.name, l.schema) AS i WHERE i.origin = 'pk')),
                l.schema
            FROM pragma_table_list AS l JOIN pragma_table_xinfo(l.name, l.schema) AS c
            WHERE l.type <> 'view' AND l.schema IN (SELECT name FROM pragma_database_list)
            ORDER BY l.rowid, c.cid
            """, connection, isPersistent: false)
        var tables: [RecordedTable] = []
        var virtual: [(schema: String, name: String)] = []
        var isShadow: [Bool] = []
        var keys: [[(number: Int64, index: Int)]] = []
        var hasRowID: [Bool] = []
        var isRowID: [Bool] = []
        while try query.step() {
            let name = try query.text(at: 0)
            let schema = try query.text(at: 7)
            if tables.last?.ownName != name || tables.last?.schema != schema {
                let type = try query.text(at: 1)
                if type == "virtual" { virtual.append((schema, name)) }
                isShadow.append(type == "shadow")
                tables.append(RecordedTable(schema: schema, name: name, ownName: name))
                keys.append([])
                hasRowID.append(query.int64(at: 2) == 0)
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
            let key = keys[index].sorted { $0.number < $1.number }.map(\.index)
            let isKeyRowID = isRowID[index] && key.count <= 1
            tables[index].all = Set(tables[index].columns)
            tables[index].hasHiddenRowID = hasRowID[index] && !(isKeyRowID && key.count == 1)
            // Where the columns have other numbers, the row's identifier alone is known.
            if !tables[index].isOpaque || isKeyRowID {
                tables[index].keyColumns = key.map { tables[index].columns[$0] }
            }
            tables[index].key = isKeyRowID || tables[index].isOpaque && hasRowID[index] ? [] : key
            guard isShadow[index] else { continue }
            let owners = virtual.filter {
                $0.schema == tables[index].schema && tables[index].ownName.hasPrefix($0.name + "_")
            }
            if let owner = owners.max(by: { $0.name.utf8.count < $1.name.utf8.count }) {
                let shadow = RecordedTable(schema: owner.schema, name: owner.name, ownName: tables[index].ownName)
                shadow.isOpaque = true
                tables[index] = shadow
            }
        }
        return tables
    }
}
