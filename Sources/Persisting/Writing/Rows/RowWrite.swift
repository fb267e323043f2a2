/// A write of one object's row, with the values that it takes.
///
/// Every write of an object goes through the same four steps, one after the other or on two sides of an asynchronous
/// call: its hooks run and its values are taken, which makes one of these; ``executeStatement(_:_:_:)`` runs it;
/// ``finish(_:_:_:_:)`` tells the object what its row holds; ``PersistingModel/didWrite(_:)`` runs the hook that comes
/// after.
protocol RowWrite: ~Copyable, Sendable {
    var mapping: Mapping { get }
    /// The key of the row as it is stored; empty while it has none.
    var rowKey: [SQLiteValue] { get throws }

    /// Which hook comes after: asked before the object is updated.
    func kind(_ object: PersistingModel, _ manager: PersistenceManager) -> WriteKind

    /// Runs the statement.
    ///
    /// - Parameters:
    ///   - runner: What runs the insertions of a batch.
    ///   - context: That of the transaction, on the thread of the object.
    /// - Returns: Nil when the object was ignored.
    func executeStatement(
        _ db: any EngineConnection, _ runner: WriteRunner?, _ context: TransactionContext?
    ) throws
        -> WriteOutcome?

    /// Tells the object what its row holds now, inside the transaction that the write is in.
    ///
    /// - Parameters:
    ///   - context: That of the transaction.
    ///   - assignment: What the caller has set for an update.
    func finish(
        _ object: PersistingModel, _ outcome: WriteOutcome, _ context: TransactionContext?,
        _ assignment: Update.Assignment?
    ) throws
}

/// Which hook comes after a write.
enum WriteKind: Sendable {
    case insert, update, delete
}

/// What came of a write: what the database has added to the values that it was given.
struct WriteOutcome: Sendable {
    /// The key that SQLite has made.
    var key: Int64?
    /// What came of few writes.
    var special: Special?
    /// False for a deletion that found no row.
    var isRowThere = true

    final class Special: Sendable {
        let values: [(index: Int, value: SQLiteValue)]
        /// The columns that the table has turned out to compute, where they are others than the write took them for.
        let generated: ColumnSet?
        /// The row as it is now, where triggers have written to it, or have kept it from being deleted.
        let row: TrackedRow?

        init(
            values: [(index: Int, value: SQLiteValue)] = [], generated: ColumnSet? = nil, row: TrackedRow? = nil
        ) {
            self.values = values
            self.generated = generated
            self.row = row
        }
    }

    /// Whether a trigger has kept a row from being deleted.
    var isKept: Bool { !isRowThere && special?.row != nil }

    func adding(row: TrackedRow?) -> WriteOutcome {
        guard let row else { return self }
        var outcome = self
        outcome.special = Special(values: special?.values ?? [], generated: special?.generated, row: row)
        return outcome
    }
}

extension PersistingModel {
    /// Takes over what triggers have made of the object's row. A property that has been set since keeps its value; of an
    /// object that isn't tracked, none is known to have been.
    func takeOver(_ row: TrackedRow) throws {
        let mapping = row.trackedRows.mapping
        guard record.trackedRows?.mapping === mapping else { return }
        let known = record.trackedValues
        for index in mapping.columns.indices {
            if let known, !mapping.isKnown(index, self, known) { continue }
            guard try index == mapping.version || mapping.differs(index, self, row.memory) else { continue }
            // A deferred column that wasn't read isn't NULL.
            if known == nil, mapping.deferred.contains(index), mapping.isNull(index, in: row.memory) { continue }
            try mapping.assign(stored: mapping.stored(index, in: row.memory), to: index, of: self)
        }
        // What was loaded of relations stays known.
        if let group = record.trackedRows?.group, row.trackedRows.count == 1, row.trackedRows.group == nil {
            row.trackedRows.join(group)
        }
        try track(row.trackedRows, slot: Int32(clamping: row.slot))
    }
}

