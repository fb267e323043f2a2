/// What the writes of one transaction share: what the last one was run by, room for the values of the next, and the log
/// that a rollback undoes objects by.
///
/// A manager has one at most, that of the transaction that is open. Savepoints are frames of it.
final class TransactionContext: OpenTransaction {
    private let db: any EngineConnection
    /// The number of the innermost transaction or savepoint that something was written in.
    @exclusivity(unchecked) private var number = 0
    /// The numbers of the transaction and of those of its savepoints that something was written in, outermost first.
    /// One that was released stays until something is written around it.
    @exclusivity(unchecked) private var frames: [Int] = []
    /// Whether the transaction has ended, or was begun by SQL text, whose end nobody reports.
    @exclusivity(unchecked) private var hasEnded = false
    let log = UndoLog()
    /// The tables into which objects were inserted.
    @exclusivity(unchecked) private var inserted: ContiguousArray<ModelTable> = []
    /// The last of them to be inserted into. To look at the array would count a reference to the table.
    @exclusivity(unchecked) private var lastInserted: ObjectIdentifier?
    /// Where the next object's tracked values go.
    @exclusivity(unchecked) private var trackedRows: TrackedRows?
    /// Where the next object is updated, if it is of the class of the last and the same columns are written, as long as
    /// the schema stays.
    @exclusivity(unchecked) private var updates: UpdateTarget?
    /// The UPDATE of these, once one has run.
    @exclusivity(unchecked) private var update: PreparedStatement?
    /// Where the next object is inserted, if it is of the class of the last.
    @exclusivity(unchecked) private var target: InsertionTarget?
    /// What inserted the last object, as long as the schema stays.
    @exclusivity(unchecked) private var runner: WriteRunner?
    /// Counts the changes of the schema: what was given out before one isn't taken back.
    @exclusivity(unchecked) private var epoch = 0
    /// The table that the last object was deleted from, as long as the schema stays.
    @exclusivity(unchecked) private var deletions: ModelTable?
    /// The DELETE.
    @exclusivity(unchecked) private var deletion: PreparedStatement?

    private init(_ db: any EngineConnection) {
        self.db = db
    }

    /// Whether the innermost transaction or savepoint is open now.
    @inline(__always)
    var isOpen: Bool { number == db.transactionNumber && db.isInTransaction }

    /// The manager's context for the transaction that is open now, if one is. A pool's reader has nothing to roll back.
    static func current(_ manager: PersistenceManager, _ db: any EngineConnection) -> TransactionContext? {
        guard db.isInTransaction, !db.isReader else { return nil }
        let number = db.transactionNumber
        if let known = manager.transactionContext {
            if known.number != number { known.enter(number, manager) }
            return known
        }
        manager.lookForSchemaOfOthers(db)
        let new = TransactionContext(db)
        manager.transactionContext = new
        new.enter(number, manager)
        return new
    }

    /// Goes on in another transaction or savepoint. Numbers grow: those above `number` have been released.
    private func enter(_ number: Int, _ manager: PersistenceManager) {
        self.number = number
        var hasReleased = false
        while let last = frames.last, last > number {
            // What was noted in it is undone with what is around it.
            if hasReleased { log.mergeLast() }
            frames.removeLast()
            hasReleased = true
        }
        if frames.last == number {
            if hasReleased { log.mergeLast() }
            return
        }
        if !hasReleased { log.begin() }
        frames.append(number)
        db.afterCommit { self.commit(manager) }
        db.afterRollback { self.rollBack(number, manager) }
    }

    private func commit(_ manager: PersistenceManager) {
        if hasEnded { return }
        end(manager)
        log.removeAll()
    }

    private func rollBack(_ number: Int, _ manager: PersistenceManager) {
        // One that was released into another has been undone with that.
        guard let place = frames.lastIndex(of: number) else { return }
        for _ in place + 1..<frames.count { log.mergeLast() }
        frames.removeSubrange(place...)
        if let last = frames.last { self.number = last } else { end(manager) }
        for table in inserted { table.forgetLastInsertion(in: number) }
        log.undoLast(manager)
    }

    private func end(_ manager: PersistenceManager) {
        hasEnded = true
        if manager.transactionContext === self { manager.transactionContext = nil }
    }

    /// Notes an object that has been inserted, and is about to be told.
    func noteInsertion(
        of object: PersistingModel, by insertion: borrowing Insertion, _ outcome: WriteOutcome
    ) throws {
        noteInsertion(into: insertion.target.table)
        insertion.noteAsLast(outcome, in: number)
        try log.add(object, insertedBy: insertion, outcome)
    }

    /// Notes an object that has been updated, and is about to be told.
    func noteUpdate(
        of object: PersistingModel, by update: borrowing Update, _ outcome: WriteOutcome,
        _ assignment: Update.Assignment?
    ) throws {
        try update.note(object, outcome, in: log, assignment)
    }

