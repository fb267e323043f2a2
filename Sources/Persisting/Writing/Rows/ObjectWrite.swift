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

/// What came of a write: what the database put into the row besides what it was given.
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
    /// Takes over what triggers have made of the object's row. A property that has been set since keeps its value.
    fileprivate func takeOver(_ row: TrackedRow) throws {
        let mapping = row.trackedRows.mapping
        guard let known = record.trackedValues, record.trackedRows?.mapping === mapping else { return }
        for index in mapping.columns.indices where mapping.isKnown(index, self, known) {
            guard try index == mapping.version || mapping.differs(index, self, row.memory) else { continue }
            try mapping.assign(stored: mapping.stored(index, in: row.memory), to: index, of: self)
        }
        record.trackedRows = row.trackedRows
        record.slot = Int32(clamping: row.slot)
        record.sharesTrackedValues = false
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
        try (runner ?? context?.writeRunner() ?? WriteRunner()).executeInsert(of: self, db)
    }

    @inline(__always)
    func finish(
        _ object: PersistingModel, _ outcome: WriteOutcome, _ context: TransactionContext?, _: Update.Assignment?
    ) throws {
        if let context {
            try context.noteInsertion(of: object, by: self, outcome)
        } else {
            noteAsLast(outcome, in: 0)
        }
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
        try executeUpdate(db, context)
    }

    @inline(__always)
    func finish(
        _ object: PersistingModel, _ outcome: WriteOutcome, _ context: TransactionContext?, _ assignment: Assignment?
    ) throws {
        if let context { try note(object, outcome, in: context.log, assignment) }
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
        if object.record.trackedRows?.group != nil { object.tellOfDeletion(context?.log) }
        object.record.state = .deleted
    }
}

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

    /// The group that the write can wait in, for others that are run by the same statement; nil where it is to be run by
    /// itself.
    func group(_ runner: WriteRunner, _ db: any EngineConnection) throws -> RowGroup? {
        switch self {
        case .insertion(let write): try write.naming { try runner.group(of: write, db) }
        case .update(let write): try write.naming { try runner.group(of: write, db) }
        case .deletion(let write): try write.naming { try runner.group(of: write, db) }
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
    ///
    /// - Returns: Which hook comes after.
    func finish(
        _ object: PersistingModel, _ outcome: WriteOutcome, _ manager: PersistenceManager
    ) throws -> WriteKind {
        let kind = try tell(object, outcome, manager)
        if let row = outcome.special?.row { try object.takeOver(row) }
        return kind
    }

    private func tell(
        _ object: PersistingModel, _ outcome: WriteOutcome, _ manager: PersistenceManager
    ) throws -> WriteKind {
        switch self {
        case .insertion(let insertion):
            let kind = insertion.kind(object, manager)
            try insertion.finish(object, outcome)
            return kind
        case .update(let update):
            try update.finish(object, outcome, hasAccess: false)
            return .update
        case .deletion:
            if outcome.isKept { return .delete }
            if object.record.trackedRows?.group != nil { object.tellOfDeletion(nil) }
            object.record.state = .deleted
            return .delete
        }
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
    fileprivate func noteAsLast(_ outcome: WriteOutcome) {
        switch self {
        case .insertion(let insertion): insertion.noteAsLast(outcome, in: 0)
        case .update: break
        case .deletion: break
        }
    }
}

/// What is to be done with one object's row, as one of several that cross to the database's side.
final class SentWrite: Sendable {
    /// A column that refers to the row whose key another write has SQLite make.
    struct Key: Sendable {
        let column: Int
        /// The place of that write, which comes before this one.
        let ofWrite: Int
    }

    let write: ObjectWrite
    let keys: [Key]
    /// The key of a link's target, or of an object that is to refer to the holder: with a link to it in the table, there
    /// is nothing to write.
    let linkKey: [SQLiteValue]?

    init(_ write: consuming ObjectWrite, keys: [Key] = [], unlessLinkedTo linkKey: [SQLiteValue]? = nil) {
        self.write = write
        self.keys = keys
        self.linkKey = linkKey
    }

    convenience init?(
        _ write: consuming ObjectWrite?, keys: [Key] = [], unlessLinkedTo linkKey: [SQLiteValue]? = nil
    ) {
        guard let write else { return nil }
        self.init(write, keys: keys, unlessLinkedTo: linkKey)
    }

    convenience init?(_ update: consuming Update?) {
        guard let update else { return nil }
        self.init(.update(update))
    }
}

extension RowWrite where Self: ~Copyable {
    /// Runs `body`, and names the model and the row in an error. Without one the mapping is not asked for.
    @inline(__always)
    fileprivate func naming<T>(_ body: () throws -> T) throws -> T {
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
    fileprivate func didWrite(_ kind: WriteKind) {
        switch kind {
        case .insert: didInsert()
        case .update: didUpdate()
        case .delete: didDelete()
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

    /// Runs writes on the database's side, while the task is suspended, and tells the objects in the caller's
    /// isolation.
    ///
    /// - Parameters:
    ///   - writes: One for each object; nil for one of which there is nothing to write.
    ///   - objects: The objects, each of them once.
    ///   - storedLinks: Rows of a relation that are changed first, in the same transaction.
    ///   - deferringForeignKeys: Whether a row may refer to one that is written after it.
    /// - Returns: How many rows there were or are now; ignored objects don't count.
    @discardableResult
    func executeSuspended(
        _ writes: [SentWrite?], on objects: [PersistingModel], _ steps: BatchProgress = BatchProgress(nil, count: 0),
        _ storedLinks: StoredLinks? = nil, deferringForeignKeys: Bool = false
    ) async throws -> Int {
        guard storedLinks != nil || writes.contains(where: { $0 != nil }) else {
            try steps.finish()
            return 0
        }
        let outcomes: [WriteOutcome?]
        do {
            // One statement is atomic by itself.
            outcomes =
                writes.count == 1 && storedLinks == nil
                ? try await engine.withoutTransaction { db in
                    try self.executeAll(writes, steps, isAtomic: false, [], db)
                }
                : try await engine.write { db in
                    try self.openRecordIfNecessary(db)
                    if deferringForeignKeys { try db.execute("PRAGMA defer_foreign_keys = ON") }
                    let linked = try storedLinks?.removeLinks(self) ?? []
                    return try self.executeAll(writes, steps, isAtomic: true, linked, db)
                }
        } catch let row as MissingRow {
            throw try await engine.query { db in try row.error(db) }
        } catch let error as SQLiteError {
            // Of BEGIN or COMMIT: the statements' errors have been named.
            throw naming(error, mapping(of: objects, named: error, or: storedLinks?.hop.from))
        }
        var written: [(object: PersistingModel, kind: WriteKind)] = []
        var count = 0
        for (object, (sent, outcome)) in zip(objects, zip(writes, outcomes)) {
            guard let sent, let outcome else { continue }
            for key in sent.keys {
                guard let value = outcomes[key.ofWrite]?.key else { continue }
                try Mapping.of(object, dates: dates).assign(stored: .integer(value), to: key.column, of: object)
            }
            written.append((object, try sent.write.finish(object, outcome, self)))
            if outcome.isRowThere { count += 1 }
        }
        for (object, kind) in written { object.didWrite(kind) }
        return count
    }

    private func executeAll(
        _ writes: [SentWrite?], _ steps: BatchProgress, isAtomic: Bool, _ linked: Set<[SQLiteValue]>,
        _ db: any EngineConnection
    ) throws -> [WriteOutcome?] {
        lookForSchemaOfOthers(db)
        var steps = steps
        let runner = WriteRunner(isAtomic: isAtomic, count: writes.count)
        var outcomes: [WriteOutcome?] = Array(repeating: nil, count: writes.count)
        func runWaiting() throws {
            try runner.waiting?.run(db) { row, outcome in
                outcomes[row.position] =
                    try outcome ?? row.withWrite { try $0.executeOnDatabaseSide(self, runner, db) }
            }
        }
        for (position, sent) in writes.enumerated() {
            try steps.advance(to: position)
            guard let sent else { continue }
            if let key = sent.linkKey, linked.contains(key) { continue }
            if sent.keys.contains(where: { outcomes[$0.ofWrite] == nil }) { try runWaiting() }
            for key in sent.keys {
                guard let value = outcomes[key.ofWrite]?.key else { continue }
                try sent.write.assign(.integer(value), to: key.column)
            }
            if let waiting = runner.waiting, let group = try sent.write.group(runner, db) {
                if !waiting.hasRoom(in: group) { try runWaiting() }
                waiting.append(WaitingWrite(sent, at: position), in: group)
                continue
            }
            try runWaiting()
            outcomes[position] = try sent.write.executeOnDatabaseSide(self, runner, db)
        }
        try runWaiting()
        // What is committed already is not called off.
        if isAtomic { try steps.finish() } else { try? steps.finish() }
        let written = zip(writes, outcomes)
        db.afterCommit {
            for case (let sent?, let outcome?) in written { sent.write.noteAsLast(outcome) }
        }
        return outcomes
    }
}
