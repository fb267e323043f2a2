import Foundation

/// A node on this machine: this program once more, with the arguments of a node.
final class LocalNode {
    let address: String
    private let id: Int
    private let directory: String
    private var process = Process()
    private var input = Pipe()

    init(_ id: Int, port: Int, in folder: URL) {
        self.id = id
        address = "127.0.0.1:\(port)"
        directory = folder.appending(path: "\(id)").path
    }

    /// Starts the node, and waits until it is ready.
    ///
    /// - Parameter others: The addresses of the cluster to join; none for a node that begins one or is a member.
    func start(joining others: [String] = []) throws {
        process = Process()
        input = Pipe()
        let output = Pipe()
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["node", "\(id)", address, directory] + others
        // The node ends with its input, and so with this program.
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForReading.close()
        try output.fileHandleForWriting.close()
        guard output.fileHandleForReading.availableData == Data("ready\n".utf8) else { throw NotReady(id: id) }
    }

    /// Ends the node as nothing can prevent.
    func kill() {
        _ = Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Lets the node stop.
    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    struct NotReady: Error, CustomStringConvertible {
        let id: Int
        var description: String { "node \(id) has not started" }
    }
}
