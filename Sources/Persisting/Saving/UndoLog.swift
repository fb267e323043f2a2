/// What objects were before a transaction changed them: the objects' part of a rollback.
///
/// An object that nothing but the log holds can't be looked at after a rollback: its entries are dropped when the log
/// is about to grow, so that a transaction of any length stays as small as the objects that the program keeps.
final class UndoLog {
    /// What is undone of the values of few objects.
    struct Change {
        var automaticValues: [AutomaticValue] = []
        var refresh: Refresh?
        /// Gives a property that was set its old value again, unless it has been set since.
        var restore: ((PersistingModel) -> Void)?
    }

    /// An object's values before and after it was read again.
    struct Refresh {
        let before: TrackedRows
        let trackedRows: TrackedRows
        let slot: Int

        /// Takes an object's values.
        ///
        /// - Parameters:
        ///   - trackedRows: The tracked values of rows, among them those that the object is about to have.
        ///   - slot: Which of them is the object's.
        init(of object: PersistingModel, to trackedRows: TrackedRows, _ slot: Int) throws {
            before = TrackedRows(trackedRows.manager, trackedRows.mapping, capacity: 1)
            try before.append(object)
            self.trackedRows = trackedRows
            self.slot = slot
        }
    }

    /// What is put back of what is known of an object's row.
    private enum Before {
        case record(Record)
        /// Of an object that was deleted, of which nothing but the state has changed.
        case persisted
        /// What the object's tracked values were in the columns of these, which were exchanged for them.
        case values(TrackedRows, slot: Int32)
    }

    private struct Entry {
        /// Nil where an earlier entry holds the object.
        var held: PersistingModel?
        unowned(unsafe) let object: PersistingModel
        let before: Before
        /// Whether properties were set that held what the row did.
        let isAssigned: Bool
        /// Which of `filled` are the object's.
        var filled: Int32
    }

    // One thread at a time writes in a transaction, and no access spans a call.
    @exclusivity(unchecked) private var entries: ContiguousArray<Entry> = []
    /// Columns that held nil until the database filled them: of one object as of the next, as a rule.
    @exclusivity(unchecked) private var filled: ContiguousArray<ColumnSet> = [ColumnSet()]
    /// Each with the place of the entry that it belongs to, in order.
    @exclusivity(unchecked) private var changes: [(place: Int, change: Change)] = []
    /// Where the entries of each transaction or savepoint begin, outermost first.
    @exclusivity(unchecked) private var beginnings: [Int] = []
    /// Whether an object may have several entries.
    @exclusivity(unchecked) private var mayRepeat = false
    /// How many entries there may be before those are looked for that nobody needs.
    @exclusivity(unchecked) private var limit = smallestLimit
    private static let smallestLimit = 256
    private static let growth = 4
    /// How many entries there have been.
    @exclusivity(unchecked) private(set) var added = 0

    /// Begins the entries of a transaction or savepoint.
    func begin() {
        beginnings.append(entries.count)
    }

    /// Counts the last savepoint's entries among those of what is around it.
    func mergeLast() {
        beginnings.removeLast()
    }

    /// Notes an object that is about to change.
    ///
    /// - Parameters:
    ///   - values: What the object's tracked values are about to be exchanged for; nil when they stay as they are.
    ///   - filled: The columns that hold nil, and that the database is about to fill.
    ///   - isAssigned: Whether properties were set that held what the row did.
    func add(
        _ object: PersistingModel, values: TrackedRow? = nil, filled: ColumnSet = ColumnSet(),
        isAssigned: Bool = false, _ change: Change? = nil
    ) {
        if entries.count >= limit { dropUnheld() }
        if let change { changes.append((entries.count, change)) }
        let before =
            values.map { Before.values($0.trackedRows, slot: Int32(clamping: $0.slot)) } ?? .record(object.record)
        append(object, before, isAssigned: isAssigned, filled: fill(filled))
    }

