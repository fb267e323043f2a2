/// A write of any kind, as one of several.
///
/// A function has one switch over it at most: the optimizer of Swift 6.3.1 crashes on two of them, one after the other,
/// over the same value that can't be copied.
enum ObjectWrite: ~Copyable, Sendable {
    case insertion(Insertion)
    case update(Update)
    case deletion(Deletion)

    /// Runs the write of an object in the transaction of the batch that it belongs to, or has it wait for others.
    ///
    /// - Returns: How many rows there were or are now, of those that have waited too.
    @inline(__always)
    consuming func writeRow(
        of object: PersistingModel, _ manager: PersistenceManager, _ runner: WriteRunner, _ db: any EngineConnection,
        _ context: TransactionContext?
    ) throws -> Int {
        var count = 0
        if let waiting = runner.waiting {
            if let group = try group(runner, db) {
                if !waiting.hasRoom(in: group) { count += try manager.runWaiting(runner, db) }
                waiting.append(WaitingWrite(self, of: object), in: group)
                return count
            }
            count += try manager.runWaiting(runner, db)
        }
        return try finishWaiting(object, nil, manager, runner, db, context) ? count + 1 : count
    }

    /// The group that the write can wait in, for others that are run by the same statement; nil where it is to be run
    /// by itself.
    func group(_ runner: WriteRunner, _ db: any EngineConnection) throws -> RowGroup? {
        switch self {
        case .insertion(let write): try write.naming { try runner.group(of: write, db) }
        case .update(let write): try write.naming { try runner.group(of: write, db) }
        case .deletion(let write): try write.naming { try runner.group(of: write, db) }
        }
    }

    /// The first value of the row's key, as it is stored.
    var firstKey: SQLiteValue? {
        get throws {
            switch self {
            case .insertion(let write):
                try write.mapping.key.first.map { try write.mapping.stored($0, in: write.trackedValues) }
            case .update(let write): try write.firstKey
            case .deletion(let write): try write.row.firstKey
            }
        }
    }

    /// The key of the row as it is stored; empty while it has none.
    var rowKey: [SQLiteValue] {
        get throws {
            switch self {
            case .insertion(let write): try write.rowKey
            case .update(let write): try write.rowKey
            case .deletion(let write): try write.rowKey
            }
        }
    }

    /// Tells the object of a write that has waited what its row holds now, or runs the write.
    ///
    /// - Parameter outcome: What came of it; nil where it is still to be run.
    /// - Returns: Whether there was a row, or is one now.
    func finishWaiting(
        _ object: PersistingModel, _ outcome: WriteOutcome?, _ manager: PersistenceManager, _ runner: WriteRunner,
        _ db: any EngineConnection, _ context: TransactionContext?
    ) throws -> Bool {
        switch self {
        case .insertion(let write): try manager.finishWaiting(write, object, outcome, runner, db, context)
        case .update(let write): try manager.finishWaiting(write, object, outcome, runner, db, context)
        case .deletion(let write): try manager.finishWaiting(write, object, outcome, runner, db, context)
        }
    }

    /// Runs the statement on the database's side.
    func executeOnDatabaseSide(
        _ manager: PersistenceManager, _ runner: WriteRunner, _ db: any EngineConnection
    ) throws -> WriteOutcome? {
        switch self {
        case .insertion(let write): try manager.executeStatement(of: write, runner, db)
        case .update(let write): try manager.executeStatement(of: write, runner, db)
        case .deletion(let write): try manager.executeStatement(of: write, runner, db)
        }
    }

    /// Tells the object what its row holds now, in the caller's isolation, after the write has run on the database's
    /// side.
    func finish(_ object: PersistingModel, _ outcome: WriteOutcome) throws {
        switch self {
        case .insertion(let insertion): try insertion.finish(object, outcome)
        case .update(let update): try update.finish(object, outcome, hasAccess: false)
        case .deletion(let deletion): deletion.finish(object, outcome, nil, nil)
        }
        if let row = outcome.special?.row { try object.takeOver(row) }
    }

