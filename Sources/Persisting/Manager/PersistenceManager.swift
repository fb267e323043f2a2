internal import Foundation
internal import Synchronization

/// Stores models in a database.
///
/// ```swift
/// let manager = try PersistenceManager(path: "albums.sqlite")
/// try manager.createTableIfNecessary(for: Album.self)
/// let album = try manager.insert(Album.self, values: ["title": "Kind of Blue"])
/// let found = try manager.fetchOne(Album.self, where: \.title == "Kind of Blue")
/// ```
///
/// A manager can be used from any thread and any task. Every method has an asynchronous form of the same name, which
/// suspends the task while the database works; objects are filled on the database's side and handed over, or their
/// values are taken in the caller's isolation: an object itself never crosses.
///
/// Each write is atomic by itself. `transaction(_:)` makes several into one.
public final class PersistenceManager: Sendable {
    /// The database underneath: raw SQL uses the same connections and the same transactions.
    ///
    /// For a file with a write-ahead log, which every file has that the manager creates, it is a
    /// ``/SQLiteKit/DatabasePool``: fetches run in parallel with each other and with a write. For any other it is a
    /// ``/SQLiteKit/DatabaseQueue``. What belongs to one connection alone, such as a temporary table, is made in
    /// ``/SQLiteKit/DatabaseConfiguration/prepare``, which runs with each.
    public let database: any DatabaseAccess
    /// The form in which dates are stored, unless a column declares another.
    public let dates: DateStorage
    /// The way to the connections that the methods use.
    package let engine: EngineAccess
    let migrationTables: MigrationTables

    /// The local connections, for what is about a file of this process.
    package var connections: DatabaseConnections { database.connections }

    private let lock = NSLock()
    // All guarded by `lock`.
    nonisolated(unsafe) private var tables = ByClass<ModelTable>()
    /// Tables in whose place others are now: someone may just have found one of them in `lastTable`.
    nonisolated(unsafe) private var replacedTables: [ModelTable] = []
    nonisolated(unsafe) private var schemaCookie: Int64?
    /// The number of the temporary schema of the connection that writes; nil without one.
    nonisolated(unsafe) private var temporaryCookie: Int64?
    /// The numbers of the schemas of other databases than `main`, by the names under which classes know them.
    nonisolated(unsafe) private var otherCookies: [String: Int64?] = [:]
    /// Whether there are any.
    private let hasOtherSchemas = Atomic(false)
    /// The table that was last asked for, which is as a rule the next one too: it is found without the lock. It is one
    /// of those above.
    private let lastTable = Atomic<Unmanaged<ModelTable>?>(nil)

    /// What knows the transaction that objects are written in. Used by whoever has the right to use the connection.
    @exclusivity(unchecked) nonisolated(unsafe) var openTransaction: OpenTransaction?

    /// The row of that transaction in the histories, while it is open. Used by whoever has the right to use the
    /// connection.
    @exclusivity(unchecked) nonisolated(unsafe) var transactionRecord: TransactionRecord?
    /// Whether the database has a class with a history: 0 or 1 once it has been asked.
    private let recording = Atomic(UInt8.max)

    /// Who hears of transactions that histories record.
    let recordListeners = RecordListeners()
    /// What is known of the tables that have histories.
    let pastTables = PastTables()

    /// How many transactions and savepoints have been rolled back in which relations were loaded: what was loaded in
    /// one never was.
    let rollbacks = Atomic(0)
    /// The number of the transaction or savepoint that last said so, 0 for none. Used as the context is.
    @exclusivity(unchecked) nonisolated(unsafe) var notedTransaction = 0
    private let loading = Atomic(RelationLoading.siblings.rawValue)

    /// How an object loads a relation that wasn't loaded ahead. The default is ``RelationLoading/siblings``: for all
    /// objects of the same fetch, in one query. ``Query/relations(_:)`` sets it for the objects of one query.
    public var relationLoading: RelationLoading {
        get { RelationLoading(rawValue: loading.load(ordering: .acquiring)) ?? .siblings }
        set { loading.store(newValue.rawValue, ordering: .releasing) }
    }

    /// Takes over a database that is open.
    init(_ database: any DatabaseAccess, dates: DateStorage, versionTable: String) {
        self.database = database
        engine = .local(database.connections)
        self.dates = dates
        migrationTables = MigrationTables(version: versionTable)
    }

    /// Stores models in a database of another engine, which has no local connection: ``database``, `read` and `write`
    /// throw ``/SQLiteKit/SQLiteError`` with the code `.unsupported`.
    package init(engine: any Engine, dates: DateStorage = .unixSeconds, versionTable: String = "schema_version") {
        database = UnsupportedDatabase(engine)
        self.engine = .other(engine)
        self.dates = dates
        migrationTables = MigrationTables(version: versionTable)
    }

