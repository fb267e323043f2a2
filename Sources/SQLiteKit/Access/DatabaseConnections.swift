internal import Synchronization

/// The connections of a ``DatabaseQueue`` or a ``DatabasePool``.
///
/// It has nothing to call: its initializers are SQLiteKit's own, so that those two are all the kinds of
/// ``DatabaseAccess`` there are.
public final class DatabaseConnections: Sendable {
    let location: DatabaseLocation
    private let configurationAtFirst: DatabaseConfiguration
    /// The key of the file, which can change.
    private let key: Mutex<DatabaseKey?>
    let writer: ConnectionLender
    /// Those that read alongside; nil if the database had no write-ahead log when it was opened first.
    private let pool: ConnectionLender?
    /// Whether it still has one: with another file in its place, the writer reads.
    private let hasLog = Atomic(true)
    /// Those who hear of what is committed, by other connections of this process too.
    package let changes: ChangeListeners
    /// Who listens there for these connections, with their temporary tables.
    package var listeningOwner: ObjectIdentifier { ObjectIdentifier(writer) }
    let ledgers = LedgerBook()

    /// One connection that reads and writes.
    convenience init(queue location: DatabaseLocation, _ configuration: DatabaseConfiguration) throws {
        try self.init("the database", location, configuration, writing: configuration) { _ in false }
    }

    /// One connection that writes, and some that read.
    convenience init(pool location: DatabaseLocation, _ configuration: DatabaseConfiguration) throws {
        var writing = configuration
        writing.journalMode = .wal
        try self.init("the writer of", location, configuration, writing: writing) { _ in true }
    }

    /// Connections that read alongside the one that writes where the database has a write-ahead log.
    convenience init(any location: DatabaseLocation, _ configuration: DatabaseConfiguration) throws {
        try self.init("the writer of", location, configuration, writing: configuration) { db in
            try db.hasLog
        }
    }

    /// None, on an engine that has no local connection: each use throws `openingError`.
    init(throwing openingError: SQLiteError) {
        location = .memory
        let configuration = DatabaseConfiguration()
        configurationAtFirst = configuration
        key = Mutex(nil)
        writer = ConnectionLender(
            name: "the database", count: 1, location, configuration, ledgers, opensOnDemand: true,
            openingError: openingError)
        pool = nil
        changes = ChangeListeners.of(location)
    }

    private init(
        _ name: String, _ location: DatabaseLocation, _ configuration: DatabaseConfiguration,
        writing: DatabaseConfiguration,
        hasReaders: @escaping @Sendable (Database) throws -> Bool
    ) throws {
        self.location = location
        configurationAtFirst = configuration
        key = Mutex(configuration.key)
        let writer = ConnectionLender(
            name: "\(name) \(location)", count: 1, location, writing, ledgers, opensOnDemand: false
        ) { db in db.connection.hasReaders = try hasReaders(db) }
        self.writer = writer
        try writer.open()
        changes = ChangeListeners.of(location)
        writer.report(to: changes)
        guard try writer.lend({ $0.connection.hasReaders }) else {
            pool = nil
            return
        }
        var reading = configuration
        // Here, where a trace does not show it yet.
        reading.prepare = { db in
            try configuration.prepare?(db)
            try db.connection.unasked { () throws(SQLiteError) in _ = try db.execute("PRAGMA query_only = 1") }
        }
        reading.journalMode = nil
        // The writer has created the file; one that has gone since is not to be recreated.
        if reading.openMode == .create { reading.openMode = .readWrite }
        pool = ConnectionLender(
            name: "a reader of \(location)", count: configuration.maximumReaders, location, reading, ledgers,
            opensOnDemand: true
        ) { db in
            db.connection.isReader = true
            db.connection.isReading = true
        }
    }

    var configuration: DatabaseConfiguration {
        var configuration = configurationAtFirst
        configuration.key = key.withLock { $0 }
        return configuration
    }

    /// Of a queue, the writer.
    var readers: ConnectionLender { hasLog.load(ordering: .relaxed) ? pool ?? writer : writer }

    var isPool: Bool { readers !== writer }

    /// Whether the calling thread has one of the connections.
    var isMine: Bool { writer.isMine || isPool && readers.mine != nil }

    /// Whether the calling thread is inside a closure that has the connection that writes.
    package var isMineToWrite: Bool { writer.isMine }

    /// The database that writes, where the calling thread is inside a closure that has it.
    package var mineToWrite: Database? { writer.isMine ? writer.first.database : nil }

    /// The database that the calling thread has, if any.
    package var mine: Database? { mineToWrite ?? (isPool ? readers.mine?.database : nil) }

    /// Runs `body`, whose queries need not be of one moment, without a transaction. In a pool it has a connection that
    /// reads.
    package func query<T>(_ body: (Database) throws -> T) throws -> T {
        if let db = try joined() { return try body(db) }
        return try readers.lend(body)
    }

    /// The database that a call from inside a closure joins.
    func joined() throws -> Database? {
        if writer.isMine { return try writer.database(of: writer.first) }
        if isPool, let connection = readers.mine { return try readers.database(of: connection) }
        return nil
    }

    var waiterCount: Int { writer.lock.waiterCount + (isPool ? readers.lock.waiterCount : 0) }

    func close() throws {
        try outsideClosures {
            if isPool { try readers.close() }
            do {
                try writer.close()
            } catch {
                if isPool { try readers.open() }
                throw error
            }
        }
        // Who waits for a change hears that there are none.
        changes.reportAnything()
    }

    func reopen() throws {
        try outsideClosures {
            try writer.open()
            try writer.useFirst { db in hasLog.store(db.connection.hasReaders, ordering: .relaxed) }
            if isPool { try readers.open() }
        }
        // Meanwhile anyone may have written to the file, or put another in its place.
        changes.reportAnything()
    }

    /// Encrypts the file with another key.
    func rekey(_ key: DatabaseKey) throws {
        try outsideClosures {
            _ = try writer.database(of: writer.first)
            // They would go on with the old key.
            if isPool { try readers.close() }
            var hasBegun = false
            do {
                try writer.useFirst { db in try db.changeKey(key) { hasBegun = true } }
            } catch {
                // How much the cipher has done isn't known, so the file is opened again.
                let reopened = Result {
                    if hasBegun {
                        try writer.close()
                        try writer.open()
                    }
                }
                if isPool { try readers.open() }
                try reopened.get()
                throw error
            }
            let new = key == .plain ? nil : key
            self.key.withLock { $0 = new }
            for lender in [writer, pool].compactMap(\.self) { lender.setKey(new) }
            if isPool { try readers.open() }
        }
    }

    private func outsideClosures(_ body: () throws -> Void) throws {
        guard !isMine else {
            throw SQLiteError(
                .notAllowedHere,
                "the database cannot be closed, reopened or given another key from inside one of its own closures",
                path: location.path)
        }
        try writer.withAllConnections {
            if let pool { try pool.withAllConnections(body) } else { try body() }
        }
    }
}
