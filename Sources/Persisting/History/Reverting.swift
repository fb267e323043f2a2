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
        try take(change, object)
        try save(object)
    }

    /// The same, while the task is suspended.
    nonisolated(nonsending) public func revert<Model: PersistingModel>(
        _ object: Model, to change: HistoryChange<Model>
    ) async throws {
        try take(change, object)
        try await save(object)
    }

    private func take<Model: PersistingModel>(_ change: HistoryChange<Model>, _ object: Model) throws {
        let table = try table(of: type(of: object))
        let mapping = table.mapping
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
        let excluded = Set(try (mapping.modelType.history?.excluded ?? []).map { try mapping.index(ofKey: $0) })
        let kept = mapping.notWritable.union(table.generatedColumns)
        for index in mapping.columns.indices
        where !excluded.contains(index) && !kept.contains(index) && !mapping.columns[index].declaration.isDeferred {
            if !isThere || !mapping.key.contains(index) { mapping.copy(index, from: version, to: object) }
        }
    }
}