    /// Puts a key into a column that is written.
    func assign(_ key: SQLiteValue, to column: Int) throws {
        switch self {
        case .insertion(let insertion):
            try insertion.mapping.assign(stored: key, to: column, in: insertion.trackedValues)
        case .update(let update): try update.mapping.assign(stored: key, to: column, in: update.memory)
        case .deletion: break
        }
    }

    /// Whether a property is as it was when its value was taken.
    func isStill(_ index: Int, of object: PersistingModel, _ mapping: Mapping) throws -> Bool {
        switch self {
        case .insertion(let insertion): try !mapping.differs(index, object, insertion.trackedValues)
        case .update(let update): try !mapping.differs(index, object, update.memory)
        case .deletion: true
        }
    }

    /// Notes that of its class this was the last object to be inserted, if it was, once it is committed.
    func noteAsLast(_ outcome: WriteOutcome) {
        switch self {
        case .insertion(let insertion): insertion.noteAsLast(outcome, in: 0)
        case .update: break
        case .deletion: break
        }
    }
}

extension PersistenceManager {
    /// Runs the write of one object, in a statement that is atomic by itself.
    ///
    /// - Parameters:
    ///   - context: That of the transaction before the object's hooks ran.
    ///   - assignment: What the caller has set for an update.
    /// - Returns: Whether there was a row, or is one now; false when the object was ignored.
    @discardableResult @inline(__always)
    func writeRow<Write: RowWrite & ~Copyable>(
        _ write: borrowing Write, of object: PersistingModel, _ context: TransactionContext?,
        _ assignment: Update.Assignment? = nil
    ) throws -> Bool {
        let kind = write.kind(object, self)
        let outcome = try write.naming {
            try writing(context, hasHooks: write.mapping.hasHooks) { db, context in
                try executeAndTell(write, of: object, nil, db, context, assignment)
            }
        }
        guard let outcome else { return false }
        if write.mapping.hasHooks, !outcome.isKept { object.didWrite(kind) }
        return outcome.isRowThere
    }

    /// See ``ObjectWrite/finishWaiting(_:_:_:_:_:_:)``.
    fileprivate func finishWaiting<Write: RowWrite & ~Copyable>(
        _ write: borrowing Write, _ object: PersistingModel, _ outcome: WriteOutcome?, _ runner: WriteRunner,
        _ db: any EngineConnection, _ context: TransactionContext?
    ) throws -> Bool {
        guard let outcome else { return try writeRow(write, of: object, runner, db, context) }
        try write.finish(object, outcome, context, nil)
        return outcome.isRowThere
    }

    /// Runs the write of one of several objects, in their transaction.
    @inline(__always)
    private func writeRow<Write: RowWrite & ~Copyable>(
        _ write: borrowing Write, of object: PersistingModel, _ runner: WriteRunner, _ db: any EngineConnection,
        _ context: TransactionContext?
    ) throws -> Bool {
        let kind = write.kind(object, self)
        let outcome = try write.naming { try executeAndTell(write, of: object, runner, db, context) }
        guard let outcome else { return false }
        if write.mapping.hasHooks, !outcome.isKept { object.didWrite(kind) }
        return outcome.isRowThere
    }

    @inline(__always)
    private func executeAndTell<Write: RowWrite & ~Copyable>(
        _ write: borrowing Write, of object: PersistingModel, _ runner: WriteRunner?, _ db: any EngineConnection,
        _ context: TransactionContext?, _ assignment: Update.Assignment? = nil
    ) throws -> WriteOutcome? {
        guard let outcome = try write.executeStatement(db, runner, context) else { return nil }
        try write.finish(object, outcome, context, assignment)
        if let row = outcome.special?.row {
            try context?.log.add(object, readFrom: row.trackedRows, slot: row.slot)
            try object.takeOver(row)
        }
        return outcome
    }

    /// Runs the write of an object that is updated later, elsewhere.
    fileprivate func executeStatement<Write: RowWrite & ~Copyable>(
        of write: borrowing Write, _ runner: WriteRunner, _ db: any EngineConnection
    ) throws -> WriteOutcome? {
        try write.naming { try write.executeStatement(db, runner, nil) }
    }
}
