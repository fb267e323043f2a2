internal import Foundation

/// A place after a transaction in the histories of a database. You can store it, and use it in a later process.
public struct HistoryToken: RawRepresentable, Hashable, Codable, Sendable {
    /// The number of the transaction.
    public let rawValue: Int64

    /// The place after a transaction.
    ///
    /// - Parameter rawValue: The transaction's number.
    public init(rawValue: Int64) { self.rawValue = rawValue }
}

extension HistoryTransaction {
    /// The place after this transaction.
    public var token: HistoryToken { HistoryToken(rawValue: number) }
}

/// A transaction that has changed rows of the classes of a feed: an element of ``HistoryCommits``.
public struct HistoryCommit: Sendable {
    /// The transaction.
    public let transaction: HistoryTransaction
    fileprivate let manager: PersistenceManager

    /// The place from which a later feed continues.
    public var token: HistoryToken { transaction.token }

    /// The changes that the transaction made to rows of a class, in the order of their keys.
    ///
    /// - Parameter type: The class.
    /// - Returns: The changes; none if the transaction changed no row, or no recorded value.
    /// - Throws: ``PersistenceError/Code/noHistory`` if the class has no history;
    ///   ``PersistenceError/Code/historyPruned`` if they have been pruned meanwhile.
    public func changes<Model: PersistingModel>(of type: Model.Type) throws -> [HistoryChange<Model>] {
        try manager.keptChanges(of: type, in: transaction.number)
    }

    /// The same, while the task is suspended.
    public func changes<Model: PersistingModel>(of type: Model.Type) async throws -> sending [HistoryChange<Model>] {
        let number = transaction.number
        return try await manager.onReadingSide(of: type) { try $0.keptChanges(of: type, in: number) }
    }
}

/// The transactions that change rows of some classes, each once and in the order of the commits.
///
/// A manager's `history(since:of:)` returns it. It begins with the existing transactions, and then gives each new one
/// as soon as it is committed. It throws `CancellationError` when its task is cancelled, and ends at the first error.
public struct HistoryCommits: AsyncSequence, Sendable {
    fileprivate let manager: PersistenceManager
    fileprivate let types: [PersistingModel.Type]
    fileprivate let start: HistoryToken?
    fileprivate let interval: Duration?

    /// Creates an iterator that begins after the token.
    public func makeAsyncIterator() -> Iterator { Iterator(commits: self) }

    /// Iterates over the transactions.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let commits: HistoryCommits
        /// The last transaction that was examined.
        private var number: Int64?
        private var ready: ArraySlice<HistoryTransaction> = []
        private var isReadOnly = false
        private var changes: ObservedValues<HistoryEnd?>.Iterator?
        private var isDone = false

        fileprivate init(commits: HistoryCommits) {
            self.commits = commits
            number = commits.start?.rawValue
        }

        /// The next transaction, as soon as it is committed.
        ///
        /// - Throws: ``PersistenceError/Code/historyPruned`` if transactions after the token, or ones that the loop
        ///   hasn't reached, have been pruned; ``PersistenceError/Code/noHistory``; `CancellationError`. After an
        ///   error, it returns nil.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> HistoryCommit? {
            if isDone { return nil }
            do {
                while true {
                    try Task.checkCancellation()
                    if let transaction = ready.popFirst() {
                        return HistoryCommit(transaction: transaction, manager: commits.manager)
                    }
                    let (types, start, isReadOnly) = (commits.types, number, isReadOnly)
                    let batch = try await commits.manager.onReadingSide { manager in
                        try manager.historyBatch(after: start, of: types, isReadOnly: isReadOnly)
                    }
                    number = batch.through
                    ready = batch.transactions[...]
                    if !ready.isEmpty { continue }
                    switch batch.end {
                    case .more: break
                    case .last: try await waitForCommit(isolation: actor)
                    case .unsealed: try await seal(isolation: actor)
                    }
                }
            } catch {
                (isDone, changes) = (true, nil)
                throw error
            }
        }

        /// Closes the last transaction, so that other programs' writes begin a new one. Waits if that isn't possible
        /// now.
        private mutating func seal(isolation actor: isolated (any Actor)?) async throws {
            do {
                if !isReadOnly { return try await commits.manager.onDatabaseSide { try $0.sealHistory() } }
            } catch let error as SQLiteError where error.code == .readOnly {
                isReadOnly = true
            } catch let error as SQLiteError where error.code == .busy {}
            try await Task.sleep(for: .milliseconds(20))
        }

        private mutating func waitForCommit(isolation actor: isolated (any Actor)?) async throws {
            if changes == nil {
                changes = commits.manager.observe(otherProcessesEvery: commits.interval) { try $0.historyEnd() }
                    .makeAsyncIterator()
            }
            _ = try await changes?.next(isolation: actor)
        }
    }
}

@available(*, unavailable)
extension HistoryCommits.Iterator: Sendable {}

extension PersistenceManager {
    /// The transactions that change rows of some classes after a place, including all future ones.
    ///
    /// ```swift
    /// for try await commit in manager.history(since: token, of: [Note.self]) {
    ///     for change in try await commit.changes(of: Note.self) { try upload(change) }
    ///     token = commit.token
    /// }
    /// ```
    ///
    /// Each transaction comes once, in the order of the commits, whoever made it. A loop in a later process continues
    /// after the token. If pruning has deleted transactions that a feed hasn't reached, the feed throws
    /// ``PersistenceError/Code/historyPruned``. Then start again, from nil or from the last of `historyTransactions()`.
    ///
    /// - Parameters:
    ///   - token: The place after which to begin; nil begins with the first transaction that all histories have.
    ///   - types: The classes, which have a ``PersistingModel/history``.
    ///   - interval: How often to check for commits of other processes. With nil, they are noticed when this manager
    ///     commits.
    public func history(
        since token: HistoryToken?, of types: [PersistingModel.Type], otherProcessesEvery interval: Duration? = nil
    ) -> HistoryCommits {
        HistoryCommits(manager: self, types: types, start: token, interval: interval)
    }
}

