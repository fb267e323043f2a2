/// What happens to a row when the parent that it references is deleted or changes.
///
/// See [ON DELETE and ON UPDATE Actions](https://www.sqlite.org/foreignkeys.html#fk_actions).
public enum ForeignKeyAction: String, Sendable, Hashable {
    /// The row is deleted or changes with its parent.
    case cascade = "CASCADE"
    /// The reference becomes NULL.
    case setNull = "SET NULL"
    /// The reference becomes the column's default.
    case setDefault = "SET DEFAULT"
    /// The parent can't be deleted or change, not even in a transaction that would correct it.
    case restrict = "RESTRICT"
}

/// A foreign key as its column declares it.
package struct Reference: Sendable {
    package let type: PersistingModel.Type
    package let column: String?
    package let onDelete: ForeignKeyAction?
    package let onUpdate: ForeignKeyAction?
    package let isDeferred: Bool

    /// Throws for a reference to a table of another database, which SQLite would look for in that of the column.
    ///
    /// - Throws: ``PersistenceError/Code/invalidRelation``.
    func check(from modelType: PersistingModel.Type, key: String?) throws {
        let (own, other) = (modelType.schemaName ?? "main", type.schemaName ?? "main")
        guard !isSameName(own, other) else { return }
        throw PersistenceError(
            .invalidRelation,
            "a foreign key of the database \(own) can't refer to the table \(type.tableName) of \(other): declare a "
                + "relation with isEnforced: false", model: ModelDescription.name(of: modelType), key: key)
    }

    var sql: String { sql(column.map { [SQLText.identifier($0)] } ?? []) }

    /// - Parameter columns: The parent's, as SQL writes them; none for its primary key.
    func sql(_ columns: [String]) -> String {
        var words = ["REFERENCES", SQLText.identifier(type.tableName)]
        if !columns.isEmpty { words.append("(\(columns.list(", ")))") }
        if let onDelete { words.append("ON DELETE \(onDelete.rawValue)") }
        if let onUpdate { words.append("ON UPDATE \(onUpdate.rawValue)") }
        if isDeferred { words.append("DEFERRABLE INITIALLY DEFERRED") }
        return words.joined(separator: " ")
    }
}
