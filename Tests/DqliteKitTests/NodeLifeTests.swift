import DqliteKit
import Foundation
import NodeProcesses
import SQLiteKit
import Testing

/// One node inside this process.
@Suite("A node", .realNodes)
struct NodeLifeTests {
    private let directory = TemporaryDirectory()
    private let address: String

    init() throws { address = try RealNodes.freeAddress() }

    private func node(
        id: UInt64 = 1, _ address: String? = nil, _ configuration: ClusterNodeConfiguration = .init()
    ) throws -> ClusterNode {
        try ClusterNode(
            id: id, address: address ?? self.address, directory: directory.path, configuration: configuration)
    }

    @Test("Node 1 begins a cluster, and leads it")
    func beginning() throws {
        let node = try node()
        try node.start()
        defer { try? node.stop() }
        #expect(try RawConnection(address).leader() == address)
    }

    @Test("Another node in an empty directory waits to be added")
    func waiting() throws {
        let node = try node(id: 2)
        try node.start()
        defer { try? node.stop() }
        #expect(try RawConnection(address).leader() == "")
    }

    @Test("It runs between the first start and the stop")
    func running() throws {
        let node = try node()
        var states = [node.isRunning]
        try node.start()
        try node.start()
        states.append(node.isRunning)
        try node.stop()
        try node.stop()
        states.append(node.isRunning)
        #expect(states == [false, true, false])
    }

    @Test("It starts again on its port and in its directory")
    func restart() throws {
        let node = try node()
        for _ in 0..<3 {
            try waitUntil { (try? node.start()) != nil }
            #expect(try RawConnection(address).leader() == address)
            try node.stop()
        }
    }

    @Test("A node that nothing refers to has stopped")
    func end() throws {
        try self.node().start()
        let next = try node()
        // A process that another test starts may have the listening socket until it runs its program.
        try waitUntil { (try? next.start()) != nil }
        try next.stop()
    }

    // Where it waits, an answer of several messages takes 40 ms for each.
    @Test("A node sends each message at once")
    func noDelay() throws {
        let node = try node()
        try node.start()
        defer { try? node.stop() }
        let connection = try RawConnection(address)
        _ = try connection.leader()
        let port = try #require(UInt16(address.split(separator: ":")[1]))
        // Those that listen and accept; the client's own has another port.
        let open = try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").compactMap { Int32($0) }
        let sockets = open.filter { localPort($0) == port }
        #expect(sockets.count == 2)
        #expect(sockets.allSatisfy(sendsAtOnce))
    }

    private func localPort(_ descriptor: Int32) -> UInt16? {
        var name = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutableBytes(of: &name) {
            getsockname(descriptor, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
        }
        return code == 0 && Int32(name.sin_family) == AF_INET ? UInt16(bigEndian: name.sin_port) : nil
    }

    private func sendsAtOnce(_ descriptor: Int32) -> Bool {
        var isOn: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, &size) == 0 && isOn != 0
    }

    @Test("A stop closes the connections of clients")
    func connectionsAtStop() throws {
        let node = try node()
        try node.start()
        let connection = try RawConnection(address)
        _ = try connection.leader()
        try node.stop()
        #expect(throws: (any Error).self) { try connection.leader() }
    }

