import DqliteKit
import Foundation

@main
struct ClusterExample {
    static let usage = """
        USAGE: Cluster
               Cluster node <id> <address> <directory> [<address to join> …]

        Without arguments, starts three nodes on this machine and keeps a small record collection on them, while the one
        that leads is killed and comes back. With `node`, runs one node until the end of the input. It needs libdqlite,
        which Scripts/setup-cluster installs.

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
            switch arguments.first {
            case nil: try await runAlbums()
            case "node": try runNode(Array(arguments.dropFirst()))
            default: throw Usage()
            }
        } catch is Usage {
            FileHandle.standardError.write(Data((usage + "\n").utf8))
            exit(64)
        } catch {
            FileHandle.standardError.write(Data("Cluster: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func runNode(_ arguments: [String]) throws { try NodeCommand(arguments).run() }

    private static func runAlbums() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "cluster-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await AlbumFlow(in: folder).run()
    }
}

/// The arguments aren't those of the usage.
struct Usage: Error {}
