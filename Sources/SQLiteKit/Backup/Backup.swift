internal import CSystemSQLite
internal import Dispatch
internal import Foundation

/// A copy of a database into another one, made step by step while both stay open.
///
/// ```swift
/// let copy = try Database(.file("copy.sqlite"))
/// let backup = try Backup(from: db, to: copy)
/// while try backup.step(100) { print(backup.progress.fractionCompleted) }
/// ```
///
/// ``Database/backup(to:pagesPerStep:progress:)`` is that in one call, and `DatabaseAccess.backup(to:)` lets others use
/// the database between the steps.
///
/// The destination is replaced as a whole, when the last page has been copied; a backup that ends before leaves it as
/// it was. What the source's own connection writes between two steps is in the copy; when another connection writes,
/// the copying begins again with the next step. The destination's connection cannot be used by anyone else until the
/// backup has finished: it throws ``ResultCode/notAllowedHere``.
///
/// A backup belongs to the accesses of both connections and ends with the first of them. See [Online Backup
/// API](https://www.sqlite.org/c3ref/backup_finish.html).
public final class Backup {
    /// The progress of a backup.
    public struct Progress: Sendable, Hashable {
        /// The number of pages still to be copied, as of the last step.
        public let remaining: Int
        /// The number of pages of the source, as of the last step.
        public let pageCount: Int

        /// From 0 to 1.
        public var fractionCompleted: Double {
            pageCount == 0 ? 0 : Double(pageCount - remaining) / Double(pageCount)
        }
    }

    /// The progress of the backup; 0 of 0 pages before the first step.
    public private(set) var progress = Progress(remaining: 0, pageCount: 0)
    /// Whether all has been copied.
    public private(set) var isComplete = false

    private let source: Connection
    private let destination: Connection
    private let handle: OpaquePointer
    private let resource: Resource
    private var isFinished = false
    /// The destination's holder before the backup, which gets it back at the end.
    private let holder: AccessHolder?

    /// Begins a backup. Nothing is copied before the first ``step(_:)``.
    ///
    /// - Parameters:
    ///   - source: The database to copy.
    ///   - sourceName: `main`, `temp`, or the name of an attached database of the source.
    ///   - destination: What to replace. It must not be in a transaction: in a queue or pool, use
    ///     `DatabaseAccess.withoutTransaction(_:)`.
    ///   - destinationName: `main`, `temp`, or the name of an attached database of the destination.
    /// - Throws: ``ResultCode/misuse`` when both are the same file; ``SQLiteError`` when the destination is in use, or
    ///   a name is unknown.
    public convenience init(
        from source: Database, sourceName: String = "main", to destination: Database,
        destinationName: String = "main"
    ) throws(SQLiteError) {
        try self.init(source.connection, sourceName, destination.connection, destinationName, outlivesAccess: false)
    }

    fileprivate init(
        _ source: Connection, _ sourceName: String, _ destination: Connection, _ destinationName: String,
        outlivesAccess: Bool
    ) throws(SQLiteError) {
        try source.willUse(nil, writes: false)
        try destination.willUse(nil, writes: true)
        try source.checkText(sourceName)
        try destination.checkText(destinationName)
        if let path = Self.path(of: sourceName, source), path == Self.path(of: destinationName, destination) {
            throw Self.isSource(path)
        }
        guard let handle = sqlite3_backup_init(destination.handle, destinationName, source.handle, sourceName) else {
            throw destination.failure(sqlite3_extended_errcode(destination.handle), sql: nil)
        }
        self.source = source
        self.destination = destination
        self.handle = handle
        // SQLite leaves it to its callers to keep away from the destination: so nobody has access to it meanwhile.
        let holder = destination.holder
        self.holder = holder
        destination.holder = .nobody
        resource = Resource("a backup", isWriting: false, outlivesAccess: outlivesAccess) { [weak destination] in
            destination?.holder = holder
            // What it returns is the error of the last step, which was thrown then.
            sqlite3_backup_finish(handle)
            return SQLITE_OK
        }
        source.resources.append(resource)
        destination.resources.append(resource)
        destination.mayHaveNewSchema = true
    }

