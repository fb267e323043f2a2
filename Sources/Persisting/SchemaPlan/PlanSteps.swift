/// Steps while they are collected, each kind in its place.
struct PlanSteps {
    let database: PlanDatabase
    /// What the database has.
    private let schema: SchemaItems
    /// The table that notes exchanged names.
    let notesTable: String
    var notes: [SchemaPlan.Note] = []
    /// The names that are taken, in lower case.
    private var names: Set<String>
    private var drafts: [TableDraft] = []
    private var changes: [SchemaPlan.Step] = []
    private var renames: [SchemaPlan.Step] = []
    private var creations: [SchemaPlan.Step] = []
    private var indexes: [SchemaPlan.Step] = []
    private var drops: [SchemaPlan.Step] = []
    /// The names of their tables, in lower case.
    var companionTables: [String] = []
    /// What drops the triggers of companions, before their tables change, and what makes them again.
    private var companions: (before: [SchemaPlan.Step], after: [SchemaPlan.Step]) = ([], [])
    private var texts: [SchemaPlan.Table: [String]] = [:]
    /// The statements that give shared tables of companions the columns that they lack.
    private var altered: Set<String> = []
    /// Tables whose columns' exchanges are noted, in lower case.
    private var noted: Set<String> = []
    /// The tables to be renamed that have exchanged their names, with what is to be noted.
    private var exchanges: [Renames.Exchange] = []

    init(_ schema: SchemaItems, in database: PlanDatabase, notesTable: String) {
        self.schema = schema
        self.database = database
        names = Set(schema.all.map { asciiLowercased($0.name) })
        self.notesTable = notesTable
    }

    private func step(
        _ table: String, _ sql: [String], printed: [String]? = nil, _ reason: String, rows: Int = 0,
        risk: SchemaPlan.Risk = .adds, isRebuild: Bool = false
    ) -> SchemaPlan.Step {
        SchemaPlan.Step(
            SchemaPlan.Table(database.name, table), title: database.title(table), sql: sql, printed: printed,
            rows: rows, risk: risk, reason: reason, isRebuild: isRebuild)
    }

    /// A step whose statements are all of a companion.
    private func companionStep(
        _ table: String, _ sql: [String], _ reason: String, rows: Int = 0, risk: SchemaPlan.Risk = .adds
    ) -> SchemaPlan.Step {
        step(table, sql, printed: SchemaPlan.Step.brief(sql), reason, rows: rows, risk: risk)
    }

    private func key(_ table: String) -> SchemaPlan.Table { SchemaPlan.Table(database.name, table) }

    /// Notes what belongs to a table that is to change: the plan is for this alone.
    private mutating func noteTexts(of table: String) { texts[key(table)] = schema.texts(of: table) }

    /// Adds what a table needs.
    ///
    /// - Parameter hasNotes: Whether exchanges of its columns are noted, which are to follow its name.
    mutating func add(_ draft: TableDraft, hasNotes: Bool = false, _ db: any EngineConnection) throws {
        guard !draft.isDone else { return }
        let table = draft.found.name
        let rows = try db.rowCount(draft.name)
        drafts.append(draft)
        noteTexts(of: table)
        if hasNotes || !draft.exchanges.isEmpty { noted.insert(asciiLowercased(table)) }
        addChanges(draft, rows: rows)
        addRenames(draft)
        for index in draft.droppedIndexes where !draft.needsRebuild {
            indexes.append(
                step(table, ["DROP INDEX \(database.table(index))"], "the index \(index) is to be dropped"))
        }
        names.subtract(draft.droppedIndexes.map(asciiLowercased))
        for index in draft.newIndexes {
            let columns = index.columns.compactMap(\.name).joined(separator: ", ")
            indexes.append(
                step(
                    table, [create(index)], "it has no \(index.isUnique ? "unique " : "")index on \(columns)",
                    rows: rows))
        }
    }

    private mutating func addChanges(_ draft: TableDraft, rows: Int) {
        let (table, name) = (draft.found.name, draft.name)
        // Others are noted where they are renamed.
        let exchanged = draft.exchanges.filter { exchange in
            !draft.renames.contains { isSameName($0.new, exchange.name) }
        }
        if draft.needsRebuild {
            let risk: SchemaPlan.Risk = draft.loses ? .loses : rows == 0 ? .adds : .rewrites
            let reasons = draft.differences.filter { !$0.text.contains("has no index as by") }.map(\.text)
            changes.append(
                step(
                    table, draft.rebuild(besides: names) + noting(exchanged, of: table),
                    reasons.joined(separator: "; "), rows: rows, risk: risk,
                    isRebuild: true))
        } else {
            for difference in draft.differences {
                guard let addition = difference.addition else { continue }
                let notes = noting(exchanged.filter { isSameName($0.name, addition.name) }, of: table)
                changes.append(
                    step(table, ["ALTER TABLE \(name) ADD COLUMN \(addition.sql)"] + notes, difference.text))
            }
        }
    }

