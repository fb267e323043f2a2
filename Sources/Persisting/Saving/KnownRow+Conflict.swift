/// Rows that others have written.
extension KnownRow {
    /// The error for a write that did not find the row with its version.
    ///
    /// - Parameters:
    ///   - mine: The values of the columns that were to be written.
    ///   - columns: Those columns.
    /// - Returns: Nil when there is no such row at all, and for a class without versions.
    func conflict(with mine: Memory?, _ columns: ColumnSet) throws -> PersistenceError? {
        let mapping = table.mapping
        guard mapping.version != nil, let row = try read(), let theirs = row.record.trackedValues else {
            return nil
        }
        guard try mapping.version(in: theirs) != parameters.last else {
            return try PersistenceError(
                .database,
                "the row with \(mapping.condition(of: key)) was ignored: a trigger ignores the write",
                model: mapping.modelName)
        }
        return try PersistenceError(SaveConflict(mine: mine, columns, theirs: theirs, self), self)
    }
}
