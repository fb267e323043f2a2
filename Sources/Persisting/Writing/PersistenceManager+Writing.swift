internal import Foundation

extension PersistenceManager {
    /// Writes objects with their current values.
    ///
    /// - Returns: The number of rows that existed or exist now; ignored objects don't count.
    @discardableResult
    func writeNow(_ objects: [PersistingModel], _ verb: WriteVerb, _ progress: Progress? = nil) async throws -> Int {
        let objects = try once(objects) { verb.error(forSecond: $0, $1) }
        var batch = WriteBatch(self, verb, count: objects.count)
        let writes = try objects.map { object in SentWrite(try batch.write(of: object)) }
        return try await executeSuspended(writes, on: objects, BatchProgress(progress, count: objects.count))
    }

    /// The objects without duplicates.
    ///
    /// - Parameter errorForSecond: The error for a duplicate; nil if duplicates are allowed.
    func once(
        _ objects: [PersistingModel], _ errorForSecond: (PersistingModel, Mapping) -> PersistenceError?
    ) throws -> [PersistingModel] {
        guard objects.count > 1 else { return objects }
        var seen: Set<PersistingModel> = []
        seen.reserveCapacity(objects.count)
        return try objects.filter { object in
            if seen.insert(object).inserted { return true }
            if let error = errorForSecond(object, try table(of: type(of: object)).mapping) { throw error }
            return false
        }
    }

    /// Writes objects in one transaction.
    ///
    /// - Parameter prepare: Called before an object's values are read, with what runs the writes that wait.
    /// - Returns: The number of rows that existed or exist now; ignored objects don't count.
    @discardableResult
    func write(
        _ objects: [PersistingModel], _ verb: WriteVerb, _ progress: Progress?,
        preparing prepare: ((PersistingModel, () throws -> Void) throws -> Void)? = nil
    ) throws -> Int {
        var steps = BatchProgress(progress, count: objects.count)
        guard !objects.isEmpty else {
            try steps.finish()
            return 0
        }
        return try namingMissingRow {
            try transaction(of: { mapping(of: objects, named: $0) }) { db in
                try running {
                    let count = try write(objects, verb, &steps, db, preparing: prepare)
                    try steps.finish()
                    return count
                }
            }
        }
    }

    /// Writes objects one after the other, the rows of several in one statement where they come together.
    private func write(
        _ objects: [PersistingModel], _ verb: WriteVerb, _ steps: inout BatchProgress, _ db: any EngineConnection,
        preparing prepare: ((PersistingModel, () throws -> Void) throws -> Void)?
    ) throws -> Int {
        var batch = WriteBatch(self, verb, count: objects.count)
        let runner = WriteRunner(isAtomic: true, count: objects.count)
        defer { runner.waiting?.removeAll() }
        var count = 0
        var context: TransactionContext?
        for (position, object) in objects.enumerated() {
            try steps.advance(to: position)
            if !joins(object, runner.waiting) { count += try runWaiting(runner, db) }
            try checkNotBeingSaved(object)
            try prepare?(object) { count += try runWaiting(runner, db) }
            // What waits has run no code of the user's.
            if runner.waiting?.count ?? 0 == 0 { context = TransactionContext.current(self, db) }
            let write: ObjectWrite?
            do {
                write = try batch.write(of: object, context)
            } catch {
                // An error of an earlier object takes precedence.
                try runWaiting(runner, db)
                throw error
            }
            guard let write else { continue }
            count += try write.writeRow(of: object, self, runner, db, context)
        }
        return try count + runWaiting(runner, db)
    }

    /// Runs `body`, and names the row that was missing where several were updated.
    private func namingMissingRow<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let row as MissingRow {
            throw try engine.read { db in try row.error(db) }
        }
    }

    /// Throws if an asynchronous call is writing the object, because the two writes wouldn't know of each other.
    func checkNotBeingSaved(_ object: PersistingModel) throws {
        guard !object.record.isBeingSaved else {
            throw PersistenceError(
                .beingSaved,
                "the object is being saved: by an asynchronous call, which is to be awaited first, or by the call that "
                    + "runs this hook",
                model: ModelDescription.name(of: type(of: object))
            ).adding(rowOf: object)
        }
    }

    func checkNew(_ object: PersistingModel, _ mapping: Mapping) throws {
        guard state(of: object) != .persisted else { throw mapping.alreadyPersisted(object) }
    }

    /// Runs the write of one object. If the class has hooks, the write and the hooks' own writes share a transaction.
    @inline(__always)
    func withHooks<T>(_ mapping: Mapping, _ write: () throws -> T) throws -> T {
        mapping.hasHooks ? try transaction(of: { _ in mapping }) { _ in try running(write) } : try write()
    }

    /// Runs the write of one object that is in the table, with its hooks.
    ///
    /// - Parameter write: What it gets is what is known of the object's table, and the context of the transaction.
    @inline(__always)
    func withHooks<T>(
        of object: PersistingModel, _ write: (consuming ModelTable, TransactionContext?) throws -> T
    ) throws -> T {
        let context = openContext()
        let table = try table(of: type(of: object), context)
        guard table.mapping.hasHooks else { return try write(consume table, context) }
        return try withHooks(table.mapping) {
            let context = openContext()
            return try write(self.table(of: type(of: object), context), context)
        }
    }

    /// The context of the transaction in which the calling thread writes; nil if there is none.
    func openContext() -> TransactionContext? {
        guard engine.isMineToWrite else { return nil }
        if let transactionContext, transactionContext.isOpen { return transactionContext }
        return engine.mineToWrite.flatMap { db in TransactionContext.current(self, db) }
    }

    /// Runs `body` with the writing connection and the context of its transaction, if there is one.
    ///
    /// - Parameters:
    ///   - context: The context from before the object's hooks ran.
    ///   - hasHooks: Whether there are hooks, which may have ended the transaction.
    @inline(__always)
    func writing<T>(
        _ context: TransactionContext?, hasHooks: Bool,
        _ body: (any EngineConnection, TransactionContext?) throws -> T
    ) throws -> T {
        if !hasHooks || context?.isOpen == true, let result = try context?.withDatabase(body) { return result }
        return try engine.withoutTransaction { db in
            let context = TransactionContext.current(self, db)
            if context == nil { lookForSchemaOfOthers(db) }
            return try body(db, context)
        }
    }

    /// Records the state of an object that is about to get the values of a row, to restore it if the open transaction
    /// is rolled back.
    ///
    /// - Parameters:
    ///   - trackedRows: The tracked values of rows, including the object's.
    ///   - slot: The object's position among them.
    func restoreAfterRollback(
        _ object: PersistingModel, _ db: any EngineConnection, readFrom trackedRows: TrackedRows?, slot: Int
    ) throws {
        try TransactionContext.current(self, db)?.log.add(object, readFrom: trackedRows, slot: slot)
    }
}
