/// What objects were before a transaction changed them: the objects' part of a rollback.
///
/// A log serves one transaction or savepoint. Its entries are undone from the last to the first when that is rolled
/// back, and dropped when it is committed.
final class UndoLog {
    private struct Entry {
        let object: PersistingModel
        let record: Record
        /// The columns that held nil until the database filled them.
        let filled: ColumnSet
        /// All the values the object had, when they were read anew.
        let values: RowImages?
    }

    /// Which transaction or savepoint the log is for.
    let transaction: Int
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
            log.undo()
        }
        return log
    }

    func add(_ object: PersistingModel, filled: ColumnSet, values: RowImages?) {
        entries.append(Entry(object: object, record: object.record, filled: filled, values: values))
    }

    private func undo() {
        for entry in entries.reversed() {
            let mapping = entry.object.record.images?.mapping
            entry.object.record = entry.record
            // Each held nil before, and so can hold it again.
            // Values that the object had, it can have again.
            try? entry.values.map { try $0.mapping.assign($0[0], to: entry.object) }
            entry.filled.forEach { try? mapping?.assign(stored: .null, to: $0, of: entry.object) }
        }
    }
}
