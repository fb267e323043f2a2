/// How current a read is, where a database is kept by several nodes. A local database has no older state to read.
public struct ReadConsistency: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The name of the consistency.
    public let rawValue: String

    /// A consistency by its name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The name of the consistency.
    public var description: String { rawValue }

    /// All is of one moment. For a short time after another node has become the leader, it may be older than the last
    /// commit.
    public static let snapshot = ReadConsistency(rawValue: "snapshot")

    /// All is of one moment, and never older than a commit that was acknowledged before the read began.
    ///
    /// It costs a commit: the nodes agree on a write after what has been read, and others that write wait meanwhile.
    public static let linearizable = ReadConsistency(rawValue: "linearizable")
}
