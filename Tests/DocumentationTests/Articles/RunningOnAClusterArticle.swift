// swift-format-ignore-file
import DqliteKit
import Foundation
import Testing

struct RunningOnAClusterArticle: Article {
    // snippet.show
    final class Album: PersistingModel {
        var id: Int64?
        var title = ""
        var artist: String?
    }

    func albumManager(_ addresses: [String]) throws -> PersistenceManager {
        try PersistenceManager(
            Cluster(addresses, database: "app"),
            migrations: [
                Migration(
                    1,
                    sql: """
                        CREATE TABLE ALBUM (ID INTEGER PRIMARY KEY,
                            TITLE TEXT NOT NULL UNIQUE, ARTIST TEXT)
                        """)
            ])
    }
    // snippet.hide

    // snippet.show
    func add(_ title: String, to manager: PersistenceManager) throws {
        let album = Album()
        album.title = title
        do {
            try manager.insert(album)
        } catch let error as PersistenceError where error.outcome == .unknown {
            // The object is as it was before. Titles are unique here: look for the
            // row before you insert it again.
            let isThere = try manager.read(.linearizable) {
                try manager.exists(Album.self, where: \.title == title)
            }
            if !isThere { try manager.insert(album) }
        }
    }
    // snippet.hide

    // snippet.show
    func albumCount(_ manager: PersistenceManager) throws -> Int {
        try manager.read(.linearizable) { try manager.count(Album.self) }
    }
    // snippet.hide

    // snippet.show
    func startNode(
        _ id: UInt64, at address: String, in directory: String,
        joining nodes: [String]
    ) throws -> ClusterNode {
        let node = try ClusterNode(id: id, address: address, directory: directory)
        if id == 1 { try node.start() } else { try node.join(nodes) }
        return node
    }
    // snippet.hide

    // snippet.show
    func handOver(_ cluster: Cluster) throws {
        let members = try cluster.members()
        if let next = members.first(where: { !$0.isLeader && $0.role == .voter }) {
            // before the leader is stopped
            try cluster.transferLeadership(to: next.id)
        }
    }
    // snippet.hide

    // snippet.show
    func tunneled(
        _ addresses: [String], _ dial: @escaping @Sendable (String) throws -> Int32
    ) throws -> Cluster {
        var configuration = ClusterConfiguration()
        // a connected socket, which the cluster closes
        configuration.connect = { address, _ in try dial(address) }
        return try Cluster(addresses, database: "app", configuration: configuration)
    }
    // snippet.hide

    func run() throws {
        // Nobody listens at the address, so that nothing runs to its end.
        var configuration = ClusterConfiguration()
        configuration.leaderTimeout = .milliseconds(1)
        let cluster = try Cluster(["127.0.0.1:1"], database: "app", configuration: configuration)
        let manager = try PersistenceManager(cluster)
        #expect(throws: (any Error).self) { try albumCount(manager) }
        #expect(throws: (any Error).self) { try add("Blue Train", to: manager) }
        #expect(throws: (any Error).self) { try handOver(cluster) }
        #expect(try tunneled(["tunnel"]) { _ in throw CancellationError() }.database == "app")
        #expect(throws: (any Error).self) { try albumManager([]) }
        // Number 0 is none, whether libdqlite is installed or not.
        #expect(throws: (any Error).self) { try startNode(0, at: "127.0.0.1:1", in: "", joining: []) }
    }
}
