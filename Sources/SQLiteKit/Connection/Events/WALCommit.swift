/// A commit to a write-ahead log.
public struct WALCommit: Sendable, Hashable {
    /// The database: `main`, or the name one was attached as.
    public let database: String
    /// How many pages are in the log now.
    public let pageCount: Int
}