    /// The place of some columns in `filled`.
    @inline(__always)
    private func fill(_ columns: ColumnSet) -> Int32 {
        if filled[filled.count - 1] != columns { filled.append(columns) }
        return Int32(clamping: filled.count - 1)
    }

    /// Notes an object whose row has been deleted.
    func addDeleted(_ object: PersistingModel) {
        if entries.count >= limit { dropUnheld() }
        append(object, .persisted, isAssigned: false, filled: 0)
    }

    @inline(__always)
    private func append(_ object: PersistingModel, _ before: Before, isAssigned: Bool, filled: Int32) {
        if object.record.isLogged { mayRepeat = true } else { object.record.isLogged = true }
        added &+= 1
        entries.append(
            Entry(held: object, object: object, before: before, isAssigned: isAssigned, filled: filled))
    }

    /// Notes an object that has been inserted, and is about to be told.
    func add(
        _ object: PersistingModel, insertedBy insertion: borrowing Insertion, _ outcome: WriteOutcome
    ) throws {
        guard let filled = insertion.filled(outcome) else {
            return try add(object, readFrom: insertion.target.trackedRows, slot: insertion.slot)
        }
        let automaticValues = insertion.special?.automaticValues ?? []
        add(object, filled: filled, automaticValues.isEmpty ? nil : Change(automaticValues: automaticValues))
    }

    /// Notes an object that is about to hold what was read.
    ///
    /// - Parameters:
    ///   - trackedRows: The tracked values of rows, the object's among them.
    ///   - slot: Which of them is the object's.
    func add(_ object: PersistingModel, readFrom trackedRows: TrackedRows?, slot: Int) throws {
        add(object, try trackedRows.map { Change(refresh: try Refresh(of: object, to: $0, slot)) })
    }

    /// Forgets all, after the commit.
    func removeAll() {
        let (entries, changes) = (entries, changes)
        (self.entries, self.changes, beginnings, mayRepeat) = ([], [], [], false)
        for entry in entries { entry.object.record.isLogged = false }
        // The last reference to an object may run code that comes here again.
        withExtendedLifetime((entries, changes)) {}
    }

    /// Gives the objects of the last transaction or savepoint what they were before, from the last to the first.
    func undoLast(_ manager: PersistenceManager) {
        guard let beginning = beginnings.popLast() else { return }
        var undone: [(entry: Entry, change: Change?)] = []
        while entries.count > beginning, let entry = entries.popLast() {
            entry.object.record.isLogged = false
            undone.append((entry, changes.last?.place == entries.count ? changes.popLast()?.change : nil))
        }
        // Others of these objects' entries may be left.
        if !entries.isEmpty { mayRepeat = true }
        // What a property's observer runs may come here again: the log is whole by now.
        for (entry, change) in undone { undo(entry, change, manager) }
    }

    private func undo(_ entry: Entry, _ change: Change?, _ manager: PersistenceManager) {
        let object = entry.object
        // An object that another manager has saved since is that one's.
        guard let trackedRows = object.record.trackedRows, trackedRows.manager === manager else { return }
        let (mapping, trackedValues) = (trackedRows.mapping, object.record.trackedValues)
        switch entry.before {
        case .persisted: object.record.state = .persisted
        case .record(var record):
            record.isLogged = false
            object.record = record
            // Values that the object had, it can have again, nil too; what was set since stays.
            change?.undo(object, mapping)
            guard let trackedValues else { return }
            for index in filled[Int(entry.filled)] where mapping.isKnown(index, object, trackedValues) {
                try? mapping.assign(stored: .null, to: index, of: object)
            }
        case .values(let values, let slot):
            change?.undo(object, mapping)
            let values = TrackedRow(trackedRows: values, slot: Int(slot))
            if entry.isAssigned, let trackedValues { object.restore(values, over: trackedValues, mapping) }
            // Tracked values of the same class can always be exchanged.
            try? object.exchangeTrackedValues(for: values)
        }
    }
}

