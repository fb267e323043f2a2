internal import Foundation
public import SQLiteKit

/// Joining and leaving a cluster.
extension ClusterNode {
    /// Starts the node, and adds it to a cluster. If it is a member already, the call only starts it.
    ///
    /// It returns when the node has its role. A voter or a standby receives the data first. If the call throws, the
    /// node keeps running, and you can call it again.
    ///
    /// - Parameters:
    ///   - addresses: Some nodes of the cluster. One of them must answer.
    ///   - role: What the node does in the cluster. A voter by default.
    ///   - timeout: How long to try. A minute by default.
    /// - Throws: What `start()` throws; `.misuse` if another node of the cluster has the number or the address, if the
    ///   cluster knows the number but the directory is empty, or for node 1 with an empty directory; `.noLeader` if no
    ///   node leads the cluster; or the error that the cluster returns.
    public func join(
        _ addresses: [String], as role: Cluster.Role = .voter, timeout: Duration = .seconds(60)
    ) throws(SQLiteError) {
        let isNew = try !hasFiles()
        if isNew, !isRunning, id == 1 {
            throw SQLiteError(
                .misuse,
                "node 1 begins a cluster: to join \(addresses), take a number that the cluster hasn't had")
        }
        try start()
        var isAsked = false
        try administration(addresses + [address], timeout).untilDone { link, deadline throws(SQLiteError) in
            let members = try link.members(by: deadline)
            if let member = members.first(where: { $0.id == id || $0.address == address }) {
                guard member.id == id, member.address == address else {
                    throw SQLiteError(
                        .misuse,
                        "the cluster has a node '\(member)': remove it, or give node \(id) at \(address) another number "
                            + "and address")
                }
                guard !isNew || isAsked else {
                    throw SQLiteError(
                        .misuse,
                        """
                        the cluster knows node \(id), whose directory is empty: a node that has lost its files has lost \
                        its votes. Remove it from the cluster, and join with a number that the cluster hasn't had
                        """)
                }
                if member.role == role { return true }
                _ = try link.call(.assign(id: id, role: role.rawValue), by: deadline)
            } else {
                isAsked = true
                _ = try link.call(.add(id: id, address: address), by: deadline)
            }
            return false
        }
    }

    /// Removes the node from its cluster, and stops it. If the node is the leader, it hands over first.
    ///
    /// Delete the directory afterwards. If the node joins again, it needs another number.
    ///
    /// - Parameter timeout: How long to try. A minute by default.
    /// - Throws: `.misuse` for the last voter, and if the node isn't running; `.noLeader` if no node leads the cluster;
    ///   or the error that the cluster returns. The node then keeps running.
    public func leave(timeout: Duration = .seconds(60)) throws(SQLiteError) {
        try checkRunning()
        let administration = administration([address], timeout)
        try administration.untilDone { link, deadline throws(SQLiteError) in
            let members = try link.members(by: deadline)
            administration.directory.learn(members.map(\.address))
            guard members.contains(where: { $0.id == id }) else { return true }
            guard members.contains(where: { $0.role == .voter && $0.id != id }) else {
                throw SQLiteError(.misuse, "node \(id) is the last voter of its cluster: stop it, it can't leave")
            }
            if link.address == address {
                try transferLeadership(over: link, by: deadline)
            } else {
                _ = try link.call(.remove(id: id), by: deadline)
            }
            return false
        }
        try stop()
    }

    /// Makes another node the leader. Does nothing if this node isn't the leader.
    ///
    /// Call it before `stop()`, so that no client waits for an election.
    ///
    /// - Parameters:
    ///   - id: The number of a voter. Nil, the default, chooses a voter that this node reaches.
    ///   - timeout: How long to try. 10 seconds by default.
    /// - Throws: `.misuse` if the node isn't running; `.connectionLost`, `.requestTimeout` or `.noLeader` if the voter
    ///   can't be reached; or the error that the cluster returns, for example if `id` isn't a voter.
    public func handOver(to id: UInt64? = nil, timeout: Duration = .seconds(10)) throws(SQLiteError) {
        try checkRunning()
        let deadline = Deadline.after(timeout)
        let link = try NodeLink(address, clientConfiguration(timeout), by: deadline)
        guard try link.leader(by: deadline) == address else { return }
        try transferLeadership(to: id, over: link, by: deadline)
    }

