import DqliteKit
import Foundation

@main
struct ClusterExample {
    static let usage = """
        USAGE: Cluster node <id> <address> <directory> [<address to join> …]

        Runs a node of a cluster until the end of the input.

        ARGUMENTS:
          <id>          The number of the node. Node 1 begins a cluster.
          <address>     Where the others connect to it, such as 10.0.0.1:9001.
          <directory>   Where it keeps its files.

        OPTIONS:
          -h, --help    Show this help.
        """

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.contains("-h") || arguments.contains("--help") { return print(usage) }
        do {
            guard arguments.first == "node" else { throw Usage() }
            try NodeCommand(Array(arguments.dropFirst())).run()
        } catch is Usage {
            FileHandle.standardError.write(Data((usage + "\n").utf8))
            exit(64)
        } catch {
            FileHandle.standardError.write(Data("Cluster: \(error)\n".utf8))
            exit(1)
        }
    }
}

/// The arguments aren't those of the usage.
struct Usage: Error {}
