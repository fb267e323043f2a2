/// Makes a plan of classes and a database.
struct SchemaPlanner {
    let db: any EngineConnection
    let database: PlanDatabase
    private let tables: MigrationTables
    private(set) var schema: SchemaItems
    /// The library's own tables, by their names in lower case.
    let ownTables: Set<String>

    /// - Parameters:
    ///   - name: The database: `main`, `temp` or an attached one.
    ///   - wanted: The names of the classes' tables.
    ///   - tables: The library's own tables, which no class has.
    init(_ db: any EngineConnection, _ name: String, wanted: [String] = [], tables: MigrationTables) throws {
        self.db = db
        self.tables = tables
        ownTables = Set(tables.names.map(asciiLowercased))
        schema = try SchemaItems(db, name)
        // The writer, which runs the plan, may have temporary tables that a reader doesn't see.
        let names = Set((schema.all.map(\.name) + wanted).map(asciiLowercased) + ["sqlite_sequence"])
        database = PlanDatabase(
            name,
            isNamed: db.isReader ? Mapping.hasNamesakes(among: names) : !db.temporaryTableNames.isEmpty)
    }

    private func emptySteps() -> PlanSteps {
        PlanSteps(schema, in: database, notesTable: tables.renames)
    }

    // MARK: Classes

    /// - Parameters:
    ///   - dropped: What to drop, by the names of ``SchemaPlan/Note/name``.
    ///   - dropsNeeded: Whether to drop columns that no class has, and without which no class can insert rows.
    func plan(for mappings: [Mapping], dropping dropped: [String], dropsNeeded: Bool = false) throws -> SchemaPlan {
        var (steps, groups) = (emptySteps(), ClassGroup.all(of: mappings))
        for group in groups { try group.checkTypes() }
        let dropped = Set(dropped.map(asciiLowercased))
        let noted = try notedRenames(groups)
        let renames = try tableRenames(groups, noted?.tables ?? [])
        // Where tables are before they are renamed; for a table that is created under a name which becomes
        // free, the name that it has until then.
        var (formerTables, betweens) = (renames.sources, [String: String]())
        for place in groups.indices {
            let name = asciiLowercased(groups[place].name)
            groups[place].table = renames.vacated.contains(name) ? nil : schema.table(formerTables[name] ?? name)
            guard renames.vacated.contains(name) else { continue }
            let between = freeName(groups[place].name)
            formerTables[name] = between
            betweens[name] = between
        }
        try change(groups, noted, formerTables: formerTables, dropping: dropped, dropsNeeded: dropsNeeded, &steps)
        steps.note(renames.exchanged.flatMap { $0 })
        for group in try groups.filter({ $0.table == nil }).afterParents() {
            if let mapping = group.mappings.first(where: \.takesKeyFromSchema) { throw mapping.noTable(db) }
            let definition = try group.definition
            try steps.create(
                definition, try group.mappings.companions(of: definition), schema.texts,
                between: betweens[asciiLowercased(group.name)], noting: group.circles.flatMap { $0 },
                ofTables: circleNotes(of: group, in: groups))
        }
        noteTables(
            besides: Set(groups.map { asciiLowercased($0.name) } + formerTables.values + steps.companionTables),
            dropped,
            &steps)
        return try steps.plan(db)
    }

    /// The renames that plans have noted, where classes may exchange names.
    private func notedRenames(_ groups: [ClassGroup]) throws -> NotedRenames? {
        guard schema.table(tables.renames) != nil,
            groups.contains(where: { group in
                group.mappings.contains { !$0.modelType.formerTableNames.isEmpty } || !group.circles.isEmpty
            })
        else { return nil }
        return try NotedRenames(tables.renames, in: database, db)
    }

