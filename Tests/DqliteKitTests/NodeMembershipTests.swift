import DqliteKit
import Foundation
import NodeProcesses
import SQLiteKit
import Testing

/// Nodes that join, leave and hand over, each a process of its own.
@Suite("Members of a cluster", .realNodes)
struct NodeMembershipTests {
    /// What the nodes know, once all of them agree.
    private func status(_ nodes: [NodeProcess]) throws -> String {
        for _ in 0..<200 {
            let all = try nodes.map { try $0.ask("status") }
            if Set(all).count == 1 { return all[0] }
            usleep(50_000)
        }
        throw NodeProcessFailure("the nodes do not agree: \(try nodes.map { try $0.ask("status") })")
    }

    /// The address of the leader, as a node says.
    private func leader(_ node: NodeProcess) throws -> String {
        let words = try node.ask("status").split(whereSeparator: { " ;".contains($0) })
        guard words.first == "leader", words.count > 1 else { throw NodeProcessFailure("\(words)") }
        return String(words[1])
    }

    @Test("Three nodes are voters, and agree on one leader")
    func three() throws {
        let cluster = try RealNodes.start()
        let members = cluster.nodes.map { "\($0.id) voter \($0.address)" }.joined(separator: ", ")
        #expect(try status(cluster.nodes) == "leader \(cluster.addresses[0]); \(members)")
    }

    @Test("A node that is killed comes back by itself")
    func rejoin() throws {
        let cluster = try RealNodes.start()
        let before = try status(cluster.nodes)
        cluster.nodes[2].kill()
        try cluster.nodes[2].start()
        #expect(try status(cluster.nodes) == before)
    }

    @Test("A member that joins again stays what it was")
    func joinAgain() throws {
        let cluster = try RealNodes.start()
        let before = try status(cluster.nodes)
        cluster.nodes[2].kill()
        try cluster.nodes[2].start(joining: [cluster.addresses[0]])
        #expect(try status(cluster.nodes) == before)
    }

    @Test("When the leader is killed, the others elect one of them")
    func election() throws {
        let cluster = try RealNodes.start()
        cluster.nodes[0].kill()
        let rest = Array(cluster.nodes[1...])
        _ = try status(rest)
        #expect(try rest.map(\.address).contains(leader(rest[0])))
    }

    @Test("A leader hands over, and the cluster goes on without a pause for an election")
    func handOver() throws {
        let cluster = try RealNodes.start()
        #expect(try cluster.nodes[0].ask("hand over") == "ok")
        _ = try status(cluster.nodes)
        #expect(try leader(cluster.nodes[0]) != cluster.addresses[0])
    }

    @Test("A node that doesn't lead has nothing to hand over")
    func handOverOfAFollower() throws {
        let cluster = try RealNodes.start()
        #expect(try cluster.nodes[1].ask("hand over") == "ok")
        #expect(try leader(cluster.nodes[1]) == cluster.addresses[0])
    }

    @Test("A node leaves, the leader as well")
    func leave() throws {
        let cluster = try RealNodes.start()
        #expect(try cluster.nodes[0].ask("leave") == "ok")
        let status = try status(Array(cluster.nodes[1...]))
        #expect(!status.contains(cluster.addresses[0]))
    }

    @Test("The last voter can't leave")
    func lastVoter() throws {
        let directory = TemporaryDirectory()
        let node = try ClusterNode(id: 1, address: try RealNodes.freeAddress(), directory: directory.path)
        try node.start()
        let error = #expect(throws: SQLiteError.self) { try node.leave() }
        #expect(error?.code == .misuse && node.isRunning)
    }

    @Test("A node that doesn't run has no status")
    func statusOfAStoppedNode() throws {
        let directory = TemporaryDirectory()
        let node = try ClusterNode(id: 1, address: try RealNodes.freeAddress(), directory: directory.path)
        let error = #expect(throws: SQLiteError.self) { try node.status() }
        #expect(error?.code == .misuse)
    }

    @Test("A node takes another role", arguments: [Cluster.Role.spare, .standBy, .voter])
    func role(role: Cluster.Role) throws {
        let (first, second) = (TemporaryDirectory(), TemporaryDirectory())
        let one = try ClusterNode(id: 1, address: try RealNodes.freeAddress(), directory: first.path)
        try one.start()
        let two = try ClusterNode(id: 2, address: try RealNodes.freeAddress(), directory: second.path)
        try two.join([one.address], as: role)
        #expect(try one.status().members.map(\.role) == [.voter, role])
    }

    @Test("A number that another node has is rejected")
    func usedNumber() throws {
        let cluster = try RealNodes.start(2)
        let directory = TemporaryDirectory()
        let node = try ClusterNode(id: 2, address: try RealNodes.freeAddress(), directory: directory.path)
        let error = #expect(throws: SQLiteError.self) { try node.join(cluster.addresses) }
        #expect(error?.code == .misuse)
    }

