/// Runs writes in their order: what one insertion needs as the one before did is found once, and several writes of one
/// kind can wait to be run by one statement; see ``RowGroup``.
final class WriteRunner {
    /// Whether all of them are undone when one fails.
    let isAtomic: Bool
    /// The fewest that are worth it.
    private static let fewest = 8
    // The compiler would check each access for overlap at run time; one thread has the runner, and no access spans a
    // call.
    @exclusivity(unchecked) private var table: ModelTable?
    @exclusivity(unchecked) private var inspection: ModelTable.Inspection?
    @exclusivity(unchecked) private var plan: InsertionPlan?
    /// The writes that wait; nil where none may.
    let waiting: WaitingWrites?
    /// The groups that updates of some columns can wait in; nil for those that can't.
    @exclusivity(unchecked) var updates: [UpdateKey: GroupedUpdates?] = [:]
    @exclusivity(unchecked) var lastUpdates: (key: UpdateKey, group: GroupedUpdates?)?
    /// Whether rows have been inserted, or keys changed.
    @exclusivity(unchecked) var mayHaveNewKeys = false
    @exclusivity(unchecked) var lastDeletions: (table: ModelTable, group: RowGroup?)?

    /// - Parameter count: How many there may be.
    init(isAtomic: Bool = false, count: Int = 1) {
        self.isAtomic = isAtomic
        waiting = isAtomic && count >= Self.fewest ? WaitingWrites() : nil
    }

    /// Forgets which keys SQLite makes next, since an update may have written a greater one.
    func forgetKeys() { plan?.groups?.forgetKeys() }

    /// Runs the INSERT.
    ///
    /// - Returns: Nil if the object was skipped because of a conflicting row.
    func executeInsert(of insertion: borrowing Insertion, _ db: any EngineConnection) throws -> WriteOutcome? {
        do {
            return try insert(insertion, db)
        } catch let error as SQLiteError where error.code == .error && looksAgain(at: insertion.target.table, db) {
            return try insert(insertion, db)
        }
    }

    /// Looks at the table again after an INSERT was rejected.
    ///
    /// - Returns: Whether it computes other columns than it did, since another connection has changed it.
    private func looksAgain(at table: ModelTable, _ db: any EngineConnection) -> Bool {
        (self.table, inspection) = (nil, nil)
        plan = nil
        let known = table.generatedColumns
        table.forgetSchema()
        // Why it cannot be looked at says less than why the INSERT was rejected.
        return (try? table.checkForWriting(db)) != nil && table.generatedColumns != known
    }

    private func insert(_ insertion: borrowing Insertion, _ db: any EngineConnection) throws -> WriteOutcome? {
        // Taken out, so that no reference is counted to what it has. After an error another is made.
        let plan = try takePlan(for: insertion, db)
        let target = insertion.target
        let outcome = try target.table.whole(db, isAtomic: isAtomic, replaces: target.conflict == .replace) {
            // If the property can't hold a value, the row is rolled back.
            isAtomic || plan.holdsAll
                ? try insertion.executeInsert(by: plan, db)
                : try db.savepoint { try insertion.executeInsert(by: plan, db) }
        }
        self.plan = consume plan
        return outcome
    }

    /// The groups that an insertion can wait in; nil where it is to be run by itself.
    func groups(for insertion: borrowing Insertion, _ db: any EngineConnection) throws -> GroupedInserts? {
        let plan = try takePlan(for: insertion, db)
        let groups = plan.groups
        self.plan = consume plan
        return groups
    }

    /// The plan of an object's INSERT. That of the one before is the same as a rule.
    private func takePlan(for insertion: borrowing Insertion, _ db: any EngineConnection) throws -> InsertionPlan {
        let lacksKey = try insertion.lacksKey()
        guard let last = plan.take() else { return try plan(for: insertion, lacksKey: lacksKey, after: nil, db) }
        if last.isFor(insertion, lacksKey: lacksKey) { return last }
        return try plan(
            for: insertion, lacksKey: lacksKey, after: (last.text, last.statement, last.groups), db)
    }

