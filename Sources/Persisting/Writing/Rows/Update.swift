/// Columns on their way into an object's row, as values that may cross to the database's side.
struct Update: ~Copyable, Sendable {
    let target: UpdateTarget
    /// Which of the target's tracked rows has the values that are written. Once the object has exchanged its tracked
    /// values for these, they are what the row held before.
    private let slot: Int
    private let row: KnownRow
    private let automaticValues: [AutomaticValue]
    /// Whether the columns are those that have changed, and not those that the caller has named.
    private let isOfChanges: Bool

    /// A property that the caller of an update has set.
    struct Assignment {
        /// Whether it held what the row did.
        var wasAsRead = false
        /// Gives it its old value again when the transaction is rolled back, where it does not hold what the row did.
        var restore: ((PersistingModel) -> Void)?
    }

    var table: ModelTable { target.table }
    var mapping: Mapping { target.mapping }
    /// The values that are written.
    var memory: Memory { target.trackedRows[slot] }
    /// The key under which the row is stored.
    var key: [SQLiteValue] { get throws { try row.key } }
    private var values: TrackedRow { TrackedRow(trackedRows: target.trackedRows, slot: slot) }

    /// Takes an object's values.
    ///
    /// - Parameter ofChanges: Whether the columns are those that have changed, and not those that the caller has named.
    static func taking(
        _ object: PersistingModel, _ target: consuming UpdateTarget, _ row: consuming KnownRow, ofChanges: Bool = false
    ) throws -> Update {
        let slot = try target.add(object, besides: row.known.trackedRows.isTracking ? row.trackedValues : nil)
        if target.isWhole {
            // The key stays as it is stored, perhaps in another form than the class's.
            for index in target.mapping.key where try !target.mapping.differs(index, object, row.trackedValues) {
                let stored = try target.mapping.stored(index, in: row.trackedValues)
                try target.mapping.assign(stored: stored, to: index, in: target.trackedRows[slot])
            }
        }
        if target.writesKey, target.mapping.isKeyGenerated, target.mapping.lacksKey(target.trackedRows[slot]) {
            throw try target.mapping.keyIsNil(ofRow: row.key)
        }
        let automaticValues =
            target.mapping.hasAutomaticColumns
            ? try target.mapping.addAutomaticValues(
                of: object, row.known, target.trackedRows[slot], besides: target.asked) : []
        return Update(
            target: target, slot: slot, row: row, automaticValues: automaticValues, isOfChanges: ofChanges)
    }

    var firstKey: SQLiteValue? { get throws { try row.firstKey } }

    /// Binds the key and the version under which the row is stored.
    ///
    /// - Returns: The next parameter.
    func bindKey(to statement: Statement, from parameter: Int) throws -> Int {
        try row.bind(to: statement, from: parameter)
    }

    /// The UPDATE with its values, which is not run.
    func statement() throws -> SQL {
        let given = try target.columns.map { try mapping.stored($0, in: memory) }
        let sql = mapping.sql.update(target.columns, returning: target.generated)
        return SQL(sql.text, Arguments(given + (try row.parameters)))
    }

    /// Runs the UPDATE. The values then are what the row holds, including columns that the table computes.
    ///
    /// - Parameter context: That of the transaction, on the thread of the object.
    /// - Throws: ``PersistenceError/Code/notFound`` when the row is gone, ``PersistenceError/Code/conflict`` when it
    ///   has another version.
    func executeUpdate(_ db: any EngineConnection, _ context: TransactionContext? = nil) throws -> WriteOutcome {
        try target.table.check(db)
        return try row.whole(db) {
            let outcome = try runStatement(db, context)
            if target.writesKey { try noteKey(db) }
            guard try target.table.effects(db).contains(.rewritesRow) else { return outcome }
            return outcome.adding(row: try target.table.row(newKey, loaded: loadedColumns))
        }
    }

    private func runStatement(_ db: any EngineConnection, _ context: TransactionContext?) throws -> WriteOutcome {
        do {
            guard target.table.hasGeneratedColumns || !target.generated.isEmpty,
                table.generatedColumns != target.generated
            else {
                try runAsTaken(db, context)
                return WriteOutcome()
            }
            return try runAsComputed(db, context)
        } catch let error as SQLiteError where error.code == .error {
            table.forgetSchema()
            try table.check(db)
            guard table.generatedColumns != target.generated else { throw error }
            return try runAsComputed(db, context)
        }
    }