    /// The path of a connection's file, as SQLite has resolved it; nil for a database without one.
    private static func path(of name: String, _ connection: Connection) -> String? {
        guard let path = sqlite3_db_filename(connection.handle, name), path.pointee != 0 else { return nil }
        return String(cString: path)
    }

    private static func isSource(_ path: String) -> SQLiteError {
        SQLiteError(.misuse, "the destination of the backup is the database itself: give another path", path: path)
    }

    /// Checks where a copy is to go, before the destination is opened.
    ///
    /// - Throws: ``ResultCode/misuse`` for the source itself, and for a database that would end with the backup.
    package static func check(
        _ destination: DatabaseLocation, from source: DatabaseLocation
    ) throws(SQLiteError) {
        guard destination.isShared else {
            throw SQLiteError(
                .misuse,
                "the destination of the backup, \(destination), would be deleted when the backup ends: give the path of "
                    + "a file")
        }
        guard let path = destination.path, let other = source.path else {
            if destination == source { throw isSource("\(destination)") }
            return
        }
        if isSameFile(path, other) { throw isSource(path) }
    }

    private static func isSameFile(_ path: String, _ other: String) -> Bool {
        let urls = [path, other].map { URL(filePath: $0).resolvingSymlinksInPath() }
        if urls[0] == urls[1] { return true }
        let files = urls.map { url -> [UInt64]? in
            guard let file = try? FileManager.default.attributesOfItem(atPath: url.path(percentEncoded: false)),
                let number = (file[.systemFileNumber] as? NSNumber)?.uint64Value,
                let volume = (file[.systemNumber] as? NSNumber)?.uint64Value
            else { return nil }
            return [volume, number]
        }
        return files[0] != nil && files[0] == files[1]
    }

    deinit {
        // Where the thread has no right to end it, the connections do, with the access of the one or the other.
        if isAccessible { end() }
    }

    private var isAccessible: Bool { source.isAccessible && holder?.isMine ?? true }

    private func checkIsAccessible() throws(SQLiteError) {
        if isFinished { throw source.failure(.closed, "the backup has been ended") }
        try source.willUse(resource, writes: false)
        guard isAccessible else { throw outsideAccess }
    }

    private var outsideAccess: SQLiteError {
        destination.failure(.expired, "\(resource.name) was used outside the access of its destination")
    }

    /// Copies pages.
    ///
    /// After ``ResultCode/busy`` and ``ResultCode/locked`` the step can be tried again; other errors stay.
    ///
    /// - Parameter pages: How many pages to copy at most; nil copies all that are left.
    /// - Returns: Whether there is more to do. When there is not, the backup has finished.
    /// - Throws: ``ResultCode/busy`` when a lock was unavailable within the busy timeout, or the source is in a write
    ///   transaction; ``ResultCode/readOnly`` when the destination cannot be written; ``ResultCode/range`` for a number
    ///   of pages below 1; ``ResultCode/expired``, or ``ResultCode/closed`` after ``finish()``.
    public func step(_ pages: Int? = nil) throws(SQLiteError) -> Bool {
        if isComplete { return false }
        try checkIsAccessible()
        if let pages, pages < 1 {
            throw source.failure(.range, "a step of a backup copies at least one page, not \(pages)")
        }
        let code = sqlite3_backup_step(handle, pages.map { Int32(clamping: $0) } ?? -1)
        progress = Progress(
            remaining: Int(sqlite3_backup_remaining(handle)), pageCount: Int(sqlite3_backup_pagecount(handle)))
        switch code {
        case SQLITE_OK: return true
        case SQLITE_DONE:
            isComplete = true
            destination.recorder?.noteReplacement()
            // A task that has been cancelled meanwhile doesn't undo it.
            isFinished = true
            end()
            return false
        case SQLITE_BUSY where sqlite3_txn_state(source.handle, nil) == SQLITE_TXN_WRITE:
            throw source.failure(
                .busy, "the source is in a write transaction, and a backup copies what has been committed")
        case SQLITE_READONLY:
            throw destination.failure(
                .readOnly,
                "the destination is read-only; or it is in WAL mode or in memory, and has another page size than the source"
            )
        default:
            // The step that copies the last pages commits them.
            destination.hasCommitBegun = sqlite3_backup_remaining(handle) == 0
            destination.recorder?.noteReplacement()
            throw destination.failure(code, sql: nil)
        }
    }