    /// Closes the database. Every later call throws ``/SQLiteKit/SQLiteError`` with the code `.closed`, until
    /// `reopen()`.
    ///
    /// - Throws: ``/SQLiteKit/SQLiteError`` when a statement is still held by someone; the database stays open.
    public func close() throws {
        try engine.close()
        forgetTables()
    }

    /// The same, while the task is suspended.
    public func close() async throws {
        try await engine.close()
        forgetTables()
    }

    /// Opens the database again after `close()`.
    ///
    /// - Throws: ``PersistenceError``.
    public func reopen() throws {
        try engine.reopen()
    }

    /// The same, while the task is suspended.
    public func reopen() async throws {
        try await engine.reopen()
    }

    /// Encrypts the file with another key, when none of the connections is in use; those that follow use that one. No
    /// one else may have the file open.
    ///
    /// - Parameter key: The new key. `.plain` decrypts the file, which SQLCipher can't: there,
    ///   `vacuum(into:from:key:)` writes a plain copy.
    /// - Throws: ``/SQLiteKit/SQLiteError``: `.missingFeature` where SQLite has no cipher, or one that can't do that;
    ///   `.misuse` for what can be no key, and of a database without a file; `.busy` when another connection has the
    ///   file open, which is noticed where it has a write-ahead log; `.notAllowedHere` inside a transaction's closure.
    ///   Then the key is as it was.
    public func rekey(_ key: DatabaseKey) throws {
        try database.rekey(key)
    }

    /// The same, while the task is suspended.
    public func rekey(_ key: DatabaseKey) async throws {
        try await database.rekey(key)
    }

    /// Closes the database and deletes its file, with SQLite's other files of it. The manager loses its names. A
    /// database in memory is closed.
    ///
    /// - Throws: ``/SQLiteKit/SQLiteError``: `.readOnly` for a database that was opened to be read alone, which stays
    ///   open; when a statement is still held by someone. Foundation's error when a file cannot be deleted; files that
    ///   are not there are no error.
    public func deleteDatabase() throws {
        try checkDeletable()
        try close()
        try deleteFiles()
    }

    /// The same, while the task is suspended.
    public func deleteDatabase() async throws {
        try checkDeletable()
        try await close()
        try deleteFiles()
    }

    private func checkDeletable() throws {
        guard [.readOnly, .immutable].contains(database.configuration.openMode) else { return }
        throw SQLiteError(
            .readOnly, "the database was opened to be read alone, so its files aren't deleted",
            path: database.location.path)
    }

