import DqliteKit
import Foundation
import Testing

/// The search for the node that leads.
@Suite struct LeaderSearchTests {
    /// A manager of several nodes, whose time limits are short.
    private func manager(_ addresses: [String]) throws -> PersistenceManager {
        var configuration = ClusterConfiguration()
        configuration.connectTimeout = .milliseconds(300)
        configuration.leaderTimeout = .seconds(5)
        return try PersistenceManager(Cluster(addresses, database: "test", configuration: configuration))
    }

    /// A node that names another.
    private func naming(_ address: String) throws -> StubNode {
        try StubNode { $0.type == 0 ? .bytes(Message.leader(address)) : .usual }
    }

    @Test func aFollowerTellsWhoLeads() throws {
        let leader = try StubNode()
        let follower = try naming(leader.address)
        #expect(try manager([follower.address]).dictionaries("SELECT 1").count == 1)
        #expect(leader.statements == ["SELECT 1"] && follower.statements.isEmpty)
    }

    @Test func aLeaderThatIsFrozenIsPassedByOnceAnotherLeads() throws {
        let frozen = try StubNode { _ in .silence }
        let next = try StubNode()
        let asked = Shared(0)
        // It names the frozen node at first.
        let follower = try StubNode { request in
            guard request.type == 0 else { return .usual }
            let times = asked.change { count in
                count += 1
                return count
            }
            return .bytes(Message.leader(times < 3 ? frozen.address : next.address))
        }
        let manager = try manager([frozen.address, follower.address])
        #expect(try manager.dictionaries("SELECT 1").count == 1)
        #expect(next.statements == ["SELECT 1"])
    }

    @Test func aNodeThatWronglyBelievesToLeadIsOutvoted() throws {
        let leader = try StubNode()
        let deposed = try StubNode()
        let follower = try naming(leader.address)
        let manager = try manager([deposed.address, leader.address, follower.address])
        #expect(try manager.dictionaries("SELECT 1").count == 1)
        #expect(deposed.statements.isEmpty)
    }

    @Test func nodesAreLearnedFromTheCluster() throws {
        let second = try StubNode()
        let hasMoved = Shared(false)
        let first = try StubNode { request in
            switch request.type {
            case 0 where hasMoved.value: .bytes(Message.leader(""))
            case 16: .bytes(Message(3).number(1).number(2).text(second.address).number(0).bytes)
            case 6 where hasMoved.value: .bytes(Message.failure(10250, "not leader"))
            default: .usual
            }
        }
        let manager = try manager([first.address])
        _ = try manager.dictionaries("SELECT 1")
        hasMoved.change { $0 = true }
        #expect(try manager.dictionaries("SELECT 1").count == 1)
        #expect(second.statements == ["SELECT 1"])
    }

    @Test func withoutALeaderTheErrorSaysWhatEachNodeSaid() throws {
        let node = try naming("")
        let manager = try node.manager { $0.leaderTimeout = .milliseconds(500) }
        let error = clusterFailure { try manager.dictionaries("SELECT 1") }
        #expect(error?.extendedCode == .noLeader)
        #expect(error?.message.contains("\(node.address) names none") == true)
    }

    @Test func aNodeThatIsNotThereIsPassedBy() throws {
        let gone = try StubNode()
        gone.stop()
        let leader = try StubNode()
        #expect(try manager([gone.address, leader.address]).dictionaries("SELECT 1").count == 1)
    }

    @Test(arguments: ["", "localhost", "localhost:", "localhost:0", "localhost:99999", ":9001", "a\0b:9001", "@"])
    func whatIsNoAddressThrows(_ address: String) {
        #expect(clusterFailure { try Cluster([address], database: "test") }?.extendedCode == .invalidAddress)
    }

    @Test func aClusterWithoutAddressesThrows() {
        #expect(clusterFailure { try Cluster([], database: "test") }?.extendedCode == .invalidAddress)
    }

    @Test func theHookConnectsInPlaceOfTheLibrary() throws {
        let node = try StubNode()
        let asked = Shared<[String]>([])
        var configuration = ClusterConfiguration()
        configuration.connect = { address, _ in
            asked.change { $0.append(address) }
            return try connectedSocket(to: node.address)
        }
        let cluster = try Cluster(["tunnel"], database: "test", configuration: configuration)
        _ = clusterFailure { try cluster.members() }
        #expect(asked.value.first == "tunnel")
        #expect(node.requests.contains { $0.type == 0 })
    }

    @Test func whatTheHookThrowsIsTold() throws {
        var configuration = ClusterConfiguration()
        configuration.leaderTimeout = .milliseconds(500)
        configuration.connect = { _, _ in throw SQLiteError(.connectionLost, "the tunnel is closed") }
        let cluster = try Cluster(["tunnel"], database: "test", configuration: configuration)
        #expect(clusterFailure { try cluster.members() }?.message.contains("the tunnel is closed") == true)
    }
}

/// A socket that blocks, as a user's hook makes one.
func connectedSocket(to address: String) throws -> Int32 {
    #if canImport(Glibc)
        let stream = Int32(SOCK_STREAM.rawValue)
    #else
        let stream = SOCK_STREAM
    #endif
    let descriptor = socket(AF_INET, stream, 0)
    var target = sockaddr_in()
    target.sin_family = sa_family_t(AF_INET)
    target.sin_port = (address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0).bigEndian
    target.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let size = socklen_t(MemoryLayout.size(ofValue: target))
    let code = withUnsafePointer(to: &target) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
    }
    guard code == 0 else {
        close(descriptor)
        throw SQLiteError(.connectionLost, String(cString: strerror(errno)))
    }
    return descriptor
}
