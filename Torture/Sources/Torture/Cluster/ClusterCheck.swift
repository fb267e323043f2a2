import DqliteKit
import Foundation
import NodeProcesses
import RandomTables
import SQLiteKit

/// R15: clients write to a cluster and read from it through objects, while its nodes are killed, frozen and cut off
/// from each other. In the end everything acknowledged must be there, once, and every node must have the same rows.
enum ClusterCheck {
    static func run(_ options: Options) throws -> [Figures] {
        guard areNodesPossible else {
            FileHandle.standardError.write(
                Data("R15 skipped: libdqlite isn't installed, see Scripts/setup-cluster\n".utf8))
            return []
        }
        let seconds = options.count(long: 600, full: 60, quick: 20)
        guard NetworkNamespaces.arePossible else {
            FileHandle.standardError.write(Data("R15 without lost packets: network namespaces take root\n".utf8))
            return [try run(nil, seconds, options.seed)]
        }
        return [
            try run(nil, seconds / 2, options.seed), try run(try NetworkNamespaces(3), seconds / 2, options.seed),
        ]
    }

    private static var areNodesPossible: Bool {
        do throws(SQLiteError) {
            _ = try ClusterNode(id: 1, address: "127.0.0.1:9001", directory: "unused")
            return true
        } catch {
            return error.extendedCode != .missingFeature
        }
    }

    /// The child: a node until its input ends.
    static func runNode(_ arguments: [String]) throws {
        guard arguments.count >= 3, let id = UInt64(arguments[0]) else { throw Complaint("a node needs its number") }
        var configuration = ClusterNodeConfiguration()
        configuration.networkLatency = .milliseconds(20)
        let node = try ClusterNode(
            id: id, address: arguments[1], directory: arguments[2], configuration: configuration)
        if arguments.count > 3 { try node.join(Array(arguments[3...])) } else { try node.start() }
        Child.Work.say("ready")
        while readLine() != nil {}
        try node.stop()
    }

    /// A cluster, as the check uses it.
    static func cluster(_ addresses: [String]) throws -> Cluster {
        var configuration = ClusterConfiguration()
        configuration.requestTimeout = .seconds(3)
        return try Cluster(addresses, database: "check", configuration: configuration)
    }

    private static func run(_ network: NetworkNamespaces?, _ seconds: Int, _ seed: UInt64) throws -> Figures {
        guard let program = Bundle.main.executablePath else { throw Complaint("the program's own file is unknown") }
        var figures = Figures(
            "R15 kill -9, freezes" + (network == nil ? "" : " and lost packets"), kinds: Fault.Kind.ofACluster)
        let nodes = try NodeProcesses(command: [program, "--child", "node"], on: network)
        let history = ClusterHistory()
        let cluster = try cluster(nodes.addresses)
        let manager = try PersistenceManager(cluster)
        try ClusterState.prepare(manager)

        let end = ContinuousClock.now + .seconds(seconds)
        let group = DispatchGroup()
        for number in 0..<4 {
            let client = try ClusterClient(number, nodes.addresses, history, seed)
            group.enter()
            Thread.detachNewThread {
                client.run(until: end)
                group.leave()
            }
        }
        var nemesis = Nemesis(nodes, network, cluster, seed)
        while .now < end {
            let strike = try nemesis.strike()
            if let node = nodes.nodes.first(where: { !$0.isRunning }) {
                throw Complaint("node \(node.id) has ended by itself")
            }
            figures.add([], strike)
            figures.count(strike)
        }
        group.wait()
        let report = history.report
        figures.count("acknowledged", report.acknowledged)
        figures.count("unknown", report.unknown)
        figures.count("rejected", report.rejected)
        figures.count("linearizable reads", report.linearizableReads)
        figures.count("older default reads", report.olderReads)
        figures.count("ms without a commit at the longest", report.longestGap)
        figures.add(try audit(nodes, cluster, manager, history), "seed \(seed)")
        return figures
    }

    private static func audit(
        _ nodes: NodeProcesses, _ cluster: Cluster, _ manager: PersistenceManager, _ history: ClusterHistory
    ) throws -> [Fault] {
        let state = try patiently { try ClusterState(manager) }
        var faults = history.faults(state)
        for node in nodes.nodes {
            let other = try patiently {
                if try cluster.leader().address != node.address {
                    try cluster.transferLeadership(to: UInt64(node.id))
                }
                guard try cluster.leader().address == node.address else { throw Complaint("node \(node.id) must lead") }
                return try ClusterState(manager)
            }
            if other != state { faults.append(Fault(.corrupt, "node \(node.id) has other rows")) }
            faults += try patiently { try integrityFaults(cluster, node) }
        }
        return faults
    }

    /// Tries again for a minute.
    private static func patiently<T>(_ body: () throws -> T) throws -> T {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            do {
                return try body()
            } catch {
                if .now > deadline { throw error }
                usleep(100_000)
            }
        }
    }

    /// What SQLite finds wrong in the files of the node that leads.
    private static func integrityFaults(_ cluster: Cluster, _ node: NodeProcess) throws -> [Fault] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "torture-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for file in try cluster.files() { try file.contents.write(to: folder.appending(path: file.name)) }
        let db = try Database(.file(folder.appending(path: cluster.database).path))
        let answer = try db.scalar("PRAGMA integrity_check", as: String.self)
        try db.close()
        return answer == "ok" ? [] : [Fault(.corrupt, "node \(node.id): \(answer ?? "")")]
    }
}
