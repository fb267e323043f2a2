/// What objects were before a transaction changed them: the objects' part of a rollback.
///
/// A log serves one transaction or savepoint. Its entries are undone from the last to the first when that is rolled
/// back, and dropped when it is committed.
final class UndoLog {
    /// An object's values before and after it was read anew.
    struct Refresh {
        let before: RowImages
        let images: RowImages
        let slot: Int
    }

    private struct Entry {
        let object: PersistingModel
        let record: Record
        /// The columns that held nil until the database filled them.
        let filled: ColumnSet
        let stamps: [Stamp]
        let refresh: Refresh?
    }

    /// Which transaction or savepoint the log is for.
    private let transaction: Int
    @exclusivity(unchecked) private var entries: ContiguousArray<Entry> = []

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

    func add(_ object: PersistingModel, filled: ColumnSet, stamps: [Stamp], refresh: Refresh?) {
        entries.append(
            Entry(object: object, record: object.record, filled: filled, stamps: stamps, refresh: refresh))
    }

    private func undo(_ manager: PersistenceManager) {
        for entry in entries.reversed() {
            let object = entry.object
            // An object that another manager has saved since is that one's.
            guard let images = object.record.images, images.manager === manager else { continue }
            let image = object.record.image
            // An object that was inserted last has been there, and is no longer the last.
            if entry.record.state != .persisted, let table = manager.knownTable(of: type(of: object)),
                let last = table.lastInsertion, last.images === images, last.slot == Int(object.record.slot)
            {
                table.lastInsertion = nil
            }
            object.record = entry.record
            // Values that the object had, it can have again, nil too; what was set since stays.
            try? entry.refresh.map { refresh in
                let mapping = refresh.images.mapping
                for index in mapping.columns.indices
                where mapping.isKnown(index, object, refresh.images[refresh.slot]) {
                    let value = try mapping.stored(index, in: refresh.before[0])
                    try mapping.assign(stored: value, to: index, of: object)
                }
            }
            if !entry.stamps.isEmpty { try? images.mapping.undo(entry.stamps, of: object) }
            try? entry.filled.forEach { index in
                guard let image, images.mapping.isKnown(index, object, image) else { return }
                try images.mapping.assign(stored: .null, to: index, of: object)
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
