/// Undoes what a transaction did, in a transaction of its own.
struct Reversal {
    /// A table whose rows are restored.
    struct Source: Sendable {
        let name: String
        /// The column that counts the row's writes, which an undo is one of.
        let version: String?

        init(_ mapping: Mapping) {
            name = mapping.tableName
            version = mapping.version.map { mapping.columns[$0].name }
        }
    }

    /// A table with a history, as it currently is.
    private struct Table {
        let name: String
        let key: [String]
        /// The columns that are recorded and can be written, without the version.
        let columns: [String]
        let version: String?
        let isVersionRecorded: Bool

        var own: String { "main.\(SQLText.identifier(name))" }
        var log: String { HistoryTable.sources(of: name).log }
        var current: String { HistoryTable.sources(of: name).current }
        var keyList: String { key.map(SQLText.identifier).list(", ") }
        var isKey: String { key.map { "\(SQLText.identifier($0)) = ?" }.list(" AND ") }
    }

    /// A row that the transaction changed.
    private struct Row {
        let table: Table
        let key: [SQLiteValue]
        /// All spellings of the key, if its collation treats several as equal.
        var spellings: Set<[SQLiteValue]>
        /// The values recorded before the transaction; nil if it inserted the row.
        var before: [SQLiteValue]?
        /// The version before the transaction.
        var version: Int64 = 0
        /// Whether there was a row after the transaction.
        var wasThere: Bool

        var title: String {
            table.name + " " + zip(table.key, key).map { "\($0) = \($1)" }.joined(separator: " AND ")
        }
    }

    let db: any EngineConnection
    /// The transaction.
    let number: Int64
    let sources: [Source]

    /// Restores the rows.
    ///
    /// - Parameter count: The ``entryCount()`` when the transaction was committed.
    /// - Returns: The keys of the rows, by their tables' names in lower case.
    /// - Throws: ``PersistenceError/Code/conflict`` if somebody else has changed rows since.
    func restore(_ count: Int) throws -> [String: Set<[SQLiteValue]>] {
        try Self.checkAllAreCovered(sources, db)
        let tables = try sources.map { try table($0) }
        for table in tables {
            guard let first = try HistoryTable.horizon(of: table.log, db), number <= first else { continue }
            throw PersistenceError(
                .historyPruned,
                "the history of \(table.name) has been pruned, so nothing is known of what is taken back")
        }
        guard try entryCount() == count else {
            throw PersistenceError(
                .historyPruned, "the history of a row of the step has been erased, so nothing is taken back")
        }
        let rows: [Row] = try tables.flatMap { try self.rows(of: $0) }
        let changed = try rows.filter { try !isAsLeft($0) }
        guard changed.isEmpty else { throw conflict(changed.map(\.title)) }
        try db.execute("PRAGMA defer_foreign_keys = ON")
        // Triggers can change a restored row, which is then restored again.
        for _ in 0..<3 {
            let pending = try rows.filter { try !isRestored($0) }
            if pending.isEmpty { break }
            try write(pending)
        }
        let left = try rows.filter { try !isRestored($0) }
        guard left.isEmpty else {
            throw PersistenceError(
                .conflict, "a trigger changes what is restored of \(left.map(\.title).joined(separator: ", "))")
        }
        let keys = Dictionary(grouping: rows) { asciiLowercased($0.table.name) }.mapValues {
            $0.reduce(into: Set()) { $0.formUnion($1.spellings) }
        }
        try checkNothingElse(tables, besides: keys)
        return keys
    }

    /// Throws if foreign keys can delete or change rows of other tables: an undo couldn't restore these rows.
    static func checkAllAreCovered(_ sources: [Source], _ db: any EngineConnection) throws {
        let actions = ["CASCADE", "SET NULL", "SET DEFAULT"]
        let references = try db.rows(
            """
            SELECT DISTINCT _table.name, _key."table", _key.on_update, _key.on_delete FROM main.sqlite_schema AS _table
            JOIN pragma_foreign_key_list(_table.name, 'main') AS _key WHERE _table.type = 'table' ORDER BY _table.name
            """)
        func isCovered(_ name: String) -> Bool { sources.contains { isSameName($0.name, name) } }
        for row in references {
            let (table, parent) = (try row.value(at: 0, as: String.self), try row.value(at: 1, as: String.self))
            let (update, delete) = (try row.value(at: 2, as: String.self), try row.value(at: 3, as: String.self))
            guard isCovered(parent), !isCovered(table), actions.contains(update) || actions.contains(delete) else {
                continue
            }
            let words = actions.contains(delete) ? "ON DELETE \(delete)" : "ON UPDATE \(update)"
            throw PersistenceError(
                .noHistory,
                "rows of \(table) go or change with those of \(parent) (\(words)), and could not be brought back: give "
                    + "its class a history, and list it among the classes of the undo history")
        }
    }

