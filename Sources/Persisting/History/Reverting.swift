/// Giving a row the values that it had.
extension PersistenceManager {
    /// Gives an object the values that its row had after a change, or before it was deleted, and saves it.
    ///
    /// ```swift
    /// let changes = try manager.history(of: note)
    /// try manager.revert(note, to: changes[0])
    /// ```
    ///
    /// It is an ordinary save, with hooks, which the history records. An object whose row was deleted is inserted again
    /// under its key. Properties that the history doesn't have, and deferred ones, stay as they are.
    ///
    /// - Parameters:
    ///   - object: An object of the row, which isn't of the past.
    ///   - change: A change of `history(of:)`.
    /// - Throws: ``PersistenceError/Code/constraint`` where the values refer to a row that is gone, or another row has
    ///   a unique one; the object then has the values, and isn't saved. What a save throws.
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

    /// The version that an object is to become, and whether the object is in the table.
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