    /// Runs it after another connection has changed which columns the table computes.
    private func runAsComputed(_ db: any EngineConnection, _ context: TransactionContext?) throws -> WriteOutcome {
        let computed = table.generatedColumns
        if target.isWhole {
            try executeUpdate(setting: target.columns.subtracting(computed), returning: computed, db)
            return WriteOutcome(special: .init(generated: computed))
        }
        // Values of some columns have no room for others: the row is read again.
        if !isOfChanges {
            try table.checkWritable(target.asked)
            try runAsTaken(db, context)
        } else if case let written = target.columns.subtracting(computed),
            !target.asked.subtracting(computed).isEmpty
        {
            try executeUpdate(setting: written, returning: ColumnSet(), db)
        }
        guard let row = try table.row(newKey, loaded: loadedColumns) else { throw try mapping.notFound(row.key) }
        return WriteOutcome().adding(row: row)
    }

    /// Runs it with the columns that the target says.
    private func runAsTaken(_ db: any EngineConnection, _ context: TransactionContext?) throws {
        let statement = try context?.takeUpdate(of: target, db) ?? target.prepare(db)
        defer { context?.giveBack(statement, of: target) }
        try executeUpdate(by: statement, setting: target.columns, returning: target.generated, db)
    }

    private func executeUpdate(
        setting columns: ColumnSet, returning generated: ColumnSet, _ db: any EngineConnection
    ) throws {
        try executeUpdate(
            by: table.updateStatement(columns, returning: generated, db), setting: columns, returning: generated, db)
    }

    @inline(__always)
    private func executeUpdate(
        by statement: PreparedStatement, setting columns: ColumnSet, returning generated: ColumnSet,
        _ db: any EngineConnection
    ) throws {
        switch statement {
        case .local(let update): try stepUpdate(update, columns, generated, db)
        case .other(let update): try stepUpdate(update, columns, generated, db)
        }
    }

    private func stepUpdate(
        _ update: some EngineStatement, _ columns: ColumnSet, _ generated: ColumnSet, _ db: any EngineConnection
    ) throws {
        try target.table.checkFit(columns, of: memory)
        defer { update.clear() }
        try update.bindAll { try row.bind(to: update, from: target.mapping.bind(memory, columns, to: update)) }
        if generated.isEmpty {
            let count = try update.run()
            guard count > 0 else { throw try missing() }
            try row.checkIsOne(count)
        } else {
            // A value that the table computes and the property cannot hold takes the change with it.
            try db.savepoint { try take(generated, from: update) }
        }
    }

    private func take(_ generated: ColumnSet, from update: some EngineStatement) throws {
        defer { update.clear() }
        guard try update.step() else { throw try missing() }
        try mapping.take(generated, from: update, into: memory)
        var count = 1
        while try update.step() { count += 1 }
        try row.checkIsOne(count)
    }

    private func missing() throws -> PersistenceError {
        guard let found = try row.read() else { return try mapping.notFound(row.key) }
        return try row.conflict(with: memory, target.asked, found)
            ?? PersistenceError(
                .database,
                "the row with \(mapping.condition(of: row.key)) was ignored: a conflict clause or a trigger "
                    + "ignores the write",
                model: mapping.modelName, rowKey: mapping.keyValues(row.key),
                sql: mapping.sql.update(target.columns, returning: target.generated).text)
    }

    /// The deferred columns that the object has: those that were loaded before, and those that it writes.
    private var loadedColumns: [Int] {
        get throws {
            // The values written may be of some columns alone.
            let written = try mapping.deferred.filter {
                try target.columns.contains($0) && !mapping.stored($0, in: memory).isNull
            }
            return try row.loadedColumns().filter { !written.contains($0) } + written
        }
    }

    /// The key of the row once the values are written.
    private var newKey: [SQLiteValue] {
        get throws {
            try zip(mapping.key, row.key).map { index, key in
                target.columns.contains(index) ? try mapping.stored(index, in: memory) : key
            }
        }
    }