    /// Changes the tables that are there.
    private func change(
        _ groups: [ClassGroup], _ noted: NotedRenames?, formerTables: [String: String], dropping dropped: Set<String>,
        dropsNeeded: Bool, _ steps: inout PlanSteps
    ) throws {
        let drafts = try drafts(groups, noted, dropped, &steps)
        var keys: [String: [String]]?
        let formerColumns = Dictionary(
            drafts.compactMap { draft in
                draft.map { (asciiLowercased($0.found.name), $0.names) }
            }
        ) { first, _ in first }.filter { !$0.value.isEmpty }
        for (group, draft) in zip(groups, drafts) {
            guard var draft else { continue }
            if keys == nil, try group.mappings.contains(where: { try $0.definition.hasForeignKeys }) {
                keys = try primaryKeys(groups.flatMap(\.mappings))
            }
            try draft.replaceIndexes(for: group.mappings)
            for mapping in group.mappings {
                try draft.fit(mapping, formerTables: formerTables, formerColumns: formerColumns, keys: keys ?? [:])
            }
            drop(dropped, from: &draft, dropsNeeded: dropsNeeded, &steps)
            try fitCompanions(of: group, &draft, dropping: dropped, &steps)
            try steps.add(draft, hasNotes: noted?.hasColumns(of: draft.found.name) ?? false, db)
        }
    }

    /// The exchange that is to be noted with a table that is created: a former name of it is another class's.
    private func circleNotes(of group: ClassGroup, in groups: [ClassGroup]) -> [Renames.Exchange] {
        Renames.circles(wantedTables(groups)).joined().filter { $0.name == asciiLowercased(group.name) }
    }

    private func wantedTables(_ groups: [ClassGroup]) -> [Renames.Wanted] {
        groups.map { group in
            Renames.Wanted(
                name: asciiLowercased(group.name),
                formers: group.mappings.flatMap { $0.modelType.formerTableNames.map(asciiLowercased) })
        }
    }

    /// Which tables go by former names.
    private func tableRenames(_ groups: [ClassGroup], _ noted: Set<Renames.Exchange>) throws -> Renames {
        let wanted = wantedTables(groups)
        guard wanted.contains(where: { !$0.formers.isEmpty }) else {
            return Renames()
        }
        func group(_ name: String) -> ClassGroup? { groups.first { isSameName($0.name, name) } }
        /// Whether a table has the columns of the classes that want it.
        func fits(_ name: String, _ table: String) -> Bool {
            guard let group = group(name), let found = schema.table(table)?.sql.flatMap({ TableDefinition(sql: $0) })
            else { return false }
            return group.columns.wanted.allSatisfy { column in
                ([column.name] + column.formers).contains { found.column($0) != nil }
            }
        }
        func isEmpty(_ table: String) throws -> Bool {
            guard let found = schema.table(table), found.type == "table" else { return false }
            return try db.rowCount(database.table(found.name)) == 0
        }
        return try Renames(
            wanted, among: schema.tableNames, noted: noted,
            keeps: { name, taker in try fits(name, name) && (!fits(taker, name) || isEmpty(name)) },
            keepsAll: { circle in
                guard circle.allSatisfy({ fits($0.name, $0.name) }) else { return false }
                return try !circle.allSatisfy { fits($0.name, $0.former) }
                    || circle.allSatisfy { try isEmpty($0.name) }
            })
    }

    /// A name like a table's that nothing has.
    private func freeName(_ name: String) -> String {
        Persisting.freeName(name) { schema.table($0) != nil || schema.index($0) != nil }
    }

    /// The tables that have to be looked at closely, with the names that their columns have now; nil for those of which
    /// that isn't necessary, and for what isn't a table.
    private func drafts(
        _ groups: [ClassGroup], _ noted: NotedRenames?, _ dropped: Set<String>, _ steps: inout PlanSteps
    ) throws -> [TableDraft?] {
        var known: [String: DatabaseSchema.Table]?
        return try groups.map { group in
            guard let item = group.table else { return nil }
            let mappings = group.mappings
            let exchanges = noted?.columns(of: item.name) ?? []
            if let others = try othersThatMayStay(group, item, exchanges, dropped) {
                for column in others {
                    steps.notes.append(note(of: column, "\(database.title(item.name)).\(column.name)"))
                }
                noteIndexes(
                    of: item,
                    known: Set(try mappings.flatMap { try $0.definition.indexes.map { asciiLowercased($0.name) } }),
                    dropped, &steps)
                return nil
            }
            // One reading of all tables takes as long as that of a few.
            if known == nil, groups.count > 4 {
                known = Dictionary(try db.schema(of: database.name).tables.map { (asciiLowercased($0.name), $0) }) {
                    first, _ in first
                }
            }
            let table = try known.map { $0[asciiLowercased(item.name)] } ?? db.table(item.name, in: database.name)
            guard let table, table.kind == .table else {
                try checkView(table, mappings)
                return nil
            }
            var draft = try TableDraft(table, in: database, among: schema.tableNames, db)
            if !isSameName(item.name, group.name) { draft.newName = group.name }
            draft.rename(for: group.columns, noted: exchanges) { column in
                isDropped(column, of: item.name, dropped) || isDropped(column, of: group.name, dropped)
            }
            return draft
        }
    }

