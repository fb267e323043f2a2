internal import CSystemSQLite

/// The state that SQLite's commit hook sets and reads.
struct CommitMark {
    /// Whether a commit has begun that isn't known to have succeeded.
    var hasBegun = false
    /// Whether to turn a commit into a rollback.
    var isRejected = false
}

/// The outcome of commits that fail.
extension Connection {
    /// Has SQLite record the beginning of each commit, unless the user has set a hook.
    func markCommits() {
        sqlite3_commit_hook(
            handle,
            { context in
                guard let mark = context?.assumingMemoryBound(to: CommitMark.self) else { return 0 }
                mark.pointee.hasBegun = true
                return mark.pointee.isRejected ? 1 : 0
            }, commitMark)
    }

    /// Whether to turn a commit into a rollback. SQL text in a closure must not commit the closure's transaction,
    /// because that would store half of it.
    var rejectsCommits: Bool {
        get { commitMark.pointee.isRejected }
        set { commitMark.pointee.isRejected = newValue }
    }

    /// Whether a commit has begun that isn't known to have succeeded.
    @inline(__always)
    var hasCommitBegun: Bool {
        get { commitMark.pointee.hasBegun }
        set { commitMark.pointee.hasBegun = newValue }
    }

    /// The outcome of the work for which SQLite has just returned an error.
    func outcome(of code: Int32) -> SQLiteError.Outcome {
        guard hasCommitBegun else { return .notApplied }
        hasCommitBegun = false
        // A transaction that is still open is about to be rolled back.
        guard !isInTransaction else { return .notApplied }
        switch ResultCode(rawValue: code).primary {
        case .busy, .locked, .constraint: return .notApplied
        // If the disk is full, nothing was stored. But with several write-ahead logs, each file is committed
        // separately.
        case .full where !hasAttachments: return .notApplied
        default:
            mayHaveNewSchema = true
            recorder?.noteReplacement()
            return .unknown
        }
    }

    /// Whether there are databases apart from `main` and `temp`, or SQLite can't tell.
    private var hasAttachments: Bool { sqlite3_db_name_if_available.map { $0(handle, 2) != nil } ?? true }
}
