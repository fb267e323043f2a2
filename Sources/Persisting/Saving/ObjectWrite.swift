/// What is to be done with one object's row, with the values that it takes.
///
/// Every write of an object goes through the same four steps, one after the other or on two sides of an asynchronous
/// call: its hooks run and its values are taken, which makes an `ObjectWrite`; ``run(_:_:_:)`` runs the statement;
/// `finish` tells the object what its row holds; ``PersistingModel/didWrite(_:)`` runs the hooks that come after.
enum ObjectWrite: ~Copyable, Sendable {
    case insertion(Insertion)
    case update(Update)
    case deletion(Deletion)

    // Each switch stays in a function of its own: the optimizer of Swift 6.3.1 crashes on two of them in one function,
    // over the same value that can't be copied.

    /// Which hook comes after.
    enum Kind: Sendable {
        case insert, update, delete
    }

    var mapping: Mapping {
        @inline(never) get {
            switch self {
            case .insertion(let insertion): insertion.target.mapping
            case .update(let update): update.row.table.mapping
            case .deletion(let deletion): deletion.row.table.mapping
            }
        }
    }

    /// Runs the statement.
    ///
    /// - Parameter context: That of the transaction, on the thread of the object.
    /// - Returns: Nil when the object was ignored.
    @inline(never)
    func run(_ runner: InsertionRunner, _ db: Database, _ context: TransactionContext? = nil) throws -> WriteOutcome? {
        switch self {
        case .insertion(let insertion): return try runner.run(insertion, db)
        case .update(let update): return try update.run(db, context)
        case .deletion(let deletion):
            return WriteOutcome(isRowThere: try deletion.run(db, context))
        }
    }

    /// Tells the object what its row holds now, inside the transaction that the write is in.
    ///
    /// - Parameters:
    ///   - context: That of the transaction.
    ///   - assignment: What the caller has set for an update.
    @inline(never)
    func finish(
        _ object: PersistingModel, _ outcome: WriteOutcome, _ context: TransactionContext?,
        _ assignment: Update.Assignment? = nil
    ) throws {
        switch self {
        case .insertion(let insertion):
            if let context {
                try context.noteInsertion(of: object, by: insertion, outcome)
            } else {
                insertion.noteAsLast(outcome, in: 0)
            }
            try insertion.finish(object, outcome)
        case .update(let update):
            if let context { try update.note(object, outcome, in: context.log, assignment) }
            try update.finish(object, outcome)
        case .deletion:
            context?.log.addDeleted(object)
            object.record.state = .deleted
        }
    }

    /// Tells the object what its row holds now, in the caller's isolation, after the write has run on the database's
    /// side.
    @inline(never)
    func finishElsewhere(_ object: PersistingModel, _ outcome: WriteOutcome) throws {
        switch self {
        case .insertion(let insertion): try insertion.finish(object, outcome)
        case .update(let update): try update.finish(object, outcome, hasTurn: false)
        case .deletion: object.record.state = .deleted
        }
    }

    /// Whether a property is as it was when its value was taken.
    @inline(never)
    func isStill(_ index: Int, of object: PersistingModel, _ mapping: Mapping) throws -> Bool {
        switch self {
        case .insertion(let insertion): try !mapping.differs(index, object, insertion.image)
        case .update(let update): try !mapping.differs(index, object, update.values.memory)
        case .deletion: true
        }
    }

    /// Notes that of its class this was the last object to be inserted, if it was, once it is committed.
    @inline(never)
    func noteAsLast(_ outcome: WriteOutcome) {
        switch self {
        case .insertion(let insertion): insertion.noteAsLast(outcome, in: 0)
        case .update: break
        case .deletion: break
        }
    }
}

/// What came of a write: what the database put into the row besides what it was given.
struct WriteOutcome: Sendable {
    /// The key that SQLite has made.
    var key: Int64?
    var values: [(index: Int, value: SQLiteValue)] = []
    /// The columns that the table has turned out to compute, where they are others than the write took them for.
    var generated: ColumnSet?
    /// False for a deletion that found no row.
    var isRowThere = true
}

/// What is to be done with one object's row, as one of several that cross to the database's side.
final class SentWrite: Sendable {
    let write: ObjectWrite

    init(_ write: consuming ObjectWrite) {
        self.write = write
    }

    convenience init?(_ write: consuming ObjectWrite?) {
        guard let write else { return nil }
        self.init(write)
    }
}

extension PersistingModel {
    /// Runs the hook that comes after a write.
    @inline(__always)
    func didWrite(_ kind: ObjectWrite.Kind) {
        switch kind {
        case .insert: didInsert()
        case .update: didUpdate()
        case .delete: didDelete()
        }
    }
}