    private mutating func addRenames(_ draft: TableDraft) {
        let (table, name) = (draft.found.name, draft.name)
        for group in Renames.inOrder(draft.renames, free: draft.freeName) {
            let sql = group.map { rename in
                "ALTER TABLE \(name) RENAME COLUMN \(SQLText.identifier(rename.old)) TO "
                    + SQLText.identifier(rename.new)
            }
            let own = draft.renames.filter { rename in group.contains { isSameName($0.new, rename.new) } }
            let reasons = own.map { rename in
                draft.newcomers.contains(asciiLowercased(rename.old))
                    ? "\(rename.new) is new" : "\(rename.new) was called \(rename.old)"
            }
            let names = Set(own.map { asciiLowercased($0.new) })
            let exchanged = draft.exchanges.filter { names.contains($0.name) }
            renames.append(
                step(table, sql + noting(exchanged, of: table), reasons.joined(separator: "; ")))
        }
    }

    /// The statement that creates an index, under a name that isn't taken.
    private mutating func create(_ index: IndexDefinition) -> String {
        let index = index.named(besides: names)
        names.insert(asciiLowercased(index.name))
        return database.creating(index.sql)
    }

    private func noting(_ exchanges: [Renames.Exchange], of table: String?) -> [String] {
        NotedRenames.statements(noting: exchanges, of: table, notesTable, database)
    }

    /// Notes that tables have exchanged their names.
    mutating func note(_ exchanges: [Renames.Exchange]) { self.exchanges += exchanges }

    /// - Parameters:
    ///   - between: The name under which it is created, where another table has its own until it is renamed.
    ///   - exchanges: What columns go by each other's names.
    ///   - tables: What tables do, the new one among them.
    mutating func create(
        _ definition: TableDefinition, _ companions: [Companion], _ found: SchemaTexts, between: String?,
        noting exchanges: [Renames.Exchange], ofTables tables: [Renames.Exchange]
    ) throws {
        if between == nil { noteTexts(of: definition.name) }
        var made = definition
        made.name = between ?? definition.name
        var sql = [database.creating(made.sql)]
        if let between {
            sql.append(
                "ALTER TABLE \(database.table(between)) RENAME TO \(SQLText.identifier(definition.name))")
        }
        for index in definition.indexes { sql.append(create(index)) }
        let own = try companions.flatMap { companion in
            once(try companion.creating(found, fills: true, in: database), companion, found)
        }
        let notes = noting(exchanges, of: definition.name) + noting(tables, of: nil)
        creations.append(
            step(
                definition.name, sql + own + notes, printed: sql + SchemaPlan.Step.brief(own) + notes,
                "there is no table \(database.title(definition.name))"))
    }

    /// - Parameters:
    ///   - parts: The tables that go with it.
    ///   - triggers: Those of other tables that use it, which could not run any more.
    mutating func dropTable(_ name: String, kind: String, with parts: [String], triggers: [SchemaItems.Item]) {
        noteTexts(of: name)
        let dropping = triggers.map { "DROP TRIGGER IF EXISTS \(database.table($0.name))" }
        let others = triggers.filter { RowTriggers.companion(of: $0.name, $0.sql ?? "") == nil }
        let gone = (kind == "table" ? parts : []) + others.map { "the trigger \($0.name) of \($0.table)" }
        drops.append(
            step(
                name,
                dropping + ([name] + parts).map { "DROP TABLE \(database.table($0))" } + forgettingNotes(of: name),
                "the \(kind) is to be dropped" + (gone.isEmpty ? "" : ", and with it \(gone.list(", "))"),
                risk: kind == "table" ? .loses : .adds))
    }

    /// The statements after which another table of a name doesn't have the notes of one that is dropped.
    private func forgettingNotes(of table: String) -> [String] {
        schema.table(notesTable) == nil ? [] : [NotedRenames.statement(forgetting: table, notesTable, database)]
    }

    /// Drops triggers before the table changes.
    mutating func dropTriggers(_ names: [String], of draft: TableDraft) {
        guard !names.isEmpty else { return }
        let dropping = names.map { "DROP TRIGGER \(database.table($0))" }
        companions.before.append(companionStep(draft.found.name, dropping, "what they keep is to be dropped"))
    }

    /// The statements without those that give a shared table a column which another companion has asked for already.
    private mutating func once(_ sql: [String], _ companion: Companion, _ found: SchemaTexts) -> [String] {
        let altering = companion.creatingShared(found, in: database).filter { $0.hasPrefix("ALTER ") }
        return sql.filter { !altering.contains($0) || altered.insert($0).inserted }
    }

