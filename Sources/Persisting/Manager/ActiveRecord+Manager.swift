extension ActiveRecord {
    /// The manager the object came from, or the current one for an object that came from none.
    func ownManager() throws -> PersistenceManager {
        try record.trackedRows?.manager ?? PersistenceManager.current(for: type(of: self))
    }
}

extension PersistingModel {
    /// The columns that the object's table computes, as far as is known.
    func generatedColumns(_ mapping: Mapping) -> ColumnSet {
        record.trackedRows?.manager?.knownTable(of: type(of: self))?.generatedColumns ?? mapping.generated
    }
}
