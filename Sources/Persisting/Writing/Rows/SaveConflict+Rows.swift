extension SaveConflict {
    /// - Parameters:
    ///   - mine: The object's values.
    ///   - columns: The columns that the object has changed.
    ///   - theirs: The values of the row as it is now.
    ///   - row: What the object was read with.
    init(mine trackedValues: Memory?, _ columns: ColumnSet, theirs now: Memory, _ row: borrowing KnownRow) throws {
        let mapping = row.table.mapping
        let loaded = try row.loadedColumns()
        var (base, mine, theirs) = ([String: SQLiteValue](), [String: SQLiteValue](), [String: SQLiteValue]())
        for (index, column) in mapping.columns.enumerated() {
            guard !mapping.fields[index].isKept, !mapping.fields[index].isDeferred || loaded.contains(index) else {
                continue
            }
            let before =
                try row.known.trackedRows.isTracking ? mapping.stored(index, in: row.trackedValues) : Optional.none
            let after = try mapping.stored(index, in: now)
            if let trackedValues, columns.contains(index) {
                mine[column.key] = try mapping.stored(index, in: trackedValues)
            }
            if let other = before ?? mine[column.key], try !column.codec.isSame(other, as: after) {
                theirs[column.key] = after
            }
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
            key: conflict.overlap.count == 1 ? conflict.overlap.first : nil, rowKey: mapping.keyValues(row.key))
        self.conflict = conflict
    }
}
