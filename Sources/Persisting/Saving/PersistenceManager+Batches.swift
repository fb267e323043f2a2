public import Foundation

/// Writing many objects: all of them or none, in one transaction, or inside of one in a savepoint.
///
/// The objects may be of several classes, and are written in their order. When one cannot be written, all are as they
/// were, those before it too. Of no objects, nothing is done.
///
/// ```swift
/// let progress = Progress(totalUnitCount: 1)
/// try manager.save(albums, progress: progress)
/// ```
///
/// A `Progress` gets the number of objects as its `totalUnitCount`, and is updated in about a hundred steps. When it is
/// cancelled, the batch throws `CancellationError`, and nothing is written.
extension PersistenceManager {
    /// Inserts new objects.
    ///
    /// - Parameters:
    ///   - objects: An object that is in the array twice is in the table already, the second time.
    ///   - resolution: Whether an object is left new where a row conflicts with it, or replaces the row. Nil throws.
    ///   - progress: What to tell of the progress.
    /// - Returns: The number of objects inserted.
    /// - Throws: What `insert(_:onConflict:)` throws, and `CancellationError`.
    @discardableResult
    public func insert<Model: PersistingModel>(
        _ objects: [Model], onConflict resolution: ConflictResolution? = nil, progress: Progress? = nil
    ) throws -> Int {
        let objects = upcast(objects)
        if resolution == nil, objects.contains(where: { $0.hasPendingLinks }) {
            for object in objects { try checkNew(object, table(of: type(of: object)).mapping) }
            try save(GraphSave(objects, self), progress)
            return objects.count
        }
        return try write(objects, .insert(resolution), progress)
    }

    /// Saves objects: new ones are inserted, of those in the table the changed columns are written.
    ///
    /// Without any change nothing is done, and no transaction is begun. An object that is in the array twice is saved
    /// once.
    ///
    /// - Parameters:
    ///   - objects: The objects.
    ///   - progress: What to tell of the progress.
    /// - Throws: What `save(_:)` throws, and `CancellationError`.
    public func save<Model: PersistingModel>(_ objects: [Model], progress: Progress? = nil) throws {
        let objects = upcast(objects)
        guard try objects.contains(where: { try needsSaving($0) }) else {
            try BatchProgress(progress, count: objects.count).finish()
            return
        }
        if objects.contains(where: { $0.hasPendingLinks }) { return try save(GraphSave(objects, self), progress) }
        try write(objects, .save, progress)
    }

    /// Deletes the rows of objects. The objects keep their values, and saving one inserts it again.
    ///
    /// - Parameters:
    ///   - objects: An object that is in the array twice is deleted already, the second time, and throws.
    ///   - progress: What to tell of the progress.
    /// - Returns: The number of rows that were there.
    /// - Throws: What `delete(_:)` throws, and `CancellationError`.
    @discardableResult
    public func delete<Model: PersistingModel>(_ objects: [Model], progress: Progress? = nil) throws -> Int {
        try write(upcast(objects), .delete, progress)
    }
}

extension PersistenceManager {
    /// Writes objects in one transaction.
    ///
    /// - Parameter prepare: Called before an object's values are taken.
    /// - Returns: The number of rows that were there, or are now; ignored objects don't count.
    @discardableResult
    func write(
        _ objects: [PersistingModel], _ verb: WriteVerb, _ progress: Progress?,
        preparing prepare: ((PersistingModel) throws -> Void)? = nil
    ) throws -> Int {
        var steps = BatchProgress(progress, count: objects.count)
        guard !objects.isEmpty else {
            try steps.finish()
            return 0
        }
        return try transaction(of: { mapping(of: objects, named: $0) }) { db in
            try running {
                var batch = WriteBatch(self, verb, count: objects.count)
                let runner = InsertionRunner(isAtomic: true)
                var count = 0
                for (position, object) in objects.enumerated() {
                    try steps.advance(to: position)
                    try checkNotBeingSaved(object)
                    try prepare?(object)
                    let context = TransactionContext.current(self, db)
                    guard let write = try batch.write(of: object, context) else { continue }
                    if try write.writeRow(of: object, self, runner, db, context) { count += 1 }
                }
                try steps.finish()
                return count
            }
        }
    }

    /// Whether saving an object would write something, or throw.
    private func needsSaving(_ object: PersistingModel) throws -> Bool {
        guard state(of: object) == .persisted, !object.record.isBeingSaved, !object.hasPendingLinks,
            let trackedValues = object.record.trackedValues, let mapping = object.record.trackedRows?.mapping,
            !mapping.key.isEmpty
        else { return true }
        guard try mapping.hasChanges(object, trackedValues) else { return false }
        return try !mapping.changes(object, trackedValues).subtracting(object.generatedColumns(mapping)).isEmpty
    }
}