extension PersistenceManager {
    /// Which hook comes after a write of an object: asked before the object is told.
    @inline(never)
    func kind(of write: borrowing ObjectWrite, _ object: PersistingModel) -> ObjectWrite.Kind {
        switch write {
        // An upsert of an object that is in the table.
        case .insertion: state(of: object) == .persisted ? .update : .insert
        case .update: .update
        case .deletion: .delete
        }
    }

    /// Runs the write of one object, in a statement that is atomic by itself.
    ///
    /// - Parameters:
    ///   - context: That of the transaction before the object's hooks ran.
    ///   - assignment: What the caller has set for an update.
    /// - Returns: Whether there was a row, or is one now; false when the object was ignored.
    @discardableResult @inline(__always)
    func perform(
        _ write: borrowing ObjectWrite, on object: PersistingModel, _ context: TransactionContext?,
        _ assignment: Update.Assignment? = nil
    ) throws -> Bool {
        let kind = kind(of: write, object)
        let outcome = try write.mapping.naming {
            try writing(context) { db, context in
                let runner = context?.insertionRunner() ?? InsertionRunner()
                return try run(write, on: object, runner, db, context, assignment)
            }
        }
        guard let outcome else { return false }
        object.didWrite(kind)
        return outcome.isRowThere
    }

    /// Runs the write of one of several objects, in their transaction.
    ///
    /// - Returns: Whether there was a row, or is one now; false when the object was ignored.
    @inline(__always)
    func perform(
        _ write: borrowing ObjectWrite, on object: PersistingModel, _ runner: InsertionRunner, _ db: Database,
        _ context: TransactionContext?
    ) throws -> Bool {
        let kind = kind(of: write, object)
        let outcome = try write.mapping.naming { try run(write, on: object, runner, db, context) }
        guard let outcome else { return false }
        object.didWrite(kind)
        return outcome.isRowThere
    }

    @inline(__always)
    private func run(
        _ write: borrowing ObjectWrite, on object: PersistingModel, _ runner: InsertionRunner, _ db: Database,
        _ context: TransactionContext?, _ assignment: Update.Assignment? = nil
    ) throws -> WriteOutcome? {
        guard let outcome = try write.run(runner, db, context) else { return nil }
        try write.finish(object, outcome, context, assignment)
        note(write, outcome, db)
        return outcome
    }

    /// Runs writes on the database's side, while the task is suspended, and tells the objects in the caller's isolation.
    ///
    /// - Parameters:
    ///   - writes: One for each object; nil for one of which there is nothing to write.
    ///   - objects: The objects, each of them once.
    /// - Returns: How many rows there were or are now; ignored objects don't count.
    @discardableResult
    func perform(
        _ writes: [SentWrite?], on objects: [PersistingModel], _ steps: BatchProgress = BatchProgress(nil, count: 0)
    ) async throws -> Int {
        guard writes.contains(where: { $0 != nil }) else {
            try steps.finish()
            return 0
        }
        let outcomes: [WriteOutcome?]
        do {
            // One statement is atomic by itself.
            outcomes =
                writes.count == 1
                ? try await database.withoutTransaction { db in try self.run(writes, steps, isAtomic: false, db) }
                : try await database.write { db in try self.run(writes, steps, isAtomic: true, db) }
        } catch let error as SQLiteError {
            // Of BEGIN or COMMIT: the statements' errors have been named.
            throw naming(error, mapping(of: objects, named: error))
        }
        var written: [(object: PersistingModel, kind: ObjectWrite.Kind)] = []
        var count = 0
        for (object, (sent, outcome)) in zip(objects, zip(writes, outcomes)) {
            guard let sent, let outcome else { continue }
            let kind = kind(of: sent.write, object)
            try sent.write.finishElsewhere(object, outcome)
            written.append((object, kind))
            if outcome.isRowThere { count += 1 }
        }
        for (object, kind) in written { object.didWrite(kind) }
        return count
    }

    private func run(
        _ writes: [SentWrite?], _ steps: BatchProgress, isAtomic: Bool, _ db: Database
    ) throws -> [WriteOutcome?] {
        var steps = steps
        let runner = InsertionRunner(isAtomic: isAtomic)
        var outcomes: [WriteOutcome?] = []
        outcomes.reserveCapacity(writes.count)
        for (position, sent) in writes.enumerated() {
            try steps.advance(to: position)
            let outcome = try sent.flatMap { sent in
                try sent.write.mapping.naming { try sent.write.run(runner, db) }
            }
            outcomes.append(outcome)
            if let sent, let outcome { note(sent.write, outcome, db) }
        }
        // What is committed already is not called off.
        if isAtomic { try steps.finish() } else { try? steps.finish() }
        let written = zip(writes, outcomes)
        db.afterCommit {
            for case (let sent?, let outcome?) in written { sent.write.noteAsLast(outcome) }
        }
        return outcomes
    }
}