    /// Ends the backup. One that is not complete leaves the destination as it was. Ending twice does nothing.
    ///
    /// - Throws: ``ResultCode/expired`` on a thread without the right to it.
    public func finish() throws(SQLiteError) {
        guard resource.isOpen else { return }
        // Not whether the task has been cancelled, of which this may be the end.
        _ = try source.accessible()
        guard isAccessible else { throw outsideAccess }
        isFinished = true
        end()
    }

    private func end() {
        source.resources.removeAll { $0 === resource }
        destination.resources.removeAll { $0 === resource }
        resource.close()
    }
}

@available(*, unavailable)
extension Backup: Sendable {}

extension Database {
    /// Copies this database into another one, which is replaced.
    ///
    /// ```swift
    /// // loads a file, into a database in memory for example
    /// try Database(.file(path)).backup(to: db)
    /// try db.backup(to: copy, pagesPerStep: 100) { progress in
    ///     if isStopped { throw CancellationError() }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - destination: What to replace.
    ///   - pagesPerStep: How many pages to copy between two calls of `progress`; nil copies all in one step, during
    ///     which other connections cannot make it begin again.
    ///   - progress: Called after each step. What it throws stops the backup, and the destination stays as it was; after
    ///     the last step, of which ``Backup/Progress/remaining`` is 0, the copy has been made.
    /// - Throws: What ``Backup/step(_:)`` and `progress` throw.
    public func backup(
        to destination: Database, pagesPerStep: Int? = nil, progress: ((Backup.Progress) throws -> Void)? = nil
    ) throws {
        let backup = try Backup(from: self, to: destination)
        defer { withExtendedLifetime(backup) {} }
        var hasMore = true
        while hasMore {
            hasMore = try backup.step(pagesPerStep)
            try progress?(backup.progress)
        }
    }
}

extension DatabaseAccess {
    /// Copies the database to another location, while others continue to use it: each step is an access of its own.
    ///
    /// ```swift
    /// try queue.backup(to: .file("copy.sqlite"))
    /// ```
    ///
    /// A database that is there is overwritten; no one else may have it open. What this queue writes meanwhile is in
    /// the copy; when another process writes, the copying begins again.
    ///
    /// - Parameters:
    ///   - location: Where to copy it to. The file is created with its directories if it is missing.
    ///   - key: The key of the copy. Nil takes the one that this database has, if any. A copy can have another key, but
    ///     only a ``Database/vacuum(into:from:key:)`` encrypts a plain database or decrypts one.
    ///   - pagesPerStep: How many pages to copy in one access.
    ///   - progress: Called after each step, outside the access. What it throws stops the backup, and the destination
    ///     stays as it was; after the last step, of which ``Backup/Progress/remaining`` is 0, the copy has been made.
    /// - Throws: ``ResultCode/misuse`` for the path of this database itself, and for a location that isn't a file, such
    ///   as the empty path; what ``Backup/step(_:)``, `withoutTransaction(_:)` and `progress` throw.
    public func backup(
        to location: DatabaseLocation, key: DatabaseKey? = nil, pagesPerStep: Int = 1024,
        progress: ((Backup.Progress) throws -> Void)? = nil
    ) throws {
        try Backup.check(location, from: self.location)
        try Backup.run(to: location, copyKey(key), pagesPerStep, progress) { try withoutTransaction($0) }
    }

    /// Copies the database to another location, while others continue to use it and the task is suspended.
    ///
    /// - Parameters:
    ///   - location: Where to copy it to. The file is created with its directories if it is missing.
    ///   - key: The key of the copy; nil takes the one that this database has, if any.
    ///   - pagesPerStep: How many pages to copy in one access.
    ///   - progress: Called after each step, on some thread. What it throws stops the backup, and the destination stays
    ///     as it was; after the last step, of which ``Backup/Progress/remaining`` is 0, the copy has been made.
    /// - Throws: What the synchronous form throws, or `CancellationError` when the task is cancelled, which ends the
    ///   backup before its next step.
    public func backup(
        to location: DatabaseLocation, key: DatabaseKey? = nil, pagesPerStep: Int = 1024,
        progress: (@Sendable (Backup.Progress) throws -> Void)? = nil
    ) async throws {
        try Backup.check(location, from: self.location)
        try await Backup.run(to: location, copyKey(key), pagesPerStep, progress) { try self.withoutTransaction($0) }
    }

