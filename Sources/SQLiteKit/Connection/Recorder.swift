/// What a connection knows of one of its statements.
protocol RunningStatement: AnyObject {
    var isReadOnly: Bool { get }
    /// What it does with a savepoint; nil for most.
    var savepointControl: SavepointControl? { get }
    func reset()
}

/// What a connection tells of the changes that it makes.
protocol Recorder: AnyObject {
    /// The version of the listeners that it follows.
    var version: Int { get }

    /// Gets ready for a statement that writes.
    func willRun(_ statement: any RunningStatement) throws(SQLiteError)

    /// Looks at what became of a statement that has been reset.
    func didEnd(_ statement: any RunningStatement, failed: Bool)

    /// Forgets the statements that run: all have been reset.
    func forgetRunning()

    /// Reports what has been committed, if no transaction is open, and no statement runs that is one by itself.
    func settle()

    /// Sees that all changes are reported. Also before a blob is written.
    func prepare() throws(SQLiteError)

    /// Notes that anything may have changed, such as by a restored backup, even if the schema seems to be the same.
    func noteReplacement()

    /// Notes a row that is about to be changed.
    func note(_ change: borrowing PreUpdate, _ database: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>)

    /// Forgets what was rolled back.
    func clear()

    /// Follows a version of the listeners, at the beginning of an access.
    func follow(_ version: Int)

    /// Ends the recording: nobody listens any more.
    func end()
}
