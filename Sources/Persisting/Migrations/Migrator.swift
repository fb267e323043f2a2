internal import Foundation

/// One run of migrations on a connection.
struct Migrator {
    let manager: PersistenceManager
    let migrations: [Migration]
    let tables: MigrationTables
    let db: any EngineConnection

    init(_ manager: PersistenceManager, _ migrations: [Migration], _ db: any EngineConnection) {
        self.manager = manager
        self.migrations = migrations
        tables = manager.migrationTables
        self.db = db
    }

    /// Whether the database is to wait for others. Another engine's does so by itself, and not as long.
    private var waitsForOthers: Bool { (db as? Database).map { $0.configuration.busyTimeout > .zero } ?? true }

    /// Runs the migrations that the database has not seen.
    ///
    /// - Returns: Their versions.
    func migrate(_ progress: Progress?) throws -> [Int] {
        guard !db.isInTransaction, !db.isReading else {
            throw SQLiteError(
                .notAllowedHere, "migrations can't run inside a transaction or a read: call migrate outside of it",
                path: db.path)
        }
        let history = try waiting { try checkedHistory() }
        let pending = migrations.drop { $0.version <= history.version }
        if !pending.isEmpty { progress?.totalUnitCount = Int64(pending.count) }
        guard let first = pending.first else {
            progress.map { $0.completedUnitCount = $0.totalUnitCount }
            return []
        }
        guard !db.isReadOnly else {
            throw failed(first, SQLiteError(.readOnly, "the database is read-only", path: db.path))
        }
        let enforcesForeignKeys = try db.scalar("PRAGMA foreign_keys", as: Bool.self) == true
        // Inside a transaction SQLite ignores the pragma, and dropping a table to rebuild it would delete its children.
        // See https://www.sqlite.org/lang_altertable.html#otheralter.
        if enforcesForeignKeys { try db.setForeignKeys(false) }
        let result = Result { try runPending(pending, checksForeignKeys: enforcesForeignKeys, progress) }
        if enforcesForeignKeys { try db.setForeignKeys(true) }
        return try result.get()
    }

    private func runPending(
        _ pending: ArraySlice<Migration>, checksForeignKeys: Bool, _ progress: Progress?
    ) throws -> [Int] {
        var ran: [Int] = []
        var foreignKeys: ForeignKeyState?
        for migration in pending {
            if progress?.isCancelled == true { throw CancellationError() }
            // What the migration itself reports, by a Progress that it creates, is a part of this one.
            let step = progress.map { Progress(totalUnitCount: 1, parent: $0, pendingUnitCount: 1) }
            step?.becomeCurrent(withPendingUnitCount: 1)
            let result = Result { try runNext(migration, checksForeignKeys, &foreignKeys) }
            step?.resignCurrent()
            if try result.get() { ran.append(migration.version) }
            step?.completedUnitCount = 1
        }
        return ran
    }

    /// Runs a migration, unless another process or connection has done so since.
    private func runNext(
        _ migration: Migration, _ checksForeignKeys: Bool, _ foreignKeys: inout ForeignKeyState?
    ) throws -> Bool {
        var hasBegun = false
        do {
            return try waiting(unless: hasBegun) {
                // Another process that holds the lock may be running this one, and a task that waits may be cancelled.
                guard try checkedHistory().version < migration.version else { return false }
                return try db.transaction(.immediate) {
                    let history = try checkedHistory()
                    guard history.version < migration.version else { return false }
                    hasBegun = true
                    let before = checksForeignKeys ? try foreignKeys ?? ForeignKeyState(db) : nil
                    manager.forgetTables(db)
                    try tables.begin(migration, after: history, db)
                    try manager.running { try migration.run(manager, db) }
                    if let before {
                        let after = try ForeignKeyState(db)
                        try after.check(since: before, db)
                        foreignKeys = after
                    }
                    try tables.finish(migration, db)
                    return true
                }
            }
        } catch {
            throw hasBegun ? failed(migration, error) : error
        }
    }

    private func checkedHistory() throws -> MigrationHistory {
        let history = try tables.read(db)
        try Migration.check(migrations, against: history, db)
        return history
    }

    /// Runs `body`, again and again while another connection holds the lock: it may be migrating, for longer than a
    /// statement waits.
    private func waiting<T>(unless hasBegun: @autoclosure () -> Bool = false, _ body: () throws -> T) throws -> T {
        let start = ContinuousClock.now
        while true {
            do {
                return try body()
            } catch let error as SQLiteError where error.code == .busy && !hasBegun() {
                guard waitsForOthers, ContinuousClock.now - start < .seconds(60) else {
                    throw error
                }
                Thread.sleep(forTimeInterval: 0.01)
            }
        }
    }

    private func failed(_ migration: Migration, _ error: any Error) -> any Error {
        if error is CancellationError { return error }
        let reason = (error as? PersistenceError)?.statement ?? (error as? SQLiteError)?.message ?? "\(error)"
        let outcome = (error as? SQLiteError)?.outcome ?? (error as? PersistenceError)?.outcome ?? .notApplied
        return PersistenceError(
            .migrationFailed,
            "\(migration.title) failed\(outcome == .unknown ? "" : " and was rolled back"): \(reason)",
            underlying: error, migration: migration.version)
    }
}
