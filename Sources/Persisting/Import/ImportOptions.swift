/// What an import does with a row whose key, or whose value of another unique constraint, is in the table already.
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
    /// The rows in the table that are in the way are deleted; the import counts an updated one.
    public static let replace = ImportConflict(.replace)
    /// The row in the table takes the values of the import; what the import doesn't have stays.
    ///
    /// - Parameter keys: The names of the properties that a unique constraint is on; none is any constraint.
    public static func update(by keys: String...) -> ImportConflict {
        ImportConflict(.update(UpsertColumns()), keys.isEmpty ? nil : keys)
    }
}

/// What an import does about rows that it can't take.
public enum ImportErrors: Sendable, Hashable {
    /// The first one ends the import, with an error that says it.
    case stop
    /// They are left out and reported, and one more than `max` ends the import with an error that says all of them.
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
    /// At its end: all rows come in, or none.
    case atEnd
    /// After each so many rows: an error or a cancellation leaves those before in the table, and the error's
    /// ``PersistenceError/importReport`` says where to go on.
    case every(rows: Int)
}
