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

    /// What is put back of what is known of an object's row.
    private enum Before {
        case record(Record)
        /// Of an object that was deleted, of which nothing but the state has changed.
        case persisted
        /// What the object's image held of the columns of this one, which was exchanged for them.
        case values(RowImages, slot: Int32)
    }

    private struct Entry {
        let object: PersistingModel
        let before: Before
        /// Whether properties were set that held what the row did.
        let isAssigned: Bool
        /// Which of `filled` are the object's.
        let filled: Int32
    }

    private let db: Database
    /// Which transaction or savepoint the log is for.
    private let transaction: Int
    @exclusivity(unchecked) private var entries: ContiguousArray<Entry> = []
    /// Columns that held nil until the database filled them: of one object as of the next, as a rule.
    @exclusivity(unchecked) private var filled: ContiguousArray<ColumnSet> = [ColumnSet()]
    /// Each with the place of the entry that it belongs to, in order.
    @exclusivity(unchecked) private var changes: [(place: Int, change: Change)] = []
    /// The tables into which objects were inserted.
    @exclusivity(unchecked) private var inserted: ContiguousArray<ModelTable> = []
    /// Where the next object's image goes.
    @exclusivity(unchecked) private var images: RowImages?
    /// Where what is written of the next object goes.
    @exclusivity(unchecked) private var values: RowImages?
    /// Where the next object is inserted, if it is of the class of the last.
    @exclusivity(unchecked) private var target: InsertionTarget?
    /// What inserted the last object, as long as the schema stays.
    @exclusivity(unchecked) var runner: InsertionRunner?
    /// What updated or deleted the last object, as long as the schema stays.
    @exclusivity(unchecked) var rowStatement: RowStatement?

    private init(_ db: Database) {
        self.db = db
        transaction = db.transactionNumber
    }

    /// Whether the log's transaction is that which is open now.
    var isOpen: Bool { transaction == db.transactionNumber && db.isInTransaction }

    /// The manager's log for the transaction that is open now, if one is. A pool's reader has nothing to roll back.
    static func current(_ manager: PersistenceManager, _ db: Database) -> UndoLog? {
        guard db.isInTransaction, !db.isReader else { return nil }
        if let known = manager.undoLog, known.transaction == db.transactionNumber { return known }
        let log = UndoLog(db)
        manager.undoLog = log
        db.afterCommit {
            manager.undoLog = nil
            for table in log.inserted { table.settleLastInsertion() }
        }
        db.afterRollback {
            manager.undoLog = nil
            log.undo(manager)
        }
        return log
    }

    /// Room for the image of one more object, with those of others that the transaction writes.
    func images(_ manager: PersistenceManager, _ mapping: Mapping) -> RowImages {
        if let images, images.mapping === mapping, images.isOpen { return images }
        let new = RowImages(manager, mapping, capacity: capacity)
        images = new
        return new
    }

    /// Room for some columns of one more object, with those of others that the transaction writes.
    func values(_ mapping: Mapping, of columns: ColumnSet) -> RowImages {
        if let values, values.mapping === mapping, values.columns == columns, values.isOpen { return values }
        let new = RowImages(nil, mapping, capacity: capacity, of: columns)
        values = new
        return new
    }

    /// How many objects to make room for. Most transactions write few.
    private var capacity: Int { entries.isEmpty ? 1 : min(entries.count * 2, RowImages.capacityOfFetch) }

    /// The table of a class, if the row that was last written to by its key is there.
    func table(of type: PersistingModel.Type) -> ModelTable? {
        rowStatement?.table.mapping.modelType == type ? rowStatement?.table : nil
    }

    /// Where one more object of a class is inserted, if the last was of the class.
    func insertionTarget(of type: PersistingModel.Type) -> InsertionTarget? {
        guard let target, target.mapping.modelType == type, target.images.isOpen, target.table.isInspected else {
            return nil
        }
        return target
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
    ///   - values: The image that the object's own is about to be exchanged for; nil for one that stays as it is.
    ///   - filled: The columns that hold nil, and that the database is about to fill.
    ///   - isAssigned: Whether properties were set that held what the row did.
    func add(
        _ object: PersistingModel, values: RowImage? = nil, filled: ColumnSet = ColumnSet(),
        isAssigned: Bool = false, _ change: Change? = nil
    ) {
        if self.filled[self.filled.count - 1] != filled { self.filled.append(filled) }
        if let change { changes.append((entries.count, change)) }
        let before = values.map { Before.values($0.images, slot: Int32(clamping: $0.slot)) } ?? .record(object.record)
        entries.append(
            Entry(
                object: object, before: before, isAssigned: isAssigned,
                filled: Int32(clamping: self.filled.count - 1)))
    }

    /// Notes an object whose row has been deleted.
    func addDeleted(_ object: PersistingModel) {
        entries.append(Entry(object: object, before: .persisted, isAssigned: false, filled: 0))
    }

    /// Notes an object that has been inserted, and is about to be told.
    func add(_ object: PersistingModel, insertedBy insertion: borrowing Insertion, _ outcome: Insertion.Outcome) throws
    {
        noteInsertion(into: insertion.target.table)
        guard let filled = insertion.filled(outcome) else {
            return try add(object, readFrom: insertion.target.images, slot: insertion.slot)
        }
        let stamps = insertion.stamps
        add(object, filled: filled, stamps.isEmpty ? nil : UndoLog.Change(stamps: stamps))
    }

    /// Notes a table into which an object was inserted.
    @inline(__always)
    private func noteInsertion(into table: ModelTable) {
        if inserted.last !== table, !inserted.contains(where: { $0 === table }) { inserted.append(table) }
    }

    /// Notes an object that is about to hold what was read.
    ///
    /// - Parameters:
    ///   - images: Images of rows, that of the object's among them.
    ///   - slot: Which of them is the object's.
    func add(_ object: PersistingModel, readFrom images: RowImages?, slot: Int) throws {
        add(object, try images.map { Change(refresh: try Refresh(of: object, to: $0, slot)) })
    }

    /// What updated or deleted the last object, if that was of this table, and of these columns.
    func statement(_ table: ModelTable, _ columns: ColumnSet, returning returned: ColumnSet) -> Statement? {
        guard rowStatement?.table === table, rowStatement?.columns == columns, rowStatement?.returned == returned
        else { return nil }
        return rowStatement?.statement
    }

    /// Runs `body` with the connection of the transaction.
    @inline(__always)
    func withDatabase<T>(_ body: (Database, UndoLog) throws -> T) rethrows -> T { try body(db, self) }

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
            switch entry.before {
            case .persisted: object.record.state = .persisted
            case .record(let record):
                // An object that was inserted last has been there, and is no longer the last.
                if record.state != .persisted, let table = manager.knownTable(of: type(of: object)) {
                    table.forgetLastInsertion(images, Int(object.record.slot))
                }
                object.record = record
                // Values that the object had, it can have again, nil too; what was set since stays.
                change?.undo(object, mapping)
                guard let image else { continue }
                for index in filled[Int(entry.filled)] where mapping.isKnown(index, object, image) {
                    try? mapping.assign(stored: .null, to: index, of: object)
                }
            case .values(let values, let slot):
                change?.undo(object, mapping)
                let values = RowImage(images: values, slot: Int(slot))
                if entry.isAssigned, let image { object.restore(values, over: image, mapping) }
                // Of an image of the same class, nothing is in the way.
                try? object.exchangeImage(for: values)
            }
        }
    }
}

extension PersistingModel {
    /// Gives properties what an image holds that still are as another one. One that cannot be restored keeps no other
    /// from being so.
    fileprivate func restore(_ before: RowImage, over image: Memory, _ mapping: Mapping) {
        for index in before.images.columns where mapping.isKnown(index, self, image) {
            try? mapping.assign(stored: mapping.stored(index, in: before.memory), to: index, of: self)
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
