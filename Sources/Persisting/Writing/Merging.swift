/// Reconciling an object with what others have made of its row.
extension PersistenceManager {
    /// Reads an object's row again, takes over what others have changed, and keeps the object's own changes, which are
    /// then to be saved.
    ///
    /// ```swift
    /// article.text = "B"
    /// // somebody else has made the title "A": so it is here, and text is a change
    /// try manager.merge(article)
    /// try manager.save(article)
    /// ```
    ///
    /// It serves a class with a `versionKey`, whose save throws ``PersistenceError/Code/conflict``, and any other.
    /// Deferred properties that have not been loaded stay as they are, and `didSet` doesn't run.
    ///
    /// Of an object that is not tracked it is not known who has changed what: wherever it differs from the row, both
    /// have. Afterwards it is tracked.
    ///
    /// - Parameters:
    ///   - object: An object that is in the table.
    ///   - side: Whose value a property has that both have changed; nil throws.
    /// - Throws: ``PersistenceError/Code/conflict`` for a property that both have changed, to different values, unless
    ///   a side is preferred; ``PersistenceError/Code/notPersisted`` for a new object,
    ///   ``PersistenceError/Code/notFound`` when the row is gone. The object is then as it was.
    public func merge(_ object: PersistingModel, preferring side: MergeSide? = nil) throws {
        try checkNotBeingSaved(object)
        let row = try knownRow(of: object, to: "merge")
        try row.table.mapping.naming {
            try engine.read { db in
                guard let fresh = try row.read() else { throw try row.table.mapping.notFound(row.key) }
                let taken = try columns(of: fresh, toMergeInto: object, row, side)
                try restoreAfterRollback(object, db, readFrom: fresh.record.trackedRows, slot: Int(fresh.record.slot))
                try object.merge(fresh, taken, row.table.mapping)
            }
        }
    }

    /// The same, while the task is suspended. What is changed meanwhile is a change of the object's.
    public func merge(_ object: PersistingModel, preferring side: MergeSide? = nil) async throws {
        try await saving([object]) {
            let row = try knownRow(of: object, to: "merge")
            let mapping = row.table.mapping
            let fresh: PersistingModel?
            do {
                fresh = try await engine.read { _ in try row.read() }
            } catch let error as SQLiteError {
                throw PersistenceError(error, mapping)
            }
            guard let fresh else { throw try mapping.notFound(row.key) }
            try object.merge(fresh, columns(of: fresh, toMergeInto: object, row, side), mapping)
        }
    }
}

/// The same methods of an object. They use the manager that ``ActiveRecord`` describes.
extension ActiveRecord {
    /// Reads the object's row again, takes over what others have changed, and keeps the object's own changes. See
    /// `PersistenceManager.merge(_:preferring:)`.
    ///
    /// - Parameter side: Whose value a property has that both have changed; nil throws.
    /// - Throws: What the manager's method throws.
    public func merge(preferring side: MergeSide? = nil) throws {
        try ownManager().merge(self, preferring: side)
    }

    /// The same, while the task is suspended. What is changed meanwhile is a change of the object's.
    public func merge(preferring side: MergeSide? = nil) async throws {
        try await ownManager().merge(self, preferring: side)
    }
}

extension PersistenceManager {
    /// The columns that an object is to take over from its row.
    ///
    /// - Throws: ``PersistenceError/Code/conflict``.
    private func columns(
        of fresh: PersistingModel, toMergeInto object: PersistingModel, _ row: borrowing KnownRow, _ side: MergeSide?
    ) throws -> [Int] {
        guard let theirs = fresh.record.trackedValues else { return [] }
        let conflict = try conflict(of: object, with: theirs, row)
        guard side != nil || conflict.overlap.isEmpty else { throw try PersistenceError(conflict, row) }
        return taken(from: conflict, row, preferring: side)
    }

    /// What an object and its row have become since the object was read.
    private func conflict(
        of object: PersistingModel, with theirs: Memory, _ row: borrowing KnownRow
    ) throws -> SaveConflict {
        let mapping = row.table.mapping
        let trackedValues = row.known.trackedRows.isTracking ? row.trackedValues : theirs
        let mine = TrackedRows(self, mapping, capacity: 1)
        try mine.append(object)
        // Nobody changes what the table computes.
        let generated = row.table.generatedColumns
        let changed = try mapping.changes(object, trackedValues).subtracting(generated)
        return try SaveConflict(mine: mine[0], changed, theirs: theirs, row)
    }

    /// The columns that are the row's after a merge.
    private func taken(
        from conflict: SaveConflict, _ row: borrowing KnownRow, preferring side: MergeSide?
    ) -> [Int] {
        let mapping = row.table.mapping
        let generated = row.table.generatedColumns
        let overlap = conflict.overlap
        return mapping.columns.indices.filter { index in
            let key = mapping.columns[index].key
            guard index != mapping.automaticColumns.version, !generated.contains(index) else { return true }
            return conflict.theirs.keys.contains(key) && (side == .theirs || !overlap.contains(key))
        }
    }

    /// Takes over a row that the object's own program has changed, perhaps with its key, and keeps the object's own
    /// changes, which are then changes against this row.
    func rebase(_ object: PersistingModel, on fresh: PersistingModel, _ row: borrowing KnownRow) throws {
        let mapping = row.table.mapping
        let changed = try mapping.changes(object, row.trackedValues)
        let taken = try columns(of: fresh, toMergeInto: object, row, .mine)
        try object.merge(fresh, taken + mapping.key.filter { !changed.contains($0) }, mapping)
    }

    /// Takes over what others have made of an object's row, and keeps the object's own changes.
    ///
    /// What both have changed stays a change against what the object was read with, so that a merge has a choice, and
    /// the save of a class with a version throws.
    ///
    /// - Returns: What both have become, if they have changed the same; else nil.
    func follow(
        _ fresh: PersistingModel, by object: PersistingModel, _ row: borrowing KnownRow
    ) throws -> SaveConflict? {
        guard let theirs = fresh.record.trackedValues else { return nil }
        let mapping = row.table.mapping
        guard row.known.trackedRows.isTracking else {
            // Nobody knows what the object has changed. From now on it is tracked.
            let changed = try mapping.columns.indices.filter {
                try $0 == mapping.version || mapping.differs($0, object, theirs)
            }
            try object.merge(fresh, changed, mapping)
            return nil
        }
        let conflict = try conflict(of: object, with: theirs, row)
        // Setters run for what is another only.
        let columns = try taken(from: conflict, row, preferring: .mine)
            .filter { try $0 == mapping.version || mapping.differs($0, object, theirs) }
        let overlap = conflict.overlap
        if !overlap.isEmpty {
            for (index, column) in mapping.columns.enumerated()
            where overlap.contains(column.key) || index == mapping.version {
                try mapping.assign(stored: mapping.stored(index, in: row.trackedValues), to: index, in: theirs)
            }
        }
        try object.merge(fresh, columns, mapping)
        return overlap.isEmpty ? nil : conflict
    }
}

/// Whose value a property is to have that two have changed.
public enum MergeSide: Sendable, Hashable {
    /// The object's.
    case mine
    /// The row's.
    case theirs
}

extension PersistingModel {
    /// Takes over some columns of a freshly read object of the same row, and what is known of the row.
    fileprivate func merge(_ fresh: PersistingModel, _ columns: [Int], _ mapping: Mapping) throws {
        for index in columns { mapping.copy(index, from: fresh, to: self) }
        try track(fresh.record.trackedRows, slot: fresh.record.slot)
    }
}