    /// - Parameter last: What the plan of the one before has, which may serve this one too.
    private func plan(
        for insertion: borrowing Insertion, lacksKey: Bool,
        after last: (text: InsertText, statement: PreparedStatement, groups: GroupedInserts?)?,
        _ db: any EngineConnection
    ) throws -> InsertionPlan {
        var last = last
        if table !== insertion.target.table {
            inspection = try insertion.target.table.checkForWriting(db)
            (table, last) = (insertion.target.table, nil)
        }
        let inspection = try inspection ?? insertion.target.table.checkForWriting(db)
        let target = insertion.target
        // Nothing of the object but its key decides.
        let isLikeOthers =
            insertion.special?.leavesOutAll != true && inspection.optionalsWithDefault.isEmpty
            && target.mapping.deferred.isEmpty
        let isOfAll = isLikeOthers && inspection.generatedColumns.isEmpty && inspection.convertedDates.isEmpty
        let sql = target.mapping.sql
        let text =
            try isOfAll && target.conflict == .abort
            ? sql.insert : sql.insert(insertion.shape(inspection, lacksKey: lacksKey))
        let known = last.flatMap { $0.text === text ? $0.statement : nil }
        let statement = try known ?? target.table.prepare(text, target.conflict, db)
        var groups: GroupedInserts?
        if waiting != nil, isOfAll, target.conflict != .ignore, target.conflict != .replace {
            if let known = last?.groups, known.serve(target.table, text, lacksKey: lacksKey) {
                groups = known
            } else {
                groups = try GroupedInserts(target.table, text, lacksKey: lacksKey, like: statement, db)
            }
        }
        return InsertionPlan(
            target: target, lacksKey: lacksKey, text: text, statement: statement, isLikeOthers: isLikeOthers,
            groups: groups)
    }
}

/// How insertions are run that are like each other.
struct InsertionPlan: ~Copyable {
    let target: InsertionTarget
    /// Whether SQLite is to make the key.
    let lacksKey: Bool
    let text: InsertText
    let statement: PreparedStatement
    /// Whether it serves every object of the target with a key, or without one.
    private let isLikeOthers: Bool
    /// Whether the properties hold whatever comes back.
    let holdsAll: Bool
    /// The INSERTs of several rows; nil where rows are inserted one at a time.
    let groups: GroupedInserts?

    fileprivate init(
        target: InsertionTarget, lacksKey: Bool, text: InsertText, statement: PreparedStatement, isLikeOthers: Bool,
        groups: GroupedInserts?
    ) {
        self.groups = groups
        self.target = target
        self.lacksKey = lacksKey
        self.text = text
        self.statement = statement
        self.isLikeOthers = isLikeOthers
        holdsAll = target.mapping.holdsAll(text, lacksKey: lacksKey)
    }

    func isFor(_ insertion: borrowing Insertion, lacksKey: Bool) -> Bool {
        isLikeOthers && insertion.target === target && lacksKey == self.lacksKey
            && insertion.special?.leavesOutAll != true
    }
}

extension Mapping {
    /// Whether the properties hold whatever comes back.
    fileprivate func holdsAll(_ text: InsertText, lacksKey: Bool) -> Bool {
        guard lacksKey || !text.returned.isEmpty else { return true }
        return isKeyGenerated && key.allSatisfy(holdsAnyInteger) && text.returned.allSatisfy { fields[$0].isKey }
    }
}

extension Insertion {
    /// The INSERT with its values, which is not run.
    func statement(_ known: ModelTable.Inspection) throws -> SQL {
        let text = mapping.sql.insert(try shape(known, lacksKey: lacksKey()))
        return SQL(text.sql.text, Arguments(try text.bound.map { try mapping.stored($0, in: trackedValues) }))
    }

    /// Whether SQLite is to make the key.
    ///
    /// - Throws: ``PersistenceError/Code/missingPrimaryKeyValue``.
    @inline(__always)
    fileprivate func lacksKey() throws -> Bool {
        guard target.mapping.lacksKey(trackedValues) else { return false }
        guard target.mapping.isKeyGenerated else { throw target.mapping.missingKeyValue() }
        return true
    }

    /// What the INSERT of this object looks like.
    ///
    /// - Throws: ``PersistenceError/Code/noUniqueConstraint``.
    fileprivate func shape(_ known: ModelTable.Inspection, lacksKey: Bool) throws -> InsertShape {
        let conflict = target.conflict
        let generated = known.generatedColumns
        let leavesOutAll = special?.leavesOutAll ?? false
        var omitted = generated
        for index in leavesOutAll ? known.columnsWithDefault : known.optionalsWithDefault
        where special?.given.contains(index) != true {
            if leavesOutAll || holdsNil(index) { omitted.insert(index) }
        }
        guard case .update(let upsert) = conflict else {
            return InsertShape(
                conflict: conflict, omitted: omitted, returned: omitted, dates: try dates(known, besides: omitted))
        }

        return try shape(upsert, known, lacksKey: lacksKey, omitted: omitted)
    }

