/// What is to be done with one object's row, as one of several that cross to the database's side.
final class SentWrite: Sendable {
    /// A column that refers to the row whose key another write has SQLite make.
    struct Key: Sendable {
        let column: Int
        /// The place of that write, which comes before this one.
        let ofWrite: Int
        /// What the property holds when the write is sent. If it holds something else afterwards, it has been set.
        let held: SQLiteValue

        init(_ edge: GraphSave.Edge, ofWrite place: Int) throws {
            column = edge.hop.fromColumns[0]
            ofWrite = place
            held = try edge.hop.from.stored(column, of: edge.child)
        }
    }

    let write: ObjectWrite
    let keys: [Key]
    /// The key of a link's target, or of an object that is to refer to the holder: with a link to it in the table,
    /// there is nothing to write.
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

extension PersistenceManager {
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
        return try finish(writes, outcomes, on: objects)
    }

    /// Tells the objects what their rows hold now. They have no hooks: see ``saving(_:needsObjects:_:suspended:)``.
    ///
    /// - Returns: How many rows there were or are now.
    private func finish(
        _ writes: [SentWrite?], _ outcomes: [WriteOutcome?], on objects: [PersistingModel]
    ) throws -> Int {
        var count = 0
        for (object, (sent, outcome)) in zip(objects, zip(writes, outcomes)) {
            guard let sent, let outcome else { continue }
            for key in sent.keys {
                let mapping = try Mapping.of(object, dates: dates)
                guard let value = outcomes[key.ofWrite]?.key,
                    (try? mapping.stored(key.column, of: object)) == key.held,
                    !object.hasSetMeanwhile(by: key.column)
                else { continue }
                try mapping.assign(stored: .integer(value), to: key.column, of: object)
            }
            try sent.write.finish(object, outcome)
            if outcome.isRowThere { count += 1 }
        }
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
