internal import CSystemSQLite
internal import Foundation
internal import Synchronization

/// An sqlite3 connection and what must be known about it wherever one of its statements is: the part of a ``Database``
/// that its statements keep alive.
///
/// Opened without SQLite's own mutex: one thread at a time uses it, which the owner of the ``Database`` sees to.
final class Connection {
    // The compiler would check each access to these for overlap at run time; one thread at a time has the connection,
    // and no access spans a call.

    /// Nil once closed.
    @exclusivity(unchecked) private(set) var handle: OpaquePointer?
    let path: String?
    let repairsText: Bool

    /// Changes when what was begun before can no longer be continued: at each begin and end of an access.
    var epoch: Int { epochs.load(ordering: .relaxed) }
    /// Atomic, since a result set that is used too late asks for it on a thread that has no access.
    private let epochs = Atomic(0)
    /// How many statements stand between their first step and their reset.
    @exclusivity(unchecked) var runningStatements = 0
    /// Which thread may use the connection; nil while its owner is a ``Database`` made by a user.
    @exclusivity(unchecked) var holder: AccessHolder?
    /// Statements that stand on a row that a write returned: COMMIT and RELEASE need them ended.
    @exclusivity(unchecked) private var pendingWrites: [PendingWrite] = []
    /// The error of a commit that a reset has made, which it cannot throw.
    @exclusivity(unchecked) var lostCommit: SQLiteError?
    /// What was released by a thread that had no right to end it.
    private let abandoned = Abandoned()
    /// Blobs, backups and changeset sessions that have not ended.
    @exclusivity(unchecked) var resources: [Resource] = []
    /// Whether it is a pool's connection for reading.
    @exclusivity(unchecked) var isReader = false
    /// Whether it is a pool's connection for writing, alongside which others read.
    @exclusivity(unchecked) var hasReaders = false
    /// Whether writes are rejected.
    @exclusivity(unchecked) var isReading = false
    /// The transactions and savepoints that closures run in, outermost first.
    @exclusivity(unchecked) var frames: [TransactionFrame] = []
    /// The number of the innermost of them, 0 without one, and how many there have been.
    @exclusivity(unchecked) var transactionNumber = 0
    @exclusivity(unchecked) var transactionCount = 0
    /// Whether the open transaction holds what should have been undone and could not be: it must be rolled back.
    @exclusivity(unchecked) var mustRollBack = false { didSet { noteCare() } }
    /// Whether a database has been attached whose commits do not wait for the disk yet as the others' do.
    @exclusivity(unchecked) var hasNewAttachment = false { didSet { noteCare() } }
    /// Whether commits do not wait for the disk yet as they are to.
    @exclusivity(unchecked) var isSynchronousUnset = false { didSet { noteCare() } }
    /// What reports commits to those who listen; nil of a connection that only reads, or belongs to no queue or pool.
    @exclusivity(unchecked) var recorder: (any Recorder)?
    /// Whether it notes changes, since somebody listens.
    @exclusivity(unchecked) var isRecording = false { didSet { noteCare() } }
    /// Whether statements are traced.
    @exclusivity(unchecked) var isTraced = false { didSet { noteCare() } }
    /// The ledgers in which statements are noted, while one is open.
    @exclusivity(unchecked) var ledgers: LedgerBook? { didSet { noteCare() } }
    /// What has been read, while someone wants to know.
    @exclusivity(unchecked) var reading: NotedReads? { didSet { noteCare() } }
    /// Which traced statement has returned a row last, and how many it has returned.
    @exclusivity(unchecked) var tracedRows: (statement: OpaquePointer?, count: Int) = (nil, 0)
    /// Whether a statement that begins has more to look at than whose connection it is.
    @exclusivity(unchecked) private(set) var needsCare = false
    /// Whether somebody hears of a statement that ends.
    @exclusivity(unchecked) private(set) var reportsEnds = false
    /// `ROLLBACK`, prepared ahead: without memory it could not be.
    @exclusivity(unchecked) var rollback: OpaquePointer?
    /// Notices that the schema has changed.
    let schemaProbe = Probe("SELECT 1 FROM main.sqlite_schema LIMIT 0")
    /// Reads the number of the schema.
    let schemaVersionProbe = Probe("PRAGMA main.schema_version")
    /// Reads the number of the temporary database's schema.
    let temporarySchemaVersionProbe = Probe("PRAGMA temp.schema_version")
    /// Reads the names of the temporary tables.
    let temporaryTablesProbe = Probe("SELECT name FROM temp.sqlite_schema WHERE type IN ('table', 'view')")
    /// Reads the names of the databases.
    let databaseListProbe = Probe("PRAGMA database_list")
    /// True while one of these is prepared or runs: no authorizer is asked about what undoes a transaction, nor about
    /// what the library needs to know.
    @exclusivity(unchecked) var isUnasked = false
    /// True while the library finds out what it needs to know, which isn't traced.
    @exclusivity(unchecked) var isProbing = false
    /// How hard commits wait for the disk.
    let synchronous: SynchronousMode
    /// What SQLite's commit hook is handed.
    let commitMark = UnsafeMutablePointer<CommitMark>.allocate(capacity: 1)
    /// Whether something has run that may have changed the schema: a statement that neither reads only nor changes
    /// rows.
    @exclusivity(unchecked) var mayHaveNewSchema = false
    /// False while a statement runs that begins or ends a transaction, which nothing may reject.
    @exclusivity(unchecked) var isGuarded = true
    /// How many statements make a step: more than one where a function of SQL runs another.
    @exclusivity(unchecked) var stepCount = 0
    /// What calls off the access that is under way.
    @exclusivity(unchecked) var interruption: Interruption? { didSet { noteCare() } }
    /// Whether the statement that runs has stopped to wait for a lock since its task was cancelled.
    @exclusivity(unchecked) var isWaitCalledOff = false
    /// What is called at the connection's events.
    @exclusivity(unchecked) var hooks = Hooks()
    /// The key of `main`, where it has one.
    @exclusivity(unchecked) var key: DatabaseKey?
    /// True while a hook runs, which must not use the connection.
    @exclusivity(unchecked) var isInHook = false

