/// What a database has, as its [schema table](https://www.sqlite.org/schematab.html) says it.
struct SchemaItems {
    /// A row of the schema table.
    struct Item {
        let type: String
        let name: String
        let table: String
        let sql: String?

        var isVirtual: Bool { sql.map { asciiLowercased($0).hasPrefix("create virtual") } == true }

        /// Whether it is a trigger of a companion with a name.
        func isTrigger(of companion: String) -> Bool {
            type == "trigger"
                && RowTriggers.companion(of: name, sql ?? "").map { isSameName($0, companion) } == true
        }
    }

    let all: [Item]
    /// The tables in which virtual tables keep what they have, by their names in lower case.
    let shadows: Set<String>
    /// The texts of all that there is.
    let texts: SchemaTexts
    private var tables: [String: Item]
    private let indexes: [String: Item]

    init(_ db: any EngineConnection, _ database: String) throws {
        let schema: SQL = "SELECT type, name, tbl_name, sql FROM \(identifier: database).sqlite_schema ORDER BY rowid"
        let all = try db.rows(schema, cached: false).map { row in
            Item(
                type: try row.value(at: 0, as: String.self), name: try row.value(at: 1, as: String.self),
                table: try row.value(at: 2, as: String.self), sql: try row.value(at: 3, as: String?.self))
        }
        // A name alone doesn't tell: a table `docs_meta` may have nothing to do with a virtual table `docs`.
        let shadows =
            all.contains(where: \.isVirtual)
            ? try db.rows(
                "SELECT name FROM pragma_table_list WHERE schema = \(database) COLLATE NOCASE AND type = 'shadow'",
                cached: false)
            : []
        self.init(all, shadows: Set(try shadows.map { asciiLowercased(try $0.value(at: 0, as: String.self)) }))
    }

    private init(_ all: [Item], shadows: Set<String>) {
        func found(_ types: String...) -> [String: Item] {
            Dictionary(all.filter { types.contains($0.type) }.map { (asciiLowercased($0.name), $0) }) { first, _ in
                first
            }
        }
        (self.all, self.shadows) = (all, shadows)
        (tables, indexes) = (found("table", "view"), found("index"))
        texts = Dictionary(all.map { ("\($0.type) \(asciiLowercased($0.name))", $0.sql ?? "") }) { first, _ in first }
    }

    /// The names of tables and views, in lower case.
    var tableNames: Set<String> { Set(tables.keys) }

    /// The table or view of a name, without regard to the case of ASCII letters.
    func table(_ name: String) -> Item? { tables[asciiLowercased(name)] }

    /// The index of a name, without regard to the case of ASCII letters.
    func index(_ name: String) -> Item? { indexes[asciiLowercased(name)] }

    /// The texts of a table or view, its indexes and its triggers, in an order that depends on them alone; empty where
    /// there is none.
    func texts(of table: String) -> [String] {
        all.filter { isSameName($0.table, table) }.compactMap(\.sql).sorted()
    }

    /// What is left once all tables and views of classes are dropped.
    ///
    /// - Parameter isKept: Whether an item is the library's own, and so no class's.
    func erased(keeping isKept: (Item) -> Bool) -> SchemaItems {
        var left = SchemaItems(all.filter(isKept), shadows: [])
        left.tables = [:]
        return left
    }

    /// The tables of the library's that belong to a table, by its triggers, or to that of an index or a history.
    func companionParts(of table: Item) -> [Item] {
        func parts(_ name: String, _ ends: [String]) -> [Item] { ends.compactMap { self.table(name + $0) } }
        if table.isVirtual { return parts(table.name, ["_gone", "_texts"]) }
        let rest = ["_current", "_gone", "_texts"]
        if all.contains(where: { $0.isTrigger(of: table.name) }) { return parts(table.name, rest) }
        let names = all.filter { $0.type == "trigger" && isSameName($0.table, table.name) }
            .compactMap { RowTriggers.companion(of: $0.name, $0.sql ?? "") }
        return Set(names).sorted().flatMap { parts($0, [""] + rest) }
    }

    /// What keeps a table's indexes for full-text search and its history, whether or not a class declares it: by the
    /// names that columns are to have.
    ///
    /// - Parameter known: The names of those that classes declare, in lower case.
    /// - Throws: ``PersistenceError/Code/schemaMismatch`` for a history of a column whose name SQL has changed.
    func companions(of draft: TableDraft, besides known: Set<String>) throws -> [any CompanionDeclaration] {
        let prefix = draft.found.name + "_"
        func final(_ column: String) -> String? {
            draft.target.column(column).map { draft.finalName(of: $0.name) }
        }
        let names = Set(draft.triggers.compactMap { RowTriggers.companion(of: $0.name, $0.sql) })
        return try names.sorted().compactMap { name in
            guard !known.contains(asciiLowercased(name)), let item = table(name), let sql = item.sql,
                asciiLowercased(name).hasPrefix(asciiLowercased(prefix))
            else { return nil }
            if item.isVirtual { return FullTextCompanion(String(name.dropFirst(prefix.count)), sql, final: final) }
            guard isSameName(name, HistoryTable.name(of: draft.found.name)), let log = TableDefinition(sql: sql) else {
                return nil
            }
            let recorded = log.columns.dropFirst(HistoryTable.ownColumns.count)
            if let lost = recorded.first(where: { draft.found.column($0.name) == nil }) {
                throw PersistenceError(
                    .schemaMismatch,
                    "\(name) has the column \(lost.name), which \(draft.found.name) hasn't: SQL has given that another "
                        + "name, which the history doesn't know. Give it the old name by SQL, and rename it with "
                        + "alterTable", key: lost.name)
            }
            let excluded = draft.found.columns.filter { log.column($0.name) == nil }
            return HistoryCompanion(leavingOut: excluded.compactMap { final($0.name) })
        }
    }

    /// Whether an item is the table of an index that a class has declared: its triggers have a table next to it.
    func isFullTextIndex(_ item: Item) -> Bool { item.isVirtual && table(item.name + "_gone") != nil }

    /// The triggers of other tables that use a table, or what belongs to it.
    func triggers(using table: Item, or parts: [Item]) -> [Item] {
        let names = ([table] + parts).map(\.name)
        return all.filter { other in
            guard other.type == "trigger", !isSameName(other.table, table.name) else { return false }
            return other.isTrigger(of: table.name) || names.contains(where: SQLTokens(other.sql ?? "").tokens.uses)
        }
    }
}
