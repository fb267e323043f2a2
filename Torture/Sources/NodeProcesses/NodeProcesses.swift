import Foundation

/// A cluster of nodes on this machine, in a directory that goes with it.
package final class NodeProcesses: Sendable {
    package let nodes: [NodeProcess]
    private let directory: URL
    private let command: [String]
    private let network: NetworkNamespaces?

    /// Starts a cluster, and waits until every node is a voter.
    ///
    /// - Parameters:
    ///   - count: How many nodes.
    ///   - command: A program and its first arguments, for ``NodeProcess``.
    ///   - network: The hosts to start the nodes on; nil for the loopback interface.
    package init(_ count: Int = 3, command: [String], on network: NetworkNamespaces? = nil) throws {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "nodes-\(UUID().uuidString)", directoryHint: .isDirectory)
        self.directory = directory
        self.command = command
        self.network = network
        let ports = try Self.freePorts(count)
        nodes = ports.indices.map { index in
            NodeProcess(
                (network?.command(index) ?? []) + command, id: index + 1,
                address: network.map { "\($0.address(index)):9001" } ?? "127.0.0.1:\(ports[index])",
                directory: directory.appending(path: "\(index + 1)").path)
        }
        for (index, node) in nodes.enumerated() { try node.start(joining: nodes[..<index].map(\.address)) }
    }

    deinit {
        for node in nodes { node.kill() }
        try? FileManager.default.removeItem(at: directory)
    }

    package var addresses: [String] { nodes.map(\.address) }

    package func node(at address: String) throws -> NodeProcess {
        guard let node = nodes.first(where: { $0.address == address }) else {
            throw NodeProcessFailure("no node has the address \(address)")
        }
        return node
    }

    /// Makes one more node, on the loopback interface, which doesn't run yet.
    package func another(_ id: Int) throws -> NodeProcess {
        try NodeProcess(
            command, id: id, address: "127.0.0.1:\(Self.freePorts(1)[0])",
            directory: directory.appending(path: "\(id)").path)
    }

    /// Ports of the loopback interface that nothing uses, and that the system gives to nobody who asks for any port.
    package static func freePorts(_ count: Int) throws -> [UInt16] {
        var ports: Set<UInt16> = []
        for _ in 0..<10_000 where ports.count < count {
            let port = UInt16.random(in: 10_000..<32_000)
            if isFree(port) { ports.insert(port) }
        }
        guard ports.count == count else { throw NodeProcessFailure("there are no \(count) free ports") }
        return Array(ports)
    }

    private static func isFree(_ port: UInt16) -> Bool {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
