public import Foundation

/// Inserting an object, or writing it over an existing row.
///
/// ```swift
/// try manager.upsert(album)  // by key, or any other unique constraint
/// try manager.upsert(album, by: ["mediaKey"], updating: ["title", "flags"])
/// try manager.upsert(albums, by: ["mediaKey"])  // all or none
/// ```
///
/// It runs one statement, INSERT … ON CONFLICT DO UPDATE; see [UPSERT](https://www.sqlite.org/lang_upsert.html).
/// Afterwards the object has the values of its row. RETURNING is used only if they may differ from those written.
extension PersistenceManager {
    /// Inserts an object, or updates the conflicting row with its values.
    ///
    /// The conflicting row keeps its key, which the object gets. It also keeps the values of columns for which the
    /// object has none: deferred properties that are nil, and nil where the table has a default. All other columns are
    /// written, whether they have changed or not. The object can be new, persisted or deleted.
    ///
    /// A new object runs the insert hooks, a persisted one the update hooks. An existing row keeps its creation times,
    /// unless `updated` names them, and gets a new update time. The version is incremented, but not checked.
    ///
    /// - Parameters:
    ///   - object: The object. A persisted object is written to the row of its current key.
    ///   - keys: The properties of a unique constraint, by name. Nil means any constraint: the row with the object's
    ///     key comes first, and a persisted object is never written to another row.
    ///   - updated: The properties to write to an existing row, by name. Nil means all except the key and creation
    ///     times. If the array is empty, the row stays as it is, and the object gets its values; UPDATE triggers still
    ///     run.
    /// - Throws: ``PersistenceError/Code/noUniqueConstraint`` if there is no unique constraint, or none on exactly
    ///   these properties; ``PersistenceError/Code/unknownKey``; ``PersistenceError/Code/notWritable`` if `updated`
    ///   names the version; ``PersistenceError/Code/invalidObject``; ``PersistenceError/Code/missingPrimaryKeyValue``;
    ///   and ``PersistenceError/Code/constraint``, for example if another row has one of the values. The object is then
    ///   as it was.
    public func upsert(
        _ object: PersistingModel, by keys: [String]? = nil, updating updated: [String]? = nil
    ) throws {
        let table = try table(of: type(of: object))
        try write(object, table, WriteVerb.upsert(by: keys, updating: updated).conflict(table.mapping))
    }

    /// The same, while the task is suspended. The object's values are read when you call it, and the results are set in
    /// the caller's isolation.
    public func upsert(
        _ object: PersistingModel, by keys: [String]? = nil, updating updated: [String]? = nil
    ) async throws {
        try await saving([object]) {
            try upsert(object, by: keys, updating: updated)
        } suspended: {
            try await writeNow([object], .upsert(by: keys, updating: updated))
        }
    }

    /// Inserts objects, or updates the conflicting rows with their values: all of them or none.
    ///
    /// If two objects are written to the same row, the row has the values of the second one, and the first object
    /// doesn't change. An object that is in the array twice is written twice.
    ///
    /// - Parameters:
    ///   - objects: The objects, of one or more classes.
    ///   - keys: The properties of a unique constraint, by name. Nil means any constraint.
    ///   - updated: The properties to write to an existing row, by name. Nil means all except the key and creation
    ///     times.
    ///   - progress: Counts the objects that have been written.
    /// - Throws: What `upsert(_:by:updating:)` throws, and `CancellationError` if the progress is cancelled.
    public func upsert<Model: PersistingModel>(
        _ objects: [Model], by keys: [String]? = nil, updating updated: [String]? = nil,
        progress: Progress? = nil
    ) throws {
        try write(upcast(objects), .upsert(by: keys, updating: updated), progress)
    }

    /// The same, while the task is suspended. The objects' values are read when you call it, and the results are set in
    /// the caller's isolation. An object that is in the array twice is written once, in its first place.
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
    /// Inserts the object, or updates the conflicting row with its values. See
    /// `PersistenceManager.upsert(_:by:updating:)`.
    ///
    /// - Parameters:
    ///   - keys: The properties of a unique constraint, by name. Nil means any constraint.
    ///   - updated: The properties to write to an existing row, by name. Nil means all except the key and creation
    ///     times. If the array is empty, the row stays as it is, and the object gets its values; UPDATE triggers still
    ///     run.
    /// - Throws: What the manager's method throws.
    public func upsert(by keys: [String]? = nil, updating updated: [String]? = nil) throws {
        try ownManager().upsert(self, by: keys, updating: updated)
    }

    /// The same, while the task is suspended.
    public func upsert(by keys: [String]? = nil, updating updated: [String]? = nil) async throws {
        try await ownManager().upsert(self, by: keys, updating: updated)
    }
}
