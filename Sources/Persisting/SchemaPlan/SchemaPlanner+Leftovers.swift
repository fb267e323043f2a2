/// What no class has.
extension SchemaPlanner {
    func drop(
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

    func note(of column: ColumnDefinition, _ name: String) -> SchemaPlan.Note {
        SchemaPlan.Note(name: name, message: "the column \(name), which no class has")
    }

    private func note(ofIndex name: String, _ table: String) -> SchemaPlan.Note {
        SchemaPlan.Note(name: name, message: "the index \(name) on \(table), which no class has")
    }

    func noteIndexes(
        of table: SchemaItems.Item, known: Set<String>, _ dropped: Set<String>, _ steps: inout PlanSteps
    ) {
        for item in schema.all where item.type == "index" && item.sql != nil && isSameName(item.table, table.name) {
            guard !known.contains(asciiLowercased(item.name)) else { continue }
            if dropped.contains(asciiLowercased(item.name)) {
                steps.dropIndex(item.name, table.name)
            } else {
                steps.notes.append(note(ofIndex: item.name, database.title(table.name)))
            }
        }
    }

    func noteTables(besides known: Set<String>, _ dropped: Set<String>, _ steps: inout PlanSteps) {
        var known = known
        // What belongs to an index for full-text search goes with it.
        for item in schema.all where schema.isFullTextIndex(item) && !known.contains(asciiLowercased(item.name)) {
            known.formUnion(schema.companionParts(of: item).map { asciiLowercased($0.name) })
        }
        // And what belongs to a table, with that.
        for item in schema.all
        where item.type == "table" && dropped.contains(asciiLowercased(database.title(item.name))) {
            known.formUnion(schema.companionParts(of: item).map { asciiLowercased($0.name) })
        }
        for item in schema.all where item.type == "table" {
            let name = asciiLowercased(item.name)
            guard !known.contains(name), !name.hasPrefix("sqlite_"), !ownTables.contains(name),
                !schema.shadows.contains(name), !item.isVirtual || schema.isFullTextIndex(item)
            else { continue }
            let title = database.title(item.name)
            let kind = item.isVirtual ? "full-text index" : "table"
            if dropped.contains(asciiLowercased(title)) {
                let parts = schema.companionParts(of: item)
                steps.dropTable(
                    item.name, kind: kind, with: parts.map(\.name), triggers: schema.triggers(using: item, or: parts))
            } else {
                steps.notes.append(SchemaPlan.Note(name: title, message: "the \(kind) \(title), which no class has"))
            }
        }
    }
}

extension TableDraft {
    /// Drops the triggers of companions that no class has any more, where they name a column that is dropped: a trigger
    /// that can't run would keep rows from being written.
    mutating func dropLeftoverTriggers() {
        let left = triggers.filter { trigger in
            let text = SQLTokens(trigger.sql)
            return dropped.contains { column in
                // Each column that a companion knows is one of a row that comes or goes.
                text.tokens.indices.dropFirst(2).contains { place in
                    text.tokens[place - 1].isSymbol(".")
                        && ["new", "old"].contains(where: text.tokens[place - 2].isWord)
                        && text.columnName(at: place).map { isSameName($0, column) } == true
                }
            }
        }
        let names = Set(left.compactMap { RowTriggers.companion(of: $0.name, $0.sql) })
        triggers.removeAll { RowTriggers.companion(of: $0.name, $0.sql).map(names.contains) == true }
        for name in names.sorted() { differ("\(name), which no class has, is no longer kept") }
    }

    /// Leaves out the triggers of some companions.
    ///
    /// - Returns: Their names.
    mutating func removeTriggers(_ isGone: (String) -> Bool) -> [String] {
        let gone = triggers.filter { RowTriggers.companion(of: $0.name, $0.sql).map(isGone) == true }.map(\.name)
        triggers.removeAll { gone.contains($0.name) }
        return gone
    }

    /// Drops a column, with the indexes and constraints that it is in.
    mutating func dropColumn(_ name: String) {
        dropped.append(name)
        target.columns.removeAll { isSameName($0.name, name) }
        var gone = target.constraints.filter { has($0, name) }.map(\.sql)
        target.constraints = target.constraints.filter { !has($0, name) }
        for place in target.columns.indices {
            let column = target.columns[place]
            func goes(_ clause: Clause) -> Bool {
                clause.kind == .check && has(clause, name)
                    || clause.kind == .foreignKey && refers(ForeignKeyDefinition(clause, of: column.name), to: name)
            }
            gone += column.clauses.filter(goes).map { "\($0.sql) of \(column.name)" }
            let left = column.clauses.filter { !goes($0) }
            target.columns[place].clauses = left
        }
        for index in found.indexes where index.has(name) {
            droppedIndexes.append(index.name)
            gone.append("the index \(index.name)")
        }
        loses = true
        differ(
            "the column \(name) is to be dropped"
                + (gone.isEmpty ? "" : ", and with it \(gone.joined(separator: ", "))"))
    }

    /// Whether a constraint of the table, other than its key, has a column.
    private func has(_ clause: Clause, _ column: String) -> Bool {
        switch clause.kind {
        case .unique: return TableDefinition.names(in: clause).contains { isSameName($0, column) }
        case .check: return SQLTokens(clause.inside ?? "").mentions(column)
        case .foreignKey:
            let key = ForeignKeyDefinition(clause, of: nil)
            return refers(key, to: column) || key.columns.contains { isSameName($0, column) }
        default: return false
        }
    }

    /// Whether a foreign key refers to a column of the table's own.
    private func refers(_ key: ForeignKeyDefinition, to column: String) -> Bool {
        isSameName(key.parent, found.name) && key.parentColumns.contains { isSameName($0, column) }
    }
}

extension IndexDefinition {
    /// Whether it is of a column, or of some rows by their values of it.
    fileprivate func has(_ column: String) -> Bool {
        columns.contains { term in
            term.name.map { isSameName($0, column) } ?? SQLTokens(term.expression ?? "").mentions(column)
        } || SQLTokens(condition ?? "").mentions(column)
    }
}

extension ColumnDefinition {
    /// Whether a row without a value of the column can't be inserted.
    var isNeeded: Bool { has(.notNull) && !has(.defaultValue) && !has(.generated) && !has(.primaryKey) }
}
