public import Foundation

/// Inserting an object, or writing it over an existing row.
///
/// ```swift
/// try manager.upsert(album)  // by key, or any other unique constraint
/// try manager.upsert(album, by: ["mediaKey"], updating: ["title", "flags"])
/// try manager.upsert(albums, by: ["mediaKey"])  // all or none
/// ```
///
/// It is one statement, INSERT … ON CONFLICT DO UPDATE; see [UPSERT](https://www.sqlite.org/lang_upsert.html).
/// Afterwards the object holds what its row holds: RETURNING brings what may differ, and stands there only then.
extension PersistenceManager {
    /// Inserts an object, or writes it over the conflicting row.
    ///
    /// That row keeps its key, which the object takes over, and what its columns hold for which the object has nothing:
    /// deferred properties that are nil, and nil where the table has a default. An object of any state can be written;
    /// all its columns are, whether they have changed or not.
    ///
    /// A new object runs the hooks of an insert, a persisted one those of an update. The times of creation stay in a
    /// row that is there, unless they are named, those of update are set, and the version counts; it is not asked for.
    ///
    /// - Parameters:
    ///   - object: The object. A persisted one is written to the row of its present key.
    ///   - keys: The names of the properties that a unique constraint is on. Nil is any constraint: the row with the
    ///     object's key comes first, and of a persisted object there is no other.
    ///   - updated: The names of the properties to write to an existing row. Nil is all but the key and creation times.
    ///     If the array is empty, the row stays as it is, and the object gets its values; UPDATE triggers run all the
    ///     same.
    /// - Throws: ``PersistenceError/Code/noUniqueConstraint`` when there is none, or none on just those properties,
    ///   ``PersistenceError/Code/unknownKey``, ``PersistenceError/Code/notWritable`` for the version,
    ///   ``PersistenceError/Code/invalidObject``, ``PersistenceError/Code/missingPrimaryKeyValue``, and
    ///   ``PersistenceError/Code/constraint``, for another row that has one of the values, too; the object is then as
    ///   it was.
    public func upsert(
        _ object: PersistingModel, by keys: [String]? = nil, updating updated: [String]? = nil
    ) throws {
        let table = try table(of: type(of: object))
        try write(object, table, WriteVerb.upsert(by: keys, updating: updated).conflict(table.mapping))
    }

    /// The same, while the task is suspended. The values are taken in the caller's isolation, and what comes back is
    /// set there.
    public func upsert(
        _ object: PersistingModel, by keys: [String]? = nil, updating updated: [String]? = nil
    ) async throws {
        try await saving([object]) {
            try upsert(object, by: keys, updating: updated)
        } suspended: {
            try await writeNow([object], .upsert(by: keys, updating: updated))
        }
    }

    /// Inserts objects, or writes them over the conflicting rows: all of them or none.
    ///
    /// Of two objects with one row, the row holds the second's values, and the first is not told.
    ///
    /// - Parameters:
    ///   - objects: The objects, of one or more classes.
    ///   - keys: The names of the properties that a unique constraint is on; nil is any constraint.
    ///   - updated: The names of the properties to write to an existing row; nil is all but the key and creation times.
    ///   - progress: What to tell of the progress.
    /// - Throws: What `upsert(_:by:updating:)` throws, and `CancellationError` when the progress is cancelled.
    public func upsert<Model: PersistingModel>(
        _ objects: [Model], by keys: [String]? = nil, updating updated: [String]? = nil,
        progress: Progress? = nil
    ) throws {
        try write(upcast(objects), .upsert(by: keys, updating: updated), progress)
    }

    /// The same, while the task is suspended. The values are taken in the caller's isolation, and what comes back is
    /// set there.
    public func upsert<Model: PersistingModel>(
        _ objects: [Model], by keys: [String]? = nil, updating updated: [String]? = nil,
        progress: Progress? = nil
    ) async throws {
        let objects = upcast(objects)
        try await saving(objects) {
            try upsert(objects, by: keys, updating: updated, progress: progress)
        } suspended: {
            try await writeNow(objects, .upsert(by: keys, updating: updated), progress)
        }
    }
}

/// The same methods of an object. They use the manager that ``ActiveRecord`` describes.
extension ActiveRecord {
    /// Inserts the object, or writes it over the row that is in its way. See
    /// `PersistenceManager.upsert(_:by:updating:)`.
    ///
    /// - Parameters:
    ///   - keys: The names of the properties that a unique constraint is on; nil is any constraint.
    ///   - updated: The names of the properties to write to an existing row. Nil is all but the key and creation times.
    ///     If the array is empty, the row stays as it is, and the object gets its values; UPDATE triggers run all the
    ///     same.
    /// - Throws: What the manager's method throws.
    public func upsert(by keys: [String]? = nil, updating updated: [String]? = nil) throws {
        try ownManager().upsert(self, by: keys, updating: updated)
    }

    /// The same, while the task is suspended.
    public func upsert(by keys: [String]? = nil, updating updated: [String]? = nil) async throws {
        try await ownManager().upsert(self, by: keys, updating: updated)
    }
}
