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
    /// The columns of type REAL, of which the hook gives a new row's whole numbers as the integers that the file has.
    private var reals: Set<Int> = []

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
                guard let value = isInsert ? inserted(index, change) : try? change.old(at: index, as: SQLiteValue.self)
                else { return nil }
                values.append(value)
            }
        }
        var row = CommittedChanges.Row(kind: kind, rowID: rowID, key: values, columns: changed)
        for index in noted {
            let old: SQLiteValue? = isInsert ? nil : try? change.old(at: index)
            // A write in place is of another column.
            let new: SQLiteValue? =
                change.blobColumn != nil
                ? old : kind == .delete ? nil : isInsert ? inserted(index, change) : try? change.new(at: index)
            row.noted[asciiLowercased(columns[index])] = CommittedChanges.NotedValue(old: old, new: new)
        }
        return row
    }

    /// What a new row has in a column, as a query shows it.
    private func inserted(_ index: Int, _ change: borrowing PreUpdate) -> SQLiteValue? {
        guard let value = try? change.new(at: index, as: SQLiteValue.self) else { return nil }
        if case .integer(let number) = value, reals.contains(index) { return .real(Double(number)) }
        return value
    }

    /// The tables of all databases of a connection. It isn't given a temporary one, which each transaction would then
    /// have to begin and end.
    static func all(_ connection: Connection) throws(SQLiteError) -> [RecordedTable] {
        let query = try Statement(
            """
            SELECT l.name, l.type, l.wr, c.name, c.pk, c.hidden, upper(c.type) = 'INTEGER' AND (
                c.pk = 0 OR NOT EXISTS (SELECT 1 FROM pragma_index_list(l.name, l.schema) AS i WHERE i.origin = 'pk')),
                l.schema, c.type
            FROM pragma_table_list AS l JOIN pragma_table_xinfo(l.name, l.schema) AS c
            WHERE l.type <> 'view' AND l.schema IN (SELECT name FROM pragma_database_list)
            ORDER BY l.rowid, c.cid
            """, connection, isPersistent: false)
        var drafts: [Draft] = []
        while try query.step() {
            let (name, schema) = (try query.text(at: 0), try query.text(at: 7))
            if drafts.last?.table.name != name || drafts.last?.table.schema != schema {
                let table = RecordedTable(schema: schema, name: name, ownName: name)
                drafts.append(Draft(table: table, type: try query.text(at: 1), hasRowID: query.int64(at: 2) == 0))
            }
            try drafts[drafts.count - 1].addColumn(query)
        }
        let virtual = drafts.filter { $0.type == "virtual" }.map(\.table)
        return drafts.map { draft in
            draft.finish()
            return draft.type == "shadow" ? draft.table.shadow(of: virtual) : draft.table
        }
    }

    /// A table whose columns are being read.
    private struct Draft {
        let table: RecordedTable
        let type: String
        let hasRowID: Bool
        /// Whether the key's columns can be the row's identifier.
        var isRowID = true
        var key: [(number: Int64, index: Int)] = []

        mutating func addColumn(_ query: Statement) throws(SQLiteError) {
            if query.int64(at: 4) > 0 {
                key.append((query.int64(at: 4), table.columns.count))
                // An INTEGER PRIMARY KEY is the row's identifier, except for one that is DESC, which has an index.
                if query.int64(at: 6) == 0 { isRowID = false }
            }
            if query.int64(at: 5) > 1 { table.isOpaque = true }
            if Self.isReal(try query.text(at: 8)) { table.reals.insert(table.columns.count) }
            table.columns.append(try query.text(at: 3))
        }

        /// Whether a column of a declared type stores whole numbers as real ones. See
        /// [Determination Of Column Affinity](https://www.sqlite.org/datatype3.html#determination_of_column_affinity).
        private static func isReal(_ type: String) -> Bool {
            let type = type.uppercased()
            func has(_ words: String...) -> Bool { words.contains { type.contains($0) } }
            return has("REAL", "FLOA", "DOUB") && !has("INT", "CHAR", "CLOB", "TEXT", "BLOB")
        }

        /// Sets what follows from all columns.
        func finish() {
            let key = key.sorted { $0.number < $1.number }.map(\.index)
            let isKeyRowID = hasRowID && isRowID && key.count <= 1
            table.all = Set(table.columns)
            table.hasHiddenRowID = hasRowID && !(isKeyRowID && key.count == 1)
            // Where the columns have other numbers, the row's identifier alone is known.
            if !table.isOpaque || isKeyRowID { table.keyColumns = key.map { table.columns[$0] } }
            table.key = isKeyRowID || table.isOpaque && hasRowID ? [] : key
        }
    }

    /// The same as a shadow of the virtual table that it belongs to; itself if there is none.
    private func shadow(of virtual: [RecordedTable]) -> RecordedTable {
        let owners = virtual.filter { $0.schema == schema && ownName.hasPrefix($0.name + "_") }
        guard let owner = owners.max(by: { $0.name.utf8.count < $1.name.utf8.count }) else { return self }
        let shadow = RecordedTable(schema: owner.schema, name: owner.name, ownName: ownName)
        shadow.isOpaque = true
        return shadow
    }
}
