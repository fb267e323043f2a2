public import Foundation

/// Inserting, and writing many objects, on the models. Each throws what the manager's method of the same name throws.
extension ActiveRecord {
    /// Inserts the object, which is new. See `PersistenceManager.insert(_:)`.
    ///
    /// - Throws: What the manager's method throws.
    public func insert() throws {
        try ownManager().insert(self)
    }

    /// Inserts the object, and handles conflicting rows as you say.
    ///
    /// - Parameter resolution: Whether an object that meets such a row is left new, or takes its place.
    /// - Returns: Whether the object was inserted; false when it was ignored, and is as it was.
    /// - Throws: What the manager's method throws.
    @discardableResult
    public func insert(onConflict resolution: ConflictResolution) throws -> Bool {
        try ownManager().insert(self, onConflict: resolution)
    }

    /// Inserts new objects: all of them or none. See `PersistenceManager.insert(_:onConflict:progress:)`.
    ///
    /// - Parameters:
    ///   - objects: An object that is in the array twice is in the table already, the second time.
    ///   - resolution: Whether an object is left new where a row conflicts with it, or replaces the row. Nil throws.
    ///   - progress: Reports progress, and cancels; nil reports nothing.
    /// - Returns: The number of objects inserted.
    /// - Throws: What the manager's method throws.
    @discardableResult
    public static func insert(
        _ objects: [Self], onConflict resolution: ConflictResolution? = nil, progress: Progress? = nil
    ) throws -> Int {
        try PersistenceManager.current(for: self).insert(objects, onConflict: resolution, progress: progress)
    }

    /// Saves objects: all of them or none. See `PersistenceManager.save(_:progress:)`.
    ///
    /// - Parameters:
    ///   - objects: The objects.
    ///   - progress: Reports progress, and cancels; nil reports nothing.
    /// - Throws: What the manager's method throws.
    public static func save(_ objects: [Self], progress: Progress? = nil) throws {
        try PersistenceManager.current(for: self).save(objects, progress: progress)
    }

    /// Deletes the rows of objects: all of them or none.
    ///
    /// - Parameters:
    ///   - objects: An object that is in the array twice is deleted already, the second time, and throws.
    ///   - progress: Reports progress, and cancels; nil reports nothing.
    /// - Returns: The number of rows that were there.
    /// - Throws: What the manager's method throws.
    @discardableResult
    public static func delete(_ objects: [Self], progress: Progress? = nil) throws -> Int {
        try PersistenceManager.current(for: self).delete(objects, progress: progress)
    }
}

/// Inserting, and writing many objects, on the models, while the task is suspended.
extension ActiveRecord {
    /// Inserts the object, which is new.
    ///
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public func insert() async throws {
        try await ownManager().insert(self)
    }

    /// Inserts the object, and handles conflicting rows as you say.
    ///
    /// - Parameter resolution: Whether an object that meets such a row is left new, or takes its place.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    @discardableResult
    public func insert(onConflict resolution: ConflictResolution) async throws -> Bool {
        try await ownManager().insert(self, onConflict: resolution)
    }

    /// Inserts new objects: all of them or none.
    ///
    /// - Parameters:
    ///   - objects: An object that is in the array twice is in the table already, the second time.
    ///   - resolution: Whether an object is left new where a row conflicts with it, or replaces the row. Nil throws.
    ///   - progress: Reports progress, and cancels; nil reports nothing.
    /// - Returns: The number of objects inserted.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    @discardableResult
    public static func insert(
        _ objects: [Self], onConflict resolution: ConflictResolution? = nil, progress: Progress? = nil
    ) async throws -> Int {
        try await PersistenceManager.current(for: self).insert(objects, onConflict: resolution, progress: progress)
    }

    /// Saves objects: all of them or none.
    ///
    /// - Parameters:
    ///   - objects: The objects.
    ///   - progress: Reports progress, and cancels; nil reports nothing.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    public static func save(_ objects: [Self], progress: Progress? = nil) async throws {
        try await PersistenceManager.current(for: self).save(objects, progress: progress)
    }

    /// Deletes the rows of objects: all of them or none.
    ///
    /// - Parameters:
    ///   - objects: An object that is in the array twice is deleted already, the second time, and throws.
    ///   - progress: Reports progress, and cancels; nil reports nothing.
    /// - Throws: What the manager's method throws; `CancellationError` when the task is cancelled.
    @discardableResult
    public static func delete(_ objects: [Self], progress: Progress? = nil) async throws -> Int {
        try await PersistenceManager.current(for: self).delete(objects, progress: progress)
    }
}
