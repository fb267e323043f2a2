import DqliteKit
import Foundation
import NodeProcesses
import SQLiteKit
import Testing

extension Trait where Self == ConditionTrait {
    /// The test starts real nodes. Without libdqlite it is skipped, and says so; in a check of the whole it fails.
    static var realNodes: Self {
        .enabled(if: RealNodes.areThere, "libdqlite isn't installed: run Scripts/setup-cluster")
    }
}

enum RealNodes {
    /// Whether libdqlite is installed.
    static let areThere: Bool = {
        do throws(SQLiteError) {
            _ = try ClusterNode(id: 1, address: "127.0.0.1:9001", directory: "unused")
            return true
        } catch {
            return error.extendedCode != .missingFeature
        }
    }()

    /// The program that is a node, which is built next to the tests.
    static let command: [String] = {
        var folder = Bundle.main.bundleURL
        // On Apple's platforms the tests are inside a bundle, with the programs next to it.
        if let bundle = Bundle.allBundles.first(where: { $0.bundlePath.hasSuffix(".xctest") }) {
            folder = bundle.bundleURL.deletingLastPathComponent()
        }
        return [folder.appending(path: "Cluster").path, "node"]
    }()

    /// A cluster of processes.
    static func start(_ count: Int = 3) throws -> NodeProcesses { try NodeProcesses(count, command: command) }

    /// A free address of this machine.
    static func freeAddress() throws -> String { "127.0.0.1:\(try NodeProcesses.freePorts(1)[0])" }
}

/// A directory that is deleted with this value.
final class TemporaryDirectory: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "node-\(UUID().uuidString)").path

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
