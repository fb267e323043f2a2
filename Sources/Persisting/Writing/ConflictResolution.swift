/// What an insert does about rows that have a key, or the values of another unique constraint, already.
///
/// The words are SQLite's; see [ON CONFLICT](https://www.sqlite.org/lang_conflict.html). Without one of them such an
/// insert throws.
public enum ConflictResolution: Sendable, Hashable {
    /// The object is not inserted, and stays new.
    ///
    /// Only a conflicting row is skipped: a NULL where none is allowed and a CHECK that fails still throw, other
    /// than with SQLite's own INSERT OR IGNORE.
    case ignore
    /// The conflicting rows are deleted, and the object is inserted.
    ///
    /// Foreign keys that refer to a deleted row act as at any other delete. Objects of such rows are not told.
    case replace
}

/// What is done with each object of a batch.
enum WriteVerb: Sendable {
    case insert(ConflictResolution?)
    case save
    case delete
    /// By the keys of properties; nil as in ``UpsertColumns``.
    case upsert(by: [String]?, updating: [String]?)

    /// The error for an object that is there twice in a batch, if that is one.
    func error(forSecond object: PersistingModel, _ mapping: Mapping) -> PersistenceError? {
        switch self {
        case .insert: mapping.alreadyPersisted(object)
        case .delete: mapping.notPersisted(object, to: "delete")
        case .save, .upsert: nil
        }
    }

    /// What an INSERT of a class does about a conflicting row.
    ///
    /// - Throws: ``PersistenceError/Code/unknownKey``, ``PersistenceError/Code/noUniqueConstraint``.
    func conflict(_ mapping: Mapping) throws -> InsertConflict {
        switch self {
        case .insert(.ignore): return .ignore
        case .insert(.replace): return .replace
        case .insert(nil), .save, .delete: return .abort
        case .upsert(let keys, let updated):
            let target = try keys?.map { try mapping.index(ofKey: $0) }
            if target == [] { throw mapping.noUniqueConstraint("`by` is empty") }
            let written = try updated.map { keys in
                try ColumnSet(
                    keys.map { key in
                        let index = try mapping.index(ofKey: key)
                        try mapping.checkWritable(index)
                        return index
                    })
            }
            return .update(UpsertColumns(target: target, written: written))
        }
    }
}