/// The last transaction of the histories. One that ran outside the library's transactions may still grow.
private struct HistoryEnd: Sendable, Equatable {
    let number: Int64
    let writes: Int64?
}

/// Some transactions that a feed has.
private struct HistoryBatch: Sendable {
    var transactions: [HistoryTransaction]
    /// The last one that was examined.
    var through: Int64
    var end: End

    enum End {
        /// There may be more.
        case more
        /// That was the last.
        case last
        /// The next transaction is the last, and others may still add to it.
        case unsealed
    }
}

extension PersistenceManager {
    /// How many seconds a feed waits for another program's statement to be committed, if it can't close the
    /// transaction.
    private static let settling = 1.0

    fileprivate func historyEnd() throws -> HistoryEnd? {
        try engine.query { db in
            try db.rows("SELECT number, writes FROM history_transactions ORDER BY number DESC LIMIT 1").first.map {
                row in
                HistoryEnd(
                    number: try row.value(at: 0, as: Int64.self), writes: try row.value(at: 1, as: Int64?.self))
            }
        }
    }

    /// Keeps other programs from adding to the last transaction. If it ran outside the library's transactions, a
    /// statement in the same millisecond belongs to it, too, and may be committed after the feed has read it.
    fileprivate func sealHistory() throws {
        _ = try engine.write { db in
            try db.execute(
                """
                UPDATE history_transactions SET writes = NULL
                WHERE number = \(sql: SQL(HistoryTable.last)) AND writes IS NOT NULL
                """)
        }
    }

    /// The changes that a transaction made to rows of a class.
    ///
    /// - Throws: ``PersistenceError/Code/historyPruned`` if they aren't kept any more.
    fileprivate func keptChanges<Model: PersistingModel>(
        of type: Model.Type, in number: Int64
    ) throws -> [HistoryChange<Model>] {
        let changes = try changes(of: type, in: [number])
        let mapping = try table(of: type).mapping
        let horizon = try engine.query { db in try self.horizon(of: [mapping], db) }
        guard number > horizon else { throw pruned(after: number - 1, horizon) }
        return changes
    }

    private func pruned(after number: Int64, _ horizon: Int64) -> PersistenceError {
        PersistenceError(
            .historyPruned,
            "the transactions after \(number) have been pruned: what is kept begins after \(horizon)")
    }

    fileprivate func historyBatch(
        after start: Int64?, of types: [PersistingModel.Type], isReadOnly: Bool
    ) throws -> HistoryBatch {
        let mappings = try types.map { try table(of: $0).mapping }
        for mapping in mappings { try mapping.checkHasHistory() }
        // Taken before the rows are read, so that later writes have a later time.
        let time = Date.now.timeIntervalSince1970
        return try engine.query { db in
            let horizon = try horizon(of: mappings, db)
            if let start, start < horizon {
                throw pruned(after: start, horizon)
            }
            let last = try db.scalar("SELECT max(number) FROM history_transactions", as: Int64.self) ?? 0
            if let start, start > last {
                throw PersistenceError(
                    .historyPruned,
                    "the token is of transaction \(start), and the last one is \(last): the database is another one, such "
                        + "as a backup that was restored")
            }
            var batch = HistoryBatch(transactions: [], through: start ?? horizon, end: .last)
            // A date of the future is of a clock that was set back: no statement of now joins its transaction.
            let settled = isReadOnly ? time - Self.settling : -.greatestFiniteMagnitude
            let future = isReadOnly ? time + 60 : .greatestFiniteMagnitude
            let rows = try db.rows(
                """
                SELECT \(sql: SQL(HistoryTransaction.columns)),
                writes IS NOT NULL AND date > \(settled) AND date < \(future) AND number = \(sql: SQL(HistoryTable.last)),
                \(sql: SQL(Self.changesRow(of: mappings)))
                FROM history_transactions WHERE number > \(batch.through) ORDER BY number LIMIT 200
                """)
            for row in rows {
                if try row.value(at: 5, as: Bool?.self) == true {
                    batch.end = .unsealed
                    return batch
                }
                let transaction = try HistoryTransaction(row, at: 0)
                batch.through = transaction.number
                if try row.value(at: 6, as: Bool.self) { batch.transactions.append(transaction) }
            }
            if rows.count == 200 { batch.end = .more }
            return batch
        }
    }

    /// The last transaction that has been pruned from one of the histories.
    private func horizon(of mappings: [Mapping], _ db: any EngineConnection) throws -> Int64 {
        try mappings.reduce(0) { horizon, mapping in
            guard try !db.columns(of: HistoryTable.name(of: mapping.tableName), in: "main").isEmpty else {
                throw PersistenceError(
                    .noHistory, "the table \(mapping.tableName) has no history yet: update the schema",
                    model: mapping.modelName)
            }
            return Swift.max(horizon, try self.horizon(of: mapping.tableName, db))
        }
    }

    /// Whether a transaction has changed a row of a class, as a condition on its number.
    private static func changesRow(of mappings: [Mapping]) -> String {
        let changes = mappings.flatMap { mapping in
            let (log, current) = HistoryTable.sources(of: mapping.tableName)
            return [(current, "_began"), (log, "_began"), (log, "_ended")].map { table, column in
                "EXISTS (SELECT 1 FROM \(table) WHERE \(column) = number)"
            }
        }
        return (["0"] + changes).list(" OR ")
    }
}
