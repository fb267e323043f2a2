/// What objects were before a transaction changed them: the objects' part of a rollback.
///
/// A log serves one transaction or savepoint. Its entries are undone from the last to the first when that is rolled
/// back, and dropped when it is committed.
final class UndoLog {
    /// What is undone of an object's values.
    struct Change {
        /// The columns that held nil until the database filled them.
        var filled = ColumnSet()
        /// The columns whose properties held what the row did until they were set, and the row with them.
        var assigned = ColumnSet()
        var stamps: [Stamp] = []
        var refresh: Refresh?
        /// Gives a property that was set its old value again, unless it has been set since.
        var restore: (() -> Void)?

        /// Whether it is of the columns alone, as that of the next object may be too.
        fileprivate var isPlain: Bool { stamps.isEmpty && refresh == nil && restore == nil }
    }

    /// An object's values before and after it was read anew.
    struct Refresh {
        let before: RowImages
        let images: RowImages
        let slot: Int

        /// Takes an object's values.
        ///
        /// - Parameters:
        ///   - images: Images of rows, that among them which the object is about to hold.
        ///   - slot: Which of them is the object's.
        init(of object: PersistingModel, to images: RowImages, _ slot: Int) throws {
            before = RowImages(images.manager, images.mapping, capacity: 1)
            try before.append(object)
            self.images = images
            self.slot = slot
        }
    }

    private struct Entry {
        let object: PersistingModel
        let record: Record
        /// Which of the changes is the object's.
        let change: Int
    }

    /// Which transaction or savepoint the log is for.
    private let transaction: Int
    @exclusivity(unchecked) private var entries: ContiguousArray<Entry> = []
    /// One for many objects, where they have the same.
    @exclusivity(unchecked) private var changes: [Change] = []
    /// Where the next object's image goes.
    @exclusivity(unchecked) private var images: RowImages?

    private init(transaction: Int) {
        self.transaction = transaction
    }

    /// The manager's log for the transaction that is open now.
    static func current(_ manager: PersistenceManager, _ db: Database) -> UndoLog {
        if let known = manager.undoLog, known.transaction == db.transactionNumber { return known }
        let log = UndoLog(transaction: db.transactionNumber)
        manager.undoLog = log
        db.afterCommit { manager.undoLog = nil }
        db.afterRollback {
            manager.undoLog = nil
            log.undo(manager)
        }
        return log
    }

    /// Room for the image of one more object, with those of others that the transaction writes.
    func images(_ manager: PersistenceManager, _ mapping: Mapping) -> RowImages {
        if let images, images.mapping === mapping, !images.isFull { return images }
        // Most transactions write few objects.
        let capacity = entries.isEmpty ? 1 : min(entries.count * 2, RowImages.capacityOfFetch)
        let new = RowImages(manager, mapping, capacity: capacity)
        images = new
        return new
    }

    func add(_ object: PersistingModel, _ change: Change) {
        if let last = changes.last, last.isPlain, change.isPlain, last.filled == change.filled,
            last.assigned == change.assigned
        {
        } else {
            changes.append(change)
        }
        entries.append(Entry(object: object, record: object.record, change: changes.count - 1))
    }

    private func undo(_ manager: PersistenceManager) {
        for entry in entries.reversed() {
            let object = entry.object
            // An object that another manager has saved since is that one's.
            guard let images = object.record.images, images.manager === manager else { continue }
            let image = object.record.image
            // An object that was inserted last has been there, and is no longer the last.
            if entry.record.state != .persisted, let table = manager.knownTable(of: type(of: object)) {
                table.forgetLastInsertion(images, Int(object.record.slot))
            }
            object.record = entry.record
            let change = changes[entry.change]
            // Values that the object had, it can have again, nil too; what was set since stays.
            try? change.refresh.map { refresh in
                let mapping = refresh.images.mapping
                for index in mapping.columns.indices
                where mapping.isKnown(index, object, refresh.images[refresh.slot]) {
                    let value = try mapping.stored(index, in: refresh.before[0])
                    try mapping.assign(stored: value, to: index, of: object)
                }
            }
            if !change.stamps.isEmpty { try? images.mapping.undo(change.stamps, of: object) }
            change.restore?()
            guard let image else { continue }
            for index in change.filled where images.mapping.isKnown(index, object, image) {
                try? images.mapping.assign(stored: .null, to: index, of: object)
            }
            guard let before = entry.record.image else { continue }
            for index in change.assigned where images.mapping.isKnown(index, object, image) {
                try? images.mapping.assign(stored: images.mapping.stored(index, in: before), to: index, of: object)
            }
        }
    }
}

extension Mapping {
    /// Whether a column's value in an object is that of an image. One that cannot be stored is not.
    func isKnown(_ index: Int, _ object: PersistingModel, _ image: Memory) -> Bool {
        (try? !differs(index, object, image)) ?? false
    }
}
