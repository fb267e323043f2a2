internal import CSystemSQLite

/// Reads the schema of a database, or of one table of it.
///
/// SQLite's table-valued pragma functions answer for all tables in one query. Views and virtual tables are asked about
/// one by one: a single one that refers to something that is gone makes the whole query fail. CROSS JOIN keeps SQLite
/// from asking a function before there is a name to ask it about, which it would answer with nothing. See
/// [PRAGMA functions](https://www.sqlite.org/pragma.html#pragfunc).
struct SchemaReader {
    typealias Table = DatabaseSchema.Table
    /// A name as SQLite compares it. A dictionary by `String` takes two spellings of one letter for equal.
    typealias Key = [UInt8]

    let db: any EngineConnection
    let database: String
    /// Nil for all.
    let table: String?

    static func schema(of database: String, _ db: any EngineConnection) throws(SQLiteError) -> DatabaseSchema {
        DatabaseSchema(database: database, tables: try SchemaReader(db: db, database: database, table: nil).tables())
    }

    static func table(
        _ name: String, in database: String?, _ db: any EngineConnection
    ) throws(SQLiteError) -> Table? {
        if let database { return try SchemaReader(db: db, database: database, table: name).tables().first }
        let databases = try db.column("SELECT schema FROM pragma_table_list(\(name))", as: String.self)
        guard let first = databases.first(where: { $0 == "temp" }) ?? databases.first else { return nil }
        return try SchemaReader(db: db, database: first, table: name).tables().first
    }

    func tables() throws(SQLiteError) -> [Table] {
        let (items, headers) = (try items(), try headers())
        // A trigger may have the name of a table or an index.
        let others = items.filter { $0.type != "trigger" }
        let texts = Dictionary(others.map { (key($0.name), $0.sql) }) { first, _ in first }
        let triggers = Dictionary(grouping: items.filter { $0.type == "trigger" }) { key($0.table) }
        let all = table == nil || headers.values.contains { $0.kind == .table || $0.kind == .shadow }
        var columns = all ? try columns(of: table) : [:]
        let indexes = all ? try indexes(texts) : [:]
        let foreignKeys = all ? try foreignKeys(columns, texts) : [:]
        var tables: [Table] = []
        for item in items where item.type == "table" || item.type == "view" {
            let name = key(item.name)
            guard let header = headers[name] else { continue }
            if header.kind == .view || header.kind == .virtual { columns[name] = try columnsIfAny(of: item.name)[name] }
            tables.append(
                Table(
                    name: item.name, database: header.database, kind: header.kind, isStrict: header.isStrict,
                    isWithoutRowID: header.isWithoutRowID, sql: item.sql, columns: columns[name] ?? [],
                    indexes: indexes[name] ?? [], foreignKeys: foreignKeys[name] ?? [],
                    triggers: (triggers[name] ?? []).map { DatabaseSchema.Trigger(name: $0.name, sql: $0.sql ?? "") }))
        }
        return tables
    }

    private func key(_ name: String) -> Key { Array(asciiLowercased(name).utf8) }

    /// Calls `body` with each row of a query that knows the database as `?1` and the table as `?2`.
    private func forEach(
        _ sql: SQL, table: String?, _ body: (RowSnapshot) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        for row in try db.rows(sql, [database, table]) { try body(row) }
    }

    /// The rows to ask the pragma functions about: `name` and `schema`.
    private func source(_ table: String?) -> SQL {
        guard table == nil else { return "(SELECT ?2 AS name, ?1 AS schema)" }
        return """
            (SELECT name, schema FROM pragma_table_list(?2)
             WHERE schema = ?1 COLLATE NOCASE AND type IN ('table', 'shadow'))
            """
    }

    private struct Item {
        let type: String
        let name: String
        let table: String
        let sql: String?
    }