    /// What an upsert looks like.
    ///
    /// - Parameter omitted: The columns that are left to the table.
    private func shape(
        _ upsert: UpsertColumns, _ known: ModelTable.Inspection, lacksKey: Bool, omitted: ColumnSet
    ) throws -> InsertShape {
        let uniqueness = known.uniqueness
        var omitted = omitted
        if upsert.target == nil, !uniqueness.hasOthers {
            guard uniqueness.hasKey else {
                throw mapping.noUniqueConstraint("the table \(mapping.tableName) has no unique constraint")
            }
            // No row can conflict.
            if lacksKey {
                return InsertShape(
                    conflict: .abort, omitted: omitted, returned: omitted, dates: try dates(known, besides: omitted))
            }
        }
        // A deferred property that is nil may never have been loaded: its column is neither written nor read.
        var unloaded = ColumnSet()
        for index in mapping.deferred where holdsNil(index) { unloaded.insert(index) }
        omitted = omitted.union(unloaded)
        for index in upsert.written ?? ColumnSet() where known.generatedColumns.contains(index) {
            try table.checkWritable(index)
        }
        // A key that is nil is none, and the row keeps its own.
        let written = mapping.written(over: upsert.written).subtracting(
            lacksKey ? omitted.union(mapping.keySet) : omitted)
        var returned = mapping.allColumns.subtracting(written).subtracting(unloaded)
        let findsByKey = upsert.target.map { ColumnSet($0) == mapping.keySet } ?? !uniqueness.hasOthers
        if !lacksKey, findsByKey, uniqueness.isKeyExact { returned = returned.subtracting(mapping.keySet) }
        return InsertShape(
            conflict: .update(
                UpsertColumns(
                    target: upsert.target, conditions: uniqueness.conditions(on: upsert.target), written: written)),
            isKeyFirst: upsert.target == nil && uniqueness.hasKey && uniqueness.hasOthers, omitted: omitted,
            returned: returned, dates: try dates(known, besides: omitted))
    }

    /// The forms of the dates that are written.
    private func dates(_ known: ModelTable.Inspection, besides omitted: ColumnSet) throws -> [Int: DateForm] {
        known.convertedDates.isEmpty
            ? [:] : try known.dateForms(mapping.allColumns.subtracting(omitted), mapping, isNew: true)
    }

    private func holdsNil(_ index: Int) -> Bool { mapping.isNull(index, in: trackedValues) }

    /// Runs the INSERT, and takes what the database has put in besides what it was given.
    @inline(__always)
    fileprivate func executeInsert(by plan: borrowing InsertionPlan, _ db: any EngineConnection) throws -> WriteOutcome?
    {
        switch plan.statement {
        case .local(let statement): try stepInsert(plan, statement, db)
        case .other(let statement): try stepInsert(plan, statement, db)
        }
    }

    private func stepInsert(
        _ plan: borrowing InsertionPlan, _ statement: some EngineStatement, _ db: any EngineConnection
    ) throws -> WriteOutcome? {
        try target.table.checkFit(plan.text.bound, of: trackedValues)
        defer { statement.clear() }
        try statement.bindAll { _ = try target.mapping.bind(trackedValues, plan.text.bound, to: statement) }
        var outcome = WriteOutcome()
        if plan.text.returned.isEmpty {
            guard try statement.run() > 0 else { return try notInserted(statement) }
        } else {
            guard try statement.step() else { return try notInserted(statement) }
            outcome.special = .init(values: try values(plan.text.returned, of: statement))
            while try statement.step() {}
        }
        if plan.lacksKey, let key = target.mapping.key.first, !plan.text.returned.contains(key) {
            outcome.key = db.lastInsertRowID
            if !target.mapping.holdsAnyInteger(key) {
                _ = try target.mapping.taken(.integer(db.lastInsertRowID), key)
            }
        }
        if target.mapping.rowID != nil { target.trackedRows.schemaVersion = target.mapping.schemaVersion(db) }
        return try target.table.effects(db).contains(.rewritesRow) ? readAgain(outcome) : outcome
    }

    /// Adds what triggers have made of the row, which RETURNING doesn't say.
    private func readAgain(_ outcome: WriteOutcome) throws -> WriteOutcome {
        guard !mapping.key.isEmpty else { return outcome }
        let row = try target.table.row(try key(outcome), loaded: mapping.loaded(in: trackedValues))
        return outcome.adding(row: row)
    }

    /// The values that the database has put into the row.
    private func values(
        _ returned: ColumnSet, of statement: some EngineStatement
    ) throws -> [(index: Int, value: SQLiteValue)] {
        try returned.enumerated().map { position, index in
            do {
                return (index, try mapping.taken(statement.value(at: position), index))
            } catch let error as PersistenceError {
                throw error.adding(sql: statement.sql)
            }
        }
    }

    private func notInserted(_ statement: some EngineStatement) throws -> WriteOutcome? {
        if target.conflict == .ignore { return nil }
        let isUpsert = if case .update = target.conflict { true } else { false }
        let other = isUpsert && mapping.place != nil ? "the existing row is of another class, or " : ""
        throw PersistenceError(
            .notInserted, "the row was ignored: \(other)a conflict clause or a trigger ignores it",
            model: mapping.modelName, sql: statement.sql)
    }
}
