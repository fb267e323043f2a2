internal import Foundation
public import SQLiteKit

/// A node of a cluster, inside your program.
///
/// ```swift
/// let node = try ClusterNode(id: 1, address: "10.0.0.1:9001", directory: path)
/// try node.start()
/// ```
///
/// The node with number 1 begins a cluster, the first time it starts in an empty directory. Every other node joins one:
///
/// ```swift
/// let node = try ClusterNode(id: 2, address: "10.0.0.2:9001", directory: path)
/// try node.join(["10.0.0.1:9001"])
/// ```
///
/// A node needs libdqlite, which it looks for when it is made (`apt-get install libdqlite0` on Debian and Ubuntu).
/// Nothing else in this module does.
///
/// ## The life of a node
///
/// A node runs from `start()` or `join(_:as:timeout:)` until `stop()`, or until nothing refers to it. It has a thread
/// of its own, which reads and writes sockets and files and runs all SQL, and a few that wait for connections and
/// disks. None of your code runs there, except ``ClusterNodeConfiguration/connect``. `SIGPIPE` is blocked on those
/// threads only.
///
/// All methods may be called from any thread, and block. In a task use the asynchronous forms, which suspend it.
///
/// - Warning: dqlite has neither authentication nor encryption. Who can reach a node's port can read and change
///   everything. A node listens at loopback and private addresses only, unless
///   ``ClusterNodeConfiguration/allowsPublicAddresses`` is set.
public final class ClusterNode: Sendable {
    /// The number of the node: the same at each start, and another one than that of every other node.
    public let id: UInt64
    /// Where the other nodes and the clients connect to it.
    public let address: String
    /// The directory of the node's log and snapshots.
    public let directory: String
    /// How the node listens, connects and keeps its log.
    public let configuration: ClusterNodeConfiguration

    private let lock = NSLock()
    // Guarded by `lock`.
    nonisolated(unsafe) private var running: RunningNode?

    /// Makes a node, which doesn't run yet.
    ///
    /// - Parameters:
    ///   - id: The number of the node, from 1. Node 1 begins a cluster when its directory is empty. Never use the
    ///     number of a node whose directory was lost again, and 1 less than any.
    ///   - address: A host and a port, such as `10.0.0.1:9001` or `db1.internal:9001`, at which the others reach this
    ///     node. With a ``ClusterNodeConfiguration/connect`` of yours it is any text that this understands.
    ///   - directory: The directory of the node's files. It is created if it is missing.
    ///   - configuration: How the node listens, connects and keeps its log.
    /// - Throws: `.missingFeature` when libdqlite isn't installed; `.invalidAddress` for an
    ///   address that isn't one; `.misuse` for number 0.
    public init(
        id: UInt64, address: String, directory: String,
        configuration: ClusterNodeConfiguration = ClusterNodeConfiguration()
    ) throws(SQLiteError) {
        _ = try NodeLibrary.shared.get()
        guard id > 0 else { throw SQLiteError(.misuse, "a node's number is 1 or more") }
        if configuration.connect == nil {
            guard case .internet = try NodeAddress(address) else {
                throw SQLiteError(.invalidAddress, "'\(address)' isn't a host and a port, such as 10.0.0.1:9001")
            }
        } else if address.isEmpty || address.utf8.contains(0) {
            throw SQLiteError(.invalidAddress, "the address of node \(id) is empty or contains NUL")
        }
        self.id = id
        self.address = address
        self.directory = directory
        self.configuration = configuration
    }

    /// Whether the node has been started and not stopped.
    public var isRunning: Bool { lock.withLock { running != nil } }

    /// Where the node listens; nil while it doesn't run. It tells the name that was chosen when
    /// ``ClusterNodeConfiguration/bindAddress`` is `@`.
    public var boundAddress: String? { lock.withLock { running?.boundAddress } }

    /// Starts the node. Does nothing while it runs.
    ///
    /// Node 1 begins a cluster of its own when its directory is empty. A node that was a member of a cluster is one
    /// again, and fetches what it has missed. Any other node waits until a cluster adds it: call
    /// `join(_:as:timeout:)` instead.
    ///
    /// - Throws: `.cannotOpen` when the port is in use, the address isn't of this machine or the directory
    ///   can't be used; `.busy` when another node uses the directory; `.misuse` for a public
    ///   address without ``ClusterNodeConfiguration/allowsPublicAddresses``.
    public func start() throws(SQLiteError) {
        lock.lock()
        defer { lock.unlock() }
        guard running == nil else { return }
        let node = try RunningNode(self, listening: try listening())
        try node.start()
        running = node
    }

    /// Stops the node. Does nothing while it doesn't run; `start()` starts it again.
    ///
    /// It waits for the requests that the node is working on, and closes all connections. When the node is the leader,
    /// the others need some time to elect another one: call `handOver(to:timeout:)` first.
    ///
    /// - Throws: `.cannotOpen` when libdqlite reports an error. The node doesn't run then, either.
    public func stop() throws(SQLiteError) {
        lock.lock()
        defer { lock.unlock() }
        guard let node = running else { return }
        running = nil
        try node.stop()
    }

    /// Runs `body` with the node's files, which nothing else uses then.
    func whileStopped(_ body: (RunningNode) throws(SQLiteError) -> Void) throws(SQLiteError) {
        lock.lock()
        defer { lock.unlock() }
        guard running == nil else { throw SQLiteError(.misuse, "node \(id) runs: stop it first") }
        try body(try RunningNode(self, listening: nil))
    }

    /// Where a node listens.
    enum Listening {
        case internet(ListeningAddress)
        case unix(String)
    }

    private func listening() throws(SQLiteError) -> Listening {
        let wanted = configuration.bindAddress ?? address
        if wanted.hasPrefix("@") { return .unix(wanted) }
        let listening = try ListeningAddress(wanted)
        guard listening.isPrivate || configuration.allowsPublicAddresses else {
            throw SQLiteError(
                .misuse,
                """
                \(listening.text) is a public address, and dqlite has no authentication: bind the node to a private \
                one (bindAddress), or set allowsPublicAddresses where a firewall or tunnel protects the port
                """)
        }
        return .internet(listening)
    }
}
