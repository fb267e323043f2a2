/// An object on its way into the table, as values that may cross to the database's side.
final class Insertion: Sendable {
    let table: ModelTable
    let images: RowImages
    let slot: Int
    let conflict: InsertConflict
    /// The columns that are written whatever they hold, though the table has a default for them.
    let given: ColumnSet
    /// Whether every column that is not given is left to the table's default, and not those alone that hold nil.
    let leavesOutAll: Bool
    let stamps: [Stamp]

    /// What the database put into the row beside what it was given.
    struct Outcome: Sendable {
        /// The key that SQLite has made.
        var key: Int64?
        var values: [(index: Int, value: SQLiteValue)] = []
    }

    /// Takes the object's values.
    init(
        _ object: PersistingModel, _ table: ModelTable, _ images: RowImages, _ conflict: InsertConflict = .abort,
        given: ColumnSet = ColumnSet(), leavingOutAll: Bool = false
    ) throws {
        self.table = table
        self.images = images
        self.conflict = conflict
        leavesOutAll = leavingOutAll
        slot = images.count
        try images.append(object)
        if table.mapping.keepsBooks {
            var given = given
            stamps = try table.mapping.stampInsertion(of: object, images[slot], given: &given)
            self.given = given
        } else {
            stamps = []
            self.given = given
        }
    }

    /// Notes that this is the last object of its class to be inserted. Of an upsert nobody knows.
    func noteAsLast() {
        if case .update = conflict { return }
        table.lastInsertion = (images, slot)
    }

    /// Tells the object that it is in the table now. A property that has been set meanwhile keeps its value.
    func finish(_ object: PersistingModel, _ outcome: Outcome) throws {
        if let key = outcome.key, let index = table.mapping.key.first {
            try table.mapping.assign(stored: .integer(key), to: index, ofImage: images[slot])
            // The key was nil.
            if try table.mapping.isNull(index, of: object) {
                try table.mapping.assign(stored: .integer(key), to: index, of: object)
            }
        }
        for (index, value) in outcome.values { try take(value, index, object) }
        if !stamps.isEmpty { try table.mapping.set(stamps, of: object, from: images[slot]) }
        object.record = Record(state: .persisted, slot: Int32(clamping: slot), images: images)
    }

    private func take(_ value: SQLiteValue, _ index: Int, _ object: PersistingModel) throws {
        let mapping = table.mapping
        let isAsSent = mapping.isKnown(index, object, images[slot])
        try mapping.assign(stored: value, to: index, ofImage: images[slot])
        if isAsSent { try mapping.assign(stored: value, to: index, of: object) }
    }

    /// The columns of an outcome, when they all held nil; nil when one has another value now.
    func filled(_ outcome: Outcome) -> ColumnSet? {
        let mapping = table.mapping
        if outcome.values.isEmpty { return outcome.key == nil ? ColumnSet() : mapping.keySet }
        guard outcome.values.allSatisfy({ mapping.isNull($0.index, in: images[slot]) }) else { return nil }
        let filled = ColumnSet(outcome.values.map(\.index))
        return outcome.key == nil ? filled : filled.union(mapping.keySet)
    }
}