    /// What the schema table says.
    private func items() throws(SQLiteError) -> [Item] {
        var items: [Item] = []
        let sql: SQL = """
            SELECT type, name, tbl_name, sql FROM \(identifier: database).sqlite_schema
            WHERE ?2 IS NULL OR tbl_name = ?2 COLLATE NOCASE ORDER BY rowid
            """
        try forEach(sql, table: table) { row throws(SQLiteError) in
            items.append(Item(type: try row[0], name: try row[1], table: try row[2], sql: try row[3]))
        }
        return items
    }

    private func headers() throws(SQLiteError) -> [Key: DatabaseSchema.Header] {
        var headers: [Key: DatabaseSchema.Header] = [:]
        let sql: SQL = """
            SELECT schema, name, type, ncol, wr, strict FROM pragma_table_list(?2) WHERE schema = ?1 COLLATE NOCASE
            """
        try forEach(sql, table: table) { row throws(SQLiteError) in
            headers[key(try row[1])] = try DatabaseSchema.Header(row)
        }
        return headers
    }

    /// The columns of one table, or of all that are neither views nor virtual tables.
    private func columns(of table: String?) throws(SQLiteError) -> [Key: [DatabaseSchema.Column]] {
        var columns: [Key: [DatabaseSchema.Column]] = [:]
        let sql: SQL = """
            SELECT t.name, c.name, c.type, c."notnull", c.dflt_value, c.pk, c.hidden
            FROM \(sql: source(table)) AS t CROSS JOIN pragma_table_xinfo(t.name, t.schema) AS c
            """
        try forEach(sql, table: table) { row throws(SQLiteError) in
            let table: String = try row[0]
            let (collation, isAutoincrement) = try metadata(table, row[1])
            columns[key(table), default: []].append(
                try DatabaseSchema.Column(row, collation: collation, isAutoincrement: isAutoincrement))
        }
        return columns
    }

    /// The columns of a view or a virtual table; none when SQLite cannot make sense of it.
    private func columnsIfAny(of table: String) throws(SQLiteError) -> [Key: [DatabaseSchema.Column]] {
        do {
            return try columns(of: table)
        } catch {
            // No such table, no such column, no such module: what it consists of cannot be known.
            guard error.code == .error else { throw error }
            return [:]
        }
    }

    /// What only the C interface tells; nothing of a view.
    private func metadata(_ table: String, _ column: String) throws(SQLiteError) -> (String?, Bool) {
        guard let db = db as? Database else { return (nil, false) }
        var collation: UnsafePointer<CChar>?
        var isAutoincrement: Int32 = 0
        let code = sqlite3_table_column_metadata(
            try db.connection.accessible(), database, table, column, nil, &collation, nil, nil, &isAutoincrement)
        guard code == SQLITE_OK else { return (nil, false) }
        return (collation.map { String(cString: $0) }, isAutoincrement != 0)
    }

    private func indexes(_ texts: [Key: String?]) throws(SQLiteError) -> [Key: [DatabaseSchema.Index]] {
        var indexes: [Key: [DatabaseSchema.Index]] = [:]
        let sql: SQL = """
            SELECT t.name, i.name, i."unique", i.origin, i.partial, c.name, c.desc, c.coll
            FROM \(sql: source(table)) AS t CROSS JOIN pragma_index_list(t.name, t.schema) AS i
                CROSS JOIN pragma_index_xinfo(i.name, t.schema) AS c
            WHERE c.key
            """
        try forEach(sql, table: table) { row throws(SQLiteError) in
            let (table, header) = (key(try row[0]), try DatabaseSchema.IndexHeader(row))
            // The columns of one index come one after the other.
            var columns = [try DatabaseSchema.Index.Column(row, from: 5)]
            if let last = indexes[table]?.last, haveSameBytes(last.name, header.name) {
                columns = last.columns + columns
                indexes[table]?.removeLast()
            }
            indexes[table, default: []].append(
                DatabaseSchema.Index(
                    name: header.name, isUnique: header.isUnique, origin: header.origin, isPartial: header.isPartial,
                    columns: columns, sql: texts[key(header.name)] ?? nil))
        }
        return indexes
    }

