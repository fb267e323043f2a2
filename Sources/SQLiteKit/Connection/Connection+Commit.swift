internal import CSystemSQLite

/// What is known of a commit that fails.
extension Connection {
    /// Has SQLite mark the beginning of each commit, where no hook of a user does.
    func markCommits() {
        sqlite3_commit_hook(
            handle,
            { context in
                context?.storeBytes(of: true, as: Bool.self)
                return 0
            }, commitMark)
    }

    /// Whether a commit has begun that has not been seen to succeed.
    @inline(__always)
    var hasCommitBegun: Bool {
        get { commitMark.pointee }
        set { commitMark.pointee = newValue }
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
            return .unknown
        }
    }

    /// Whether there are databases besides `main` and `temp`, or it cannot be told.
    private var hasAttachments: Bool { sqlite3_db_name_if_available.map { $0(handle, 2) != nil } ?? true }
}
