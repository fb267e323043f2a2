internal import SQLiteKit

/// The same for tasks, which are suspended while a thread of the library waits.
///
/// A task that is cancelled before its call begins throws `CancellationError`. A call that has begun goes on to its
/// end.
extension ClusterNode {
    /// Starts the node. Does nothing while it runs.
    ///
    /// - Throws: `.cannotOpen` when the port is in use, the address isn't of this machine or the directory
    ///   can't be used; `.busy` when another node uses the directory; `.misuse` for a public
    ///   address without ``ClusterNodeConfiguration/allowsPublicAddresses``; `CancellationError`.
    public func start() async throws {
        try await workerThreads.perform { try start() }
    }

    /// Stops the node. Does nothing while it doesn't run; `start()` starts it again.
    ///
    /// - Throws: `.cannotOpen` when libdqlite reports an error; `CancellationError`.
    public func stop() async throws {
        try await workerThreads.perform { try stop() }
    }

    /// Starts the node, and makes it a member of a cluster. Starts it only, when it is one already.
    ///
    /// - Parameters:
    ///   - addresses: Some nodes of the cluster, of which one must answer.
    ///   - role: What the node does in the cluster. A voter unless set.
    ///   - timeout: How long to try. A minute unless set.
    /// - Throws: What `start()` throws; `.misuse` when another node of the cluster has the number or the
    ///   address, when the cluster knows the number and the directory is empty, or for node 1 with an empty directory;
    ///   `.noLeader` when no node leads the cluster, or what it says; `CancellationError`.
    public func join(
        _ addresses: [String], as role: Cluster.Role = .voter, timeout: Duration = .seconds(60)
    ) async throws {
        try await workerThreads.perform { try join(addresses, as: role, timeout: timeout) }
    }

    /// Removes the node from its cluster, and stops it. When it leads, it hands over first.
    ///
    /// - Parameter timeout: How long to try. A minute unless set.
    /// - Throws: `.misuse` for the last voter, and for a node that doesn't run; `.noLeader` when
    ///   no node leads the cluster, or what it says; `CancellationError`.
    public func leave(timeout: Duration = .seconds(60)) async throws {
        try await workerThreads.perform { try leave(timeout: timeout) }
    }

    /// Makes another node the leader. Does nothing when this one doesn't lead.
    ///
    /// - Parameters:
    ///   - id: The number of a voter. Nil, the default, takes one that this node reaches.
    ///   - timeout: How long to try. 10 seconds unless set.
    /// - Throws: `.misuse` when the node doesn't run; what the node says, such as that `id` isn't a voter;
    ///   `CancellationError`.
    public func handOver(to id: UInt64? = nil, timeout: Duration = .seconds(10)) async throws {
        try await workerThreads.perform { try handOver(to: id, timeout: timeout) }
    }

    /// What the node and its cluster know of each other.
    ///
    /// - Parameter timeout: How long to look for the leader. 5 seconds unless set.
    /// - Throws: `.misuse` when the node doesn't run; `.noLeader` when no node leads;
    ///   `CancellationError`.
    public func status(timeout: Duration = .seconds(5)) async throws -> ClusterNodeStatus {
        try await workerThreads.perform { try status(timeout: timeout) }
    }
}