    /// Whether the transaction, which is about to be committed, has changed recorded values of a row.
    func hasEffect() throws(SQLiteError) -> Bool {
        for source in sources {
            guard let table = try recordedTable(source) else { continue }
            func list(_ row: String) -> String {
                table.columns.map { "\(row).\(SQLText.identifier($0)) COLLATE BINARY" }.list(", ")
            }
            func isOf(_ row: String) -> String {
                table.key.map(SQLText.identifier).map { "\(row).\($0) = _entry.\($0)" }.list(" AND ")
            }
            // The unary plus keeps SQLite from searching, for each row, all entries that the transaction has ended.
            let isOld = "+_ended = ?1 AND _began < ?1"
            let (changed, inserted) = (
                "SELECT 1 FROM \(table.log) AS _entry LEFT JOIN \(table.own) AS _row ON \(isOf("_row")) "
                    + "WHERE _entry._ended = ?1 AND _entry._began < ?1 AND (\(list("_row"))) IS NOT (\(list("_entry")))",
                "SELECT 1 FROM \(table.current) AS _entry WHERE _began = ?1 "
                    + "AND NOT EXISTS (SELECT 1 FROM \(table.log) AS _old WHERE \(isOld) AND \(isOf("_old")))"
            )
            let sql: SQL = "SELECT EXISTS (\(sql: SQL(changed))) OR EXISTS (\(sql: SQL(inserted)))"
            if try db.scalar(sql, [number], as: Bool.self) == true { return true }
        }
        return false
    }

    /// How many entries the histories have of the transaction. Later writes don't change it, but erasing does.
    func entryCount() throws(SQLiteError) -> Int {
        var count = 0
        for source in sources {
            guard let table = try recordedTable(source) else { continue }
            let parts = [(table.current, "_began"), (table.log, "_began"), (table.log, "_ended")].map {
                "(SELECT count(*) FROM \($0) WHERE \($1) = ?1)"
            }
            count += try db.scalar(SQL("SELECT \(parts.list(" + "))" as String), [number], as: Int.self) ?? 0
        }
        return count
    }

    private func conflict(_ titles: [String]) -> PersistenceError {
        PersistenceError(
            .conflict, "somebody has changed rows since, so nothing is taken back: \(titles.joined(separator: ", "))")
    }

    private func table(_ source: Source) throws -> Table {
        if let table = try recordedTable(source) { return table }
        throw PersistenceError(.noHistory, "the table \(source.name) has no history yet: update the schema")
    }

    /// - Returns: Nil for a table without a history.
    private func recordedTable(_ source: Source) throws(SQLiteError) -> Table? {
        let name = source.name
        let columns = try db.columns(of: name, in: "main")
        let recorded = try Set(db.columns(of: HistoryTable.name(of: name), in: "main").map { asciiLowercased($0.name) })
        guard !recorded.isEmpty else { return nil }
        let version = source.version.map(asciiLowercased)
        return Table(
            name: name, key: primaryKeyNames(columns),
            columns: columns.filter { column in
                let name = asciiLowercased(column.name)
                return !column.isGenerated && recorded.contains(name) && name != version
            }.map(\.name),
            version: source.version.map(SQLText.identifier),
            isVersionRecorded: version.map(recorded.contains) == true)
    }

    private func values(_ row: RowSnapshot, _ places: Range<Int>) throws -> [SQLiteValue] {
        try places.map { try row.value(at: $0, as: SQLiteValue.self) }
    }

