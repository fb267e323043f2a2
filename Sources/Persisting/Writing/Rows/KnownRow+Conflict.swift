/// Rows that others have written.
extension KnownRow {
    /// The error for a write that did not find the row with its version.
    ///
    /// - Parameters:
    ///   - mine: The values of the columns that were to be written.
    ///   - columns: Those columns.
    ///   - row: The row as it is now.
    /// - Returns: Nil for a row with the version, and for a class without versions.
    func conflict(with mine: Memory?, _ columns: ColumnSet, _ row: PersistingModel) throws -> PersistenceError? {
        guard table.mapping.version != nil, let theirs = row.record.trackedValues,
            try table.mapping.version(in: theirs) != parameters.last
        else { return nil }
        return try PersistenceError(SaveConflict(mine: mine, columns, theirs: theirs, self), self)
    }
}
