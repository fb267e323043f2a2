/// Makes a plan of classes and a database.
struct SchemaPlanner {
    /// A row of the schema table.
    private struct Item {
        let type: String
        let name: String
        let table: String
        let sql: String?

        var isVirtual: Bool { sql.map { asciiLowercased($0).hasPrefix("create virtual") } == true }
    }

    private let db: any EngineConnection
    private var items: [Item]
    /// The places of the tables and views among the items, by their names in lower case.
    private var places: [String: Int]
    /// The places of the indexes.
    private let indexPlaces: [String: Int]
    private let ownTables: Set<String>
    /// The tables in which virtual tables keep what they have, by their names in lower case.
    private let shadows: Set<String>

    /// - Parameter ownTables: The library's own tables, which no class has.
    init(_ db: any EngineConnection, ownTables: [String]) throws {
        self.db = db
        self.ownTables = Set(ownTables.map(asciiLowercased))
        var items: [Item] = []
        let schema: SQL = "SELECT type, name, tbl_name, sql FROM main.sqlite_schema ORDER BY rowid"
        for row in try db.rows(schema, cached: false) {
            items.append(
                Item(
                    type: try row.value(at: 0, as: String.self), name: try row.value(at: 1, as: String.self),
                    table: try row.value(at: 2, as: String.self), sql: try row.value(at: 3, as: String?.self)))
        }
        self.items = items
        // A name alone doesn't tell: a table `docs_meta` may have nothing to do with a virtual table `docs`.
        let names =
            items.contains(where: \.isVirtual)
            ? try db.rows(
                "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow'", cached: false)
            : []
        shadows = Set(try names.map { row in asciiLowercased(try row.value(at: 0, as: String.self)) })
        func found(_ types: String...) -> [String: Int] {
            let found = items.enumerated().filter { types.contains($0.element.type) }
            return Dictionary(found.map { (asciiLowercased($0.element.name), $0.offset) }) { first, _ in first }
        }
        places = found("table", "view")
        indexPlaces = found("index")
    }

    // MARK: Classes

    /// - Parameter dropped: What to drop, by the names of ``SchemaPlan/Note/name``.
    func plan(for mappings: [Mapping], dropping dropped: [String]) throws -> SchemaPlan {
        var steps = PlanSteps(names: Set(items.map { asciiLowercased($0.name) }))
        let dropped = Set(dropped.map(asciiLowercased))
        let wantedNames = Set(mappings.map { asciiLowercased($0.tableName) })
        // The tables that go by a former name.
        var formerTables: [String: String] = [:]
        for mapping in mappings where places[asciiLowercased(mapping.tableName)] == nil {
            let former = mapping.modelType.formerTableNames.map(asciiLowercased).first {
                places[$0] != nil && !wantedNames.contains($0) && !formerTables.values.contains($0)
            }
            if let former { formerTables[asciiLowercased(mapping.tableName)] = former }
        }
        var keys: [String: [String]]?
        var tables: [String: DatabaseSchema.Table]?
        var created: [(mapping: Mapping, definition: TableDefinition)] = []
        var groups: [String: [Mapping]] = [:]
        var order: [String] = []
        for mapping in mappings {
            let name = asciiLowercased(mapping.tableName)
            if groups[name] == nil { order.append(name) }
            if groups[name]?.contains(where: { $0 === mapping }) != true { groups[name, default: []].append(mapping) }
        }
        for name in order {
            guard let group = groups[name] else { continue }
            let former = formerTables[name]
            guard let place = places[former ?? name] else {
                created.append((group[0], try definition(of: group)))
                continue
            }
            if former == nil, let others = try columns(of: place, besides: group),
                !others.contains(where: { dropped.contains(asciiLowercased("\(items[place].name).\($0.name)")) })
            {
                for column in others { steps.notes.append(note(of: column, "\(items[place].name).\(column.name)")) }
                noteIndexes(
                    of: place,
                    known: Set(try group.flatMap { try $0.definition.indexes.map { asciiLowercased($0.name) } }),
                    dropped,
                    &steps)
                continue
            }
            // One reading of all tables takes as long as that of a few.
            if tables == nil, order.count > 4 {
                tables = Dictionary(try db.schema().tables.map { (asciiLowercased($0.name), $0) }) { first, _ in first }
            }
            let table = try tables.map { $0[former ?? name] } ?? db.table(items[place].name, in: "main")
            guard let table, table.kind == .table else {
                try checkView(table, group)
                continue
            }
            if keys == nil, try group.contains(where: { try $0.definition.hasForeignKeys }) {
                keys = try primaryKeys(mappings)
            }
            var draft = try TableDraft(table, db)
            if former != nil {
                draft.newName = group[0].tableName
            }
            for mapping in group { try draft.fit(mapping, formerTables: formerTables, keys: keys ?? [:]) }
            drop(dropped, from: &draft, classes: group, &steps)
            try steps.add(draft, db)
        }
        for (mapping, definition) in inOrder(created) {
            if mapping.takesKeyFromSchema { throw mapping.noTable(db) }
            steps.create(definition)
        }
        noteTables(besides: wantedNames.union(formerTables.values), dropped, &steps)
        return try steps.plan(db)
    }

