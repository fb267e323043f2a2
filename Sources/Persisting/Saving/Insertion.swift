/// An object on its way into the table, as values that may cross to the database's side.
struct Insertion: Sendable {
    let target: InsertionTarget
    /// Which of the target's images has the values.
    let slot: Int
    /// What most insertions have not.
    let special: Special?

    /// What an insertion has of its own beside the values.
    final class Special: Sendable {
        /// The columns that are written whatever they hold, though the table has a default for them.
        let given: ColumnSet
        /// Whether every column that is not given is left to the table's default, and not those alone that hold nil.
        let leavesOutAll: Bool
        let stamps: [Stamp]

        init(given: ColumnSet, leavesOutAll: Bool, stamps: [Stamp]) {
            self.given = given
            self.leavesOutAll = leavesOutAll
            self.stamps = stamps
        }
    }

    /// What the database put into the row beside what it was given.
    struct Outcome: Sendable {
        /// The key that SQLite has made.
        var key: Int64?
        var values: [(index: Int, value: SQLiteValue)] = []
    }

    var table: ModelTable { target.table }
    var mapping: Mapping { target.mapping }
    var image: Memory { target.images[slot] }
    var stamps: [Stamp] { special?.stamps ?? [] }

    /// Takes the object's values.
    init(
        _ object: PersistingModel, _ target: InsertionTarget, given: ColumnSet = ColumnSet(),
        leavingOutAll: Bool = false
    ) throws {
        // A hook may have filled the images.
        let target = target.images.isOpen ? target : target.forOne
        self.target = target
        slot = target.images.count
        try target.images.append(object)
        var given = given
        var stamps: [Stamp] = []
        if target.mapping.keepsBooks {
            stamps = try target.mapping.stampInsertion(of: object, target.images[slot], given: &given)
        }
        special =
            given.isEmpty && !leavingOutAll && stamps.isEmpty
            ? nil : Special(given: given, leavesOutAll: leavingOutAll, stamps: stamps)
    }

    /// Notes that this is the last object of its class to be inserted. Of an upsert nobody knows.
    func noteAsLast() {
        if case .update = target.conflict { return }
        target.table.noteLastInsertion(target.images, slot)
    }

    /// Tells the object that it is in the table now. A property that has been set meanwhile keeps its value.
    func finish(_ object: PersistingModel, _ outcome: Outcome) throws {
        let (mapping, image) = (target.mapping, image)
        if let key = outcome.key, let index = mapping.key.first {
            try mapping.assign(stored: .integer(key), to: index, ofImage: image)
            // The key was nil.
            if try mapping.isNull(index, of: object) {
                try mapping.assign(stored: .integer(key), to: index, of: object)
            }
        }
        for (index, value) in outcome.values { try take(value, index, object) }
        if let special, !special.stamps.isEmpty { try mapping.set(special.stamps, of: object, from: image) }
        object.record = Record(state: .persisted, slot: Int32(clamping: slot), images: target.images)
    }

    private func take(_ value: SQLiteValue, _ index: Int, _ object: PersistingModel) throws {
        let isAsSent = mapping.isKnown(index, object, image)
        try mapping.assign(stored: value, to: index, ofImage: image)
        if isAsSent { try mapping.assign(stored: value, to: index, of: object) }
    }

    /// The columns of an outcome, when they all held nil; nil when one has another value now.
    func filled(_ outcome: Outcome) -> ColumnSet? {
        let key = outcome.key == nil ? ColumnSet() : mapping.keySet
        if outcome.values.isEmpty { return key }
        guard outcome.values.allSatisfy({ mapping.isNull($0.index, in: image) }) else { return nil }
        return key.union(ColumnSet(outcome.values.map(\.index)))
    }
}

/// Where insertions go, and what they have in common.
final class InsertionTarget: Sendable {
    let table: ModelTable
    let mapping: Mapping
    /// Where the objects' values are.
    let images: RowImages
    let conflict: InsertConflict

    init(_ table: ModelTable, _ images: RowImages, _ conflict: InsertConflict = .abort) {
        self.table = table
        mapping = table.mapping
        self.images = images
        self.conflict = conflict
    }

    /// The same with images of its own, for one object.
    fileprivate var forOne: InsertionTarget {
        InsertionTarget(table, RowImages(images.manager, mapping, capacity: 1), conflict)
    }
}
