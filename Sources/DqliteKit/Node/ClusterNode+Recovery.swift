public import SQLiteKit

extension ClusterNode {
    /// Replaces the members of the cluster in this node's files, after most of the voters were lost for good.
    ///
    /// What only the lost nodes had is lost with them. Follow all steps:
    ///
    /// 1. Stop all nodes.
    /// 2. Choose the node that has the most: the highest term and then the longest log, which the names of the files
    ///    tell.
    /// 3. Call this method on it, once, with the nodes that are left.
    /// 4. Copy its directory over the directories of the others that are left.
    /// 5. Start all of them.
    ///
    /// - Parameter members: All nodes that are left, this one among them.
    /// - Throws: `.misuse` when the node runs, or isn't among `members`; `.busy` when another
    ///   node uses the directory; `.cannotOpen` when libdqlite can't write the files.
    public func recover(_ members: [Cluster.Member]) throws(SQLiteError) {
        guard members.contains(where: { $0.id == id && $0.address == address }) else {
            throw SQLiteError(.misuse, "node \(id) at \(address) must be among the members that are left")
        }
        guard Set(members.map(\.id)).count == members.count, Set(members.map(\.address)).count == members.count else {
            throw SQLiteError(.misuse, "two of the members have one number or address")
        }
        for member in members where member.address.utf8.contains(0) || member.address.isEmpty {
            throw SQLiteError(.invalidAddress, "the address of node \(member.id) is empty or contains NUL")
        }
        try whileStopped { node throws(SQLiteError) in try node.recover(members) }
    }
}
