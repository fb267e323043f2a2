import GRDB
import Persisting

/// Row 8: objects with keys, half of which are in the table.
enum Upserting {
    static func albums(_ options: Options) throws -> Workload {
        let count = options.size(100_000)
        // What is there has other values than what comes.
        let present = Album.samples(count / 2, seed: options.seed &+ 1)
        let albums = Album.samples(count, seed: options.seed)
        for (index, album) in albums.enumerated() { album.id = Int64(index + 1) }
        let floor = try FloorConnection.albums([])
        let peer = try Peer.albums([])
        let manager = try Subject.albums([])
        let upserted = Album.select + " ORDER BY ID"
        let assignments = Album.columnNames.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        return Workload(
            row: "8", name: "upsert \(count.grouped), half present", operations: count,
            contenders: [
                Contender(name: "floor") { stopwatch in
                    try floor.execute("DELETE FROM ALBUM")
                    try floor.insert(present) { _, _ in }
                    try stopwatch.measure {
                        try floor.transaction {
                            let statement = try floor.prepare(
                                Album.insert + " ON CONFLICT DO UPDATE SET " + assignments)
                            defer { statement.finalize() }
                            for album in albums {
                                try statement.bind(album)
                                try statement.run()
                            }
                        }
                    }
                    return try floor.checksum(upserted)
                },
                Contender(name: "upsert") { stopwatch in
                    try manager.deleteAll(Album.self)
                    try manager.insert(Album.copies(of: present))
                    let albums = Album.copies(of: albums)
                    try stopwatch.measure { try manager.upsert(albums) }
                    return try manager.database.checksum(upserted)
                },
                Contender(name: "GRDB upsert") { stopwatch in
                    var records = albums.map { AlbumRecord($0) }
                    try peer.write { db in
                        try db.execute(sql: "DELETE FROM ALBUM")
                        for album in present {
                            var record = AlbumRecord(album)
                            try record.insert(db)
                        }
                    }
                    try stopwatch.measure {
                        try peer.write { db in
                            for index in records.indices { try records[index].upsert(db) }
                        }
                    }
                    return try peer.checksum(upserted)
                },
            ],
            comparisons: [
                Comparison(
                    name: "", subject: "upsert", limit: .ratio(1.15),
                    peers: [.init(contender: "GRDB upsert", atLeast: 2)])
            ])
    }
}
