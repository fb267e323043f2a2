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
        /// What the object's tracked values were in the columns of some of `exchanged`, which were exchanged for them.
        case values(Int32, slot: Int32)
    }

    private struct Entry {
        /// Nil where an earlier entry holds the object.
        var held: PersistingModel?
        // To look at the object counts no reference to it.
        let object: Unmanaged<PersistingModel>
        var before: Before
        /// Whether properties were set that held what the row did.
        let isAssigned: Bool
        /// Which of `filled` are the object's.
        var filled: Int32
    }

    // One thread at a time writes in a transaction, and no access spans a call.
    @exclusivity(unchecked) private var entries: ContiguousArray<Entry> = []
    /// Columns that held nil until the database filled them: of one object as of the next, as a rule.
    @exclusivity(unchecked) private var filled: ContiguousArray<ColumnSet> = [ColumnSet()]
    /// What tracked values were exchanged for: of one object as of the next, as a rule.
    @exclusivity(unchecked) private var exchanged: ContiguousArray<TrackedRows> = []
    /// The last of them. To look at the array would count a reference to it.
    @exclusivity(unchecked) private var lastExchanged: ObjectIdentifier?
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
    /// How many entries are removed together.
    private static let atOnce = 64
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
    ///   - filled: The columns that hold nil, and that the database is about to fill.
    func add(_ object: PersistingModel, filled: ColumnSet = ColumnSet(), _ change: Change? = nil) {
        makeRoom()
        let filled = fill(filled)
        append(object, .record(object.record), filled: filled, change)
    }

    /// Notes an object whose tracked values are about to be exchanged for others.
    ///
    /// - Parameters:
    ///   - values: The others, among those of other objects.
    ///   - slot: Which of them.
    ///   - isAssigned: Whether properties were set that held what the row did.
    func add(
        _ object: PersistingModel, exchanging values: TrackedRows, _ slot: Int, isAssigned: Bool, _ change: Change?
    ) {
        makeRoom()
        append(object, .values(exchange(values), slot: Int32(clamping: slot)), isAssigned: isAssigned, change)
    }

    /// The place of some tracked values in `exchanged`.
    @inline(__always)
    private func exchange(_ values: TrackedRows) -> Int32 {
        if lastExchanged != ObjectIdentifier(values) {
            lastExchanged = ObjectIdentifier(values)
            exchanged.append(values)
        }
        return Int32(clamping: exchanged.count - 1)
    }

    /// The place of some columns in `filled`.
    @inline(__always)
    private func fill(_ columns: ColumnSet) -> Int32 {
        if filled[filled.count - 1] != columns { filled.append(columns) }
        return Int32(clamping: filled.count - 1)
    }

    /// Notes an object whose row has been deleted.
    func addDeleted(_ object: PersistingModel) {
        makeRoom()
        append(object, .persisted)
    }

    @inline(__always)
    private func makeRoom() {
        if entries.count >= limit { dropUnheld() }
    }

    @inline(__always)
    private func append(
        _ object: PersistingModel, _ before: Before, isAssigned: Bool = false, filled: Int32 = 0,
        _ change: Change? = nil
    ) {
        if let change { changes.append((entries.count, change)) }
        if object.record.isLogged { mayRepeat = true } else { object.record.isLogged = true }
        added &+= 1
        entries.append(
            Entry(
                held: object, object: .passUnretained(object), before: before, isAssigned: isAssigned, filled: filled))
    }

    /// Notes an object that has been inserted, and is about to be told.
    func add(
        _ object: PersistingModel, insertedBy insertion: borrowing Insertion, _ outcome: WriteOutcome
    ) throws {
        guard let filled = insertion.filled(outcome) else {
            return try add(object, readFrom: insertion.target.trackedRows, slot: insertion.slot)
        }
        let change = insertion.special.flatMap { special in
            special.automaticValues.isEmpty ? nil : Change(automaticValues: special.automaticValues)
        }
        add(object, filled: filled, change)
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
        var (entries, changes) = (entries, changes)
        (self.entries, self.changes, beginnings, mayRepeat) = ([], [], [], false)
        (exchanged, lastExchanged) = ([], nil)
        // The last reference to an object may run code that comes here again: the log is empty by now. The first entry
        // of an object holds it, so the last are the first to go. Of several objects, the processor fetches one while
        // it waits for another; to release one that is not at hand it would wait for each.
        while !entries.isEmpty {
            let last = max(0, entries.count - Self.atOnce)..<entries.count
            for place in last { entries[place].object._withUnsafeGuaranteedRef { $0.record.isLogged = false } }
            entries.removeLast(last.count)
        }
        changes.removeAll()
    }

    /// Gives the objects of the last transaction or savepoint what they were before, from the last to the first.
    func undoLast(_ manager: PersistenceManager) {
        guard let beginning = beginnings.popLast() else { return }
        var undone: [(entry: Entry, change: Change?)] = []
        while entries.count > beginning, let entry = entries.popLast() {
            entry.object.takeUnretainedValue().record.isLogged = false
            undone.append((entry, changes.last?.place == entries.count ? changes.popLast()?.change : nil))
        }
        // Others of these objects' entries may be left.
        if !entries.isEmpty { mayRepeat = true }
        // What a property's observer runs may come here again: the log is whole by now, and may make others of these.
        let (filled, exchanged) = (filled, exchanged)
        let places = undone.compactMap { if case .values(let place, _) = $0.entry.before { Int(place) } else { nil } }
        // Those before have none of what came later.
        if let first = places.min(), first + 1 < exchanged.count {
            self.exchanged.removeSubrange((first + 1)...)
            lastExchanged = self.exchanged.last.map { ObjectIdentifier($0) }
        }
        for (entry, change) in undone { undo(entry, filled, exchanged, change, manager) }
    }

    private func undo(
        _ entry: Entry, _ filled: ContiguousArray<ColumnSet>, _ exchanged: ContiguousArray<TrackedRows>,
        _ change: Change?, _ manager: PersistenceManager
    ) {
        let object = entry.object.takeUnretainedValue()
        guard let trackedRows = object.record.trackedRows, trackedRows.manager != nil else {
            // It is new again: what its insert relied on was set before.
            change?.restore?(object)
            return
        }
        // An object that another manager has saved since is that one's.
        guard trackedRows.manager === manager else { return }
        let (mapping, trackedValues) = (trackedRows.mapping, object.record.trackedValues)
        switch entry.before {
        case .persisted: object.record.state = .persisted
        case .record(var record):
            record.isLogged = false
            // The object has got values of its own since, as those that load relations do: what was exchanged in
            // them has been put back there.
            if let former = record.trackedRows, trackedRows.origin == ObjectIdentifier(former) {
                (record.trackedRows, record.slot) = (trackedRows, object.record.slot)
                record.sharesTrackedValues = false
            }
            // It throws for a class that can't be mapped, which an object in a log isn't of.
            try? object.replaceRecord(by: record)
            // Values that the object had, it can have again, nil too; what was set since stays.
            change?.undo(object, mapping)
            guard let trackedValues else { return }
            for index in filled[Int(entry.filled)] where mapping.isKnown(index, object, trackedValues) {
                try? mapping.assign(stored: .null, to: index, of: object)
            }
        case .values(let values, let slot):
            change?.undo(object, mapping)
            let before = TrackedRow(trackedRows: exchanged[Int(values)], slot: Int(slot))
            if entry.isAssigned, let trackedValues { object.restore(before, over: trackedValues, mapping) }
            // Tracked values of the same class can always be exchanged.
            try? object.exchangeTrackedValues(for: before.trackedRows, before.slot)
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
        let (all, allFilled, allExchanged, allChanges) = (entries.count, filled, exchanged, changes)
        var (objects, dropped): (Set<ObjectIdentifier>, [PersistingModel]) = ([], [])
        var (kept, beginning, change) = (0, 0, 0)
        (filled, exchanged, lastExchanged, changes) = ([ColumnSet()], [], nil, [])
        func begin(at place: Int) {
            while beginning < beginnings.count, beginnings[beginning] == place {
                beginnings[beginning] = kept
                beginning += 1
            }
        }
        for place in 0..<all {
            begin(at: place)
            let hasChange = change < allChanges.count && allChanges[change].place == place
            defer { if hasChange { change += 1 } }
            // Before there is one more reference to it.
            let isUnheld = isUnheld(place)
            let object = entries[place].object.takeUnretainedValue()
            let identity = ObjectIdentifier(object)
            if isUnheld {
                if mayRepeat { objects.insert(identity) }
                dropped.append(object)
            } else if !mayRepeat || !objects.contains(identity) {
                if hasChange { changes.append((kept, allChanges[change].change)) }
                keep(place, at: kept, allFilled, allExchanged)
                kept += 1
            }
        }
        begin(at: all)
        entries.removeLast(all - kept)
        limit = max(Self.smallestLimit, kept * Self.growth)
        // The last reference to an object may run code that comes here again: all is in order by now.
        withExtendedLifetime((dropped, allExchanged, allChanges)) {}
    }

    /// Moves an entry to a place before it.
    ///
    /// - Parameters:
    ///   - allFilled: What `filled` was, of which `filled` has what is kept.
    ///   - allExchanged: Likewise.
    private func keep(
        _ place: Int, at kept: Int, _ allFilled: ContiguousArray<ColumnSet>,
        _ allExchanged: ContiguousArray<TrackedRows>
    ) {
        if kept < place { entries.swapAt(kept, place) }
        entries[kept].filled = fill(allFilled[Int(entries[kept].filled)])
        if case .values(let values, let slot) = entries[kept].before {
            entries[kept].before = .values(exchange(allExchanged[Int(values)]), slot: slot)
        }
    }

    private func isUnheld(_ place: Int) -> Bool { isKnownUniquelyReferenced(&entries[place].held) }

    /// Whether an entry of a few is of an object that nothing else holds. Where the program keeps its objects, this is
    /// all there is to do.
    private func hasUnheldAmongFew() -> Bool {
        stride(from: 0, to: entries.count, by: max(1, entries.count / 32)).contains { isUnheld($0) }
    }

    /// Only an object's first entry retains it, so that the log has one reference to it.
    private func letFirstEntriesHold() {
        var seen = Set<ObjectIdentifier>(minimumCapacity: entries.count)
        for place in entries.indices
        where !seen.insert(ObjectIdentifier(entries[place].object.takeUnretainedValue())).inserted {
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
