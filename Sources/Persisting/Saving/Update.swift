/// Columns on their way into an object's row, as values that may cross to the database's side.
struct Update: ~Copyable, Sendable {
    /// The columns that are written for the caller.
    let asked: ColumnSet
    /// Those, and the ones that the library writes by itself.
    let columns: ColumnSet
    /// The columns that the table computes, as far as is known when the values are taken.
    private let generated: ColumnSet
    /// An image of what is written, with room for what the table computes. Once the object has exchanged its own for
    /// it, it is what the row held before.
    let values: RowImage
    /// Whether the object has that image from now on: all is written of one that is not tracked.
    private let isWhole: Bool
    let stamps: [Stamp]
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
        let images =
            isWhole
            ? RowImages(row.known.images.manager, row.table.mapping, capacity: 1)
            : row.images(forUpdating: columns.union(generated), context)
        let slot = images.count
        try images.append(object, columns, besides: row.known.images.isTracking ? row.image : nil)
        var all = columns
        stamps =
            row.table.mapping.keepsBooks
            ? try row.table.mapping.stampUpdate(of: object, row.known, images[slot], &all) : []
        asked = columns
        self.columns = all
        self.generated = generated
        values = RowImage(images: images, slot: slot)
        self.isWhole = isWhole
        self.row = row
    }

    /// The UPDATE with its values, which is not run.
    func statement() throws -> SQL {
        let given = try columns.map { try table.mapping.stored($0, in: values.memory) }
        let sql = table.mapping.sql.update(columns, returning: generated)
        return SQL(sql.text, Arguments(given + (try row.parameters)))
    }

    /// Runs the UPDATE. The image then holds what the row does, columns that the table computes among it.
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
            // Another connection has changed which columns the table computes. An image of some columns has no room for
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
        try row.table.mapping.take(generated, from: update, intoImage: values.memory)
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
        if !stamps.isEmpty || !generated.isEmpty || restore != nil {
            // A property that the table computes is to hold what the row does, and not what it held.
            let computed = try generated.map { index in
                Stamp(
                    index: index, old: try table.mapping.stored(index, of: object),
                    new: try table.mapping.stored(index, in: values.memory))
            }
            change = UndoLog.Change(stamps: stamps + computed)
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
            if object.record.isImageShared { log.add(object) }
            log.add(object, values: values, isAssigned: assignment?.wasAsRead == true, change)
        }
    }

    /// Tells the object what its row holds now. Whoever has the turn to use the database may be reading its image.
    ///
    /// - Parameters:
    ///   - outcome: What came of it.
    ///   - hasTurn: Whether that is the caller.
    func finish(_ object: PersistingModel, _ outcome: WriteOutcome, hasTurn: Bool = true) throws {
        let generated = outcome.generated ?? generated
        object.record.images?.group?.forgetAtOrigin(after: columns, mapping)
        if isWhole {
            object.record.images = values.images
            object.record.slot = Int32(clamping: values.slot)
            object.record.isImageShared = false
        } else {
            if !hasTurn { object.record.isImageShared = true }
            try object.exchangeImage(for: values)
        }
        if stamps.isEmpty, generated.isEmpty { return }
        let mapping = row.table.mapping
        for stamp in stamps { try mapping.set(stamp, of: object, from: values.written(stamp.index, of: object)) }
        for index in generated {
            let image = values.written(index, of: object)
            try mapping.assign(stored: mapping.stored(index, in: image), to: index, of: object)
        }
    }
}

extension RowImage {
    /// The image that has what was written of a column, once the object has exchanged its own for this one: of a column
    /// that the object's has not, this one.
    fileprivate func written(_ index: Int, of object: PersistingModel) -> Memory {
        guard let images = object.record.images, images.columns.contains(index) else { return memory }
        return images[Int(object.record.slot)]
    }
}

extension PersistingModel {
    /// Exchanges what an image has of the columns of the object's own, which then is as the row.
    func exchangeImage(for values: RowImage) throws {
        if record.isImageShared { try record.takeOwnImage() }
        guard let images = record.images, images.mapping === values.images.mapping else { return }
        images.exchange(Int(record.slot), for: values)
    }
}

extension KnownRow {
    /// Room for columns of an object that are written, and for those that the library writes by itself.
    fileprivate func images(forUpdating columns: ColumnSet, _ context: TransactionContext?) -> RowImages {
        let mapping = table.mapping
        let held = mapping.keepsBooks ? columns.union(mapping.stampedByUpdate) : columns
        return context?.values(mapping, of: held) ?? RowImages(nil, mapping, capacity: 1, of: held)
    }
}
