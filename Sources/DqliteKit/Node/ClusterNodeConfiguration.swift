/// How a ``ClusterNode`` listens, connects and keeps its log.
///
/// ```swift
/// var configuration = ClusterNodeConfiguration()
/// configuration.bindAddress = "0.0.0.0:9001"
/// configuration.allowsPublicAddresses = true
/// let node = try ClusterNode(
///     id: 1, address: "db1.internal:9001", directory: path,
///     configuration: configuration)
/// ```
public struct ClusterNodeConfiguration: Sendable {
    /// Where the node listens, when that isn't the address that others connect to: an IPv4 address or a host name with
    /// a port, such as `0.0.0.0:9001` in a container, or `@` and a name for an abstract Unix socket of Linux, to which
    /// this process alone can connect. Nil, the default, listens at the node's address.
    ///
    /// Nodes listen on IPv4 only. A name must resolve to an IPv4 address.
    public var bindAddress: String?

    /// Whether the node may listen at an address that isn't a loopback or private one. False unless set.
    ///
    /// dqlite has neither authentication nor encryption: who can reach the port can read and change every database, and
    /// stop the node. `0.0.0.0` counts as public, since it is every address of the machine.
    public var allowsPublicAddresses = false

    /// The time that a message takes from node to node, from 1 millisecond to an hour. 30 milliseconds unless set.
    ///
    /// The others elect a new leader after about 15 times this without a word of the old one. A shorter time makes a
    /// failover faster. With a time under 20 milliseconds a leader that commits tens of megabytes in one transaction,
    /// or a busy machine, loses its role for no reason. All nodes of a cluster should have the same value.
    public var networkLatency = Duration.milliseconds(30)

    /// How long the node tries to connect to another one, before it tries again later. 1 second unless set.
    public var connectTimeout = Duration.seconds(1)

    /// The rack or zone that the node is in, as a number of yours, so that a program which assigns roles can spread
    /// them. 0 unless set.
    public var failureDomain: UInt64 = 0

    /// After how many entries of the log the node writes a snapshot of all databases. Nil, the default, is dqlite's own
    /// value, 1024.
    ///
    /// Each transaction is an entry. A smaller number makes the log on the disk and the start shorter, and writes more.
    public var snapshotThreshold: UInt32?

    /// How many entries of the log stay in memory and on the disk after a snapshot, for nodes that are behind. Nil, the
    /// default, is dqlite's own value, 8192.
    ///
    /// A node that is further behind receives a whole snapshot.
    public var snapshotTrailing: UInt32?

    /// Connects to another node, instead of TCP: for a tunnel that encrypts and authenticates.
    ///
    /// It is called with the other node's address, as that node was given it, and with ``connectTimeout``. It returns
    /// the descriptor of a connected stream socket that blocks, which then belongs to the node. It may block, and is
    /// called on threads of the node. When it throws, the node tries again later. Nil, the default, connects by TCP.
    public var connect: (@Sendable (_ address: String, _ timeout: Duration) throws -> Int32)?

    /// Makes a configuration with the default values.
    public init() {}
}
