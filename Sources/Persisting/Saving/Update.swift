/// Columns on their way into an object's row, as values that may cross to the database's side.
struct Update: ~Copyable, Sendable {
    /// The columns that are written for the caller.
    let asked: ColumnSet
    /// Those, and the ones that the library writes by itself.
    let columns: ColumnSet
    /// The columns that the table computes, as far as is known when the values are taken.
    private let generated: ColumnSet
    /// What is written, with room for what the table computes. Once the object has exchanged its tracked values for
    /// these, they are what the row held before.
    let values: TrackedRow
    /// Whether these become the object's tracked values: all is written of one that is not tracked.
    private let isWhole: Bool
    let automaticValues: [AutomaticValue]
    let row: KnownRow

    /// A property that the caller of an update has set.
    struct Assignment {
        /// Whether it held what the row did.
        var wasAsRead = false
        /// Gives it its old value again when the transaction is rolled back, where it does not hold what the row did.
        var restore: ((PersistingModel) -> Void)?
    }

    var table: ModelTable { row.table }

    /// The key of the row before the update, as far as it is still known: once finished, `values` has what it changed.
    var key: [SQLiteValue]? { try? row.key }

    /// Takes an object's values.
    ///
    /// - Parameters:
    ///   - isWhole: Whether the columns are all that an object has which is not tracked, so that the row is known as a
    ///     whole.
    ///   - context: That of the transaction, on its thread, where the values are kept with those of other objects.
    init(
        _ object: PersistingModel, _ columns: ColumnSet, isWhole: Bool = false, _ row: consuming KnownRow,
        _ context: TransactionContext? = nil
    ) throws {
        let generated = row.table.generatedColumns
        let trackedRows =
            isWhole
            ? TrackedRows(row.known.trackedRows.manager, row.table.mapping, capacity: 1)
            : row.trackedRows(forUpdating: columns.union(generated), context)
        let slot = trackedRows.count
        try trackedRows.append(object, columns, besides: row.known.trackedRows.isTracking ? row.trackedValues : nil)
        var all = columns
        automaticValues =
            row.table.mapping.hasAutomaticColumns
            ? try row.table.mapping.addAutomaticValues(of: object, row.known, trackedRows[slot], &all) : []
        asked = columns
        self.columns = all
        self.generated = generated
        values = TrackedRow(trackedRows: trackedRows, slot: slot)
        self.isWhole = isWhole
        self.row = row
    }

    /// The UPDATE with its values, which is not run.
    func statement() throws -> SQL {
        let given = try columns.map { try table.mapping.stored($0, in: values.memory) }
        let sql = table.mapping.sql.update(columns, returning: generated)
        return SQL(sql.text, Arguments(given + (try row.parameters)))
    }

    /// Runs the UPDATE. The values then are what the row holds, including columns that the table computes.
    ///
    /// - Parameter context: That of the transaction, on the thread of the object.
    /// - Throws: ``PersistenceError/Code/notFound`` when the row is gone, ``PersistenceError/Code/conflict`` when it
    ///   has another version.
    func run(_ db: any EngineConnection, _ context: TransactionContext? = nil) throws -> WriteOutcome {
        do {
            try table.check(db)
            guard table.hasGeneratedColumns || !generated.isEmpty, case let computed = table.generatedColumns,
                computed != generated
            else {
                try run(columns, generated, db, context)
                return WriteOutcome()
            }
            // Another connection has changed which columns the table computes. Values of some columns have no room for
            // others.
            guard isWhole else {
                for index in asked { try table.checkWritable(index) }
                try run(columns, generated, db, context)
                return WriteOutcome()
            }
            try run(columns.subtracting(computed), computed, db, context)
            return WriteOutcome(generated: computed)
        } catch let error as SQLiteError where error.code == .error {
            // Another connection may have changed which columns the table computes.
            table.forgetSchema()
            try table.check(db)
            let computed = table.generatedColumns
            guard isWhole else {
                for index in asked { try table.checkWritable(index) }
                throw error
            }
            guard computed != generated else { throw error }
            try run(columns.subtracting(computed), computed, db, context)
            return WriteOutcome(generated: computed)
        }
    }