    private func copyKey(_ key: DatabaseKey?) throws(SQLiteError) -> DatabaseKey? {
        let own = configuration.key ?? .plain
        let copy = key ?? own
        guard location.path == nil || (copy == .plain) == (own == .plain) else {
            throw SQLiteError(
                .misuse, "a backup neither encrypts a plain database nor decrypts one: vacuum(into:key:) does",
                path: location.path)
        }
        return copy
    }
}

extension Backup {
    /// Copies a database whose connection is lent for one step at a time.
    ///
    /// - Parameter lend: Calls its argument with the source's connection, outside a transaction.
    static func run(
        to location: DatabaseLocation, _ key: DatabaseKey?, _ pagesPerStep: Int,
        _ progress: ((Progress) throws -> Void)?, lend: ((Database) throws -> Void) throws -> Void
    ) throws {
        // Those of a link are its own, so that one which leads nowhere is no new file.
        let attributes = location.path.map { try? FileManager.default.attributesOfItem(atPath: $0) }
        let isNew = attributes.map { $0 == nil } ?? false
        var configuration = DatabaseConfiguration()
        // A file without pages would get a log.
        if isNew || attributes??[.size] as? Int == 0 { configuration.journalMode = .delete }
        configuration.key = key
        var opened: Database?
        var mode: JournalMode?
        var hasMore = true
        do {
            let destination = try Database(location, configuration: configuration)
            opened = destination
            if !isNew { mode = try destination.journalMode }
            // In WAL mode the destination could not take the source's page size. The copy is in the source's mode.
            try destination.setJournalMode(.delete)
            var begun: Backup?
            defer { if let begun { finish(begun, lend) } }
            while hasMore {
                try lend { source in
                    let backup =
                        try begun
                        ?? Backup(source.connection, "main", destination.connection, "main", outlivesAccess: true)
                    begun = backup
                    hasMore = try backup.step(pagesPerStep)
                }
                if let begun { try progress?(begun.progress) }
            }
        } catch {
            if hasMore { leave(opened, at: isNew ? location.path : nil, asItWas: mode) }
            throw error
        }
    }

    /// Has a backup that has ended early leave nothing behind. What keeps it from that says less than why it ended.
    ///
    /// - Parameters:
    ///   - path: The path of a file that wasn't there; nil for one that was.
    ///   - mode: The journal mode that the file had.
    private static func leave(_ destination: Database?, at path: String?, asItWas mode: JournalMode?) {
        if let mode { try? destination?.setJournalMode(mode) }
        guard let path else { return }
        try? destination?.close()
        try? FileManager.default.removeItem(atPath: path)
    }

    private static func finish(_ backup: Backup, _ lend: ((Database) throws -> Void) throws -> Void) {
        guard backup.resource.isOpen else { return }
        do {
            try lend { _ in backup.end() }
        } catch {
            // There was no access: whoever has it next ends the backup. The error to throw is that of a step.
            backup.source.endLater(backup.resource, of: backup.destination)
        }
    }

    /// The same on a thread that may wait, while the task is suspended.
    static func run(
        to location: DatabaseLocation, _ key: DatabaseKey?, _ pagesPerStep: Int,
        _ progress: (@Sendable (Progress) throws -> Void)?,
        lend: @escaping @Sendable ((Database) throws -> Void) throws -> Void
    ) async throws {
        let interruption = Interruption()
        try await withTaskCancellationHandler {
            try await workerThreads.perform {
                try run(
                    to: location, key, pagesPerStep,
                    { step in
                        if interruption.isRequested, step.remaining > 0 { throw CancellationError() }
                        try progress?(step)
                    }, lend: lend)
            }
        } onCancel: {
            interruption.request()
        }
    }
}
