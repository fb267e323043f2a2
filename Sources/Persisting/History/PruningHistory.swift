internal import Foundation

/// Pruning and erasing histories.
extension PersistenceManager {
    /// Deletes old rows that are outside the ``History/Keeping`` of the classes' histories.
    ///
    /// Queries of the past remain correct for all times that are kept; for earlier times they throw
    /// ``PersistenceError/Code/historyPruned``. Call it from time to time, for example at launch: nothing is deleted
    /// automatically. SQLite reuses the space, and VACUUM returns it to the file system.
    ///
    /// - Parameter types: The classes.
    /// - Returns: How many old rows were deleted.
    /// - Throws: ``PersistenceError/Code/noHistory`` if a class has no history.
    @discardableResult
    public func pruneHistory(of types: PersistingModel.Type...) throws -> Int {
        try pruneHistory(of: types)
    }

    /// The same, while the task is suspended.
    @discardableResult
    public func pruneHistory(of types: PersistingModel.Type...) async throws -> Int {
        try await onDatabaseSide { manager in try manager.pruneHistory(of: types) }
    }

    /// Deletes the history of an object's row.
    ///
    /// If the row still exists, queries of any earlier time then find it as it is now. The history's bytes are
    /// overwritten in the file (see [secure_delete](https://www.sqlite.org/pragma.html#pragma_secure_delete)). What
    /// earlier updates have left in the file's free space stays there, unless `secure_delete` was on from the start, or
    /// until VACUUM. A write-ahead log still contains the bytes until the next checkpoint, and backups keep them.
    ///
    /// An ``UndoHistory`` can't undo a step that has changed the row: it throws ``PersistenceError/Code/historyPruned``
    /// and changes nothing.
    ///
    /// - Parameter object: An object with a key, which may be deleted.
    /// - Returns: How many old rows were deleted.
    /// - Throws: ``PersistenceError/Code/noHistory`` if a class has no history.
    @discardableResult
    public func eraseHistory(of object: PersistingModel) throws -> Int {
        let mapping = try table(of: type(of: object)).mapping
        return try eraseHistory(mapping, key: mapping.historyKey(of: object))
    }

    /// The same, while the task is suspended.
    @discardableResult
    public func eraseHistory(of object: PersistingModel) async throws -> Int {
        let mapping = try table(of: type(of: object)).mapping
        let key = try mapping.historyKey(of: object)
        return try await onDatabaseSide { manager in try manager.eraseHistory(mapping, key: key) }
    }

    private func eraseHistory(_ mapping: Mapping, key: [SQLiteValue]) throws -> Int {
        try mapping.naming {
            try engine.withoutTransaction { db in
                let isKey = mapping.key.map { "\(mapping.sql.columns[$0]) = ?" }.list(" AND ")
                let (log, current) = HistoryTable.sources(of: mapping.tableName)
                func erase() throws -> Int {
                    try db.execute(SQL("UPDATE \(current) SET _began = 0 WHERE \(isKey)" as String), Arguments(key))
                    return try db.execute(SQL("DELETE FROM \(log) WHERE \(isKey)" as String), Arguments(key))
                }
                // A node of a cluster doesn't let it be set.
                guard db is Database, case let before = try db.scalar("PRAGMA main.secure_delete", as: Int.self),
                    before != 1
                else { return try db.transaction(nil, erase) }
                try db.execute("PRAGMA main.secure_delete = 1", cached: false)
                let result = Result { try db.transaction(nil, erase) }
                try db.execute(
                    before == 2 ? "PRAGMA main.secure_delete = FAST" : "PRAGMA main.secure_delete = 0", cached: false)
                return try result.get()
            }
        }
    }

    private func pruneHistory(of types: [PersistingModel.Type]) throws -> Int {
        let mappings = try types.map { try table(of: $0).mapping }
        return try engine.write { db in
            var count = 0
            for mapping in mappings {
                try mapping.checkHasHistory()
                guard let keeping = mapping.modelType.history?.keeping else { continue }
                count += try mapping.naming { try prune(mapping.tableName, keeping, db) }
            }
            if count > 0 { try forgetTransactions(db) }
            return count
        }
    }

    private func prune(_ table: String, _ keeping: History.Keeping, _ db: any EngineConnection) throws -> Int {
        let now = Date.now.timeIntervalSince1970
        let horizon: Int64? =
            switch keeping.limit {
            case .none: nil
            case .seconds(let seconds):
                // A clock may have been wrong: what came after a transaction to keep is kept, whatever its date.
                try db.scalar(
                    """
                    SELECT coalesce(
                        (SELECT min(number) - 1 FROM history_transactions WHERE date BETWEEN ?1 AND ?2),
                        (SELECT max(number) FROM history_transactions WHERE date < ?1))
                    """, [now - seconds, now], as: Int64.self)
            case .transactions(let count):
                try db.scalar(
                    """
                    SELECT number FROM history_transactions
                    ORDER BY number DESC LIMIT 1 OFFSET \(Swift.max(0, count))
                    """, as: Int64.self)
            }
        guard let horizon else { return 0 }
        let log = HistoryTable.sources(of: table).log
        let count = try db.execute(
            SQL("DELETE FROM \(log) WHERE _ended <= ? AND _id <> \(HistoryTable.horizonID)" as String), [horizon])
        guard count > 0 else { return 0 }
        try db.execute(SQL("DELETE FROM \(log) WHERE _id = \(HistoryTable.horizonID)" as String))
        try db.execute(
            SQL("INSERT INTO \(log) (_id, _began, _ended) VALUES (\(HistoryTable.horizonID), ?1, ?1)" as String),
            [horizon])
        return count
    }

    /// Deletes the transactions that no history needs, but never the last one, so that no number is used twice.
    private func forgetTransactions(_ db: any EngineConnection) throws {
        let tables = try db.column(
            """
            SELECT DISTINCT tbl_name FROM main.sqlite_schema
            WHERE type = 'trigger' AND sql LIKE '%INSERT INTO history_transactions%'
            """, as: String.self)
        var first = Int64.max
        for table in tables {
            first = Swift.min(first, try horizon(of: table, db))
        }
        try db.execute(
            """
            DELETE FROM history_transactions
            WHERE number < \(first) AND number < (SELECT max(number) FROM history_transactions)
            """
        )
    }
}
