/// Reading an object again.
extension PersistenceManager {
    /// Reads an object's row again: all its properties hold what the row holds, and deferred ones are not loaded.
    /// Observers of the properties are not told.
    ///
    /// - Parameter object: An object that is in the table.
    /// - Throws: ``PersistenceError/Code/notPersisted`` for a new object, ``PersistenceError/Code/notFound`` when the
    ///   row is gone; the object is then as it was.
    public func refresh(_ object: PersistingModel) throws {
        try checkNotBeingSaved(object)
        let (table, key) = try storedKey(of: object, to: "refresh")
        try engine.query { db in
            guard let fresh = try self.row(of: type(of: object), table, key) else { throw table.mapping.notFound(key) }
            try restoreAfterRollback(object, db, readFrom: fresh.record.trackedRows, slot: Int(fresh.record.slot))
            object.takeOver(fresh, table.mapping)
        }
    }

    /// The same, while the task is suspended.
    public func refresh(_ object: PersistingModel) async throws {
        try await saving([object]) {
            let (table, key) = try storedKey(of: object, to: "refresh")
            let type = type(of: object)
            let fresh = try await onReadingSide(of: type) { manager in try manager.row(of: type, table, key) }
            guard let fresh else { throw table.mapping.notFound(key) }
            object.takeOver(fresh, table.mapping)
        }
    }
}

/// The same methods of an object. They use the manager that ``ActiveRecord`` describes.
extension ActiveRecord {
    /// Reads the object's row again. See `PersistenceManager.refresh(_:)`.
    ///
    /// - Throws: What the manager's method throws.
    public func refresh() throws {
        try ownManager().refresh(self)
    }

    /// The same, while the task is suspended.
    public func refresh() async throws {
        try await ownManager().refresh(self)
    }
}