/// Keeping the log as small as the objects that the program holds.
extension UndoLog {
    /// Drops the entries of objects that nothing else holds, if there are many.
    private func dropUnheld() {
        if mayRepeat {
            letFirstEntriesHold()
        } else if !hasUnheldAmongFew() {
            limit = entries.count * Self.growth
            return
        }
        let (all, allFilled, allChanges) = (entries.count, filled, changes)
        var objects: Set<ObjectIdentifier> = []
        var dropped: [PersistingModel] = []
        var (kept, beginning, change) = (0, 0, 0)
        (filled, changes) = ([ColumnSet()], [])
        for place in 0..<all {
            while beginning < beginnings.count, beginnings[beginning] == place {
                beginnings[beginning] = kept
                beginning += 1
            }
            let hasChange = change < allChanges.count && allChanges[change].place == place
            defer { if hasChange { change += 1 } }
            let identity = ObjectIdentifier(entries[place].object)
            if isUnheld(place) {
                if mayRepeat { objects.insert(identity) }
                dropped.append(entries[place].object)
            } else if !mayRepeat || !objects.contains(identity) {
                if hasChange { changes.append((kept, allChanges[change].change)) }
                if kept < place { entries.swapAt(kept, place) }
                entries[kept].filled = fill(allFilled[Int(entries[kept].filled)])
                kept += 1
            }
        }
        while beginning < beginnings.count {
            beginnings[beginning] = kept
            beginning += 1
        }
        entries.removeLast(all - kept)
        limit = max(Self.smallestLimit, kept * Self.growth)
        // The last reference to an object may run code that comes here again: all is in order by now.
        withExtendedLifetime((dropped, allChanges)) {}
    }

    private func isUnheld(_ place: Int) -> Bool { isKnownUniquelyReferenced(&entries[place].held) }

    /// Whether an entry of a few is of an object that nothing else holds. Where the program keeps its objects, this is
    /// all there is to do.
    private func hasUnheldAmongFew() -> Bool {
        stride(from: 0, to: entries.count, by: max(1, entries.count / 32)).contains { isUnheld($0) }
    }

    /// Has only the first entry of an object hold it, so that the log has one reference to it.
    private func letFirstEntriesHold() {
        var seen = Set<ObjectIdentifier>(minimumCapacity: entries.count)
        for place in entries.indices where !seen.insert(ObjectIdentifier(entries[place].object)).inserted {
            entries[place].held = nil
        }
    }
}

extension PersistingModel {
    /// Gives properties the values in `before` where they still are as in other tracked values. One that cannot be
    /// restored keeps no other from being restored.
    fileprivate func restore(_ before: TrackedRow, over trackedValues: Memory, _ mapping: Mapping) {
        for index in before.trackedRows.columns where mapping.isKnown(index, self, trackedValues) {
            try? mapping.assign(stored: mapping.stored(index, in: before.memory), to: index, of: self)
        }
    }
}

extension UndoLog.Change {
    /// Goes on where a value cannot be restored: what is left of the object can.
    fileprivate func undo(_ object: PersistingModel, _ mapping: Mapping) {
        if let refresh {
            let mapping = refresh.trackedRows.mapping
            for index in mapping.columns.indices
            where mapping.isKnown(index, object, refresh.trackedRows[refresh.slot]) {
                try? mapping.assign(stored: mapping.stored(index, in: refresh.before[0]), to: index, of: object)
            }
        }
        if !automaticValues.isEmpty { try? mapping.undo(automaticValues, of: object) }
        restore?(object)
    }
}

extension Mapping {
    /// Whether a column's value in an object is the tracked one. One that cannot be stored is not.
    func isKnown(_ index: Int, _ object: PersistingModel, _ trackedValues: Memory) -> Bool {
        (try? !differs(index, object, trackedValues)) ?? false
    }
}