    /// A plan that drops all tables and views, and creates the classes' tables.
    func plan(erasingFor mappings: [Mapping], since reason: String) throws -> SchemaPlan {
        var texts: [String: String?] = [:]
        let erasures = try items.filter { isErased($0) }.map { item in
            texts[asciiLowercased(item.name)] = item.sql
            let kind = item.type == "view" ? "VIEW" : "TABLE"
            return SchemaPlan.Step(
                table: item.name, sql: ["DROP \(kind) \(SQLText.identifier(item.name))"],
                rows: item.type == "view" ? 0 : try db.rowCount(item.name), risk: .erases, reason: reason,
                isRebuild: false)
        }
        var empty = self
        empty.items = items.filter { ownTables.contains(asciiLowercased($0.name)) }
        empty.places = [:]
        let creation = try empty.plan(for: mappings, dropping: [])
        return SchemaPlan(steps: erasures + creation.steps, texts: texts)
    }

    /// Whether a prototype's plan drops it. What belongs to a table goes with it.
    private func isErased(_ item: Item) -> Bool {
        guard item.type == "view" || item.type == "table" else { return false }
        let name = asciiLowercased(item.name)
        return !name.hasPrefix("sqlite_") && !ownTables.contains(name) && !shadows.contains(name)
    }

    /// A plan of changes to one table.
    ///
    /// - Throws: ``PersistenceError/Code/noTable``, ``PersistenceError/Code/schemaMismatch`` for a view.
    func plan(altering name: String, _ changes: [TableAlteration.Change], dates: DateStorage) throws -> SchemaPlan {
        guard let table = try db.table(name, in: "main") else {
            throw PersistenceError(.noTable, "there is no table \(name)")
        }
        var steps = PlanSteps(names: Set(items.map { asciiLowercased($0.name) }))
        var draft = try TableDraft(table, db)
        try draft.make(changes, dates: dates)
        try steps.add(draft, db)
        return try steps.plan(db)
    }

    /// The columns that no class has, of a table that otherwise is just what the classes would create. Most tables are,
    /// and no more is asked of them; columns may stand in another order, as ALTER TABLE leaves them. Nil for any other
    /// table.
    private func columns(of place: Int, besides group: [Mapping]) throws -> [ColumnDefinition]? {
        let definitions = try group.map { try $0.definition }
        guard let sql = items[place].sql, definitions.allSatisfy(hasIndexes) else { return nil }
        if definitions.allSatisfy({ haveSameBytes(sql, $0.sql) }) { return [] }
        guard items[place].type == "table", !items[place].isVirtual, let found = TableParts(sql) else { return nil }
        var others = found.parts
        for definition in definitions {
            guard haveSameBytes(found.options, definition.options) else { return nil }
            for part in definition.parts {
                guard found.parts.contains(where: { haveSameBytes($0, part) }) else { return nil }
                others.removeAll { haveSameBytes($0, part) }
            }
        }
        if others.isEmpty { return [] }
        // A constraint, or another key, takes a closer look.
        guard let rest = TableDefinition(sql: "CREATE TABLE t (\(others.list(", ")))"), rest.constraints.isEmpty,
            !rest.columns.contains(where: { $0.has(.primaryKey) })
        else { return nil }
        return rest.columns
    }

    /// Whether a table's indexes are just those that a class would create.
    private func hasIndexes(_ definition: TableDefinition) -> Bool {
        definition.indexes.allSatisfy { index in
            guard let place = indexPlaces[asciiLowercased(index.name)], let sql = items[place].sql else { return false }
            return haveSameBytes(sql, index.sql)
        }
    }

    /// The table that several classes share.
    private func definition(of group: [Mapping]) throws -> TableDefinition {
        var definition = try group[0].definition
        for mapping in group.dropFirst() {
            for column in try mapping.definition.columns where definition.column(column.name) == nil {
                definition.columns.append(column)
            }
            for index in try mapping.definition.indexes
            where !definition.indexes.contains(where: { index.isMet(by: $0) }) {
                definition.indexes.append(index)
            }
        }
        return definition
    }

    /// A view, or a virtual table, has what its own SQL gives it.
    private func checkView(_ table: DatabaseSchema.Table?, _ group: [Mapping]) throws {
        for mapping in group {
            if let error = try table.flatMap({ try mapping.difference(from: $0) }) { throw error }
        }
    }

