public import Foundation

/// Writing many objects, while the task is suspended.
///
/// The values of all objects are taken in the caller's isolation before the first is written, and what comes back is
/// set there when all have been. The progress is told from the database's side.
extension PersistenceManager {
    /// Inserts new objects: all of them, or none when one cannot be inserted.
    public func insert<Model: PersistingModel>(_ objects: [Model], progress: Progress? = nil) async throws {
        let objects = upcast(objects)
        try await saving(objects) { try await writeNow(objects, .insert(nil), progress) }
    }

    /// Inserts new objects, and says what to do about rows that are in their way.
    ///
    /// - Returns: The number of objects inserted.
    @discardableResult
    public func insert<Model: PersistingModel>(
        _ objects: [Model], onConflict resolution: ConflictResolution, progress: Progress? = nil
    ) async throws -> Int {
        let objects = upcast(objects)
        return try await saving(objects) { try await writeNow(objects, .insert(resolution), progress) }
    }

    /// Saves objects: new ones are inserted, of those in the table the changed columns are written.
    public func save<Model: PersistingModel>(_ objects: [Model], progress: Progress? = nil) async throws {
        let objects = upcast(objects)
        try await saving(objects) { try await writeNow(objects, .save, progress) }
    }

    /// Deletes the rows of objects.
    ///
    /// - Returns: The number of rows that were there.
    @discardableResult
    public func delete<Model: PersistingModel>(_ objects: [Model], progress: Progress? = nil) async throws -> Int {
        let objects = upcast(objects)
        return try await saving(objects) {
            let deletions = try once(objects) { $0.notPersisted(to: "delete") }.map { object in
                SentDeletion(try deletion(of: object))
            }
            let steps = BatchProgress(progress, count: objects.count)
            guard !deletions.isEmpty else {
                try steps.finish()
                return 0
            }
            let count = try await database.write { db in
                var steps = steps
                var count = 0
                for (position, sent) in deletions.enumerated() {
                    try steps.advance(to: position)
                    if try sent.deletion.table.mapping.naming({ try sent.deletion.run(db) }) { count += 1 }
                }
                try steps.finish()
                return count
            }
            for object in objects { object.record.state = .deleted }
            objects.forEach { $0.didDelete() }
            return count
        }
    }
}

extension PersistenceManager {
    /// Writes objects, whose values are taken now.
    ///
    /// - Returns: The number of objects that were not ignored.
    @discardableResult
    func writeNow(_ objects: [PersistingModel], _ verb: WriteVerb, _ progress: Progress? = nil) async throws -> Int {
        let isInsert = if case .insert = verb { true } else { false }
        let objects = try once(objects) { mapping in isInsert ? mapping.alreadyPersisted() : nil }
        let steps = BatchProgress(progress, count: objects.count)
        var batch = WriteBatch(self, verb, count: objects.count)
        let writes = try objects.map { object in
            guard let write = try batch.write(of: object) else { return SentWrite?.none }
            return SentWrite(write)
        }
        guard writes.contains(where: { $0 != nil }) else {
            try steps.finish()
            return 0
        }
        // One statement is atomic by itself.
        let outcomes =
            writes.count == 1
            ? try await database.withoutTransaction { db in try Self.run(writes, steps, isAtomic: false, db) }
            : try await database.write { db in try Self.run(writes, steps, isAtomic: true, db) }
        var saved: [(object: PersistingModel, isUpdate: Bool)] = []
        for (object, (write, outcome)) in zip(objects, zip(writes, outcomes)) {
            guard let write, let outcome else { continue }
            let isUpdate = state(of: object) == .persisted
            try write.write.finish(object, outcome, hasTurn: false)
            saved.append((object, isUpdate))
        }
        for (object, isUpdate) in saved { object.didSave(isUpdate: isUpdate) }
        return saved.count
    }

    private static func run(
        _ writes: [SentWrite?], _ steps: BatchProgress, isAtomic: Bool, _ db: Database
    ) throws -> [Insertion.Outcome?] {
        var steps = steps
        let runner = InsertionRunner(isAtomic: isAtomic)
        var outcomes: [Insertion.Outcome?] = []
        outcomes.reserveCapacity(writes.count)
        for (position, write) in writes.enumerated() {
            try steps.advance(to: position)
            outcomes.append(try write.flatMap { try $0.write.run(runner, db) })
        }
        try steps.finish()
        let written = zip(writes, outcomes)
        db.afterCommit {
            for case (let write?, let outcome?) in written { write.write.settleAsLast(outcome) }
        }
        return outcomes
    }

    /// The objects, each of them once.
    ///
    /// - Parameter refusal: The error for one that is there twice, if that is one.
    private func once(
        _ objects: [PersistingModel], _ refusal: (Mapping) -> PersistenceError?
    ) throws -> [PersistingModel] {
        guard objects.count > 1 else { return objects }
        var seen: Set<PersistingModel> = []
        seen.reserveCapacity(objects.count)
        return try objects.filter { object in
            if seen.insert(object).inserted { return true }
            if let error = refusal(try table(of: type(of: object)).mapping) { throw error }
            return false
        }
    }
}
