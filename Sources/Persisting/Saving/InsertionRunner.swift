/// Runs insertions one after the other: what one needs as the one before did is found once.
struct InsertionRunner {
    /// Whether all of them are undone when one fails.
    let isAtomic: Bool
    private var known: (table: ModelTable, inspection: ModelTable.Inspection)?
    private var last: (target: InsertionTarget, lacksKey: Bool)?
    private var text: InsertText?
    private var statement: Statement?

    init(isAtomic: Bool = false) {
        self.isAtomic = isAtomic
    }

    /// Runs the INSERT.
    ///
    /// - Returns: Nil when a row is in the way that the object is to be ignored for.
    mutating func run(_ insertion: Insertion, _ db: Database) throws -> Insertion.Outcome? {
        let inspection: ModelTable.Inspection
        if let known, known.table === insertion.target.table {
            inspection = known.inspection
        } else {
            inspection = try insertion.table.checkForWriting(db)
            (known, last, text, statement) = ((insertion.table, inspection), nil, nil, nil)
        }
        let lacksKey = try insertion.lacksKey()
        let text = try text(of: insertion, inspection, lacksKey: lacksKey)
        let statement = try self.statement ?? insertion.prepare(text, db)
        if self.statement == nil { self.statement = statement }
        // A value that the property cannot hold takes the row with it.
        return isAtomic || insertion.mapping.holdsAll(text, lacksKey: lacksKey)
            ? try insertion.run(text, statement, lacksKey: lacksKey, db)
            : try db.savepoint { try insertion.run(text, statement, lacksKey: lacksKey, db) }
    }

    /// The text of an object's INSERT. That of the one before is the same as a rule.
    private mutating func text(
        of insertion: Insertion, _ inspection: ModelTable.Inspection, lacksKey: Bool
    ) throws -> InsertText {
        let (target, mapping) = (insertion.target, insertion.target.mapping)
        // Nothing of the object but its key decides.
        let isLikeOthers =
            insertion.special?.leavesOutAll != true && inspection.optionalsWithDefault.isEmpty
            && mapping.deferred.isEmpty
        if isLikeOthers, let text, let last, last.lacksKey == lacksKey {
            if last.target === target { return text }
            if last.target.conflict == target.conflict {
                self.last = (target, lacksKey)
                return text
            }
        }
        last = (target, lacksKey)
        let isPlain = isLikeOthers && target.conflict == .abort && inspection.generatedColumns.isEmpty
        let new =
            try isPlain ? mapping.sql.insert : mapping.sql.insert(insertion.shape(inspection, lacksKey: lacksKey))
        if new !== text { (text, statement) = (new, nil) }
        return new
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
        return SQL(text.sql.text, Arguments(try text.bound.map { try mapping.stored($0, in: image) }))
    }

    /// Whether SQLite is to make the key.
    ///
    /// - Throws: ``PersistenceError/Code/missingPrimaryKeyValue``.
    fileprivate func lacksKey() throws -> Bool {
        let (mapping, image) = (target.mapping, image)
        guard mapping.key.contains(where: { mapping.isNull($0, in: image) }) else { return false }
        guard mapping.isKeyGenerated else { throw mapping.missingKeyValue() }
        return true
    }

    /// What the INSERT of this object looks like.
    ///
    /// - Throws: ``PersistenceError/Code/noUniqueConstraint``.
    fileprivate func shape(_ known: ModelTable.Inspection, lacksKey: Bool) throws -> InsertShape {
        let (mapping, conflict) = (mapping, target.conflict)
        let generated = known.generatedColumns
        let leavesOutAll = special?.leavesOutAll ?? false
        var omitted = generated
        for index in leavesOutAll ? known.columnsWithDefault : known.optionalsWithDefault
        where special?.given.contains(index) != true {
            if leavesOutAll || holdsNil(index) { omitted.insert(index) }
        }
        guard case .update(let upsert) = conflict else {
            return InsertShape(conflict: conflict, omitted: omitted, returned: omitted)
        }

        let uniqueness = known.uniqueness
        if upsert.target == nil, !uniqueness.hasOthers {
            guard uniqueness.hasKey else {
                throw mapping.noUniqueConstraint("the table \(mapping.tableName) has no unique constraint")
            }
            // No row can be in the way.
            if lacksKey { return InsertShape(conflict: .abort, omitted: omitted, returned: omitted) }
        }
        // A deferred property that is nil may never have been loaded: its column is neither written nor read.
        var unloaded = ColumnSet()
        for index in mapping.deferred where holdsNil(index) { unloaded.insert(index) }
        omitted = omitted.union(unloaded)
        for index in upsert.written ?? ColumnSet() where generated.contains(index) { try table.checkWritable(index) }
        // A key that is nil is none, and the row keeps its own.
        let written = mapping.written(over: upsert.written).subtracting(
            lacksKey ? omitted.union(mapping.keySet) : omitted)
        var returned = mapping.allColumns.subtracting(written).subtracting(unloaded)
        let findsByKey = upsert.target.map { ColumnSet($0) == mapping.keySet } ?? !uniqueness.hasOthers
        if !lacksKey, findsByKey, uniqueness.isKeyExact { returned = returned.subtracting(mapping.keySet) }
        return InsertShape(
            conflict: .update(UpsertColumns(target: upsert.target, written: written)),
            isKeyFirst: upsert.target == nil && uniqueness.hasKey && uniqueness.hasOthers, omitted: omitted,
            returned: returned)
    }

    private func holdsNil(_ index: Int) -> Bool { mapping.isNull(index, in: image) }

    /// Runs the INSERT, and takes what the database has put beside what it was given.
    fileprivate func run(
        _ text: InsertText, _ statement: Statement, lacksKey: Bool, _ db: Database
    ) throws -> Outcome? {
        let mapping = target.mapping
        defer { statement.clear() }
        try statement.bindAll { _ = try mapping.bind(image, text.bound, to: statement) }
        var outcome = Outcome()
        if text.returned.isEmpty {
            guard try statement.run() > 0 else { return try notInserted(statement) }
        } else {
            guard try statement.step() else { return try notInserted(statement) }
            for (position, index) in text.returned.enumerated() {
                do {
                    outcome.values.append((index, try mapping.taken(statement.value(at: position), index)))
                } catch let error as PersistenceError {
                    throw error.adding(sql: statement.sql)
                }
            }
            while try statement.step() {}
        }
        if lacksKey, let key = mapping.key.first, !text.shape.returned.contains(key) {
            outcome.key = db.lastInsertRowID
            if !mapping.holdsAnyInteger(key) { _ = try mapping.taken(.integer(db.lastInsertRowID), key) }
        }
        return outcome
    }

    fileprivate func prepare(_ text: InsertText, _ db: Database) throws -> Statement {
        do {
            return try db.prepare(text.sql)
        } catch {
            guard error.message.hasPrefix("ON CONFLICT clause does not match"),
                case .update(let upsert) = target.conflict
            else { throw error }
            let names = (upsert.target ?? mapping.key).map { mapping.columns[$0].key }
            throw mapping.noUniqueConstraint(
                "no unique constraint of the table \(mapping.tableName) is just on "
                    + names.joined(separator: ", "), underlying: error)
        }
    }

    private func notInserted(_ statement: Statement) throws -> Outcome? {
        if target.conflict == .ignore { return nil }
        throw PersistenceError(
            .notInserted, "the table passed over the row: a conflict clause or a trigger ignores it",
            model: mapping.modelName, sql: statement.sql)
    }
}
