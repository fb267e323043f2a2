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
    private var entries: ContiguousArray<Entry> = []

    private init(transaction: Int) {
        self.transaction = transaction
    }

    /// The log for the transaction that is open now: the one given, if it is for that.
    static func current(_ known: UndoLog?, _ db: Database) -> UndoLog {
        if let known, known.transaction == db.transactionNumber { return known }
        let log = UndoLog(transaction: db.transactionNumber)
        db.afterRollback { log.undo() }
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