    /// - Parameters:
    ///   - next: The number of a node; nil for the first voter that takes over.
    ///   - link: A connection to this node, which leads.
    private func transferLeadership(
        to next: UInt64? = nil, over link: NodeLink, by deadline: Deadline
    ) throws(SQLiteError) {
        var configuration = clientConfiguration(max(.zero, deadline - .now))
        // Others wait for their turn; a node that is named has all the time.
        if next != nil { configuration.connectTimeout = configuration.leaderTimeout }
        var failure: SQLiteError?
        let voters = next == nil ? try link.members(by: deadline).filter { $0.role == .voter && $0.id != id } : []
        for other in next.map({ [$0] }) ?? voters.map(\.id) {
            do throws(SQLiteError) {
                return try link.transferLeadership(to: other, configuration, by: deadline)
            } catch {
                failure = failure ?? error
            }
        }
        throw failure ?? SQLiteError(.misuse, "node \(id) is the only voter of its cluster: no other can lead")
    }

    /// Returns what the node and its cluster know about each other.
    ///
    /// - Parameter timeout: How long to look for the leader. 5 seconds by default.
    /// - Throws: `.misuse` if the node isn't running; `.noLeader` if no node leads the cluster.
    public func status(timeout: Duration = .seconds(5)) throws(SQLiteError) -> ClusterNodeStatus {
        try checkRunning()
        var status: ClusterNodeStatus?
        try administration([address], timeout).untilDone { link, deadline throws(SQLiteError) in
            let members = try link.members(by: deadline)
            status = ClusterNodeStatus(id: id, leader: link.address, members: members)
            return true
        }
        guard let status else { throw SQLiteError(.noLeader, "no node leads the cluster of node \(id)") }
        return status
    }

    private func checkRunning() throws(SQLiteError) {
        guard isRunning else { throw SQLiteError(.misuse, "node \(id) doesn't run: start it first") }
    }

    /// Whether the node has run before.
    private func hasFiles() throws(SQLiteError) -> Bool {
        do {
            guard FileManager.default.fileExists(atPath: directory) else { return false }
            return try !FileManager.default.contentsOfDirectory(atPath: directory).isEmpty
        } catch {
            throw SQLiteError(
                .cannotOpen, "can't read the node's directory: \(error.localizedDescription)", path: directory)
        }
    }

    private func administration(_ addresses: [String], _ timeout: Duration) -> Administration {
        Administration(addresses, clientConfiguration(timeout), by: .after(timeout))
    }

    private func clientConfiguration(_ timeout: Duration) -> ClusterConfiguration {
        var configuration = ClusterConfiguration()
        configuration.connect = self.configuration.connect
        configuration.leaderTimeout = timeout
        return configuration
    }
}

/// What a node and its cluster know about each other.
public struct ClusterNodeStatus: Sendable, CustomStringConvertible {
    /// The number of the node.
    public let id: UInt64
    /// The address of the leader.
    public let leader: String
    /// All nodes of the cluster.
    public let members: [Cluster.Member]

    /// The node's role; nil if it isn't a member.
    public var role: Cluster.Role? { members.first { $0.id == id }?.role }
    /// Whether the node is the leader.
    public var isLeader: Bool { members.contains { $0.id == id && $0.isLeader } }

    /// The members, and which of them is the leader.
    public var description: String {
        "leader \(leader); " + members.map(\.description).joined(separator: ", ")
    }
}

/// Changes to a cluster's members, each tried until it succeeds.
///
/// If the leader is lost or busy with another change, the next attempt depends on what the cluster reports then, so
/// nothing is done twice.
private struct Administration {
    let directory: ClusterDirectory
    private let configuration: ClusterConfiguration
    private let deadline: Deadline

    init(_ addresses: [String], _ configuration: ClusterConfiguration, by deadline: Deadline) {
        directory = ClusterDirectory(Array(Set(addresses)))
        self.configuration = configuration
        self.deadline = deadline
    }

    /// Calls `step` with a connection to the leader until it returns true.
    ///
    /// - Throws: The last error at the deadline; `.misuse` immediately.
    func untilDone(_ step: (NodeLink, Deadline) throws(SQLiteError) -> Bool) throws(SQLiteError) {
        var pause = Pause(upTo: .milliseconds(200))
        let cancellation = Cancellation()
        while true {
            do throws(SQLiteError) {
                let search = LeaderSearch(
                    directory: directory, configuration: configuration, cancellation: cancellation)
                if try step(try search.link(), deadline) { return }
            } catch {
                if error.code == .misuse || deadline.isPast { throw error }
                try cancellation.sleep(pause.next())
            }
        }
    }
}