    /// The rows that the transaction changed.
    private func rows(of table: Table) throws -> [Row] {
        let width = table.key.count
        let list = table.columns.map(SQLText.identifier).list(", ")
        var rows: [[SQLiteValue]: Row] = [:]
        let version = table.isVersionRecorded ? table.version : nil
        let ended =
            "SELECT \(table.keyList), \(list), \(version ?? "0") FROM \(table.log) "
            + "WHERE _ended = ? AND _began < _ended"
        for row in try db.rows(SQL(ended), [number]) {
            let key = try values(row, 0..<width)
            let end = width + table.columns.count
            rows[key] = Row(
                table: table, key: key, spellings: [key], before: try values(row, width..<end),
                version: try row.value(at: end, as: Int64?.self) ?? 0, wasThere: false)
        }
        let began = [table.current, table.log].map { source in
            "SELECT \(table.keyList) FROM \(source) WHERE _began = ?1"
        }.list(" UNION ALL ")
        for row in try db.rows(SQL(began), [number]) {
            let key = try values(row, 0..<width)
            let known = try rows[key] == nil ? spelling(of: key, table) ?? key : key
            rows[known, default: Row(table: table, key: known, spellings: [], before: nil, wasThere: true)].wasThere =
                true
            rows[known]?.spellings.insert(key)
        }
        return rows.values.sorted { $0.title < $1.title }
    }

    /// The spelling of an equal key, by its collation, of a row that the transaction ended.
    private func spelling(of key: [SQLiteValue], _ table: Table) throws -> [SQLiteValue]? {
        guard key.contains(where: { if case .text = $0 { true } else { false } }) else { return nil }
        let sql = "SELECT \(table.keyList) FROM \(table.log) WHERE \(table.isKey) AND +_ended = ? AND _began < _ended"
        return try db.rows(SQL(sql), Arguments(key + [.integer(number)])).first.map {
            try values($0, 0..<table.key.count)
        }
    }

    /// Whether a row is as the transaction left it. Values are compared, since a later change that was undone doesn't
    /// count.
    private func isAsLeft(_ row: Row) throws -> Bool {
        guard row.wasThere else { return try !hasRow(row, with: nil) }
        let list = row.table.columns.map(SQLText.identifier).list(", ")
        func found(_ list: String, _ source: String) throws -> RowSnapshot? {
            let sql = "SELECT \(list) FROM \(source) WHERE \(row.table.isKey) AND +_began = ?"
            return try db.rows(SQL(sql), Arguments(row.key + [.integer(number)])).first
        }
        if try found("1", row.table.current) != nil { return true }
        guard let version = try found(list, row.table.log) else { return false }
        return try hasRow(row, with: values(version, 0..<row.table.columns.count))
    }

    private func isRestored(_ row: Row) throws -> Bool {
        if let before = row.before { try hasRow(row, with: before) } else { try !hasRow(row, with: nil) }
    }

    /// Whether the table has a row with the key and these values; nil stands for any values.
    private func hasRow(_ row: Row, with values: [SQLiteValue]?) throws -> Bool {
        let isSame =
            values == nil ? "" : row.table.columns.map { " AND \(SQLText.identifier($0)) COLLATE BINARY IS ?" }.list("")
        let sql = "SELECT 1 FROM \(row.table.own) WHERE \(row.table.isKey)\(isSame)"
        return try !db.rows(SQL(sql), Arguments(row.key + (values ?? []))).isEmpty
    }

    /// Writes rows, and tries those again that a constraint prevents. Updates come first, so that no foreign key action
    /// deletes or changes what is restored.
    private func write(_ rows: [Row]) throws {
        func rank(_ row: Row) -> Int { row.before == nil ? 1 : row.wasThere ? 0 : 2 }
        var pending = rows.sorted { rank($0) < rank($1) }
        var isParked = false
        while !pending.isEmpty {
            var (failed, failure) = ([Row](), (any Error)?.none)
            for row in pending {
                do {
                    try db.transaction(nil) { try write(row) }
                } catch let error as SQLiteError where error.code.primary == .constraint {
                    failed.append(row)
                    failure = error
                }
            }
            if failed.count == pending.count, let failure {
                guard !isParked, failed.contains(where: { $0.before != nil }) else { throw failure }
                try park(failed.filter { $0.before != nil })
                isParked = true
            }
            pending = failed
        }
    }