    @Test("A port in use is reported")
    func portInUse() throws {
        let node = try node()
        try node.start()
        defer { try? node.stop() }
        let other = TemporaryDirectory()
        let error = #expect(throws: SQLiteError.self) {
            try ClusterNode(id: 2, address: address, directory: other.path).start()
        }
        #expect(error?.code == .cannotOpen && error?.message.contains("in use") == true)
    }

    @Test("A directory that another node of the process uses is rejected")
    func directoryInUse() throws {
        let node = try node()
        try node.start()
        defer { try? node.stop() }
        let other = try self.node(id: 2, try RealNodes.freeAddress())
        let error = #expect(throws: SQLiteError.self) { try other.start() }
        #expect(error?.code == .busy)
    }

    @Test("A directory that a node of another process uses is rejected")
    func directoryInUseElsewhere() throws {
        let process = NodeProcess(RealNodes.command, id: 1, address: address, directory: directory.path)
        try process.start()
        let other = try node(id: 2, try RealNodes.freeAddress())
        let error = #expect(throws: SQLiteError.self) { try other.start() }
        #expect(error?.code == .busy)
    }

    @Test("A directory that is a file can't be used")
    func directoryThatIsAFile() throws {
        try Data("text".utf8).write(to: URL(fileURLWithPath: directory.path))
        let node = try node()
        let error = #expect(throws: SQLiteError.self) { try node.start() }
        #expect(error?.code == .cannotOpen)
    }

    @Test("Files that aren't a node's are reported, and SQLite keeps nothing of the node")
    func damagedFiles() throws {
        let node = try node()
        try node.start()
        try node.stop()
        let metadata = URL(fileURLWithPath: directory.path).appending(path: "metadata1")
        try Data(repeating: 0xff, count: 32).write(to: metadata)
        for _ in 0..<20 {
            let error = #expect(throws: SQLiteError.self) { try node.start() }
            #expect(error?.code == .cannotOpen)
            // What the node has freed is in use again, and SQLite looks through its list.
            let queue = try DatabaseQueue(.memory)
            try queue.write { db in
                try db.execute("CREATE TABLE t (b BLOB)")
                for size in 0..<100 {
                    try db.execute("INSERT INTO t VALUES (?)", [Data(repeating: 0xa5, count: size * 32)])
                }
            }
            var configuration = DatabaseConfiguration()
            configuration.vfs = "none of this name"
            #expect(throws: SQLiteError.self) { try DatabaseQueue(.memory, configuration: configuration) }
        }
    }

    @Test("After an error the node starts when the cause is gone")
    func startAfterError() throws {
        let node = try node()
        let other = TemporaryDirectory()
        let first = try ClusterNode(id: 1, address: address, directory: other.path)
        try first.start()
        #expect(throws: SQLiteError.self) { try node.start() }
        try first.stop()
        #expect(throws: Never.self) { try node.start() }
        try node.stop()
    }

    @Test(
        "An address that isn't a host and a port is rejected",
        arguments: [
            "", "nonsense", ":9001", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:99999", "127.0.0.1:-1", "::1:9001",
            "127.0.0.1:9001 ", "a\0b:9001",
        ])
    func invalidAddress(address: String) throws {
        let error = #expect(throws: SQLiteError.self) { try node(address) }
        #expect(error?.extendedCode == .invalidAddress)
    }

    private func node(_ address: String) throws -> ClusterNode { try node(id: 1, address) }

    @Test(
        "An address at which this machine can't listen is reported",
        arguments: ["no.such.host.invalid:9001", "192.0.2.1:9001", "[::1]:9001"])
    func foreignAddress(address: String) throws {
        let node = try node(address)
        let error = #expect(throws: SQLiteError.self) { try node.start() }
        #expect(error?.code == .cannotOpen)
    }

    @Test("A node has no number 0")
    func zero() throws {
        let error = #expect(throws: SQLiteError.self) { try node(id: 0) }
        #expect(error?.code == .misuse)
    }

    @Test("A public address is rejected")
    func publicAddress() throws {
        var configuration = ClusterNodeConfiguration()
        configuration.bindAddress = "0.0.0.0:\(try NodeProcesses.freePorts(1)[0])"
        let node = try node(id: 1, nil, configuration)
        let error = #expect(throws: SQLiteError.self) { try node.start() }
        #expect(error?.code == .misuse && error?.message.contains("allowsPublicAddresses") == true)
    }

    @Test("A public address that is allowed is used")
    func allowedPublicAddress() throws {
        var configuration = ClusterNodeConfiguration()
        let port = try NodeProcesses.freePorts(1)[0]
        configuration.bindAddress = "0.0.0.0:\(port)"
        configuration.allowsPublicAddresses = true
        let node = try node(id: 1, "127.0.0.1:\(port)", configuration)
        try node.start()
        defer { try? node.stop() }
        #expect(node.boundAddress == "0.0.0.0:\(port)")
    }

    @Test("A node listens elsewhere than where others reach it")
    func bindAddress() throws {
        var configuration = ClusterNodeConfiguration()
        configuration.bindAddress = address
        let node = try node(id: 1, "node.example:9001", configuration)
        try node.start()
        defer { try? node.stop() }
        #expect(try RawConnection(address).leader() == "node.example:9001")
    }

    @Test("A host name is an address")
    func hostName() throws {
        let port = try NodeProcesses.freePorts(1)[0]
        let node = try node("localhost:\(port)")
        try node.start()
        defer { try? node.stop() }
        #expect(node.boundAddress == "127.0.0.1:\(port)")
    }

    #if os(Linux)
        @Test("A node listens at an abstract socket")
        func abstractSocket() throws {
            var configuration = ClusterNodeConfiguration()
            configuration.bindAddress = "@"
            let node = try node(id: 1, nil, configuration)
            try node.start()
            defer { try? node.stop() }
            #expect(try #require(node.boundAddress).count > 1)
        }
    #endif

    @Test("The settings are checked at the start", arguments: [Duration.zero, .seconds(-1), .seconds(4_000)])
    func latency(latency: Duration) throws {
        var configuration = ClusterNodeConfiguration()
        configuration.networkLatency = latency
        let node = try node(id: 1, nil, configuration)
        let error = #expect(throws: SQLiteError.self) { try node.start() }
        #expect(error?.code == .misuse)
    }

    @Test("All settings are taken")
    func settings() throws {
        var configuration = ClusterNodeConfiguration()
        configuration.networkLatency = .milliseconds(20)
        configuration.failureDomain = 7
        configuration.snapshotThreshold = 64
        configuration.snapshotTrailing = 128
        let node = try node(id: 1, nil, configuration)
        try node.start()
        defer { try? node.stop() }
        #expect(try RawConnection(address).leader() == address)
    }

    @Test("Clients that go away in the middle of an answer don't end the program")
    func brokenPipe() throws {
        let process = NodeProcess(RealNodes.command, id: 1, address: address, directory: directory.path)
        try process.start()
        for _ in 0..<50 { try? RawConnection(address).askAndGo(2_000) }
        #expect(process.stop())
    }

    @Test("Nodes start and stop on many threads at once")
    func concurrently() throws {
        let node = try node()
        DispatchQueue.concurrentPerform(iterations: 20) { number in
            if number.isMultiple(of: 2) { try? node.start() } else { try? node.stop() }
        }
        try node.start()
        #expect(try RawConnection(address).leader() == address)
        try node.stop()
    }
}

@Suite("libdqlite")
struct NodeLibraryTests {
    @Test("It is installed where everything is checked", .enabled(if: ProcessInfo.processInfo.environment["CI"] != nil))
    func installed() { #expect(RealNodes.areThere, "run Scripts/setup-cluster") }
}
