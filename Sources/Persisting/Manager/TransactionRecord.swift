internal import Foundation

/// The row of a transaction in the table that histories share, while the library has it open.
///
/// It is opened where a transaction begins, so that triggers find its number, and closed before the commit with the
/// name and the author, so that no later writer finds it open. One in which no history was written is taken out again.
final class TransactionRecord {
    private static let opening: SQL = """
        INSERT INTO history_transactions (date, open) SELECT \(sql: SQL(HistoryTable.now)), 1 WHERE NOT EXISTS (
            SELECT 1 FROM history_transactions WHERE number = \(sql: SQL(HistoryTable.last)) AND open IS NOT NULL)
        """
    private static let closing: SQL = """
        UPDATE history_transactions SET open = NULL, date = \(sql: SQL(HistoryTable.now)), name = ?, author = ?
        WHERE number = \(sql: SQL(HistoryTable.last)) AND open = 2
        """
    private static let reversing: SQL =
        "UPDATE history_transactions SET reverses = ? WHERE number = \(sql: SQL(HistoryTable.last))"
    private static let discarding: SQL =
        "DELETE FROM history_transactions WHERE number = \(sql: SQL(HistoryTable.last)) AND open = 1"

    /// What the transaction is called, and who makes it. What is outermost says so.
    var label = TransactionLabel()
    /// The transaction that it takes back; it is no step of an undo history then.
    var reverses: Int64?
    /// Called with the number, once it is closed.
    var didClose: ((Int64, any EngineConnection) throws(SQLiteError) -> Void)?
    /// The keys that objects' rows got from saves, in the order of these.
    var keyChanges: [KeyChange] = []
    fileprivate var afterCommit: [() -> Void] = []

    fileprivate func open(_ db: any EngineConnection) throws(SQLiteError) {
        try db.execute(Self.opening)
    }

    /// - Returns: Whether anything was recorded.
    fileprivate func close(_ db: any EngineConnection) throws(SQLiteError) -> Bool {
        guard try db.execute(Self.closing, [label.name, label.author]) == 0 else {
            if let reverses { try db.execute(Self.reversing, [reverses]) }
            return true
        }
        try db.execute(Self.discarding)
        return false
    }
}

/// A row that got another key.
struct KeyChange: Sendable {
    /// The table's name in lower case.
    let table: String
    let old: [SQLiteValue]
    let new: [SQLiteValue]

    var inverse: KeyChange { KeyChange(table: table, old: new, new: old) }
}

/// What a transaction is called in histories, and who makes it.
struct TransactionLabel: Sendable {
    var name: String?
    var author: String?

    /// Adds what isn't said yet.
    mutating func add(_ name: String?, _ author: String?) {
        self.name = self.name ?? name
        self.author = self.author ?? author
    }
}

extension PersistenceManager {
    /// Gives the transaction that is open a number in the histories, unless it has one. In one that was begun by SQL
    /// text, triggers number each statement, as those of other programs.
    func openRecord(_ db: any EngineConnection) throws {
        guard transactionRecord == nil, db.knowsEndOfTransaction, !db.isReading, !db.isReadOnly else { return }
        let record = TransactionRecord()
        try QueryLedger.ignoring { try record.open(db) }
        transactionRecord = record
        db.beforeCommit { () throws(SQLiteError) in try self.close(record, db) }
        db.afterCommit {
            self.transactionRecord = nil
            for action in record.afterCommit { action() }
        }
        db.afterRollback { self.transactionRecord = nil }
    }

    private func close(_ record: TransactionRecord, _ db: any EngineConnection) throws(SQLiteError) {
        let hasRecorded = QueryLedger.ignoring { Result { () throws(SQLiteError) in try record.close(db) } }
        guard try hasRecorded.get() else { return }
        let listeners = record.reverses == nil ? recordListeners.all : []
        guard !listeners.isEmpty || record.didClose != nil else { return }
        let number = try db.scalar("SELECT max(number) FROM history_transactions", as: Int64.self) ?? 0
        try record.didClose?(number, db)
        for listener in listeners {
            if let action = try listener.willCommit(number, record, db) { record.afterCommit.append(action) }
        }
    }

    /// Has a listener hear of the manager's transactions that are recorded, as long as it is there.
    func add(_ listener: any RecordListener) { recordListeners.add(listener) }

    /// The same, at the beginning of a transaction of which it isn't known what it will write.
    func openRecordIfNecessary(_ db: any EngineConnection) throws {
        if try recordsHistory(db) { try openRecord(db) }
    }

    /// Gives the transaction that is open a name and an author, as far as it has none, unless a savepoint that gives
    /// them is rolled back.
    func label(_ name: String?, _ author: String?, _ db: any EngineConnection) {
        guard let record = transactionRecord, name != nil || author != nil else { return }
        let before = record.label
        record.label.add(name, author)
        db.afterRollback { record.label = before }
    }

    /// Whether a statement, which would run in a transaction of its own, may write what is recorded.
    func mayRecord(_ sql: SQL, _ db: any EngineConnection) throws -> Bool {
        guard !db.isInTransaction, !db.isReadOnly, try recordsHistory(db) else { return false }
        let first = SQLTokens(sql.sql).tokens.first
        return ["INSERT", "REPLACE", "UPDATE", "DELETE", "WITH"].contains { first?.isWord($0) == true }
    }

    /// Whether the database has a class with a history.
    private func recordsHistory(_ db: any EngineConnection) throws -> Bool {
        if let known = isKnownToRecord { return known }
        let found = try QueryLedger.ignoring {
            try db.scalar(
                "SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = \(HistoryTable.transactions)",
                as: Int.self) != nil
        }
        isKnownToRecord = found
        return found
    }
}

/// Who hears of the transactions of a manager that are recorded.
protocol RecordListener: AnyObject, Sendable {
    /// Called when a transaction is about to be committed.
    ///
    /// - Returns: What to do after the commit; nil if the transaction has changed nothing that matters.
    func willCommit(
        _ number: Int64, _ record: TransactionRecord, _ db: any EngineConnection
    ) throws(SQLiteError) -> (() -> Void)?
}

/// The listeners of a manager.
final class RecordListeners: Sendable {
    private struct Entry {
        weak var listener: (any RecordListener)?
    }

    private let lock = NSLock()
    // Guarded by `lock`.
    nonisolated(unsafe) private var entries: [Entry] = []

    var all: [any RecordListener] { lock.withLock { entries.compactMap(\.listener) } }

    func add(_ listener: any RecordListener) {
        lock.withLock {
            entries.removeAll { $0.listener == nil }
            entries.append(Entry(listener: listener))
        }
    }
}