    /// Notes a changed key for the undo histories, which only have the rows.
    private func noteKey(_ db: any EngineConnection) throws {
        guard let record = table.manager?.transactionRecord else { return }
        let (old, new) = (try row.key, try newKey)
        if old == new { return }
        record.keyChanges.append(KeyChange(table: asciiLowercased(mapping.tableName), old: old, new: new))
        // When a savepoint is rolled back, the changes noted in it are the last ones.
        db.afterRollback { _ = record.keyChanges.popLast() }
    }

    /// Notes what is about to be done to the object.
    ///
    /// - Parameters:
    ///   - outcome: What came of it.
    ///   - assignment: What the caller has set.
    func note(
        _ object: PersistingModel, _ outcome: WriteOutcome, in log: UndoLog, _ assignment: Assignment?
    ) throws {
        let generated = outcome.special?.generated ?? target.generated
        var change: UndoLog.Change?
        if !automaticValues.isEmpty || !generated.isEmpty || assignment?.restore != nil {
            change = try self.change(of: object, generated, assignment?.restore)
        }
        if target.isWhole {
            log.add(object, change)
        } else {
            if object.record.sharesTrackedValues { log.add(object) }
            log.add(
                object, exchanging: target.trackedRows, slot, isAssigned: assignment?.wasAsRead == true, change)
        }
    }

    /// What few updates have to undo.
    private func change(
        of object: PersistingModel, _ generated: ColumnSet, _ restore: ((PersistingModel) -> Void)?
    ) throws -> UndoLog.Change {
        // A property that the table computes is to hold what the row does, and not what it held.
        let (mapping, values, asked) = (mapping, values, target.asked)
        let computed = try generated.map { index in
            AutomaticValue(
                index: index, old: try mapping.stored(index, of: object),
                new: try mapping.stored(index, in: values.memory))
        }
        var change = UndoLog.Change(automaticValues: automaticValues + computed)
        guard let restore else { return change }
        change.restore = { object in
            if asked.allSatisfy({ mapping.isKnown($0, object, values.written($0, of: object)) }) { restore(object) }
        }
        return change
    }

    /// Tells the object what its row holds now. Whoever has access to the database may be reading its tracked values.
    ///
    /// - Parameters:
    ///   - outcome: What came of it.
    ///   - hasAccess: Whether that is the caller.
    func finish(_ object: PersistingModel, _ outcome: WriteOutcome, hasAccess: Bool = true) throws {
        let generated = outcome.special?.generated ?? target.generated
        if object.hasGroup { object.record.trackedRows?.group?.forgetAtOrigin(after: target.columns, mapping) }
        if target.isWhole {
            try object.track(target.trackedRows, slot: Int32(clamping: slot))
        } else {
            if !hasAccess { object.record.sharesTrackedValues = true }
            try object.exchangeTrackedValues(for: target.trackedRows, slot)
        }
        if automaticValues.isEmpty, generated.isEmpty { return }
        let (mapping, values) = (mapping, values)
        for value in automaticValues {
            try mapping.set(value, of: object, from: values.written(value.index, of: object))
        }
        for index in generated {
            let trackedValues = values.written(index, of: object)
            try mapping.assign(stored: mapping.stored(index, in: trackedValues), to: index, of: object)
        }
    }
}

extension TrackedRow {
    /// The values that have what was written of a column, once the object has exchanged its tracked values for these:
    /// these for a column that the object's do not hold.
    fileprivate func written(_ index: Int, of object: PersistingModel) -> Memory {
        guard let trackedRows = object.record.trackedRows, trackedRows.columns.contains(index) else { return memory }
        return trackedRows[Int(object.record.slot)]
    }
}

extension PersistingModel {
    /// Exchanges the values of a tracked row for those of the object's tracked columns, which then are as the row.
    func exchangeTrackedValues(for values: TrackedRows, _ slot: Int) throws {
        if record.sharesTrackedValues { try record.takeOwnTrackedValues() }
        ofRows { rows in
            if rows.mapping === values.mapping { rows.exchange(Int(record.slot), for: values, slot) }
        }
    }
}
