/// What histories know a row by.
extension Mapping {
    /// Throws for a class without a history.
    func checkHasHistory() throws {
        guard modelType.history != nil else {
            throw PersistenceError(.noHistory, "the class has no history: override history", model: modelName)
        }
    }

    /// The key of an object's row, as it is stored.
    func historyKey(of object: PersistingModel) throws -> [SQLiteValue] {
        try checkHasHistory()
        let tracked = object.record.trackedRows?.mapping === self ? object.record.trackedKey : nil
        let values: [SQLiteValue] = try key.map { index in
            if let tracked { return try stored(index, in: tracked) }
            return try stored(index, of: object)
        }
        guard !values.contains(where: { $0.isNull }) else { throw missingKeyValue() }
        return values
    }
}