    /// Opens a connection, and sets nothing but what later calls rely on.
    init(_ location: DatabaseLocation, _ settings: ConnectionSettings) throws(SQLiteError) {
        path = location.path
        repairsText = settings.repairsText
        synchronous = settings.synchronous
        commitMark.initialize(to: CommitMark())
        guard sqlite3_libversion_number() >= 3_037_000 else {
            throw SQLiteError(
                .unsupportedVersion,
                "SQLite 3.37 or later is needed; this system has \(String(cString: sqlite3_libversion()))")
        }
        let flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_URI | settings.flags
        let isGiven = settings.vfs != nil
        let name =
            settings.isImmutable
            ? location.name(with: "immutable", "1", isGiven: isGiven) : location.name(isGiven: isGiven)
        guard !name.utf8.contains(0) else {
            throw SQLiteError(.cannotOpen, "a path cannot hold a NUL character", path: path)
        }
        guard path?.utf8.last != UInt8(ascii: "/") else {
            throw SQLiteError(
                .cannotOpen, "a path that ends with a slash is a directory's: name a file in it", path: path)
        }
        if let vfs = settings.vfs {
            // What a path is to it, it knows alone.
            try Self.checkVFS(vfs, path: path)
        } else if let path, settings.flags & SQLITE_OPEN_CREATE != 0 {
            try Self.createDirectory(of: path)
        }
        let code = sqlite3_open_v2(name, &handle, flags, settings.vfs)
        guard code == SQLITE_OK else {
            // SQLite hands out a connection even then, to be asked for the reason and closed; but without memory none.
            let error =
                handle == nil
                ? SQLiteError(ResultCode(rawValue: code), String(cString: sqlite3_errstr(code)), path: path)
                : failure(code, sql: nil)
            sqlite3_close_v2(handle)
            handle = nil
            throw error
        }
        markCommits()
    }

    deinit {
        abandoned.end()
        finalizeOwnStatements()
        // Statements keep their connection alive, so nothing is left open here but what a thread without the right to
        // it let go.
        resources.forEach { $0.close() }
        _ = hooks.interrupter.closing { sqlite3_close_v2(handle) }
        commitMark.deallocate()
    }

    /// The handle of an open connection.
    func open() throws(SQLiteError) -> OpaquePointer {
        guard let handle else { throw failure(.closed, "the database is closed") }
        return handle
    }

    /// The handle of an open connection that the calling thread may use.
    @inline(__always)
    func accessible() throws(SQLiteError) -> OpaquePointer {
        let handle = try open()
        guard isAccessible else { throw notAccessible("the connection") }
        return handle
    }

    /// The error for what only the thread that has the connection may do.
    func notAccessible(_ name: String, sql: String? = nil) -> SQLiteError {
        if holder === AccessHolder.nobody {
            return failure(
                .notAllowedHere, "the connection is a backup's destination until that has finished", sql: sql)
        }
        if holder?.isMine ?? true {
            return failure(.notAllowedHere, "a hook cannot use the connection that calls it", sql: sql)
        }
        return failure(.expired, "\(name) was used outside the access it belongs to", sql: sql)
    }

