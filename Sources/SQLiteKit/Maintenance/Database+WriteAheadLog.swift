internal import CSystemSQLite

/// How far a checkpoint goes, and what it waits for. See
/// [sqlite3_wal_checkpoint_v2](https://www.sqlite.org/c3ref/wal_checkpoint_v2.html).
public enum CheckpointMode: Int32, Sendable, Hashable {
    /// Copies as much as can be without waiting for anyone.
    case passive = 0
    /// Waits for writers and for readers of older content, then copies all.
    case full = 1
    /// The same, then waits for all readers, so that the next writer begins the log again.
    case restart = 2
    /// The same, then cuts the log to no bytes.
    case truncate = 3
}

/// What a checkpoint has done.
public struct Checkpoint: Sendable, Hashable {
    /// The number of frames, changed pages, in the log.
    public let frameCount: Int
    /// How many of them have been copied into the database file.
    public let checkpointedFrameCount: Int
    /// Whether others prevented all that the mode asks for: within the busy timeout they did not end, or
    /// another checkpoint was running.
    public let isBusy: Bool

    /// Whether the database file holds all that the log does.
    public var isComplete: Bool { frameCount == checkpointedFrameCount }
}

extension Database {
    /// Copies what the write-ahead log holds into the database file.
    ///
    /// SQLite does so by itself, after a commit that leaves more than 1,000 pages in the log, and when the last
    /// connection is closed. No transaction of this connection may be open: in a queue or pool, use
    /// `DatabaseAccess.withoutTransaction(_:)`.
    ///
    /// - Parameters:
    ///   - mode: How far to go.
    ///   - database: `main`, or the name of an attached database.
    /// - Returns: What has been done; nil when the database is not in WAL mode. That others prevent it isn't an error:
    ///   part of the work may have been done.
    /// - Throws: ``ResultCode/locked`` inside a transaction, or another ``SQLiteError``.
    @discardableResult
    public func checkpoint(
        _ mode: CheckpointMode = .passive, of database: String = "main"
    ) throws(SQLiteError) -> Checkpoint? {
        let db = try connection.accessible()
        try connection.checkText(database)
        guard !isInTransaction else {
            throw connection.failure(.locked, "a checkpoint cannot run inside a transaction of its own connection")
        }
        try connection.willUse(nil, writes: true)
        // An empty name would mean all databases, and no counts.
        guard !database.isEmpty else { throw connection.failure(.error, "unknown database: \"\"") }
        // A call to interrupt that found nothing running would stop the checkpoint, unless a statement has run since.
        _ = connection.schemaVersion
        var (frames, checkpointed): (Int32, Int32) = (-1, -1)
        let code = sqlite3_wal_checkpoint_v2(db, database, mode.rawValue, &frames, &checkpointed)
        let isBusy = ResultCode(rawValue: code).primary == .busy
        if !isBusy { try connection.check(code) }
        guard frames >= 0 || isBusy else { return nil }
        return Checkpoint(
            frameCount: max(0, Int(frames)), checkpointedFrameCount: max(0, Int(checkpointed)), isBusy: isBusy)
    }

    /// Whether the files of the write-ahead log stay when the last connection is closed, so that a program that may not
    /// create them can read the database.
    ///
    /// It holds for this connection. See
    /// [SQLITE_FCNTL_PERSIST_WAL](https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html#sqlitefcntlpersistwal).
    ///
    /// - Parameters:
    ///   - keeps: Whether the files stay when the last connection is closed.
    ///   - database: The name of the attached database.
    /// - Throws: ``SQLiteError``.
    public func setKeepsWriteAheadLog(_ keeps: Bool, of database: String = "main") throws(SQLiteError) {
        var value: Int32 = keeps ? 1 : 0
        try connection.checkText(database)
        try connection.check(
            sqlite3_file_control(connection.accessible(), database, SQLITE_FCNTL_PERSIST_WAL, &value))
    }
}
