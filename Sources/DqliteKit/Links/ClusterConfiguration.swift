/// How a cluster is used: time limits, connections, and how a node is connected to.
///
/// ```swift
/// var configuration = ClusterConfiguration()
/// configuration.requestTimeout = .seconds(3)
/// let cluster = try Cluster(
///     ["10.0.0.1:9001"], database: "app", configuration: configuration)
/// ```
public struct ClusterConfiguration: Sendable {
    /// The default configuration.
    public init() {}

    /// How long one node may take to accept a connection and to say who leads: by default one second. A node that is
    /// frozen accepts connections and says nothing.
    public var connectTimeout = Duration.seconds(1)

    /// How long a node may take to answer a statement: by default ten seconds. After a commit that isn't answered in
    /// time nobody knows whether it was applied: the error has the outcome `.unknown`.
    public var requestTimeout = Duration.seconds(10)

    /// How long to look for a node that leads, after a leader is lost too: by default ten seconds.
    public var leaderTimeout = Duration.seconds(10)

    /// How long to wait for the transaction of another client: by default five seconds. The nodes don't make a writer
    /// wait; it is rejected, and asks again after pauses of random length.
    public var busyTimeout = Duration.seconds(5)

    /// How long a call waits for access to a connection; nil, the default, waits as long as it takes.
    public var accessTimeout: Duration?

    /// How many connections read, besides the one that writes: 4 by default, 1 at the least. Each is opened when it is
    /// needed.
    public var readerCount = 4

    /// How many prepared statements each connection keeps: 100 by default, 1 at the least.
    public var statementCacheCapacity = 100

    /// Whether foreign keys are enforced, as on a local database: by default they are. See
    /// [SQLite Foreign Key Support](https://www.sqlite.org/foreignkeys.html).
    public var foreignKeys = true

    /// Connects to a node in place of the library, for a tunnel or TLS: nodes know neither encryption nor passwords.
    ///
    /// It is called with an address, of those that were given or that the cluster knows its nodes by, and with the time
    /// that is left. It returns the descriptor of a connected stream socket, which then belongs to the cluster. For TLS
    /// that is one end of a `socketpair`, whose other end a thread of yours copies to the encrypted connection and
    /// back. It may be called on several threads concurrently, and may block.
    public var connect: (@Sendable (_ address: String, _ timeout: Duration) throws -> Int32)?
}
