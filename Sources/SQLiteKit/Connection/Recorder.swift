/// What a connection knows of one of its statements.
protocol RunningStatement: AnyObject {
    var sql: String { get }
    var isReadOnly: Bool { get }
    /// What it does with a savepoint; nil for most.
    var savepointControl: SavepointControl? { get }
    func reset()
}

/// What a connection tells of the changes that it makes: that of a queue, and the one of a pool that writes.
///
/// It follows the commits even while nobody listens: somebody may begin to listen before a commit, and after what is
/// committed was written.
protocol Recorder: AnyObject {
    /// Looks whether somebody listens, at the beginning of an access.
    func beginAccess()

    /// Reports what has been committed, at the end of an access, when all statements have been reset.
    func endAccess()

    /// Gets ready for a statement that writes. Called only while it records, as `didEnd` is.
    func willRun(_ statement: any RunningStatement)

    /// Looks at what became of a statement that has been reset.
    func didEnd(_ statement: any RunningStatement, failed: Bool)

    /// Reports a commit that has succeeded.
    func didCommit()

    /// Forgets the statements that run: all have been reset.
    func forgetRunning()

    /// Gets ready for what writes without a statement: a blob, a changeset.
    func prepare()

    /// Notes that anything may have changed, such as by a restored backup, even if the schema seems to be the same.
    func noteReplacement()

    /// Notes that a database has been attached or detached.
    func noteAttachment()

    /// Notes a row that is about to be changed.
    func note(_ change: borrowing PreUpdate, _ database: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>)

    /// Forgets what was rolled back.
    func clear()
}

extension Connection {
    /// A commit that has begun has succeeded.
    @inline(__always)
    func noteSuccess() {
        guard hasCommitBegun else { return }
        hasCommitBegun = false
        recorder?.didCommit()
    }
}
