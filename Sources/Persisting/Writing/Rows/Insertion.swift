/// An object on its way into the table, as values that may cross to the database's side.
struct Insertion: ~Copyable, Sendable {
    let target: InsertionTarget
    /// Which of the target's tracked rows has the values.
    let slot: Int
    /// What few insertions need.
    let special: Special?

    /// What an insertion has of its own besides the values.
    final class Special: Sendable {
        /// The columns that are written whatever they hold, though the table has a default for them.
        let given: ColumnSet
        /// Whether every column that is not given is left to the table's default, and not those alone that hold nil.
        let leavesOutAll: Bool
        let automaticValues: [AutomaticValue]

        init(given: ColumnSet, leavesOutAll: Bool, automaticValues: [AutomaticValue]) {
            self.given = given
            self.leavesOutAll = leavesOutAll
            self.automaticValues = automaticValues
        }
    }

    /// The insertion of an object whose values have been taken.
    init(_ target: InsertionTarget, slot: Int, _ special: Special?) {
        (self.target, self.slot, self.special) = (target, slot, special)
    }

    var table: ModelTable { target.table }
    var mapping: Mapping { target.mapping }
    var trackedValues: Memory { target.trackedRows[slot] }

    /// Takes an object's values.
    static func taking(
        _ object: PersistingModel, _ target: consuming InsertionTarget, given: ColumnSet = ColumnSet(),
        leavingOutAll: Bool = false
    ) throws -> Insertion {
        // A hook may have filled the tracked rows.
        guard target.trackedRows.isOpen else {
            return try Insertion(object, target.forOne, given: given, leavingOutAll: leavingOutAll)
        }
        return try Insertion(object, target, given: given, leavingOutAll: leavingOutAll)
    }

    private init(
        _ object: PersistingModel, _ target: consuming InsertionTarget, given: ColumnSet, leavingOutAll: Bool
    ) throws {
        let slot = try target.add(object)
        if !target.mapping.hasAutomaticColumns, given.isEmpty, !leavingOutAll {
            special = nil
        } else {
            var given = given
            let automaticValues = try target.mapping.addAutomaticValues(
                of: object, target.trackedRows[slot], given: &given)
            special = Special(given: given, leavesOutAll: leavingOutAll, automaticValues: automaticValues)
        }
        self.target = target
        self.slot = slot
    }

    /// Notes the key of the last object of its class to be inserted. Of an upsert nobody knows.
    ///
    /// - Parameter transaction: The number of the transaction or savepoint that it is inserted in; 0 for none.
    @inline(__always)
    func noteAsLast(_ outcome: WriteOutcome, in transaction: Int) {
        if case .update = target.conflict { return }
        if let key = outcome.key {
            target.table.noteLastInsertion(.integer(key), in: transaction)
        } else {
            // A key that cannot be read is none: the row is there all the same.
            target.table.noteLastInsertion((try? key(outcome)).map { .values($0) } ?? .none, in: transaction)
        }
    }

    /// The key of the row that was written.
    func key(_ outcome: WriteOutcome) throws -> [SQLiteValue] {
        try mapping.key.map { index in
            if index == mapping.key.first, let key = outcome.key { return .integer(key) }
            let returned = outcome.special?.values.first { $0.index == index }
            return try returned?.value ?? mapping.stored(index, in: trackedValues)
        }
    }

    /// Tells the object that it is in the table now. A property that has been set meanwhile keeps its value.
    func finish(_ object: PersistingModel, _ outcome: WriteOutcome) throws {
        let trackedValues = trackedValues
        if let key = outcome.key, let index = mapping.key.first {
            try mapping.assign(key, to: index, of: object, trackedValues)
        }
        if let special = outcome.special {
            for (index, value) in special.values { try take(value, index, object) }
        }
        if let special {
            for value in special.automaticValues { try mapping.set(value, of: object, from: trackedValues) }
        }
        try object.replaceRecord(
            by: Record(
                state: .persisted, isLogged: object.record.isLogged, slot: Int32(clamping: slot),
                trackedRows: target.trackedRows))
    }

    private func take(_ value: SQLiteValue, _ index: Int, _ object: PersistingModel) throws {
        let isAsSent = mapping.isKnown(index, object, trackedValues)
        try mapping.assign(stored: value, to: index, in: trackedValues)
        if isAsSent { try mapping.assign(stored: value, to: index, of: object) }
    }

    /// The columns of an outcome, when they all held nil; nil when one has another value now.
    @inline(__always)
    func filled(_ outcome: WriteOutcome) -> ColumnSet? {
        guard let values = outcome.special?.values else { return outcome.key == nil ? ColumnSet() : mapping.keySet }
        guard values.allSatisfy({ mapping.isNull($0.index, in: trackedValues) }) else { return nil }
        let filled = ColumnSet(values.map(\.index))
        return outcome.key == nil ? filled : filled.union(mapping.keySet)
    }
}

/// Where insertions go, and what they have in common.
final class InsertionTarget: Sendable {
    let table: ModelTable
    let mapping: Mapping
    /// Where the objects' values are.
    let trackedRows: TrackedRows
    let conflict: InsertConflict

    init(_ table: ModelTable, _ trackedRows: TrackedRows, _ conflict: InsertConflict = .abort) {
        self.table = table
        mapping = table.mapping
        self.trackedRows = trackedRows
        self.conflict = conflict
    }

    /// Takes an object's values.
    ///
    /// - Returns: Which of the tracked rows has them.
    @inline(never)
    fileprivate func add(_ object: PersistingModel) throws -> Int {
        let slot = trackedRows.count
        try trackedRows.append(object)
        return slot
    }

    /// The same with tracked rows of its own, for one object.
    fileprivate var forOne: InsertionTarget {
        InsertionTarget(table, TrackedRows(trackedRows.manager, mapping, capacity: 1), conflict)
    }
}