    /// The columns that no class has, of a table that can stay as it is; nil for one that has to be looked at closely.
    private func othersThatMayStay(
        _ group: ClassGroup, _ table: SchemaItems.Item, _ exchanges: Set<Renames.Exchange>, _ dropped: Set<String>
    ) throws -> [ColumnDefinition]? {
        guard isSameName(table.name, group.name), !group.mappings.contains(where: \.hasCompanions),
            group.circles.allSatisfy({ $0.contains(where: exchanges.contains) }),
            let others = try columns(of: table, besides: group.mappings)
        else { return nil }
        let formers = group.formers
        let staysNot = others.contains { column in
            column.isNeeded || formers.contains(asciiLowercased(column.name))
                || isDropped(column.name, of: table.name, dropped)
        }
        return staysNot ? nil : others
    }

    func isDropped(_ column: String, of table: String, _ dropped: Set<String>) -> Bool {
        dropped.contains(asciiLowercased("\(database.title(table)).\(column)"))
    }

    /// A plan that drops all tables and views, and creates the classes' tables.
    func plan(erasingFor mappings: [Mapping], since reason: String) throws -> SchemaPlan {
        var texts: [SchemaPlan.Table: [String]] = [:]
        let hasNotes = schema.table(tables.renames) != nil
        let erasures = try schema.all.filter { isErased($0) }.map { item in
            let place = SchemaPlan.Table(database.name, item.name)
            texts[place] = schema.texts(of: item.name)
            let (kind, table) = (item.type == "view" ? "VIEW" : "TABLE", database.table(item.name))
            let notes = hasNotes ? [NotedRenames.statement(forgetting: item.name, tables.renames, database)] : []
            return SchemaPlan.Step(
                place, title: database.title(item.name), sql: ["DROP \(kind) \(table)"] + notes,
                rows: item.type == "view" ? 0 : try db.rowCount(table), risk: .erases, reason: reason)
        }
        var empty = self
        empty.schema = schema.erased { ownTables.contains(asciiLowercased($0.name)) }
        let creation = try empty.plan(for: mappings, dropping: [])
        return SchemaPlan(steps: erasures + creation.steps, texts: texts)
    }

    /// Whether a prototype's plan drops it. What belongs to a table goes with it.
    private func isErased(_ item: SchemaItems.Item) -> Bool {
        guard item.type == "view" || item.type == "table" else { return false }
        let name = asciiLowercased(item.name)
        return !name.hasPrefix("sqlite_") && !ownTables.contains(name) && !schema.shadows.contains(name)
    }

    /// A plan of changes to one table.
    ///
    /// - Throws: ``PersistenceError/Code/noTable``, ``PersistenceError/Code/schemaMismatch`` for a view and a table of the
    ///   library's own.
    func plan(altering name: String, _ changes: [TableAlteration.Change], dates: DateStorage) throws -> SchemaPlan {
        guard let table = try db.table(name, in: database.name) else {
            throw PersistenceError(.noTable, "there is no table \(name)")
        }
        guard !ownTables.contains(asciiLowercased(name)), !schema.all.contains(where: { $0.isTrigger(of: table.name) })
        else {
            throw PersistenceError(
                .schemaMismatch, "the table \(table.name) is kept by the library: alter the table that it is for")
        }
        var steps = emptySteps()
        var draft = try TableDraft(table, in: database, among: schema.tableNames, db)
        try draft.make(changes, dates: dates)
        let companions = try schema.companions(of: draft, besides: [])
        try fit(&draft, &steps) { table in try companions.map { try $0.companion(of: table) } }
        // Only its class knows what another companion keeps. The class finds it missing, and makes it again.
        if draft.needsRebuild { _ = draft.removeTriggers { _ in true } }
        try steps.add(draft, db)
        return try steps.plan(db)
    }

