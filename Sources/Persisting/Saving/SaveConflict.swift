/// What two have made of one row: the object that was to be saved, and whoever has written the row since it was read.
///
/// ```swift
/// do {
///     try manager.save(article)
/// } catch let error as PersistenceError where error.code == .conflict {
///     print(error.conflict?.overlap)              // ["text"]
///     try manager.merge(article, preferring: .mine)
///     try manager.save(article)
/// }
/// ```
///
/// Values are stored ones, by the names of properties. The key, the version and deferred columns that are not loaded
/// are in none.
public struct SaveConflict: Sendable, Hashable {
    /// What the object was read with, of all properties that either side has changed. Empty for an object that is not
    /// tracked.
    public let base: [String: SQLiteValue]
    /// What the object was to write; for `PersistenceManager.merge(_:preferring:)`, its changes.
    public let mine: [String: SQLiteValue]
    /// What the row holds, of the properties that somebody else has changed. For an object that is not tracked, of
    /// those of ``mine`` in which it differs.
    public let theirs: [String: SQLiteValue]

    /// The names of the properties that both have changed, to different values, in alphabetical order.
    public var overlap: [String] {
        mine.filter { key, value in theirs[key].map { $0 != value } ?? false }.keys.sorted()
    }

    /// - Parameters:
    ///   - mine: An image with the object's values.
    ///   - columns: The columns that the object has changed.
    ///   - theirs: An image of the row as it is now.
    ///   - row: What the object was read with.
    init(mine image: Memory?, _ columns: ColumnSet, theirs now: Memory, _ row: borrowing KnownRow) throws {
        let mapping = row.table.mapping
        let loaded = try row.loadedColumns()
        var (base, mine, theirs) = ([String: SQLiteValue](), [String: SQLiteValue](), [String: SQLiteValue]())
        for (index, column) in mapping.columns.enumerated() {
            guard !mapping.fields[index].isKept, !mapping.fields[index].isDeferred || loaded.contains(index) else {
                continue
            }
            let before = try row.known.images.isTracking ? mapping.stored(index, in: row.image) : Optional.none
            let after = try mapping.stored(index, in: now)
            if let image, columns.contains(index) { mine[column.key] = try mapping.stored(index, in: image) }
            if let other = before ?? mine[column.key], other != after { theirs[column.key] = after }
            let isConcerned = mine.keys.contains(column.key) || theirs.keys.contains(column.key)
            if let before, isConcerned { base[column.key] = before }
        }
        (self.base, self.mine, self.theirs) = (base, mine, theirs)
    }
}

extension PersistenceError {
    /// The error for an object whose row somebody else has written.
    init(_ conflict: SaveConflict, _ row: borrowing KnownRow) throws {
        let mapping = row.table.mapping
        let theirs = conflict.theirs.keys.sorted().joined(separator: ", ")
        let both = conflict.overlap.joined(separator: ", ")
        try self.init(
            .conflict,
            "somebody else has written the row with \(mapping.condition(of: row.key)) since the object was read"
                + (theirs.isEmpty ? "" : ", and changed \(theirs)")
                + (both.isEmpty ? "" : "; both have changed \(both)")
                + ": merge(_:preferring:) reads the row again and keeps the object's changes", model: mapping.modelName,
            key: conflict.overlap.count == 1 ? conflict.overlap.first : nil)
        self.conflict = conflict
    }
}