    /// The handle, for what is asked of it without an error to throw; nil when it is closed, or another thread has it.
    var handleIfAccessible: OpaquePointer? { isAccessible ? handle : nil }

    /// Throws for SQL that SQLite would read only up to a NUL.
    func checkText(_ sql: String) throws(SQLiteError) {
        guard let offset = offset(of: 0, in: sql) else { return }
        throw SQLiteError(.error, "SQL text cannot hold a NUL character", sql: sql, offset: offset, path: path)
    }

    /// Closes the connection, or throws and changes nothing when something of it is still open.
    func close() throws(SQLiteError) {
        guard let handle else { return }
        abandoned.end()
        finalizeOwnStatements()
        // Of changeset sessions sqlite3_close does not know.
        let isInUse = resources.contains(where: \.isOpen)
        let code = isInUse ? SQLITE_BUSY : hooks.interrupter.closing { sqlite3_close(handle) }
        guard code == SQLITE_OK else {
            let open = openStatements.map { "\"\($0)\"" } + resources.filter(\.isOpen).map(\.name)
            throw SQLiteError(
                ResultCode(rawValue: code),
                "the database cannot be closed, since it is still in use by: \(open.joined(separator: ", "))",
                path: path)
        }
        self.handle = nil
    }

    private func finalizeOwnStatements() {
        sqlite3_finalize(rollback)
        rollback = nil
        schemaProbe.finalize()
        schemaVersionProbe.finalize()
        temporarySchemaVersionProbe.finalize()
        temporaryTablesProbe.finalize()
        databaseListProbe.finalize()
    }

    /// The SQL of the statements that have not been finalized.
    private var openStatements: [String] {
        var texts: [String] = []
        var next = sqlite3_next_stmt(handle, nil)
        while let statement = next {
            // A blob has a statement without text.
            if let text = sqlite3_sql(statement) { texts.append(String(cString: text)) }
            next = sqlite3_next_stmt(handle, statement)
        }
        return texts
    }

    private static func createDirectory(of path: String) throws(SQLiteError) {
        // Not NSString's deletingLastPathComponent, which traps on Linux for some short paths.
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else { return }
        let directory = String(path[..<slash])
        guard !FileManager.default.fileExists(atPath: directory) else { return }
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw SQLiteError(.cannotOpen, "the directory cannot be created: \(error.localizedDescription)", path: path)
        }
    }
}

/// Access.
extension Connection {
    /// Whether the calling thread may use the connection.
    @inline(__always)
    var isAccessible: Bool { hasAccess && !isInHook }

    /// Whether the connection is the calling thread's, if only in a hook.
    @inline(__always)
    var hasAccess: Bool { holder?.isMine ?? true }

    /// Ends what was begun in the access that ends here.
    func endAccess() {
        resetRunningStatements()
        noteSuccess()
        recorder?.endAccess()
        interruption?.end()
        if interruption != nil { interruption = nil }
        epochs.wrappingAdd(1, ordering: .relaxed)
    }

    /// Begins an access of the thread that has the connection.
    func beginAccess(interruption: Interruption?) {
        abandoned.end()
        lostCommit = nil
        isWaitCalledOff = false
        if let interruption {
            self.interruption = interruption
            interruption.begin(self)
        }
        epochs.wrappingAdd(1, ordering: .relaxed)
    }

    /// Finalizes a statement, here or in the next access.
    ///
    /// - Parameter bytes: What the statement's parameters refer to.
    func finalize(_ statement: OpaquePointer, _ bytes: BoundBytes) {
        // Not the connection, which keeps what waits for its next access.
        let tracer = isTraced ? hooks.tracer : nil
        func end() {
            // What this returns is the error of the last step, which was thrown then.
            tracer?.willFinalize(statement)
            sqlite3_finalize(statement)
            bytes.deallocate()
        }
        if isAccessible { end() } else { abandoned.add(end) }
    }

    /// Ends a resource in the next access, and keeps another connection alive until then.
    func endLater(_ resource: Resource, of other: Connection? = nil) {
        abandoned.add { withExtendedLifetime(other) { _ = resource.close() } }
    }

    /// Notes that a statement stands on a row that a write returned.
    func addPendingWrite(_ statement: any RunningStatement) {
        pendingWrites.append(PendingWrite(identity: ObjectIdentifier(statement), statement: statement))
    }

    /// Notes that it does so no longer.
    func removePendingWrite(_ statement: any RunningStatement) {
        let identity = ObjectIdentifier(statement)
        pendingWrites.removeAll { $0.identity == identity }
    }