    private func primaryKeys(_ mappings: [Mapping]) throws -> [String: [String]] {
        var keys: [String: [String]] = [:]
        for item in items where item.type == "table" {
            let key = item.sql.flatMap { TableDefinition(sql: $0) }?.primaryKey
            keys[asciiLowercased(item.name)] = (key ?? []).map(asciiLowercased)
        }
        for mapping in mappings where keys[asciiLowercased(mapping.tableName)] == nil {
            keys[asciiLowercased(mapping.tableName)] = try mapping.definition.primaryKey.map(asciiLowercased)
        }
        return keys
    }

    /// Tables after those that they refer to, as far as they don't refer to each other in a circle.
    private func inOrder(
        _ tables: [(mapping: Mapping, definition: TableDefinition)]
    ) -> [(mapping: Mapping, definition: TableDefinition)] {
        var (left, ordered) = (tables, tables)
        ordered = []
        while !left.isEmpty {
            let next = left.firstIndex { table in
                let parents = Set(table.definition.foreignKeys.map(\.parent))
                return !left.contains { other in
                    !isSameName(other.definition.name, table.definition.name)
                        && parents.contains(asciiLowercased(other.definition.name))
                }
            }
            ordered.append(left.remove(at: next ?? 0))
        }
        return ordered
    }

    // MARK: What no class has

    private func drop(
        _ dropped: Set<String>, from draft: inout TableDraft, classes: [Mapping], _ steps: inout PlanSteps
    ) {
        for column in draft.found.columns where !draft.known.contains(asciiLowercased(column.name)) {
            let name = "\(draft.newName ?? draft.found.name).\(column.name)"
            let oldName = "\(draft.found.name).\(column.name)"
            if dropped.contains(asciiLowercased(name)) || dropped.contains(asciiLowercased(oldName)) {
                draft.dropColumn(column.name)
                continue
            }
            steps.notes.append(note(of: column, name))
        }
        for index in draft.found.indexes where !draft.knownIndexes.contains(asciiLowercased(index.name)) {
            guard !draft.droppedIndexes.contains(where: { isSameName($0, index.name) }) else { continue }
            if dropped.contains(asciiLowercased(index.name)) {
                draft.droppedIndexes.append(index.name)
            } else {
                steps.notes.append(note(ofIndex: index.name, draft.found.name))
            }
        }
    }

    private func note(of column: ColumnDefinition, _ name: String) -> SchemaPlan.Note {
        let isNeeded = column.has(.notNull) && !column.has(.defaultValue) && !column.has(.generated)
        return SchemaPlan.Note(
            name: name,
            message: "the column \(name), which no class has"
                + (isNeeded ? "; it is NOT NULL without a default, so that no class can insert rows" : ""))
    }

    private func note(ofIndex name: String, _ table: String) -> SchemaPlan.Note {
        SchemaPlan.Note(name: name, message: "the index \(name) on \(table), which no class has")
    }

    private func noteIndexes(of place: Int, known: Set<String>, _ dropped: Set<String>, _ steps: inout PlanSteps) {
        let table = items[place].name
        for item in items where item.type == "index" && item.sql != nil && isSameName(item.table, table) {
            guard !known.contains(asciiLowercased(item.name)) else { continue }
            if dropped.contains(asciiLowercased(item.name)) {
                steps.dropIndex(item.name, table, items[place].sql ?? "")
            } else {
                steps.notes.append(note(ofIndex: item.name, table))
            }
        }
    }

    private func noteTables(besides known: Set<String>, _ dropped: Set<String>, _ steps: inout PlanSteps) {
        for item in items where item.type == "table" {
            let name = asciiLowercased(item.name)
            guard !known.contains(name), !name.hasPrefix("sqlite_"), !ownTables.contains(name),
                !item.isVirtual, !shadows.contains(name)
            else { continue }
            if dropped.contains(name) {
                steps.dropTable(item.name, item.sql ?? "")
            } else {
                steps.notes.append(
                    SchemaPlan.Note(name: item.name, message: "the table \(item.name), which no class has"))
            }
        }
    }
}

extension TableDraft {
    /// Drops a column, with the indexes and constraints that it is in.
    mutating func dropColumn(_ name: String) {
        func names(_ clause: Clause) -> Bool {
            SQLTokens(clause.sql).tokens.contains { $0.name.map { isSameName($0, name) } == true }
        }
        target.columns.removeAll { isSameName($0.name, name) }
        var gone = target.constraints.filter { $0.kind != .primaryKey && names($0) }.map(\.sql)
        target.constraints.removeAll { $0.kind != .primaryKey && names($0) }
        for index in found.indexes where names(Clause(.other, index.sql)) {
            droppedIndexes.append(index.name)
            gone.append("the index \(index.name)")
        }
        loses = true
        differ(
            "the column \(name) is to be dropped"
                + (gone.isEmpty ? "" : ", and with it \(gone.joined(separator: ", "))"))
    }
}