    @Test("A node that has lost its files doesn't join as the one that it was")
    func lostFiles() throws {
        let cluster = try RealNodes.start(3)
        cluster.nodes[2].kill()
        let directory = TemporaryDirectory()
        let node = try ClusterNode(id: 3, address: cluster.addresses[2], directory: directory.path)
        let error = #expect(throws: SQLiteError.self) { try node.join(cluster.addresses) }
        #expect(error?.code == .misuse)
    }

    @Test("Node 1 joins no cluster from an empty directory, since it would begin one")
    func firstNode() throws {
        let directory = TemporaryDirectory()
        let node = try ClusterNode(id: 1, address: try RealNodes.freeAddress(), directory: directory.path)
        let error = #expect(throws: SQLiteError.self) { try node.join(["127.0.0.1:9001"]) }
        #expect(error?.code == .misuse && !node.isRunning)
    }

    @Test("Joining a cluster that doesn't answer ends in time")
    func nobodyThere() throws {
        let directory = TemporaryDirectory()
        let node = try ClusterNode(id: 2, address: try RealNodes.freeAddress(), directory: directory.path)
        let error = #expect(throws: SQLiteError.self) {
            try node.join([try RealNodes.freeAddress()], timeout: .milliseconds(300))
        }
        #expect(error?.extendedCode == .noLeader)
    }

    @Test("A node that is left alone recovers as a cluster of one")
    func recovery() throws {
        let cluster = try RealNodes.start(3)
        for node in cluster.nodes { node.stop() }
        let one = cluster.nodes[0]
        let node = try ClusterNode(id: 1, address: one.address, directory: one.directory)
        try node.recover([Cluster.Member(id: 1, address: one.address)])
        try node.start()
        #expect(try node.status().description == "leader \(one.address); 1 voter \(one.address)")
    }

    @Test("A node recovers among the members that are left only, and while it is stopped")
    func rejectedRecovery() throws {
        let directory = TemporaryDirectory()
        let node = try ClusterNode(id: 1, address: try RealNodes.freeAddress(), directory: directory.path)
        #expect(throws: SQLiteError.self) { try node.recover([Cluster.Member(id: 2, address: node.address)]) }
        try node.start()
        #expect(throws: SQLiteError.self) { try node.recover([Cluster.Member(id: 1, address: node.address)]) }
    }

    @Test("A task starts, joins, asks, hands over, leaves and stops")
    func inATask() async throws {
        let (first, second) = (TemporaryDirectory(), TemporaryDirectory())
        let one = try ClusterNode(id: 1, address: try RealNodes.freeAddress(), directory: first.path)
        try await one.start()
        let two = try ClusterNode(id: 2, address: try RealNodes.freeAddress(), directory: second.path)
        try await two.join([one.address])
        try await one.handOver(to: 2)
        #expect(try await two.status().isLeader)
        try await one.leave()
        #expect(try await two.status().members.map(\.id) == [2])
        try await two.stop()
    }

    @Test("Nodes connect to each other through the hook, with the address that the other was given")
    func hook() throws {
        let addresses = [try RealNodes.freeAddress(), try RealNodes.freeAddress()]
        let asked = Shared<Set<String>>([])
        let directories = [TemporaryDirectory(), TemporaryDirectory()]
        let nodes = try (0..<2).map { index in
            var configuration = ClusterNodeConfiguration()
            configuration.bindAddress = addresses[index]
            configuration.connect = { name, _ in
                asked.change { _ = $0.insert(name) }
                guard let index = Int(name.dropFirst("node-".count)) else { throw NodeProcessFailure(name) }
                return try connectedSocket(to: addresses[index])
            }
            return try ClusterNode(
                id: UInt64(index + 1), address: "node-\(index)", directory: directories[index].path,
                configuration: configuration)
        }
        try nodes[0].start()
        try nodes[1].join(["node-0"])
        try withExtendedLifetime(nodes) { try nodes[0].handOver(to: 2) }
        #expect(asked.value == ["node-0", "node-1"])
    }

    @Test("A hook that throws keeps a node from its cluster, and ends nothing")
    func failingHook() throws {
        var configuration = ClusterNodeConfiguration()
        configuration.bindAddress = try RealNodes.freeAddress()
        configuration.connect = { name, _ in throw NodeProcessFailure(name) }
        let directory = TemporaryDirectory()
        let node = try ClusterNode(id: 2, address: "node-2", directory: directory.path, configuration: configuration)
        let error = #expect(throws: SQLiteError.self) { try node.join(["node-1"], timeout: .milliseconds(300)) }
        #expect(error?.extendedCode == .noLeader && node.isRunning)
    }
}
