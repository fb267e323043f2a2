import DqliteKit
import Foundation

/// `Cluster node ID ADDRESS DIRECTORY [JOIN…]`: a node as a process of its own.
struct NodeCommand {
    private let node: ClusterNode
    private let others: [String]

    init(_ arguments: [String]) throws {
        guard arguments.count >= 3, let id = UInt64(arguments[0]) else { throw Usage() }
        node = try ClusterNode(id: id, address: arguments[1], directory: arguments[2])
        others = Array(arguments[3...])
    }

    /// Runs the node until the input ends, so that it doesn't outlive whoever has started it.
    func run() throws {
        if others.isEmpty { try node.start() } else { try node.join(others) }
        say("ready")
        while let line = readLine() {
            do {
                try say(answer(line))
            } catch {
                say("\(error)")
            }
        }
        try node.stop()
    }

    private func answer(_ line: String) throws -> String {
        switch line {
        case "status": return try node.status().description
        case "hand over": try node.handOver()
        case "leave": try node.leave()
        case "stop": try node.stop()
        default: return "say: status, hand over, leave or stop"
        }
        return "ok"
    }

    private func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
