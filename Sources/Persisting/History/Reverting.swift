/// Reverting rows to earlier values.
extension PersistenceManager {
    /// Gives an object the values that its row had after a change, or before a deletion, and saves it.
    ///
    /// ```swift
    /// let changes = try manager.history(of: note)
    /// try manager.revert(note, to: changes[0])
    /// ```
    ///
    /// This is an ordinary save: it calls hooks, and the history records it. If the object's row was deleted, the
    /// object is inserted again with its key. Deferred properties are restored, too. Properties that the history
    /// excludes don't change.
    ///
    /// - Parameters:
    ///   - object: An object of the row, but not one from the past.
    ///   - change: A change that `history(of:)` returned for this row.
    /// - Throws: ``PersistenceError/Code/constraint`` if the values refer to a row that is gone, or if another row has
    ///   one of the unique values. The object then has the values, but isn't saved. Also what `save` throws.
    public func revert<Model: PersistingModel>(_ object: Model, to change: HistoryChange<Model>) throws {
        let (version, isThere) = try version(change, for: object)
        for key in try deferredKeys(of: object) {
            try load([version], key: key)
            if isThere { try load([object], key: key) }
        }
        try take(version, object, isThere)
        try save(object)
    }

    /// The same, while the task is suspended.
    nonisolated(nonsending) public func revert<Model: PersistingModel>(
        _ object: Model, to change: HistoryChange<Model>
    ) async throws {
        let (version, isThere) = try version(change, for: object)
        for key in try deferredKeys(of: object) {
            try await load([version], key: key)
            if isThere { try await load([object], key: key) }
        }
        try take(version, object, isThere)
        try await save(object)
    }

    /// The version to restore, and whether the object is in the table.
    private func version<Model: PersistingModel>(
        _ change: HistoryChange<Model>, for object: Model
    ) throws -> (Model, isThere: Bool) {
        let mapping = try table(of: type(of: object)).mapping
        try mapping.checkHasHistory()
        guard let version = change.after ?? change.before, type(of: version) == type(of: object) else {
            throw PersistenceError(
                .invalidObject, "the change is of an object of another class", model: mapping.modelName)
        }
        let isThere = state(of: object) == .persisted
        if isThere, object.record.trackedRows?.fetch.past != nil { throw mapping.isOfPast(object, to: "revert") }
        guard try mapping.historyKey(of: object) == mapping.historyKey(of: version) else {
            throw PersistenceError(.invalidObject, "the change is of another row", model: mapping.modelName)
        }
        return (version, isThere)
    }

    /// The deferred properties of an object that are recorded.
    private func deferredKeys(of object: PersistingModel) throws -> [String] {
        let table = try table(of: type(of: object))
        let columns = table.mapping.columns
        return try recordedColumns(of: table).filter { columns[$0].declaration.isDeferred }.map { columns[$0].key }
    }

    /// The columns that are recorded and can be written.
    private func recordedColumns(of table: ModelTable) throws -> [Int] {
        let mapping = table.mapping
        let excluded = Set(try (mapping.modelType.history?.excluded ?? []).map { try mapping.index(ofKey: $0) })
        let kept = mapping.notWritable.union(table.generatedColumns)
        return mapping.columns.indices.filter { !excluded.contains($0) && !kept.contains($0) }
    }

    private func take(_ version: PersistingModel, _ object: PersistingModel, _ isThere: Bool) throws {
        let table = try table(of: type(of: object))
        for index in try recordedColumns(of: table) where !isThere || !table.mapping.key.contains(index) {
            table.mapping.copy(index, from: version, to: object)
        }
    }
}
