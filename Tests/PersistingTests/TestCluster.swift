import DqliteKit
import Foundation
import NodeProcesses
import Persisting
import Testing

/// The same tests on a cluster: with the environment variable PERSISTING_TEST_CLUSTER set to 1 a node runs in this
/// process, and a manager of ``newManager(dates:)`` is a database of its own there.
enum TestCluster {
    private static let isOn = ProcessInfo.processInfo.environment["PERSISTING_TEST_CLUSTER"] == "1"
    private static let directory = FileManager.default.temporaryDirectory
        .appending(path: "persisting-node-\(ProcessInfo.processInfo.processIdentifier)").path
    private static let node = Result { () throws in
        let address = "127.0.0.1:\(try NodeProcesses.freePorts(1)[0])"
        let node = try ClusterNode(id: 1, address: address, directory: directory)
        try node.start()
        atexit { try? FileManager.default.removeItem(atPath: TestCluster.directory) }
        return (node: node, address: address)
    }

    /// Whether the test that is running is one of a cluster.
    static var hasTest: Bool { isOn && Test.current?.traits.contains { $0 is LocalTrait } != true }

    /// A new database; nil where there is no cluster, or the test can't run there.
    static func manager(dates: DateStorage) throws -> PersistenceManager? {
        guard hasTest else { return nil }
        return try PersistenceManager(Cluster([try node.get().address], database: UUID().uuidString), dates: dates)
    }
}

/// A character of texts that a wrapper of C may cut at; another on a cluster, which rejects it.
var nul: Character { TestCluster.hasTest ? "\u{1}" : "\0" }