extension PersistenceError {
    /// The same error with the row of a write, where it is about the row's values.
    func adding<Write: RowWrite & ~Copyable>(rowOf write: borrowing Write) -> PersistenceError {
        let isOfSize = [.mismatch, .tooBig].contains(sqliteError?.code)
        guard isOfSize || [.constraint, .typeMismatch, .notInserted].contains(code), model == write.mapping.modelName,
            let key = try? write.rowKey
        else { return self }
        return adding(rowKey: write.mapping.namedKey(key))
    }
}

extension Insertion: RowWrite {
    var rowKey: [SQLiteValue] {
        get throws {
            if mapping.lacksKey(trackedValues) { return [] }
            return try mapping.key.map { try mapping.stored($0, in: trackedValues) }
        }
    }

    @inline(__always)
    func kind(_ object: PersistingModel, _ manager: PersistenceManager) -> WriteKind {
        // Only an upsert is of an object that may be in the table.
        if case .update = target.conflict, manager.state(of: object) == .persisted { return .update }
        return .insert
    }

    @inline(__always)
    func executeStatement(
        _ db: any EngineConnection, _ runner: WriteRunner?, _ context: TransactionContext?
    ) throws
        -> WriteOutcome?
    {
        if let runner { return try runner.executeInsert(of: self, db) }
        let (own, epoch) = context?.takeRunner() ?? (WriteRunner(), 0)
        let outcome = try own.executeInsert(of: self, db)
        context?.giveBack(own, epoch)
        return outcome
    }

    @inline(__always)
    func finish(
        _ object: PersistingModel, _ outcome: WriteOutcome, _ context: TransactionContext?, _: Update.Assignment?
    ) throws {
        // To unwrap the context would count a reference to it.
        try context?.noteInsertion(of: object, by: self, outcome)
        if context == nil { noteAsLast(outcome, in: 0) }
        try finish(object, outcome)
    }
}

extension Update: RowWrite {
    var rowKey: [SQLiteValue] { get throws { try key } }

    func kind(_ object: PersistingModel, _ manager: PersistenceManager) -> WriteKind { .update }

    @inline(__always)
    func executeStatement(
        _ db: any EngineConnection, _ runner: WriteRunner?, _ context: TransactionContext?
    ) throws
        -> WriteOutcome?
    {
        if target.writesKey { runner?.forgetKeys() }
        return try executeUpdate(db, context)
    }

    @inline(__always)
    func finish(
        _ object: PersistingModel, _ outcome: WriteOutcome, _ context: TransactionContext?, _ assignment: Assignment?
    ) throws {
        try context?.noteUpdate(of: object, by: self, outcome, assignment)
        try finish(object, outcome)
    }
}

extension Deletion: RowWrite {
    var mapping: Mapping { row.table.mapping }
    var rowKey: [SQLiteValue] { get throws { try row.key } }

    func kind(_ object: PersistingModel, _ manager: PersistenceManager) -> WriteKind { .delete }

    @inline(__always)
    func executeStatement(
        _ db: any EngineConnection, _ runner: WriteRunner?, _ context: TransactionContext?
    ) throws
        -> WriteOutcome?
    {
        try executeDelete(db, context)
    }

    @inline(__always)
    func finish(
        _ object: PersistingModel, _ outcome: WriteOutcome, _ context: TransactionContext?, _: Update.Assignment?
    ) {
        if outcome.isKept { return }
        context?.log.addDeleted(object)
        if object.hasGroup { object.tellOfDeletion(context?.log) }
        object.record.state = .deleted
    }
}

extension RowWrite where Self: ~Copyable {
    /// Runs `body`, and names the model and the row in an error. Without one the mapping is not asked for.
    @inline(__always)
    func naming<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw PersistenceError(error, mapping).adding(rowOf: self)
        } catch let error as PersistenceError {
            throw error.adding(rowOf: self)
        }
    }
}

extension PersistingModel {
    /// Runs the hook that comes after a write.
    func didWrite(_ kind: WriteKind) {
        switch kind {
        case .insert: didInsert()
        case .update: didUpdate()
        case .delete: didDelete()
        }
    }
}
