import Foundation

/// Hosts on one network inside this machine, between which packets can be lost: network namespaces of Linux, on a
/// bridge. This process is on the network, too.
///
/// Making them takes root.
package final class NetworkNamespaces: Sendable {
    private let number: Int
    private let names: [String]
    private let addresses: [String]

    /// Whether namespaces can be made here, which is tried.
    package static let arePossible: Bool = {
        removeLeftovers()
        return (try? NetworkNamespaces(1)) != nil
    }()

    package init(_ count: Int) throws {
        let number = Int.random(in: 1..<250)
        self.number = number
        names = (1...count).map { "persisting-\(getpid())-\(number)-\($0)" }
        addresses = (1...count).map { "10.213.\(number).\($0)" }
        do {
            try Self.ip("link add \(bridge) type bridge")
            try Self.ip("address add 10.213.\(number).254/24 dev \(bridge)")
            try Self.ip("link set \(bridge) up")
            for index in names.indices { try add(index) }
        } catch {
            remove()
            throw error
        }
    }

    deinit { remove() }

    private var bridge: String { "pb\(number)" }
    private func link(_ index: Int) -> String { "pv\(number)-\(index + 1)" }

    private func add(_ index: Int) throws {
        let name = names[index]
        try Self.ip("netns add \(name)")
        try Self.ip("link add \(link(index)) type veth peer name eth0 netns \(name)")
        try Self.ip("link set \(link(index)) master \(bridge) up")
        try Self.ip("-n \(name) address add \(addresses[index])/24 dev eth0")
        try Self.ip("-n \(name) link set eth0 up")
        try Self.ip("-n \(name) link set lo up")
    }

    private func remove() {
        for index in names.indices {
            // What is missing has not been made.
            _ = try? Self.ip("link del \(link(index))")
            _ = try? Self.ip("netns del \(names[index])")
        }
        _ = try? Self.ip("link del \(bridge)")
    }

    /// Removes what processes that were killed have left.
    private static func removeLeftovers() {
        for line in ((try? ip("netns list")) ?? "").split(separator: "\n") {
            let parts = (line.split(separator: " ").first ?? "").split(separator: "-")
            guard parts.count == 4, parts[0] == "persisting", let owner = pid_t(parts[1]), kill(owner, 0) != 0 else {
                continue
            }
            _ = try? ip("link del pv\(parts[2])-\(parts[3])")
            _ = try? ip("netns del \(parts.joined(separator: "-"))")
            _ = try? ip("link del pb\(parts[2])")
        }
    }

    /// The host's address.
    package func address(_ index: Int) -> String { addresses[index] }

    /// What comes before a command that is to run on the host.
    package func command(_ index: Int) -> [String] { [Self.program, "netns", "exec", names[index]] }

    /// Loses all packets from one host to another: they are sent to a machine that isn't there.
    package func lose(from: Int, to: Int) throws {
        try Self.ip(
            "-n \(names[from]) neighbor replace \(addresses[to]) lladdr 02:00:00:00:00:01 dev eth0 nud permanent")
    }

    /// Loses all packets between a host and the other hosts; this process still reaches it.
    package func isolate(_ index: Int) throws {
        for other in names.indices where other != index {
            try lose(from: index, to: other)
            try lose(from: other, to: index)
        }
    }

    /// Loses all packets between a host and everything else.
    package func cut(_ index: Int) throws { try Self.ip("link set \(link(index)) down") }

    /// Loses no packets any more.
    package func heal() throws {
        for from in names.indices {
            try Self.ip("link set \(link(from)) up")
            for to in names.indices where to != from {
                // Fails where nothing is lost.
                _ = try? Self.ip("-n \(names[from]) neighbor del \(addresses[to]) dev eth0")
            }
        }
    }

    private static let program =
        ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"].first {
            FileManager.default.isExecutableFile(atPath: $0)
        } ?? "/usr/sbin/ip"

    @discardableResult
    private static func ip(_ arguments: String) throws -> String {
        let command = [program] + arguments.split(separator: " ").map(String.init)
        let (status, output) = try ChildProcess.run(command, errors: .hidden)
        guard status == 0 else { throw NodeProcessFailure("ip \(arguments): status \(status)") }
        return output
    }
}
