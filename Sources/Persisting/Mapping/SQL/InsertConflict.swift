/// What an INSERT does about a conflicting row.
enum InsertConflict: Sendable, Hashable {
    case abort
    case ignore
    case replace
    case update(UpsertColumns)
}

/// What an upsert finds an existing row by, and what it writes there.
struct UpsertColumns: Sendable, Hashable {
    /// The columns of a unique constraint; nil for any.
    var target: [Int]?
    /// The conditions of partial unique indexes on these columns, as SQL; empty for a constraint of all rows.
    var conditions: [String] = []
    /// The columns to write; nil for all but the key.
    var written: ColumnSet?
}
