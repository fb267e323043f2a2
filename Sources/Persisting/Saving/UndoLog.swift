/// What objects were before a transaction changed them: the objects' part of a rollback.
///
/// A log serves one transaction or savepoint. Its entries are undone from the last to the first when that is rolled
/// back, and dropped when it is committed.
final class UndoLog {
    /// What is undone of the values of few objects.
    struct Change {
        var stamps: [Stamp] = []
        var refresh: Refresh?
        /// Gives a property that was set its old value again, unless it has been set since.
        var restore: (() -> Void)?
    }

    /// What is undone of columns. That of one object is that of the next as a rule.
    private struct Columns {
        /// Those that held nil until the database filled them.
        let filled: ColumnSet
        /// Those whose properties held what the row did until they were set, and the row with them.
        let assigned: ColumnSet
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
        /// Which of `columns` are the object's.
        let columns: Int
    }

    /// Which transaction or savepoint the log is for.
    private let transaction: Int
    @exclusivity(unchecked) private var entries: ContiguousArray<Entry> = []
    @exclusivity(unchecked) private var columns: ContiguousArray<Columns> = []
    /// Each with the place of the entry that it belongs to, in order.
    @exclusivity(unchecked) private var changes: [(place: Int, change: Change)] = []
    /// Where the next object's image goes.
    @exclusivity(unchecked) private var images: RowImages?
    /// Where the next object is inserted, if it is of the class of the last.
    @exclusivity(unchecked) private var target: InsertionTarget?
    /// What inserted the last object, as long as the schema stays.
    @exclusivity(unchecked) var runner: InsertionRunner?
    /// What updated or deleted the last object, as long as the schema stays.
    @exclusivity(unchecked) var rowStatement: RowStatement?

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
        if let images, images.mapping === mapping, images.isOpen { return images }
        // Most transactions write few objects.
        let capacity = entries.isEmpty ? 1 : min(entries.count * 2, RowImages.capacityOfFetch)
        let new = RowImages(manager, mapping, capacity: capacity)
        images = new
        return new
    }

    /// Where one more object of a class is inserted.
    func insertionTarget(_ manager: PersistenceManager, _ table: ModelTable) -> InsertionTarget {
        if let target, target.table === table, target.images.isOpen { return target }
        let new = InsertionTarget(table, images(manager, table.mapping))
        target = new
        return new
    }

    /// Notes an object that is about to change.
    ///
    /// - Parameters:
    ///   - filled: The columns that hold nil, and that the database is about to fill.
    ///   - assigned: The columns whose properties were set, and held what the row did.
    func add(
        _ object: PersistingModel, filled: ColumnSet = ColumnSet(), assigned: ColumnSet = ColumnSet(),
        _ change: Change? = nil
    ) {
        let isLikeLast = columns.last.map { $0.filled == filled && $0.assigned == assigned } ?? false
        if !isLikeLast { columns.append(Columns(filled: filled, assigned: assigned)) }
        if let change { changes.append((entries.count, change)) }
        entries.append(Entry(object: object, record: object.record, columns: columns.count - 1))
    }

    /// Forgets what was found of tables, whose schemas change.
    func forgetStatements() {
        runner = nil
        rowStatement = nil
    }

    private func undo(_ manager: PersistenceManager) {
        for (position, entry) in entries.enumerated().reversed() {
            let object = entry.object
            let change = changes.last?.place == position ? changes.popLast()?.change : nil
            // An object that another manager has saved since is that one's.
            guard let images = object.record.images, images.manager === manager else { continue }
            let (mapping, image) = (images.mapping, object.record.image)
            // An object that was inserted last has been there, and is no longer the last.
            if entry.record.state != .persisted, let table = manager.knownTable(of: type(of: object)) {
                table.forgetLastInsertion(images, Int(object.record.slot))
            }
            object.record = entry.record
            // Values that the object had, it can have again, nil too; what was set since stays.
            change?.undo(object, mapping)
            guard let image else { continue }
            for index in columns[entry.columns].filled where mapping.isKnown(index, object, image) {
                try? mapping.assign(stored: .null, to: index, of: object)
            }
            guard let before = entry.record.image else { continue }
            for index in columns[entry.columns].assigned where mapping.isKnown(index, object, image) {
                try? mapping.assign(stored: mapping.stored(index, in: before), to: index, of: object)
            }
        }
    }
}

extension UndoLog.Change {
    /// Goes on where a value cannot be restored: what is left of the object can.
    fileprivate func undo(_ object: PersistingModel, _ mapping: Mapping) {
        if let refresh {
            let mapping = refresh.images.mapping
            for index in mapping.columns.indices
            where mapping.isKnown(index, object, refresh.images[refresh.slot]) {
                try? mapping.assign(stored: mapping.stored(index, in: refresh.before[0]), to: index, of: object)
            }
        }
        if !stamps.isEmpty { try? mapping.undo(stamps, of: object) }
        restore?()
    }
}

extension Mapping {
    /// Whether a column's value in an object is that of an image. One that cannot be stored is not.
    func isKnown(_ index: Int, _ object: PersistingModel, _ image: Memory) -> Bool {
        (try? !differs(index, object, image)) ?? false
    }
}
