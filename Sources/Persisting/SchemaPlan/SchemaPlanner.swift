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
    private let database: PlanDatabase
    private let tables: MigrationTables
    private var items: [Item]
    /// The places of the tables and views among the items, by their names in lower case.
    private var places: [String: Int]
    /// The places of the indexes.
    private let indexPlaces: [String: Int]
    private let ownTables: Set<String>
    /// The tables in which virtual tables keep what they have, by their names in lower case.
    private let shadows: Set<String>

    /// - Parameters:
    ///   - name: The database: `main`, `temp` or an attached one.
    ///   - tables: The library's own tables, which no class has.
    init(_ db: any EngineConnection, _ name: String, tables: MigrationTables) throws {
        self.db = db
        self.tables = tables
        ownTables = Set(tables.names.map(asciiLowercased))
        var items: [Item] = []
        let schema: SQL = "SELECT type, name, tbl_name, sql FROM \(identifier: name).sqlite_schema ORDER BY rowid"
        for row in try db.rows(schema, cached: false) {
            items.append(
                Item(
                    type: try row.value(at: 0, as: String.self), name: try row.value(at: 1, as: String.self),
                    table: try row.value(at: 2, as: String.self), sql: try row.value(at: 3, as: String?.self)))
        }
        self.items = items
        // The writer, which runs the plan, may have temporary tables that a reader doesn't see.
        let tableNames = Set(items.map { asciiLowercased($0.name) } + ["sqlite_sequence"])
        database = PlanDatabase(
            name,
            isNamed: db.isReader
                ? Mapping.hasNamesakes(among: tableNames)
                : db.temporaryTableNames.contains { tableNames.contains(asciiLowercased($0)) })
        // A name alone doesn't tell: a table `docs_meta` may have nothing to do with a virtual table `docs`.
        let names =
            items.contains(where: \.isVirtual)
            ? try db.rows(
                "SELECT name FROM pragma_table_list WHERE schema = \(name) COLLATE NOCASE AND type = 'shadow'",
                cached: false)
            : []
        shadows = Set(try names.map { row in asciiLowercased(try row.value(at: 0, as: String.self)) })
        func found(_ types: String...) -> [String: Int] {
            let found = items.enumerated().filter { types.contains($0.element.type) }
            return Dictionary(found.map { (asciiLowercased($0.element.name), $0.offset) }) { first, _ in first }
        }
        places = found("table", "view")
        indexPlaces = found("index")
    }

    private func emptySteps() -> PlanSteps {
        PlanSteps(names: Set(items.map { asciiLowercased($0.name) }), in: database, notesTable: tables.renames)
    }

    // MARK: Classes

    /// Classes that share a table, and where it is.
    private struct Group {
        /// The table's name, as the classes have it.
        let name: String
        var mappings: [Mapping]
        /// The table's place among the items; nil for one that is to be created.
        var place: Int?
        /// The columns of all classes.
        var columns: [Column] { mappings.flatMap(\.tableColumns) }
        /// The names that columns had before, in lower case.
        var formers: Set<String> { Set(columns.flatMap { $0.declaration.formerNames.map(asciiLowercased) }) }
        /// The columns that go by each other's names.
        var circles: [[Renames.Exchange]] { formers.isEmpty ? [] : Renames.circles(columns.wanted) }

        /// The classes by their tables, in order.
        static func all(of mappings: [Mapping]) -> [Group] {
            var (groups, places) = ([Group](), [String: Int]())
            for mapping in mappings {
                let name = asciiLowercased(mapping.tableName)
                guard let place = places[name] else {
                    places[name] = groups.count
                    groups.append(Group(name: mapping.tableName, mappings: [mapping]))
                    continue
                }
                if !groups[place].mappings.contains(where: { $0 === mapping }) {
                    groups[place].mappings.append(mapping)
                }
            }
            return groups
        }
    }

    /// - Parameters:
    ///   - dropped: What to drop, by the names of ``SchemaPlan/Note/name``.
    ///   - dropsNeeded: Whether to drop columns that no class has, and without which no class can insert rows.
    func plan(for mappings: [Mapping], dropping dropped: [String], dropsNeeded: Bool = false) throws -> SchemaPlan {
        var (steps, groups) = (emptySteps(), Group.all(of: mappings))
        let dropped = Set(dropped.map(asciiLowercased))
        let noted = try notedRenames(groups)
        let renames = try tableRenames(groups, noted?.tables ?? [])
        // Where tables are before they are renamed; for a table that is created under a name which becomes
        // free, the name that it has until then.
        var (formerTables, betweens) = (renames.sources, [String: String]())
        for place in groups.indices {
            let name = asciiLowercased(groups[place].name)
            groups[place].place =
                renames.vacated.contains(name) ? nil : places[formerTables[name] ?? name]
            guard renames.vacated.contains(name) else { continue }
            let between = freeName(groups[place].name)
            formerTables[name] = between
            betweens[name] = between
        }
        try change(groups, noted, formerTables: formerTables, dropping: dropped, dropsNeeded: dropsNeeded, &steps)
        steps.note(renames.exchanged.flatMap { $0 })
        for group in try inOrder(groups.filter { $0.place == nil }) {
            if let mapping = group.mappings.first(where: \.takesKeyFromSchema) { throw mapping.noTable(db) }
            let definition = try definition(of: group.mappings)
            try steps.create(
                definition, try group.mappings.companions(of: definition), texts,
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
    private func notedRenames(_ groups: [Group]) throws -> NotedRenames? {
        guard places[asciiLowercased(tables.renames)] != nil,
            groups.contains(where: { group in
                group.mappings.contains { !$0.modelType.formerTableNames.isEmpty } || !group.circles.isEmpty
            })
        else { return nil }
        return try NotedRenames(tables.renames, in: database, db)
    }

    /// Changes the tables that are there.
    private func change(
        _ groups: [Group], _ noted: NotedRenames?, formerTables: [String: String], dropping dropped: Set<String>,
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
            try fitCompanions(of: group, &draft, &steps)
            try steps.add(draft, hasNotes: noted?.hasColumns(of: draft.found.name) ?? false, db)
        }
    }

    /// The exchange that is to be noted with a table that is created: a former name of it is another class's.
    private func circleNotes(of group: Group, in groups: [Group]) -> [Renames.Exchange] {
        Renames.circles(wantedTables(groups)).joined().filter { $0.name == asciiLowercased(group.name) }
    }

    private func wantedTables(_ groups: [Group]) -> [Renames.Wanted] {
        groups.map { group in
            Renames.Wanted(
                name: asciiLowercased(group.name),
                formers: group.mappings.flatMap { $0.modelType.formerTableNames.map(asciiLowercased) })
        }
    }

    /// Which tables go by former names.
    private func tableRenames(_ groups: [Group], _ noted: Set<Renames.Exchange>) throws -> Renames {
        let wanted = wantedTables(groups)
        guard wanted.contains(where: { !$0.formers.isEmpty }) else {
            return Renames()
        }
        func group(_ name: String) -> Group? { groups.first { isSameName($0.name, name) } }
        /// Whether a table has the columns of the classes that want it.
        func fits(_ name: String, _ table: String) -> Bool {
            guard let group = group(name), let place = places[table],
                let found = items[place].sql.flatMap({ TableDefinition(sql: $0) })
            else { return false }
            return group.columns.wanted.allSatisfy { column in
                ([column.name] + column.formers).contains { found.column($0) != nil }
            }
        }
        func isEmpty(_ table: String) throws -> Bool {
            guard let place = places[table], items[place].type == "table" else { return false }
            return try db.rowCount(database.table(items[place].name)) == 0
        }
        return try Renames(
            wanted, among: Set(places.keys), noted: noted,
            keeps: { name, taker in try fits(name, name) && (!fits(taker, name) || isEmpty(name)) },
            keepsAll: { circle in
                guard circle.allSatisfy({ fits($0.name, $0.name) }) else { return false }
                return try !circle.allSatisfy { fits($0.name, $0.former) }
                    || circle.allSatisfy { try isEmpty($0.name) }
            })
    }

    /// A name like a table's that nothing has.
    private func freeName(_ name: String) -> String {
        var number = 1
        while places[asciiLowercased("\(name)_\(number)")] != nil
            || indexPlaces[asciiLowercased("\(name)_\(number)")] != nil
        {
            number += 1
        }
        return "\(name)_\(number)"
    }

    /// The tables that have to be looked at closely, with the names that their columns have now; nil for those of which
    /// that isn't necessary, and for what isn't a table.
    private func drafts(
        _ groups: [Group], _ noted: NotedRenames?, _ dropped: Set<String>, _ steps: inout PlanSteps
    ) throws -> [TableDraft?] {
        var known: [String: DatabaseSchema.Table]?
        return try groups.map { group in
            guard let place = group.place else { return nil }
            let (mappings, item) = (group.mappings, items[place])
            let exchanges = noted?.columns(of: item.name) ?? []
            if let others = try othersThatMayStay(group, item.name, at: place, exchanges, dropped) {
                for column in others {
                    steps.notes.append(note(of: column, "\(database.title(item.name)).\(column.name)"))
                }
                noteIndexes(
                    of: place,
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
            var draft = try TableDraft(table, in: database, among: Set(places.keys), db)
            if !isSameName(item.name, group.name) { draft.newName = group.name }
            draft.rename(for: group.columns, noted: exchanges) { column in
                isDropped(column, of: item.name, dropped) || isDropped(column, of: group.name, dropped)
            }
            return draft
        }
    }

    /// The columns that no class has, of a table that can stay as it is; nil for one that has to be looked at closely.
    private func othersThatMayStay(
        _ group: Group, _ table: String, at place: Int, _ exchanges: Set<Renames.Exchange>, _ dropped: Set<String>
    ) throws -> [ColumnDefinition]? {
        guard isSameName(table, group.name), !group.mappings.contains(where: \.hasCompanions),
            group.circles.allSatisfy({ $0.contains(where: exchanges.contains) }),
            let others = try columns(of: place, besides: group.mappings)
        else { return nil }
        let formers = group.formers
        let staysNot = others.contains { column in
            column.isNeeded || formers.contains(asciiLowercased(column.name))
                || isDropped(column.name, of: table, dropped)
        }
        return staysNot ? nil : others
    }

    private func isDropped(_ column: String, of table: String, _ dropped: Set<String>) -> Bool {
        dropped.contains(asciiLowercased("\(database.title(table)).\(column)"))
    }

    /// A plan that drops all tables and views, and creates the classes' tables.
    func plan(erasingFor mappings: [Mapping], since reason: String) throws -> SchemaPlan {
        var texts: [SchemaPlan.Table: String?] = [:]
        let erasures = try items.filter { isErased($0) }.map { item in
            let place = SchemaPlan.Table(database.name, item.name)
            texts[place] = item.sql
            let (kind, table) = (item.type == "view" ? "VIEW" : "TABLE", database.table(item.name))
            return SchemaPlan.Step(
                place, title: database.title(item.name), sql: ["DROP \(kind) \(table)"],
                rows: item.type == "view" ? 0 : try db.rowCount(table), risk: .erases, reason: reason)
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
        guard let table = try db.table(name, in: database.name) else {
            throw PersistenceError(.noTable, "there is no table \(name)")
        }
        var steps = emptySteps()
        var draft = try TableDraft(table, in: database, among: Set(places.keys), db)
        try draft.make(changes, dates: dates)
        // The class isn't known that says what they keep in step: without them its companion is missing, and made again.
        if draft.needsRebuild { draft.triggers.removeAll { RowTriggers.have($0.name, $0.sql) } }
        try steps.add(draft, db)
        return try steps.plan(db)
    }

    /// The columns that no class has, of a table that otherwise is just what the classes would create. Most tables are,
    /// and no more is asked of them; columns may stand in another order, as ALTER TABLE leaves them. Nil for any other
    /// table.
    private func columns(of place: Int, besides group: [Mapping]) throws -> [ColumnDefinition]? {
        let definitions = try group.map { try $0.definition }
        // The letters of UUIDs don't stand in the table's text.
        let declaresLetters = group.contains { mapping in
            mapping.tableColumns.contains { [.text, .lowercaseText].contains($0.declaration.uuidStorage) }
        }
        guard let sql = items[place].sql, !declaresLetters, definitions.allSatisfy(hasIndexes) else { return nil }
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

    /// The texts of all that there is.
    private var texts: SchemaTexts {
        Dictionary(items.map { ("\($0.type) \(asciiLowercased($0.name))", $0.sql ?? "") }) { first, _ in first }
    }

    /// Compares what belongs to the classes' table with what there is.
    private func fitCompanions(of group: Group, _ draft: inout TableDraft, _ steps: inout PlanSteps) throws {
        let (final, texts) = (draft.final, texts)
        let companions = try group.mappings.companions(of: final)
        guard !companions.isEmpty else { return }
        var before = final
        before.name = draft.found.name
        let formers = draft.newName == nil ? companions : try group.mappings.companions(of: before)
        for (companion, former) in zip(companions, formers) {
            steps.companionTables += (companion.shared + companion.items + former.items).filter { $0.kind == .table }
                .map {
                    asciiLowercased($0.name)
                }
            draft.triggers.removeAll { trigger in former.items.contains { isSameName($0.name, trigger.name) } }
            // While a trigger was missing, or didn't know of a unique index, rows may have changed unseen.
            let fills = draft.needsRebuild || !companion.isIn(texts)
            guard fills || !draft.isDone else { continue }
            try steps.replace(
                companion, texts, of: draft, former: draft.newName == nil ? nil : former, fills: fills, db)
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
            if let error = try table.flatMap({ try mapping.difference(from: $0, db) }) { throw error }
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
    private func inOrder(_ groups: [Group]) throws -> [Group] {
        var left = try groups.map {
            (group: $0, parents: Set(try definition(of: $0.mappings).foreignKeys.map(\.parent)))
        }
        var ordered: [Group] = []
        while !left.isEmpty {
            let next = left.firstIndex { table in
                !left.contains { other in
                    !isSameName(other.group.name, table.group.name)
                        && table.parents.contains(asciiLowercased(other.group.name))
                }
            }
            ordered.append(left.remove(at: next ?? 0).group)
        }
        return ordered
    }

    // MARK: What no class has

    private func drop(
        _ dropped: Set<String>, from draft: inout TableDraft, dropsNeeded: Bool, _ steps: inout PlanSteps
    ) {
        let table = draft.newName ?? draft.found.name
        for column in draft.found.columns where !draft.known.contains(asciiLowercased(column.name)) {
            // One that another takes the name of is gone already.
            guard let place = draft.target.index(of: column.name) else { continue }
            let isKey = draft.target.primaryKey.contains { isSameName($0, column.name) }
            let isNeeded = draft.target.columns[place].isNeeded && !isKey
            if isDropped(column.name, of: table, dropped) || isDropped(column.name, of: draft.found.name, dropped)
                || isNeeded && dropsNeeded
            {
                draft.dropColumn(column.name)
                continue
            }
            if isNeeded { draft.relax(column) }
            steps.notes.append(note(of: column, "\(database.title(table)).\(column.name)"))
        }
        for index in draft.found.indexes where !draft.knownIndexes.contains(asciiLowercased(index.name)) {
            guard !draft.droppedIndexes.contains(where: { isSameName($0, index.name) }) else { continue }
            if dropped.contains(asciiLowercased(index.name)) {
                draft.droppedIndexes.append(index.name)
            } else {
                steps.notes.append(note(ofIndex: index.name, database.title(draft.found.name)))
            }
        }
    }

    private func note(of column: ColumnDefinition, _ name: String) -> SchemaPlan.Note {
        SchemaPlan.Note(name: name, message: "the column \(name), which no class has")
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
                steps.notes.append(note(ofIndex: item.name, database.title(table)))
            }
        }
    }

    private func noteTables(besides known: Set<String>, _ dropped: Set<String>, _ steps: inout PlanSteps) {
        var known = known
        // What belongs to an index for full-text search goes with it.
        for item in items where isFullTextIndex(item) && !known.contains(asciiLowercased(item.name)) {
            known.formUnion(companionParts(of: item).map { asciiLowercased($0.name) })
        }
        for item in items where item.type == "table" {
            let name = asciiLowercased(item.name)
            guard !known.contains(name), !name.hasPrefix("sqlite_"), !ownTables.contains(name),
                !shadows.contains(name), !item.isVirtual || isFullTextIndex(item)
            else { continue }
            let title = database.title(item.name)
            let kind = item.isVirtual ? "full-text index" : "table"
            if dropped.contains(asciiLowercased(title)) {
                let parts = item.isVirtual ? companionParts(of: item) : []
                let names = ([item] + parts).map(\.name)
                let triggers = items.filter { other in
                    other.type == "trigger" && !isSameName(other.table, item.name)
                        && SQLTokens(other.sql ?? "").tokens.contains { token in
                            token.name.map { name in names.contains { isSameName($0, name) } } == true
                        }
                }
                steps.dropTable(
                    item.name, item.sql ?? "", kind: kind, with: parts.map(\.name), triggers: triggers.map(\.name))
            } else {
                steps.notes.append(SchemaPlan.Note(name: title, message: "the \(kind) \(title), which no class has"))
            }
        }
    }

    /// Whether an item is the table of an index that a class has declared: another table is beside it for its triggers.
    private func isFullTextIndex(_ item: Item) -> Bool {
        item.isVirtual && places[asciiLowercased(item.name) + "_gone"] != nil
    }

    /// The tables of the library's that belong to the table of an index.
    private func companionParts(of index: Item) -> [Item] {
        ["_gone", "_texts"].compactMap { places[asciiLowercased(index.name) + $0] }.map { items[$0] }
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

extension ColumnDefinition {
    /// Whether a row without a value of the column can't be inserted.
    var isNeeded: Bool { has(.notNull) && !has(.defaultValue) && !has(.generated) && !has(.primaryKey) }
}
