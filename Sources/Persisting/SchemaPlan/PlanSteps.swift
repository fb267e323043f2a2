/// Steps while they are collected, each kind in its place.
struct PlanSteps {
    var notes: [SchemaPlan.Note] = []
    /// The names that are taken, in lower case.
    private let names: Set<String>
    private var drafts: [TableDraft] = []
    private var changes: [SchemaPlan.Step] = []
    private var renames: [SchemaPlan.Step] = []
    private var creations: [SchemaPlan.Step] = []
    private var indexes: [SchemaPlan.Step] = []
    private var drops: [SchemaPlan.Step] = []
    private var texts: [String: String?] = [:]

    init(names: Set<String>) {
        self.names = names
    }

    /// Adds what a table needs.
    mutating func add(_ draft: TableDraft, _ db: any EngineConnection) throws {
        guard !draft.isDone else { return }
        let name = SQLText.identifier(draft.found.name)
        let rows = try db.rowCount(draft.found.name)
        drafts.append(draft)
        texts[asciiLowercased(draft.found.name)] = draft.text
        func step(
            _ sql: [String], _ reason: String, rows: Int = 0, risk: SchemaPlan.Risk = .adds, isRebuild: Bool = false
        ) -> SchemaPlan.Step {
            SchemaPlan.Step(
                table: draft.found.name, sql: sql, rows: rows, risk: risk, reason: reason, isRebuild: isRebuild)
        }
        if draft.needsRebuild {
            let risk: SchemaPlan.Risk = draft.loses ? .loses : rows == 0 ? .adds : .rewrites
            let reasons = draft.differences.filter { !$0.text.contains("has no index as by") }.map(\.text)
            changes.append(
                step(
                    draft.rebuild(besides: names), reasons.joined(separator: "; "), rows: rows, risk: risk,
                    isRebuild: true))
        } else {
            for difference in draft.differences {
                guard let addition = difference.addition else { continue }
                changes.append(step(["ALTER TABLE \(name) ADD COLUMN \(addition.sql)"], difference.text))
            }
        }
        for rename in draft.renames {
            let (old, new) = (SQLText.identifier(rename.old), SQLText.identifier(rename.new))
            renames.append(
                step(["ALTER TABLE \(name) RENAME COLUMN \(old) TO \(new)"], "\(rename.new) was called \(rename.old)"))
        }
        if let newName = draft.newName {
            renames.append(
                step(
                    ["ALTER TABLE \(name) RENAME TO \(SQLText.identifier(newName))"]
                        + draft.statistics(names, from: draft.found.name, to: newName),
                    "\(newName) was called \(draft.found.name)"))
        }
        for index in draft.droppedIndexes where !draft.needsRebuild {
            indexes.append(step(["DROP INDEX \(SQLText.identifier(index))"], "the index \(index) is to be dropped"))
        }
        for index in draft.newIndexes {
            let columns = index.columns.compactMap(\.name).joined(separator: ", ")
            indexes.append(
                step([index.sql], "it has no \(index.isUnique ? "unique " : "")index on \(columns)", rows: rows))
        }
    }

    mutating func create(_ definition: TableDefinition) {
        texts[asciiLowercased(definition.name)] = .some(nil)
        creations.append(
            SchemaPlan.Step(
                table: definition.name, sql: [definition.sql] + definition.indexes.map(\.sql), rows: 0, risk: .adds,
                reason: "there is no table \(definition.name)", isRebuild: false))
    }

    mutating func dropTable(_ name: String, _ text: String) {
        texts[asciiLowercased(name)] = text
        drops.append(
            SchemaPlan.Step(
                table: name, sql: ["DROP TABLE \(SQLText.identifier(name))"], rows: 0, risk: .loses,
                reason: "the table is to be dropped", isRebuild: false))
    }

    mutating func dropIndex(_ name: String, _ table: String, _ text: String) {
        texts[asciiLowercased(table)] = text
        indexes.append(
            SchemaPlan.Step(
                table: table, sql: ["DROP INDEX \(SQLText.identifier(name))"], rows: 0, risk: .adds,
                reason: "the index \(name) is to be dropped", isRebuild: false))
    }

    func plan(_ db: any EngineConnection) throws -> SchemaPlan {
        let checks = drafts.flatMap(\.rowChecks)
        let counted = try drops.map { step in
            SchemaPlan.Step(
                table: step.table, sql: step.sql, rows: try db.rowCount(step.table), risk: step.risk,
                reason: step.reason, isRebuild: false)
        }
        var steps = changes
        steps += renames
        steps += creations
        steps += indexes
        steps += counted
        var newNames: [String: String] = [:]
        for draft in drafts { newNames[asciiLowercased(draft.found.name)] = draft.newName }
        return SchemaPlan(
            steps: steps, notes: notes, obstacles: try checks.compactMap { check in try check.obstacle(db) },
            checks: checks, texts: texts, newNames: newNames)
    }
}

extension EngineConnection {
    /// How many rows a table has.
    func rowCount(_ table: String) throws -> Int {
        try rows("SELECT count(*) FROM main.\(identifier: table)", cached: false).first?.value(at: 0, as: Int.self) ?? 0
    }
}