    /// The columns that no class has, of a table that otherwise is just what the classes would create. Most tables are,
    /// and no more is asked of them; columns may stand in another order, as ALTER TABLE leaves them. Nil for any other
    /// table.
    private func columns(of table: SchemaItems.Item, besides group: [Mapping]) throws -> [ColumnDefinition]? {
        let definitions = try group.map { try $0.definition }
        // The letters of UUIDs don't stand in the table's text.
        let declaresLetters = group.contains { mapping in
            mapping.tableColumns.contains { [.text, .lowercaseText].contains($0.declaration.uuidStorage) }
        }
        guard let sql = table.sql, !declaresLetters, definitions.allSatisfy(hasIndexes) else { return nil }
        if definitions.allSatisfy({ haveSameBytes(sql, $0.sql) }) { return [] }
        guard table.type == "table", !table.isVirtual, let found = TableParts(sql) else { return nil }
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
            schema.index(index.name)?.sql.map { haveSameBytes($0, index.sql) } == true
        }
    }

    /// Compares what belongs to the classes' table with what there is.
    private func fitCompanions(
        of group: ClassGroup, _ draft: inout TableDraft, dropping dropped: Set<String>, _ steps: inout PlanSteps
    ) throws {
        let known = try fit(&draft, &steps, group.mappings.companions)
        // What no class declares stays, and follows the names of the table and its columns.
        if draft.newName != nil || !draft.renames.isEmpty {
            steps.dropTriggers(
                draft.removeTriggers { dropped.contains(asciiLowercased(database.title($0))) }, of: draft)
            let left = try schema.companions(of: draft, besides: known)
            try fit(&draft, &steps, isDeclared: false) { table in try left.map { try $0.companion(of: table) } }
        }
        draft.dropLeftoverTriggers()
    }

    /// - Parameters:
    ///   - isDeclared: Whether classes declare it, so that no note says that none does.
    ///   - companions: Gives what belongs to the table, for the table as it is to be.
    /// - Returns: The names that the companions have now, in lower case.
    @discardableResult
    private func fit(
        _ draft: inout TableDraft, _ steps: inout PlanSteps, isDeclared: Bool = true,
        _ companions: (TableDefinition) throws -> [Companion]
    ) throws -> Set<String> {
        let (final, texts) = (draft.final, schema.texts)
        var before = final
        before.name = draft.found.name
        let made = try companions(final)
        let formers = draft.newName == nil ? made : try companions(before)
        for (companion, former) in zip(made, formers) {
            let items = isDeclared ? companion.shared + companion.items + former.items : []
            steps.companionTables += items.filter { $0.kind == .table }.map { asciiLowercased($0.name) }
            draft.triggers.removeAll { trigger in former.items.contains { isSameName($0.name, trigger.name) } }
            // While a trigger was missing, or didn't know of a unique index, rows may have changed unseen.
            let fills = draft.needsRebuild || !companion.isIn(texts)
            guard fills || !draft.isDone else { continue }
            try steps.replace(
                companion, texts, of: draft, former: draft.newName == nil ? nil : former, fills: fills, db)
        }
        return Set(formers.map { asciiLowercased($0.name) })
    }

    /// A view, or a virtual table, has what its own SQL gives it.
    private func checkView(_ table: DatabaseSchema.Table?, _ group: [Mapping]) throws {
        for mapping in group {
            if let error = try table.flatMap({ try mapping.difference(from: $0, db) }) { throw error }
        }
    }

    private func primaryKeys(_ mappings: [Mapping]) throws -> [String: [String]] {
        var keys: [String: [String]] = [:]
        for item in schema.all where item.type == "table" {
            let key = item.sql.flatMap { TableDefinition(sql: $0) }?.primaryKey
            keys[asciiLowercased(item.name)] = (key ?? []).map(asciiLowercased)
        }
        for mapping in mappings where keys[asciiLowercased(mapping.tableName)] == nil {
            keys[asciiLowercased(mapping.tableName)] = try mapping.definition.primaryKey.map(asciiLowercased)
        }
        return keys
    }
}
