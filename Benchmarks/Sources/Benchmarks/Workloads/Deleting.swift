import GRDB
import Persisting

/// Row 6: rows deleted one after the other by their keys, in one transaction.
enum Deleting {
    static func byKey(_ options: Options) throws -> Workload {
        let deleted = options.size(50_000)
        // Some rows stay, so that the right ones are seen to go.
        let samples = Album.samples(deleted + deleted / 10, seed: options.seed)
        let floor = try FloorConnection.albums([])
        let peer = try Peer.albums([])
        let manager = try Subject.albums([])
        let left = Album.select + " ORDER BY ID"
        return Workload(
            row: "6", name: "delete \(deleted.grouped) by key", operations: deleted,
            contenders: [
                Contender(name: "floor") { stopwatch in
                    try floor.execute("DELETE FROM ALBUM")
                    let albums = Album.copies(of: samples)
                    try floor.insert(albums) { $0.id = $1 }
                    try stopwatch.measure {
                        try floor.transaction {
                            let statement = try floor.prepare("DELETE FROM ALBUM WHERE ID = ?")
                            defer { statement.finalize() }
                            for album in albums.prefix(deleted) {
                                try statement.bind(album.id, 1)
                                try statement.run()
                                guard floor.changes == 1 else { throw BenchmarkFailure("the album is gone") }
                            }
                        }
                    }
                    return try floor.checksum(left)
                },
                Contender(name: "delete") { stopwatch in
                    try manager.deleteAll(Album.self)
                    let albums = Album.copies(of: samples)
                    try manager.insert(albums)
                    try stopwatch.measure {
                        try manager.transaction {
                            for album in albums.prefix(deleted) {
                                guard try manager.delete(album) else { throw BenchmarkFailure("the album is gone") }
                            }
                        }
                    }
                    return try manager.database.checksum(left)
                },
                Contender(name: "batch") { stopwatch in
                    try manager.deleteAll(Album.self)
                    let albums = Album.copies(of: samples)
                    try manager.insert(albums)
                    let first = Array(albums.prefix(deleted))
                    try stopwatch.measure {
                        guard try manager.delete(first) == deleted else { throw BenchmarkFailure("an album is gone") }
                    }
                    return try manager.database.checksum(left)
                },
                Contender(name: "GRDB deleteOne(key:)") { stopwatch in
                    var records = samples.map { AlbumRecord($0) }
                    try peer.write { db in
                        try db.execute(sql: "DELETE FROM ALBUM")
                        for index in records.indices { try records[index].insert(db) }
                    }
                    try stopwatch.measure {
                        try peer.write { db in
                            for record in records.prefix(deleted) {
                                guard try AlbumRecord.deleteOne(db, key: record.id) else {
                                    throw BenchmarkFailure("the album is gone")
                                }
                            }
                        }
                    }
                    return try peer.checksum(left)
                },
            ],
            comparisons: [
                Comparison(
                    name: "", subject: "delete", limit: .ratio(1.2),
                    peers: [.init(contender: "GRDB deleteOne(key:)", atLeast: 3)]),
                Comparison(
                    name: "batch", subject: "batch", limit: .ratio(1),
                    peers: [.init(contender: "GRDB deleteOne(key:)", atLeast: 3)]),
            ])
    }
}
