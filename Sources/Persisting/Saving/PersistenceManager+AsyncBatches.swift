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
        return try await saving(objects) { try await writeNow(objects, .delete, progress) }
    }
}

extension PersistenceManager {
    /// Writes objects, whose values are taken now.
    ///
    /// - Returns: The number of rows that were there, or are now; ignored objects don't count.
    @discardableResult
    func writeNow(_ objects: [PersistingModel], _ verb: WriteVerb, _ progress: Progress? = nil) async throws -> Int {
        let objects = try once(objects) { verb.refusal(ofSecond: $0) }
        var batch = WriteBatch(self, verb, count: objects.count)
        let writes = try objects.map { object in SentWrite(try batch.write(of: object)) }
        return try await perform(writes, on: objects, BatchProgress(progress, count: objects.count))
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
