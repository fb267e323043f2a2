internal import CSystemSQLite

/// What SQLite's commit hook says and is told.
struct CommitMark {
    /// Whether a commit has begun that has not been seen to succeed.
    var hasBegun = false
    /// Whether a commit becomes a rollback.
    var isRejected = false
}

/// What is known of a commit that fails.
extension Connection {
    /// Has SQLite mark the beginning of each commit, where no hook of a user does.
    func markCommits() {
        sqlite3_commit_hook(
            handle,
            { context in
                guard let mark = context?.assumingMemoryBound(to: CommitMark.self) else { return 0 }
                mark.pointee.hasBegun = true
                return mark.pointee.isRejected ? 1 : 0
            }, commitMark)
    }

    /// Whether a commit becomes a rollback: that of a closure's transaction by SQL text in it, of which half would
    /// stay.
    var rejectsCommits: Bool {
        get { commitMark.pointee.isRejected }
        set { commitMark.pointee.isRejected = newValue }
    }

    /// Whether a commit has begun that has not been seen to succeed.
    @inline(__always)
    var hasCommitBegun: Bool {
        get { commitMark.pointee.hasBegun }
        set { commitMark.pointee.hasBegun = newValue }
    }

    /// What has become of the work for which SQLite has just returned an error.
    func outcome(of code: Int32) -> SQLiteError.Outcome {
        guard hasCommitBegun else { return .notApplied }
        hasCommitBegun = false
        // A transaction that is still open is about to be rolled back.
        guard !isInTransaction else { return .notApplied }
        switch ResultCode(rawValue: code).primary {
        case .busy, .locked, .constraint: return .notApplied
        // What does not fit is not there. But of several files with write-ahead logs, each is committed by itself.
        case .full where !hasAttachments: return .notApplied
        default:
            mayHaveNewSchema = true
            recorder?.noteReplacement()
            return .unknown
        }
    }

    /// Whether there are databases besides `main` and `temp`, or it cannot be told.
    private var hasAttachments: Bool { sqlite3_db_name_if_available.map { $0(handle, 2) != nil } ?? true }
}