    /// Replaces unique values temporarily, for rows that have exchanged them.
    private func park(_ rows: [Row]) throws {
        for (place, row) in rows.enumerated() where row.wasThere {
            let unique = try db.column(
                """
                SELECT DISTINCT iif("notnull", '-', '+') || _info.name
                FROM pragma_index_list(\(row.table.name), 'main') AS _list
                JOIN pragma_index_info(_list.name, 'main') AS _info
                JOIN pragma_table_info(\(row.table.name), 'main') AS _column
                ON _column.name = _info.name WHERE _list."unique" AND NOT _column.pk
                """, as: String.self
            ).filter { column in row.table.columns.contains { isSameName($0, String(column.dropFirst())) } }
            guard !unique.isEmpty else { continue }
            let settings = unique.map { column in
                let name = SQLText.identifier(String(column.dropFirst()))
                return "\(name) = " + (column.hasPrefix("+") ? "NULL" : Self.placeholder(for: name, place))
            }.list(", ")
            try db.execute(
                SQL("UPDATE \(row.table.own) SET \(settings) WHERE \(row.table.isKey)" as String), Arguments(row.key))
        }
    }

    /// A value that is unlikely to be another row's, of the storage class that a column has: a strict table, or a
    /// CHECK, may reject others.
    private static func placeholder(for column: String, _ place: Int) -> String {
        """
        CASE typeof(\(column)) WHEN 'integer' THEN -9223372036854775808 + \(place)
        WHEN 'real' THEN -1e300 * (\(place) + 1)
        WHEN 'blob' THEN CAST('\(place) of undo' AS BLOB) ELSE 'text \(place) of undo' END
        """
    }

    private func write(_ row: Row) throws {
        let table = row.table
        guard let before = row.before else {
            try db.execute(SQL("DELETE FROM \(table.own) WHERE \(table.isKey)" as String), Arguments(row.key))
            return
        }
        let (names, version) = (table.columns.map(SQLText.identifier), table.version.map { [$0] } ?? [])
        let select = "SELECT \(names.list(", ")) FROM \(table.own) WHERE \(table.isKey)"
        if let now = try db.rows(SQL(select), Arguments(row.key)).first.map({ try values($0, names.indices) }) {
            // A trigger may be of some columns.
            let changed = names.indices.filter { now[$0] != before[$0] }
            // The version counts up, so that a save of an object from before the undo is noticed.
            let settings = changed.map { "\(names[$0]) = ?" } + version.map { "\($0) = max(ifnull(\($0), 0), ?) + 1" }
            let update = "UPDATE \(table.own) SET \(settings.list(", ")) WHERE \(table.isKey)"
            let arguments = changed.map { before[$0] } + version.map { _ in .integer(row.version) } + row.key
            if !settings.isEmpty { try db.execute(SQL(update), Arguments(arguments)) }
            return
        }
        let marks = names.map { _ in "?" } + version.map { _ in "? + 1" }
        let insert = "INSERT INTO \(table.own) (\((names + version).list(", "))) VALUES (\(marks.list(", ")))"
        try db.execute(SQL(insert), Arguments(before + version.map { _ in .integer(row.version) }))
    }

    /// Throws if foreign keys or triggers have changed rows that the transaction hadn't changed.
    private func checkNothingElse(_ tables: [Table], besides keys: [String: Set<[SQLiteValue]>]) throws {
        var others: [String] = []
        for table in tables {
            let sql = [(table.current, "_began"), (table.log, "_ended")].map { source, column in
                "SELECT \(table.keyList) FROM \(source) WHERE \(column) = \(HistoryTable.last)"
            }.list(" UNION ALL ")
            for row in try db.rows(SQL(sql)) {
                let key = try values(row, 0..<table.key.count)
                if keys[asciiLowercased(table.name)]?.contains(key) != true {
                    others.append(Row(table: table, key: key, spellings: [], before: nil, wasThere: true).title)
                }
            }
        }
        guard others.isEmpty else {
            throw PersistenceError(
                .conflict,
                "a trigger or foreign key changes rows that the step didn't change, so nothing is taken back: "
                    + others.joined(separator: ", "))
        }
    }
}
