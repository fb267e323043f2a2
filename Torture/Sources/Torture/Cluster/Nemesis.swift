import DqliteKit
import Foundation
import NodeProcesses
import RandomTables

/// What breaks nodes and their network, one way after the other, and repairs them.
struct Nemesis {
    private let nodes: NodeProcesses
    private let network: NetworkNamespaces?
    private let cluster: Cluster
    private var random: SeededGenerator

    init(_ nodes: NodeProcesses, _ network: NetworkNamespaces?, _ cluster: Cluster, _ seed: UInt64) {
        self.nodes = nodes
        self.network = network
        self.cluster = cluster
        random = SeededGenerator(seed: seed &+ 100)
    }

    /// Breaks something, waits, and repairs it.
    ///
    /// - Returns: What it was.
    mutating func strike() throws -> String {
        wait(0.2...1)
        let index = victim()
        let node = nodes.nodes[index]
        switch Int.random(in: 0..<(network == nil ? 6 : 11), using: &random) {
        case 0, 1:
            node.kill()
            wait(0.1...1.5)
            try node.start()
            return "kills"
        case 2:
            // Two of three, so that nobody leads.
            let other = nodes.nodes[(index + 1) % nodes.nodes.count]
            node.kill()
            other.kill()
            wait(0.1...1)
            try node.start()
            try other.start()
            return "kills of two"
        case 3, 4:
            node.freeze()
            wait(0.2...2.5)
            node.thaw()
            return "freezes"
        case 5:
            // It may fail, as when there is no leader.
            try? cluster.transferLeadership(to: UInt64(node.id))
            return "changes of the leader"
        case 6, 7:
            try network?.isolate(index)
            wait(0.5...3)
            try network?.heal()
            return "nodes without the others"
        case 8:
            try network?.cut(index)
            wait(0.5...3)
            try network?.heal()
            return "nodes without a network"
        case 9:
            for other in nodes.nodes.indices where other != index { try network?.lose(from: other, to: index) }
            wait(0.5...3)
            try network?.heal()
            return "losses in one direction"
        default:
            // One link of three, so that one node reaches both others.
            let other = (index + 1) % nodes.nodes.count
            try network?.lose(from: index, to: other)
            try network?.lose(from: other, to: index)
            wait(0.5...3)
            try network?.heal()
            return "links lost"
        }
    }

    /// Mostly the leader, of which most depends.
    private mutating func victim() -> Int {
        let any = Int.random(in: 0..<nodes.nodes.count, using: &random)
        guard Int.random(in: 0..<10, using: &random) < 7, let leader = try? cluster.leader().address else { return any }
        return nodes.nodes.firstIndex { $0.address == leader } ?? any
    }

    private mutating func wait(_ seconds: ClosedRange<Double>) {
        usleep(UInt32(Double.random(in: seconds, using: &random) * 1_000_000))
    }
}