    /// Notes the key of a row that has been inserted without an object.
    func noteInsertion(into table: ModelTable, _ key: ModelTable.InsertedKey) {
        noteInsertion(into: table)
        table.noteLastInsertion(key, in: number)
    }

    @inline(__always)
    private func noteInsertion(into table: ModelTable) {
        guard lastInserted != ObjectIdentifier(table) else { return }
        lastInserted = ObjectIdentifier(table)
        if !inserted.contains(where: { $0 === table }) { inserted.append(table) }
    }

    /// Room for the tracked values of one more object, with those of others that the transaction writes.
    func trackedRows(_ manager: PersistenceManager, _ mapping: Mapping) -> TrackedRows {
        if let trackedRows, trackedRows.mapping === mapping, trackedRows.isOpen { return trackedRows }
        let new = TrackedRows(manager, mapping, capacity: capacity)
        trackedRows = new
        return new
    }

    /// Where some columns of one more object are updated.
    func updateTarget(_ table: ModelTable, _ columns: ColumnSet) -> UpdateTarget {
        if let updates, updates.table === table, updates.asked == columns, updates.isUpToDate {
            if updates.trackedRows.isOpen { return updates }
        } else {
            update = nil
        }
        // Where only the room is used up, the statement stays.
        let new = UpdateTarget(table, columns, capacity: capacity)
        updates = new
        return new
    }

    /// Gives out the UPDATE of the objects of a target, which is prepared for the first of them, until it is given
    /// back. What it runs, such as a function of the user's, may come here again: then there is none, and another is
    /// prepared.
    func takeUpdate(of target: UpdateTarget, _ db: any EngineConnection) throws -> PreparedStatement {
        if updates === target, let known = update.take() { return known }
        return try target.prepare(db)
    }

    func giveBack(_ statement: consuming PreparedStatement, of target: UpdateTarget) {
        // The schema may have changed meanwhile.
        if updates === target { update = statement }
    }

    /// Gives out the DELETE of a table's objects, as ``takeUpdate(of:_:)`` does an UPDATE.
    func takeDelete(of table: ModelTable, _ db: any EngineConnection) throws -> PreparedStatement {
        if deletions === table, let known = deletion.take() { return known }
        let new = try table.deleteStatement(db)
        (deletions, deletion) = (table, nil)
        return new
    }

    func giveBack(_ statement: consuming PreparedStatement, of table: ModelTable) {
        if deletions === table { deletion = statement }
    }

    /// How many objects to make room for. Most transactions write few.
    private var capacity: Int { min(max(1, log.added * 2), TrackedRows.capacityOfFetch) }

    /// The table of a class, if a row that was last updated or deleted by its key is there.
    func table(of type: PersistingModel.Type) -> ModelTable? {
        if let updates, updates.mapping.modelType == type { return updates.table }
        if let deletions, deletions.mapping.modelType == type { return deletions }
        return nil
    }

    /// Where one more object of a class is inserted, if the last was of the class.
    func insertionTarget(of type: PersistingModel.Type) -> InsertionTarget? {
        guard let target, target.mapping.modelType == type, target.trackedRows.isOpen, target.table.isInspected else {
            return nil
        }
        return target
    }

    /// Where one more object of a class is inserted.
    func insertionTarget(_ manager: PersistenceManager, _ table: ModelTable) -> InsertionTarget {
        if let target, target.table === table, target.trackedRows.isOpen { return target }
        let new = InsertionTarget(table, trackedRows(manager, table.mapping))
        target = new
        return new
    }

    /// Gives out what inserted the last object, as ``takeUpdate(of:_:)`` does an UPDATE.
    func takeRunner() -> (WriteRunner, epoch: Int) { (runner.take() ?? WriteRunner(), epoch) }

    func giveBack(_ runner: consuming WriteRunner, _ epoch: Int) {
        if epoch == self.epoch { self.runner = runner }
    }

    /// Runs `body` with the connection of the transaction.
    @inline(__always)
    func withDatabase<T>(_ body: (any EngineConnection, TransactionContext) throws -> T) rethrows -> T {
        try body(db, self)
    }

    override func forgetStatements() {
        runner = nil
        epoch &+= 1
        (updates, update) = (nil, nil)
        (deletions, deletion) = (nil, nil)
    }
}

extension PersistenceManager {
    /// The context of the transaction that objects are written in. Used by whoever has the right to use the connection.
    @inline(__always)
    var transactionContext: TransactionContext? {
        // Nothing else is kept there.
        get { openTransaction.map { unsafeDowncast($0, to: TransactionContext.self) } }
        set { openTransaction = newValue }
    }
}