    private func run(
        _ columns: ColumnSet, _ generated: ColumnSet, _ db: any EngineConnection, _ context: TransactionContext?
    ) throws {
        switch try row.table.rowStatement(columns, returning: generated, db, context) {
        case .local(let update): try run(update, columns, generated, db)
        case .other(let update): try run(update, columns, generated, db)
        }
    }

    private func run(
        _ update: some EngineStatement, _ columns: ColumnSet, _ generated: ColumnSet, _ db: any EngineConnection
    ) throws {
        try row.table.checkFit(columns, of: values.memory)
        defer { update.clear() }
        try update.bindAll {
            try row.bind(to: update, from: row.table.mapping.bind(values.memory, columns, to: update))
        }
        if generated.isEmpty {
            guard try update.run() > 0 else { throw try missing() }
        } else {
            // A value that the table computes and the property cannot hold takes the change with it.
            try db.savepoint { try take(generated, from: update) }
        }
    }

    private func take(_ generated: ColumnSet, from update: some EngineStatement) throws {
        defer { update.clear() }
        guard try update.step() else { throw try missing() }
        try row.table.mapping.take(generated, from: update, into: values.memory)
        while try update.step() {}
    }

    private func missing() throws -> PersistenceError {
        try row.conflict(with: values.memory, asked) ?? table.mapping.notFound(row.key)
    }

    /// Notes what is about to be done to the object.
    ///
    /// - Parameters:
    ///   - outcome: What came of it.
    ///   - assignment: What the caller has set.
    func note(
        _ object: PersistingModel, _ outcome: WriteOutcome, in log: UndoLog, _ assignment: Assignment?
    ) throws {
        let restore = assignment?.restore
        let generated = outcome.generated ?? generated
        var change: UndoLog.Change?
        if !automaticValues.isEmpty || !generated.isEmpty || restore != nil {
            // A property that the table computes is to hold what the row does, and not what it held.
            let computed = try generated.map { index in
                AutomaticValue(
                    index: index, old: try table.mapping.stored(index, of: object),
                    new: try table.mapping.stored(index, in: values.memory))
            }
            change = UndoLog.Change(automaticValues: automaticValues + computed)
        }
        if let restore {
            let (mapping, values, asked) = (table.mapping, values, asked)
            change?.restore = { object in
                if asked.allSatisfy({ mapping.isKnown($0, object, values.written($0, of: object)) }) { restore(object) }
            }
        }
        if isWhole {
            log.add(object, change)
        } else {
            if object.record.sharesTrackedValues { log.add(object) }
            log.add(object, values: values, isAssigned: assignment?.wasAsRead == true, change)
        }
    }

    /// Tells the object what its row holds now. Whoever has access to the database may be reading its tracked values.
    ///
    /// - Parameters:
    ///   - outcome: What came of it.
    ///   - hasAccess: Whether that is the caller.
    func finish(_ object: PersistingModel, _ outcome: WriteOutcome, hasAccess: Bool = true) throws {
        let generated = outcome.generated ?? generated
        object.record.trackedRows?.group?.forgetAtOrigin(after: columns, mapping)
        if isWhole {
            object.record.trackedRows = values.trackedRows
            object.record.slot = Int32(clamping: values.slot)
            object.record.sharesTrackedValues = false
        } else {
            if !hasAccess { object.record.sharesTrackedValues = true }
            try object.exchangeTrackedValues(for: values)
        }
        if automaticValues.isEmpty, generated.isEmpty { return }
        let mapping = row.table.mapping
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
    /// Exchanges the values for those of the object's tracked columns, which then are as the row.
    func exchangeTrackedValues(for values: TrackedRow) throws {
        if record.sharesTrackedValues { try record.takeOwnTrackedValues() }
        guard let trackedRows = record.trackedRows, trackedRows.mapping === values.trackedRows.mapping else { return }
        trackedRows.exchange(Int(record.slot), for: values)
    }
}

extension KnownRow {
    /// Room for columns of an object that are written, and for those that the library writes by itself.
    fileprivate func trackedRows(forUpdating columns: ColumnSet, _ context: TransactionContext?) -> TrackedRows {
        let mapping = table.mapping
        let held = mapping.hasAutomaticColumns ? columns.union(mapping.columnsSetByUpdate) : columns
        return context?.values(mapping, of: held) ?? TrackedRows(nil, mapping, capacity: 1, of: held)
    }
}