    /// Deletes the file of a closed database, with those that SQLite keeps next to it, and takes the manager's names
    /// away.
    private func deleteFiles() throws {
        Self.forget(self)
        guard let given = database.location.path else { return }
        // SQLite follows a symbolic link, and its files stand next to the one that it leads to.
        let path = URL(fileURLWithPath: given).resolvingSymlinksInPath().path
        // The journal first: without its database it is nothing, and a database without it may be half written.
        for file in [path + "-journal", path + "-shm", path + "-wal", path]
        where FileManager.default.fileExists(atPath: file) {
            try FileManager.default.removeItem(atPath: file)
        }
        let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: given)) != nil
        if isLink { try FileManager.default.removeItem(atPath: given) }
    }

    /// What this manager knows of a class's table. The class is asked for once.
    package func table(of type: PersistingModel.Type) throws -> ModelTable {
        if let known = knownTable(of: type), known.isKeyKnown { return known }
        let mapping = try Mapping.of(type, dates: dates)
        try mapping.checkRelations()
        return mapping.takesKeyFromSchema ? try discoveredTable(mapping) : table(mapping)
    }

    /// The mappings of the classes that the manager has used.
    package var knownMappings: [Mapping] { lock.withLock { tables.values }.map(\.mapping) }

    /// What this manager knows of a class's table; nil before it has used the class.
    func knownTable(of type: PersistingModel.Type) -> ModelTable? {
        if let last = lastTable.load(ordering: .acquiring)?.takeUnretainedValue(), last.mapping.modelType == type {
            return last
        }
        return lock.withLock {
            guard let table = tables[type] else { return nil }
            lastTable.store(.passUnretained(table), ordering: .releasing)
            return table
        }
    }

    /// What this manager knows of the table of a class that is mapped in a way. Of a class that was mapped otherwise,
    /// since its table had another key, all is forgotten.
    func table(_ mapping: Mapping) -> ModelTable {
        lock.withLock {
            if let known = tables[mapping.modelType] {
                if known.mapping === mapping { return known }
                replacedTables.append(known)
            }
            if let name = mapping.schemaName, otherCookies[name] == nil {
                otherCookies[name] = .some(nil)
                hasOtherSchemas.store(true, ordering: .releasing)
            }
            let table = ModelTable(mapping, self)
            tables[mapping.modelType] = table
            lastTable.store(.passUnretained(table), ordering: .releasing)
            return table
        }
    }

    /// Forgets what was read of the tables, if SQL of the user's own has changed the schema since.
    ///
    /// It throws nothing: what the SQL did may have been committed. A schema that cannot be read counts as changed.
    func lookForNewSchema(_ db: any EngineConnection) {
        guard db.mayHaveNewSchema else { return }
        db.mayHaveNewSchema = false
        // Another file may have been attached, whose schema has the number of the one before.
        let hasNamesakes = Mapping.noteNamesakes(db.temporaryTableNames)
        if hasNamesakes || hasOtherSchemas.load(ordering: .acquiring) || hasNewTemporarySchema(db) { forgetTables(db) }
        compareSchema(db)
    }

    /// Whether SQL has changed the temporary schema of the connection that writes: a temporary trigger may be one of a
    /// class's table.
    private func hasNewTemporarySchema(_ db: any EngineConnection) -> Bool {
        if db.isReader { return false }
        let version = db.temporarySchemaVersion
        return lock.withLock {
            defer { temporaryCookie = version }
            return temporaryCookie != version
        }
    }

    /// Forgets what was read of the tables, if another connection has changed the schema since: before a write, in a
    /// transaction before the first.
    func lookForSchemaOfOthers(_ db: any EngineConnection) {
        if db.mayHaveNewSchema {
            lookForNewSchema(db)
        } else if db.isShared || hasOtherSchemas.load(ordering: .acquiring) {
            compareSchema(db)
        }
    }

    private func compareSchema(_ db: any EngineConnection) {
        let version = db.schemaVersion
        var isNew = lock.withLock {
            defer { schemaCookie = version }
            return version == nil || schemaCookie != version
        }
        if hasOtherSchemas.load(ordering: .acquiring) {
            for name in lock.withLock({ Array(otherCookies.keys) }) {
                // Of a database that isn't attached, the tables are read again, which throws an error that says so.
                let version = try? QueryLedger.ignoring {
                    try db.scalar("PRAGMA \(identifier: name).schema_version", as: Int64.self)
                }
                let known = lock.withLock { otherCookies.updateValue(version, forKey: name) ?? nil }
                isNew = isNew || version == nil || known != version
            }
        }
        if isNew { forgetTables(db) }
    }

    /// Forgets what was read of the tables' schemas, and again at the end of the transaction that changes them: until
    /// then others see the old ones, and so does everyone after a rollback.
    func forgetTables(_ db: any EngineConnection) {
        // A pool's reader has no transaction that writes.
        if !db.isReader { openTransaction?.forgetStatements() }
        forgetTables()
        guard db.isInTransaction else { return }
        db.afterCommit { self.forgetTables() }
        db.afterRollback {
            // The next change may have the number of the one that was rolled back.
            self.lock.withLock {
                (self.schemaCookie, self.temporaryCookie) = (nil, nil)
                self.otherCookies = self.otherCookies.mapValues { _ in nil }
            }
            self.forgetTables()
        }
    }

    /// Whether a connection sees no earlier schema than the manager knows: a pool's reader, whose read began before a
    /// change, sees the one before.
    func seesLatestSchema(_ db: any EngineConnection) -> Bool {
        guard db.isReader, let known = lock.withLock({ schemaCookie }), let version = db.schemaVersion else {
            return true
        }
        return version >= known
    }

    /// Forgets what was read of the tables' schemas.
    func forgetTables() {
        recording.store(.max, ordering: .releasing)
        pastTables.forget()
        for table in lock.withLock({ tables.values }) { table.forgetSchema() }
    }

    /// Whether the database has a class with a history; nil after its schema has changed.
    var isKnownToRecord: Bool? {
        get {
            let known = recording.load(ordering: .acquiring)
            return known == .max ? nil : known == 1
        }
        set { recording.store(newValue.map { $0 ? 1 : 0 } ?? .max, ordering: .releasing) }
    }
}

extension PersistenceManager {
    /// Runs raw SQL.
    ///
    /// - Parameters:
    ///   - sql: One statement, with columns' names. Interpolated values are bound.
    ///   - arguments: Values for its parameters, by position or by name.
    ///   - more: More of them.
    /// - Returns: The number of rows inserted, updated or deleted.
    /// - Throws: ``/SQLiteKit/SQLiteError``.
    @discardableResult
    public func execute(_ sql: SQL, _ arguments: Arguments = [], _ more: Arguments = []) throws -> Int {
        try engine.withoutTransaction { db in
            defer { lookForNewSchema(db) }
            guard try mayRecord(sql, db) else { return try db.execute(sql, arguments, more) }
            return try db.transaction(.immediate) {
                try openRecord(db)
                return try db.execute(sql, arguments, more)
            }
        }
    }

    /// The same, while the task is suspended.
    @discardableResult
    public func execute(_ sql: SQL, _ arguments: Arguments = [], _ more: Arguments = []) async throws -> Int {
        try await onDatabaseSide { manager in try manager.execute(sql, arguments, more) }
    }
}
