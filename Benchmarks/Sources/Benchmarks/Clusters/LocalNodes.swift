import DqliteKit
import Foundation

/// Three nodes on this machine, each a process of this program.
final class LocalNodes {
    let addresses: [String]
    private let folder = FileManager.default.temporaryDirectory.appending(path: "benchmarks-\(UUID().uuidString)")
    private var processes: [(process: Process, input: Pipe)] = []

    init() throws {
        let port = Int.random(in: 10_000..<30_000)
        addresses = (1...3).map { "127.0.0.1:\(port + $0)" }
        for index in addresses.indices { processes.append(try start(index, joining: index > 0)) }
    }

    deinit {
        for index in processes.indices { kill(index) }
        try? FileManager.default.removeItem(at: folder)
    }

    private func start(_ index: Int, joining: Bool) throws -> (Process, Pipe) {
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = Bundle.main.executableURL
        let directory = folder.appending(path: "\(index + 1)").path
        process.arguments = [
            "--child", "node", "\(index + 1)|\(addresses[index])|\(directory)|\(joining ? addresses[0] : "")",
        ]
        // The node ends with its input, and so with this process.
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForReading.close()
        try output.fileHandleForWriting.close()
        guard output.fileHandleForReading.availableData == Data("ready\n".utf8) else {
            throw BenchmarkFailure("node \(index + 1) has not started")
        }
        return (process, input)
    }

    /// Ends a node as nothing can prevent.
    func kill(_ index: Int) {
        _ = Foundation.kill(processes[index].process.processIdentifier, SIGKILL)
        processes[index].process.waitUntilExit()
    }

    /// Starts a node that was killed.
    func restart(_ index: Int) throws { processes[index] = try start(index, joining: false) }

    /// What a child does.
    static func run(_ argument: String) throws {
        let parts = argument.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, let id = UInt64(parts[0]) else { throw BenchmarkFailure("\(argument) says no node") }
        let node = try ClusterNode(id: id, address: parts[1], directory: parts[2])
        if parts[3].isEmpty { try node.start() } else { try node.join([parts[3]]) }
        show("ready")
        while readLine() != nil {}
        try node.stop()
    }
}