    /// Makes a table's companion again, or what keeps it in step.
    mutating func replace(
        _ companion: Companion, _ found: SchemaTexts, of draft: TableDraft, former: Companion?, fills: Bool,
        _ db: any EngineConnection
    ) throws {
        let (table, old) = (draft.found.name, former ?? companion)
        noteTexts(of: table)
        let isKnown = old.items.contains { found[$0.key] != nil }
        let reason =
            isKnown ? "\(companion.name) is to follow other columns, indexes or options" : "it has no \(companion.name)"
        let dropping = old.droppingTriggers(found, in: database)
        if !dropping.isEmpty { companions.before.append(companionStep(table, dropping, reason)) }
        let kept = companion.following(old, found, in: database) { store in
            Companion.StoreChange(
                found: store, renames: draft.renames, values: draft.values, unfit: draft.unfit,
                defaults: draft.defaults, texts: found, database: database)
        }
        if fills, let kept {
            companions.after.append(
                companionStep(
                    table, once(kept.sql, companion, found), reason,
                    rows: try db.rowCount(database.table(old.stores[0].name)),
                    risk: kept.loses ? .loses : .adds))
            return
        }
        let leftover = former.map { $0.droppingTables(found, in: database) } ?? []
        // What another table can't tell it from is lost.
        let begins = fills && companion.following != nil && old.stores.first.map { found[$0.key] != nil } == true
        companions.after.append(
            companionStep(
                table, leftover + once(try companion.creating(found, fills: fills, in: database), companion, found),
                begins ? "\(companion.name) is to start again, since it knows rows by another key" : reason,
                rows: fills ? try db.rowCount(begins ? database.table(old.stores[0].name) : draft.name) : 0,
                risk: begins ? .loses : .adds))
    }

    mutating func dropIndex(_ name: String, _ table: String) {
        noteTexts(of: table)
        indexes.append(step(table, ["DROP INDEX \(database.table(name))"], "the index \(name) is to be dropped"))
    }

    /// The steps that give tables other names.
    private func tableRenames() -> [SchemaPlan.Step] {
        let renamed = drafts.compactMap { draft in draft.newName.map { (old: draft.found.name, new: $0) } }
        var taken = names.union(renamed.map { asciiLowercased($0.new) })
        func free(_ name: String) -> String { freeName(name) { !taken.insert(asciiLowercased($0)).inserted } }
        return Renames.inOrder(renamed, free: free).map { group in
            var sql: [String] = []
            for (old, new) in group {
                // For the same name in other letters, SQLite finds the table in its own way.
                let between = isSameName(old, new) ? free(new) : nil
                for (from, to) in between.map({ [(old, $0), ($0, new)] }) ?? [(old, new)] {
                    sql.append("ALTER TABLE \(database.table(from)) RENAME TO \(SQLText.identifier(to))")
                }
                sql += TableDraft.statistics(names, from: old, to: new, database)
                if hasNotes(of: old, group) {
                    sql.append(NotedRenames.statement(renaming: old, to: new, notesTable, database))
                }
            }
            let own = renamed.filter { rename in group.contains { isSameName($0.new, rename.new) } }
            let names = Set(own.map { asciiLowercased($0.new) })
            return step(
                own[0].old, sql + noting(exchanges.filter { names.contains($0.name) }, of: nil),
                own.map { "\($0.new) was called \($0.old)" }.joined(separator: "; "))
        }
    }

    /// Whether a table has noted exchanges, under its own name or the one that it has in between.
    private func hasNotes(of name: String, _ group: [(old: String, new: String)]) -> Bool {
        noted.contains(asciiLowercased(name))
            || group.contains { isSameName($0.new, name) && noted.contains(asciiLowercased($0.old)) }
    }

    func plan(_ db: any EngineConnection) throws -> SchemaPlan {
        let checks = drafts.flatMap(\.rowChecks)
        let counted = try drops.map { drop in
            step(
                drop.place.name, drop.sql, drop.reason, rows: try db.rowCount(database.table(drop.place.name)),
                risk: drop.risk)
        }
        var steps = companions.before
        steps += changes
        steps += renames
        steps += tableRenames()
        steps += creations
        steps += indexes
        steps += companions.after
        steps += counted
        var newNames: [SchemaPlan.Table: String] = [:]
        for draft in drafts { newNames[key(draft.found.name)] = draft.newName }
        return SchemaPlan(
            steps: steps, notes: notes, obstacles: try checks.compactMap { check in try check.obstacle(db) },
            checks: checks, texts: texts, newNames: newNames)
    }
}

/// A name like another that nothing has.
func freeName(_ name: String, isTaken: (String) -> Bool) -> String {
    var number = 1
    while isTaken("\(name)_\(number)") { number += 1 }
    return "\(name)_\(number)"
}
