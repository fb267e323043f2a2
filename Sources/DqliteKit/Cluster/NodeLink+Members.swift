internal import SQLiteKit

/// The members, and which of them leads.
extension NodeLink {
    /// The nodes of the cluster, as this node, which leads, knows them.
    func members(by deadline: Deadline) throws(SQLiteError) -> [Cluster.Member] {
        let answer = try call(.cluster, by: deadline)
        guard case .nodes(let nodes) = answer else { throw answer.unexpected }
        return nodes.map { node in
            Cluster.Member(
                id: node.id, address: node.address, role: Cluster.Role(rawValue: node.role),
                isLeader: node.address == address)
        }
    }

    /// Makes another node the leader in place of this one.
    ///
    /// The other is asked first. When libraft before 0.17.2 can't send its leader's word to the other in time, it frees
    /// the message, and uses it later ([issue 396](https://github.com/canonical/raft/issues/396)), which ends the
    /// leader's program, or damages its memory. A node that names the leader has heard from it, so they are connected.
    ///
    /// - Throws: `.misuse` for 0, for which libraft would choose a node; `.connectionLost` or `.requestTimeout` of the
    ///   other node; `.noLeader` when it doesn't name this one; what this node rejects.
    func transferLeadership(
        to id: UInt64, _ configuration: ClusterConfiguration, by deadline: Deadline
    ) throws(SQLiteError) {
        guard id != 0 else { throw SQLiteError(.misuse, "no node has the number 0") }
        // A number that no member has is up to the leader.
        if let next = try members(by: deadline).first(where: { $0.id == id }) {
            let leader = try LeaderSearch.ask(
                next.address, configuration, by: min(deadline, .after(configuration.connectTimeout))
            ).leader
            guard leader == address else {
                throw SQLiteError(
                    .noLeader,
                    "node \(id) at \(next.address) can't lead: it names \(leader.isEmpty ? "none" : leader) as the leader, "
                        + "and not \(address)")
            }
        }
        let answer = try call(.transfer(id: id), by: deadline)
        guard case .empty = answer else { throw answer.unexpected.with(outcome: .unknown) }
    }
}
