internal import Foundation
package import SQLiteKit
internal import Synchronization

/// What was written of a row, as it is reported after the commit.
package struct RowChange: Sendable {
    package enum Kind: Sendable, Hashable {
        case insert, update, delete
        /// Inserted, or written over an existing row: SQLite doesn't say which.
        case upsert
    }

    let mapping: Mapping
    /// The stored values of the primary key under which the row was known before the write, or of a row that is new,
    /// its own. Nil for rows that one statement wrote without reading them.
    package let key: [SQLiteValue]?
    package let kind: Kind
    /// The columns that were written; all for a row that is new or gone.
    let columns: ColumnSet

    /// The name of the table.
    package var tableName: String { mapping.tableName }
    /// The names of the properties whose columns were written.
    package var keys: [String] { columns.map { mapping.columns[$0].key } }
}

/// Those who are told what a manager has written.
///
/// They are called after each commit, in the order of the commits, on the thread that made it, which still has the
/// connection: a listener hands on what it is given. What SQL text writes is not reported.
package final class WriteListeners: Sendable {
    package typealias Listener = @Sendable ([RowChange]) -> Void

    private let lock = NSLock()
    // Guarded by `lock`.
    nonisolated(unsafe) private var listeners: [(number: Int, listener: Listener)] = []
    nonisolated(unsafe) private var count = 0
    private let isAnyoneListening = Atomic(false)

    /// Whether there are none: what is written is noted for no one.
    @inline(__always)
    var isEmpty: Bool { !isAnyoneListening.load(ordering: .relaxed) }

    /// - Returns: What ``remove(_:)`` takes.
    package func add(_ listener: @escaping Listener) -> Int {
        lock.withLock {
            count += 1
            listeners.append((count, listener))
            isAnyoneListening.store(true, ordering: .relaxed)
            return count
        }
    }

    package func remove(_ number: Int) {
        lock.withLock {
            listeners.removeAll { $0.number == number }
            isAnyoneListening.store(!listeners.isEmpty, ordering: .relaxed)
        }
    }

    func report(_ changes: [RowChange]) {
        for (_, listener) in lock.withLock({ listeners }) { listener(changes) }
    }
}

extension Insertion {
    func changes(_ outcome: WriteOutcome) -> [RowChange] {
        let key = try? key(outcome)
        func change(_ kind: RowChange.Kind, _ key: [SQLiteValue]?, _ columns: ColumnSet? = nil) -> RowChange {
            RowChange(mapping: mapping, key: key, kind: kind, columns: columns ?? mapping.allColumns)
        }
        switch target.conflict {
        case .abort, .ignore: return [change(.insert, key)]
        // Which rows were in the way, nobody knows.
        case .replace: return [change(.delete, nil), change(.insert, key)]
        case .update(let columns): return [change(.upsert, key, columns.written)]
        }
    }
}

extension Update {
    func changes(_ outcome: WriteOutcome) -> [RowChange] {
        [RowChange(mapping: mapping, key: key, kind: .update, columns: columns)]
    }
}

extension Deletion {
    func changes(_ outcome: WriteOutcome) -> [RowChange] {
        guard outcome.isRowThere else { return [] }
        return [RowChange(mapping: mapping, key: try? row.key, kind: .delete, columns: mapping.allColumns)]
    }
}

extension PersistenceManager {
    /// Notes a write that has run, to be reported after the commit: at once outside a transaction.
    @inline(__always)
    func note<Write: RowWrite & ~Copyable>(_ write: borrowing Write, _ outcome: WriteOutcome, _ db: Database) {
        if !listeners.isEmpty { note(write.changes(outcome), db) }
    }

    /// Notes rows that one statement has written.
    func note(_ kind: RowChange.Kind, _ mapping: Mapping, _ columns: ColumnSet, _ db: Database) {
        if !listeners.isEmpty { note([RowChange(mapping: mapping, key: nil, kind: kind, columns: columns)], db) }
    }

    private func note(_ changes: [RowChange], _ db: Database) {
        guard !changes.isEmpty else { return }
        if let context = TransactionContext.current(self, db) {
            context.note(changes, self)
        } else {
            listeners.report(changes)
        }
    }
}
