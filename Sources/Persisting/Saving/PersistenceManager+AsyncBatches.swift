public import Foundation

/// Writing many objects, while the task is suspended.
///
/// The values of all objects are taken in the caller's isolation before the first is written, and what comes back is
/// set there when all have been. Progress is reported from the database's side.
extension PersistenceManager {
    /// Inserts new objects, while the task is suspended: all of them, or none when one can't be inserted.
    ///
    /// - Parameters:
    ///   - objects: New objects, each of them once.
    ///   - resolution: Whether an object is left new where a row conflicts with it, or replaces the row. Nil throws.
    ///   - progress: Reports how many are done; nil reports nothing.
    /// - Returns: The number of objects inserted.
    /// - Throws: What `insert(_:onConflict:)` throws for one object; `CancellationError` when the task or the progress
    ///   is cancelled. All objects are then as they were.
    @discardableResult
    public func insert<Model: PersistingModel>(
        _ objects: [Model], onConflict resolution: ConflictResolution? = nil, progress: Progress? = nil
    ) async throws -> Int {
        let objects = upcast(objects)
        if resolution == nil, objects.contains(where: { $0.hasPendingLinks }) {
            for object in objects { try checkNew(object, table(of: type(of: object)).mapping) }
            try await save(GraphSave(objects, self), progress)
            return objects.count
        }
        return try await saving(objects) {
            try insert(objects, onConflict: resolution, progress: progress)
        } suspended: {
            try await writeNow(objects, .insert(resolution), progress)
        }
    }

    /// Saves objects, while the task is suspended: inserts new ones, and writes the changed columns of those in the
    /// table.
    ///
    /// - Parameters:
    ///   - objects: The objects. One that is in the array twice is saved once.
    ///   - progress: Reports how many are done; nil reports nothing.
    /// - Throws: What `save(_:)` throws for one object; `CancellationError` when the task or the progress is cancelled.
    ///   All objects are then as they were.
    public func save<Model: PersistingModel>(_ objects: [Model], progress: Progress? = nil) async throws {
        let objects = upcast(objects)
        if objects.contains(where: { $0.hasPendingLinks }) { return try await save(GraphSave(objects, self), progress) }
        try await saving(objects) {
            try save(objects, progress: progress)
        } suspended: {
            try await writeNow(objects, .save, progress)
        }
    }

    /// Deletes the rows of objects, while the task is suspended. The objects keep their values.
    ///
    /// - Parameters:
    ///   - objects: Objects that are in the table, each of them once.
    ///   - progress: Reports how many are done; nil reports nothing.
    /// - Returns: The number of rows that were there.
    /// - Throws: What `delete(_:)` throws for one object; `CancellationError` when the task or the progress is
    ///   cancelled. All objects are then as they were.
    @discardableResult
    public func delete<Model: PersistingModel>(_ objects: [Model], progress: Progress? = nil) async throws -> Int {
        let objects = upcast(objects)
        return try await saving(objects) {
            try delete(objects, progress: progress)
        } suspended: {
            try await writeNow(objects, .delete, progress)
        }
    }
}

extension PersistenceManager {
    /// Writes objects, whose values are taken now.
    ///
    /// - Returns: The number of rows that were there, or are now; ignored objects don't count.
    @discardableResult
    func writeNow(_ objects: [PersistingModel], _ verb: WriteVerb, _ progress: Progress? = nil) async throws -> Int {
        let objects = try once(objects) { verb.error(forSecond: $0) }
        var batch = WriteBatch(self, verb, count: objects.count)
        let writes = try objects.map { object in SentWrite(try batch.write(of: object)) }
        return try await executeSuspended(writes, on: objects, BatchProgress(progress, count: objects.count))
    }

    /// The objects, each of them once.
    ///
    /// - Parameter errorForSecond: The error for one that is there twice, if that is one.
    private func once(
        _ objects: [PersistingModel], _ errorForSecond: (Mapping) -> PersistenceError?
    ) throws -> [PersistingModel] {
        guard objects.count > 1 else { return objects }
        var seen: Set<PersistingModel> = []
        seen.reserveCapacity(objects.count)
        return try objects.filter { object in
            if seen.insert(object).inserted { return true }
            if let error = errorForSecond(try table(of: type(of: object)).mapping) { throw error }
            return false
        }
    }
}
