import DqliteKit
import Foundation

/// A record collection on three nodes, of which one is killed.
struct AlbumFlow {
    private let nodes: [LocalNode]
    private let cluster: Cluster
    private let manager: PersistenceManager

    /// Starts the nodes.
    init(in folder: URL) throws {
        let port = Int.random(in: 10_000..<30_000)
        nodes = (1...3).map { LocalNode($0, port: port + $0, in: folder) }
        try nodes[0].start()
        for node in nodes[1...] { try node.start(joining: [nodes[0].address]) }
        cluster = try Cluster(nodes.map(\.address), database: "albums")
        manager = try PersistenceManager(cluster)
    }

    func run() async throws {
        defer { for node in nodes { node.stop() } }
        try await step("cluster.members()", cluster.members().map(\.description).joined(separator: ", "))
        try await manager.createTableIfNecessary(for: Album.self)
        let albums = Album.collection()
        try await manager.insert(albums)
        let keys = albums.compactMap(\.id).map(String.init).joined(separator: ", ")
        step("manager.insert([\(albums.count) albums])", "one transaction, generated keys \(keys)")

        let leader = try await cluster.leader()
        guard let killed = nodes.first(where: { $0.address == leader.address }) else { return }
        killed.kill()
        step("kill -9", "node \(leader.id), which leads")

        let start = ContinuousClock.now
        let album = Album("Speak No Evil", "Wayne Shorter", 1966)
        try await insert(album)
        let milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
        step("manager.insert(album)", "key \(album.id ?? 0), after \(milliseconds) ms without a leader")
        if let blue = try await manager.fetchOne(Album.self, where: \.title == "Kind of Blue") {
            try await blue.update(\.lastPlayedDate, to: Date())
            step("album.update(\\.lastPlayedDate, to: Date())", blue.title)
        }

        try killed.start()
        try await step("the killed node is back", "node \(cluster.leader().id) leads")
        let all = try await manager.read(.linearizable) { [manager] in
            try manager.fetchAll(Album.self, sortedBy: "artist, title").map { "\($0.title), \($0.artist ?? "")" }
        }
        step("manager.read(.linearizable) { … }", "\(all.count) albums")
        for line in all { print("    \(line)") }
    }

    /// Inserts an album once, whatever becomes of the nodes meanwhile.
    private func insert(_ album: Album) async throws {
        do {
            try await manager.insert(album)
        } catch let error as SQLiteError where error.outcome == .unknown {
            // The leader was lost before it answered: the row may be there.
            let title = album.title
            if let found = try await manager.fetchOne(Album.self, where: \.title == title) {
                album.id = found.id
            } else {
                try await manager.insert(album)
            }
        }
    }

    private func step(_ call: String, _ result: String) { print("\(call)\n    \(result)") }
}
