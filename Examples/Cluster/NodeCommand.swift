import DqliteKit
import Foundation

/// `Cluster node ID ADDRESS DIRECTORY`: a node as a process of its own.
struct NodeCommand {
    private let node: ClusterNode

    init(_ arguments: [String]) throws {
        guard arguments.count == 3, let id = UInt64(arguments[0]) else { throw Usage() }
        node = try ClusterNode(id: id, address: arguments[1], directory: arguments[2])
    }

    /// Runs the node until the input ends, so that it doesn't outlive whoever has started it.
    func run() throws {
        try node.start()
        say("ready")
        while readLine() != nil {}
        try node.stop()
    }

    private func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
}
