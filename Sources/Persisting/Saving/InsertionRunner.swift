/// Runs insertions one after the other: what one needs as the one before did is found once.
struct InsertionRunner {
    /// Whether all of them are undone when one fails.
    let isAtomic: Bool
    private var table: ModelTable?
    private var inspection: ModelTable.Inspection?
    private var last: (conflict: InsertConflict, lacksKey: Bool)?
    private var text: InsertText?
    private var statement: Statement?

    init(isAtomic: Bool = false) {
        self.isAtomic = isAtomic
    }

    /// Runs the INSERT.
    ///
    /// - Returns: Nil when a row is in the way that the object is to be ignored for.
    mutating func run(_ insertion: Insertion, _ db: Database) throws -> Insertion.Outcome? {
        let mapping = insertion.table.mapping
        let known: ModelTable.Inspection
        if let inspection, table === insertion.table {
            known = inspection
        } else {
            known = try insertion.table.checkForWriting(db)
            (table, inspection, text, statement) = (insertion.table, known, nil, nil)
        }
        let lacksKey = try insertion.lacksKey()
        let text = try text(of: insertion, known, lacksKey: lacksKey)
        let statement = try self.statement ?? insertion.prepare(text, db)
        // One that is to be run again is not asked for again.
        if isAtomic { self.statement = statement }
        // A value that the property cannot hold takes the row with it.
        return isAtomic || mapping.holdsAll(text, lacksKey: lacksKey)
            ? try insertion.run(text, statement, lacksKey: lacksKey, db)
            : try db.savepoint { try insertion.run(text, statement, lacksKey: lacksKey, db) }
    }

    /// The text of an object's INSERT. That of the one before is the same as a rule.
    private mutating func text(
        of insertion: Insertion, _ known: ModelTable.Inspection, lacksKey: Bool
    ) throws -> InsertText {
        let mapping = insertion.table.mapping
        let isLikeAll =
            known.optionalsWithDefault.isEmpty && mapping.deferred.isEmpty && !insertion.leavesOutAll
        if isLikeAll, let text, let last, last.lacksKey == lacksKey, last.conflict == insertion.conflict {
            return text
        }
        last = (insertion.conflict, lacksKey)
        let new: InsertText
        if isLikeAll, known.generatedColumns.isEmpty, case .abort = insertion.conflict {
            new = mapping.sql.insert
        } else {
            let shape = try insertion.shape(known, lacksKey: lacksKey)
            if let text, text.shape == shape { return text }
            new = mapping.sql.insert(shape)
        }
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
        let mapping = table.mapping
        let text = mapping.sql.insert(try shape(known, lacksKey: lacksKey()))
        return SQL(text.sql.text, Arguments(try text.bound.map { try mapping.stored($0, in: images[slot]) }))
    }

    /// Whether SQLite is to make the key.
    ///
    /// - Throws: ``PersistenceError/Code/missingPrimaryKeyValue``.
    fileprivate func lacksKey() throws -> Bool {
        let lacksKey = table.mapping.key.contains(where: holdsNil)
        if lacksKey, !table.mapping.isKeyGenerated { throw table.mapping.missingKeyValue() }
        return lacksKey
    }

    /// What the INSERT of this object looks like.
    ///
    /// - Throws: ``PersistenceError/Code/noUniqueConstraint``.
    fileprivate func shape(_ known: ModelTable.Inspection, lacksKey: Bool) throws -> InsertShape {
        let mapping = table.mapping
        let generated = ColumnSet(known.generatedColumns)
        var omitted = generated
        for index in leavesOutAll ? known.columnsWithDefault : known.optionalsWithDefault
        where !given.contains(index) {
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
        try upsert.written?.forEach { if generated.contains($0) { try table.checkWritable($0) } }
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

    private func holdsNil(_ index: Int) -> Bool { table.mapping.isNull(index, in: images[slot]) }

    /// Runs the INSERT, and takes what the database has put beside what it was given.
    fileprivate func run(
        _ text: InsertText, _ statement: Statement, lacksKey: Bool, _ db: Database
    ) throws -> Outcome? {
        let mapping = table.mapping
        defer { statement.clear() }
        _ = try mapping.bind(images[slot], text.bound, to: statement)
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
            guard error.message.hasPrefix("ON CONFLICT clause does not match"), case .update(let upsert) = conflict
            else { throw error }
            let names = (upsert.target ?? table.mapping.key).map { table.mapping.columns[$0].key }
            throw table.mapping.noUniqueConstraint(
                "no unique constraint of the table \(table.mapping.tableName) is just on "
                    + names.joined(separator: ", "), underlying: error)
        }
    }

    private func notInserted(_ statement: Statement) throws -> Outcome? {
        if conflict == .ignore { return nil }
        throw PersistenceError(
            .notInserted, "the table passed over the row: a conflict clause or a trigger ignores it",
            model: table.mapping.modelName, sql: statement.sql)
    }
}