    private func foreignKeys(
        _ columns: [Key: [DatabaseSchema.Column]], _ texts: [Key: String?]
    ) throws(SQLiteError) -> [Key: [DatabaseSchema.ForeignKey]] {
        struct Part {
            let id: Int, parent: String, from: String, to: String?
            let onUpdate: DatabaseSchema.ForeignKey.Action, onDelete: DatabaseSchema.ForeignKey.Action
        }
        var parts: [Key: [Part]] = [:]
        let sql: SQL = """
            SELECT t.name, f.id, f."table", f."from", f."to", f.on_update, f.on_delete
            FROM \(sql: source(table)) AS t CROSS JOIN pragma_foreign_key_list(t.name, t.schema) AS f ORDER BY f.id DESC, f.seq
            """
        try forEach(sql, table: table) { row throws(SQLiteError) in
            let part = Part(
                id: try row[1], parent: try row[2], from: try row[3], to: try row[4], onUpdate: try row[5],
                onDelete: try row[6])
            parts[key(try row[0]), default: []].append(part)
        }
        var foreignKeys: [Key: [DatabaseSchema.ForeignKey]] = [:]
        for (table, parts) in parts {
            // SQLite counts them from the last.
            let deferrals = deferrals(in: texts[table]?.flatMap { $0 } ?? "")
            for (number, id) in Set(parts.map(\.id)).sorted(by: >).enumerated() {
                let own = parts.filter { $0.id == id }
                let to = own.compactMap(\.to)
                let parentColumns = to.isEmpty ? try primaryKey(of: own[0].parent, columns) : to
                foreignKeys[table, default: []].append(
                    DatabaseSchema.ForeignKey(
                        id: id, columns: own.map(\.from), parent: own[0].parent, parentColumns: parentColumns,
                        onDelete: own[0].onDelete, onUpdate: own[0].onUpdate,
                        isDeferred: deferrals.indices.contains(number) && deferrals[number]))
            }
        }
        return foreignKeys
    }

    private func primaryKey(
        of parent: String, _ columns: [Key: [DatabaseSchema.Column]]
    ) throws(SQLiteError) -> [String] {
        if let own = columns[key(parent)] { return primaryKeyNames(own) }
        // Who reads all tables has read the parent's columns, if there is one.
        return table == nil ? [] : primaryKeyNames(try columnsIfAny(of: parent)[key(parent)] ?? [])
    }
}

/// The names of the columns of a primary key, in its order.
package func primaryKeyNames(_ columns: [DatabaseSchema.Column]) -> [String] {
    columns.filter { $0.primaryKeyPosition != nil }
        .sorted { ($0.primaryKeyPosition ?? 0) < ($1.primaryKeyPosition ?? 0) }.map(\.name)
}

/// Of each foreign key that the text of a CREATE TABLE declares, in order, whether it is deferred: no pragma tells.
///
/// REFERENCES and DEFERRABLE are reserved words, which outside quotes stand for nothing else. SQLite takes the last
/// DEFERRABLE that follows a REFERENCES.
func deferrals(in sql: String) -> [Bool] {
    let tokens = SQLTokens(sql).tokens
    var deferrals: [Bool] = []
    for (index, token) in tokens.enumerated() {
        if token.isWord("REFERENCES") { deferrals.append(false) }
        guard token.isWord("DEFERRABLE"), !deferrals.isEmpty else { continue }
        let isNegated = index > 0 && tokens[index - 1].isWord("NOT")
        let isInitially = index + 2 < tokens.count && tokens[index + 1].isWord("INITIALLY")
        deferrals[deferrals.count - 1] = !isNegated && isInitially && tokens[index + 2].isWord("DEFERRED")
    }
    return deferrals
}
