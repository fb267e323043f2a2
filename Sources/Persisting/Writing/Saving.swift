public import Foundation

extension PersistenceManager {
    /// Saves an object: a new one is inserted, of one that is in the table the changed columns are written. Without
    /// changes nothing is done.
    ///
    /// A key that was changed is written to the row of the old key. A generated column is not written: its property is
    /// skipped, and holds what the row does once something has been written.
    ///
    /// - Parameter object: The object.
    /// - Throws: ``PersistenceError/Code/notFound`` when the row is gone, ``PersistenceError/Code/conflict`` when
    ///   somebody else has written the row of a class with a `versionKey`, ``PersistenceError/Code/invalidObject``,
    ///   ``PersistenceError/Code/constraint``, …; the object is then as it was.
    public func save(_ object: PersistingModel) throws {
        if object.hasPendingLinks { return try save(GraphSave([object], self)) }
        switch state(of: object) {
        case .new, .deleted: try insert(object)
        case .persisted: try update(object)
        case .gone: throw try table(of: type(of: object)).mapping.isGone(object)
        }
    }

    /// The same, while the task is suspended. The values are taken in the caller's isolation, and what comes back is
    /// set there.
    public func save(_ object: PersistingModel) async throws {
        if object.hasPendingLinks { return try await save(GraphSave([object], self)) }
        try await saving([object]) {
            try save(object)
        } suspended: {
            try await writeNow([object], .save)
        }
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

    /// The same, while the task is suspended. The values are taken in the caller's isolation, and what comes back is
    /// set there.
    public func save<Model: PersistingModel>(_ objects: [Model], progress: Progress? = nil) async throws {
        let objects = upcast(objects)
        if objects.contains(where: { $0.hasPendingLinks }) { return try await save(GraphSave(objects, self), progress) }
        try await saving(objects) {
            try save(objects, progress: progress)
        } suspended: {
            try await writeNow(objects, .save, progress)
        }
    }
}

/// The same methods of classes and objects. They use the manager that ``ActiveRecord`` describes.
extension ActiveRecord {
    /// Saves the object. See `PersistenceManager.save(_:)`.
    ///
    /// - Throws: What the manager's method throws.
    public func save() throws {
        try ownManager().save(self)
    }

    /// The same, while the task is suspended.
    public func save() async throws {
        try await ownManager().save(self)
    }
}

extension PersistenceManager {
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