    /// Ends the statements that stand on a row that a write returned. Their result sets say so when they are asked for
    /// more.
    func endPendingWrites() {
        // Each is alive: it takes itself from the list when it goes.
        for write in pendingWrites { write.statement.reset() }
        // Inside a transaction nothing commits, and so nothing fails, when a blob ends.
        if !resources.isEmpty { try? endResources(onlyWriting: true) }
    }

    /// Ends what would commit when it ends.
    ///
    /// - Throws: The error of a commit that failed, of one that was made before, too.
    func endWrites() throws(SQLiteError) {
        try endResources()
        endPendingWrites()
        if let lostCommit { throw lostCommit }
    }

    /// Ends every query that still stands on a row: its result set says so when it is asked for more.
    func resetRunningStatements() {
        // Blobs have statements too, which only they may end. What this throws is the error of a commit, for which an
        // access that succeeds has asked before; one that fails has thrown its own.
        if !resources.isEmpty { try? endResources() }
        if runningStatements > 0 { resetBusyStatements() }
    }

    /// Ends every statement that stands on a row, those of virtual tables too. SQLite doesn't let a function end the
    /// statement that it runs in.
    func resetBusyStatements() {
        guard stepCount == 0 else { return }
        var next = sqlite3_next_stmt(handle, nil)
        while let statement = next {
            // What sqlite3_reset returns is the error of the last step, which was thrown then.
            if sqlite3_stmt_busy(statement) != 0 {
                sqlite3_reset(statement)
                if isTraced { hooks.tracer?.report(statement, self) }
            }
            next = sqlite3_next_stmt(handle, statement)
        }
        runningStatements = 0
        pendingWrites = []
        recorder?.forgetRunning()
        epochs.wrappingAdd(1, ordering: .relaxed)
    }

    /// Whether a transaction is open, as SQLite sees it.
    var isInTransaction: Bool {
        guard let handle else { return false }
        return sqlite3_get_autocommit(handle) == 0
    }

    /// What must hold before a blob or a backup does something.
    ///
    /// - Parameter resource: Nil while it is being opened.
    func willUse(_ resource: Resource?, writes: Bool) throws(SQLiteError) {
        _ = try open()
        try willBegin(resource?.name ?? "the connection", writes: writes, sql: nil)
        if let resource, !resource.isOpen {
            throw failure(.expired, "\(resource.name) was used after its access or its transaction had ended")
        }
    }

    func willBegin(_ name: String, writes: Bool, sql: String?) throws(SQLiteError) {
        if !isAccessible { throw notAccessible(name, sql: sql) }
        try settle()
        if isSynchronousUnset { try settleSynchronous() }
        if hasNewAttachment { try settleAttachments() }
        if isReading, writes { throw SQLiteError(.readOnly, "a read cannot write", sql: sql, path: path) }
        if let interruption, interruption.isRequested {
            throw cancelled(sql: sql)
        }
        if !frames.isEmpty, !isInTransaction { throw transactionEnded(sql: sql) }
    }

    /// The error for what a task would do after it has been cancelled.
    func cancelled(sql: String? = nil) -> SQLiteError {
        failure(.interrupt, "the task was cancelled", sql: sql)
    }

    private func noteCare() {
        needsCare =
            interruption != nil || mustRollBack || isSynchronousUnset || hasNewAttachment
            || isRecording || reading != nil || isTraced || ledgers != nil
        reportsEnds = isRecording || isTraced
    }

    /// The error for work that would go on after its transaction has ended.
    func transactionEnded(sql: String? = nil) -> SQLiteError {
        failure(
            .transactionEnded,
            "the transaction has ended before its closure: SQLite rolled it back after an error, or SQL text ended it",
            sql: sql)
    }
}

/// A statement that stands on a row that a write returned.
private struct PendingWrite {
    let identity: ObjectIdentifier
    unowned(unsafe) let statement: any RunningStatement
}

/// What waits to be ended by a thread that may.
private final class Abandoned: Sendable {
    private let lock = NSLock()
    // Both guarded by `lock`, except for the first look at `isEmpty`, which may be late by one access.
    nonisolated(unsafe) private var ends: [() -> Void] = []
    private let isEmpty = Atomic(true)

    func add(_ end: @escaping () -> Void) {
        lock.withLock {
            ends.append(end)
            isEmpty.store(false, ordering: .relaxed)
        }
    }

    func end() {
        guard !isEmpty.load(ordering: .relaxed) else { return }
        let ends = lock.withLock {
            defer { self.ends = [] }
            isEmpty.store(true, ordering: .relaxed)
            return self.ends
        }
        for end in ends { end() }
    }
}
