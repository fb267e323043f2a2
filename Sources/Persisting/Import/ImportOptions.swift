/// What an import does with a row whose key, or whose value of another unique constraint, is already in the table.
public struct ImportConflict: Sendable, Hashable {
    let resolution: InsertConflict
    /// The properties by which an existing row is found; nil is any unique constraint.
    let keys: [String]?

    private init(_ resolution: InsertConflict, _ keys: [String]? = nil) {
        self.resolution = resolution
        self.keys = keys
    }

    /// It is an error of the row.
    public static let fail = ImportConflict(.abort)
    /// The row in the table stays as it is, and the import counts a skipped one.
    public static let ignore = ImportConflict(.ignore)
    /// Conflicting rows in the table are deleted; the import counts an updated one.
    public static let replace = ImportConflict(.replace)
    /// The row in the table takes the values of the import; what the import doesn't have stays.
    ///
    /// - Parameter keys: The names of the properties that a unique constraint is on; none is any constraint.
    public static func update(by keys: String...) -> ImportConflict {
        ImportConflict(.update(UpsertColumns()), keys.isEmpty ? nil : keys)
    }
}

/// What an import does about rows that it can't import.
public enum ImportErrors: Sendable, Hashable {
    /// The first one ends the import with an error.
    case stop
    /// They are skipped and reported. More than `max` of them end the import with an error that lists them.
    case collect(max: Int)

    var limit: Int {
        switch self {
        case .stop: 0
        case .collect(let max): max
        }
    }
}

/// When an import commits.
public enum ImportCommit: Sendable, Hashable {
    /// At its end: all rows are imported, or none.
    case atEnd
    /// After a number of rows: an error or a cancellation leaves the earlier ones in the table, and the error's
    /// ``PersistenceError/importReport`` says where to continue.
    case every(rows: Int)
}
