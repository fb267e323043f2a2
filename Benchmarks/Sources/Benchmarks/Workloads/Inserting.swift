import GRDB
import Persisting

/// Row 3: new objects into a table, in one transaction, with the keys written back.
enum Inserting {
    static func albums(_ options: Options) throws -> Workload {
        let count = options.size(100_000)
        let albums = Album.samples(count, seed: options.seed)
        let floor = try FloorConnection.albums([])
        let peer = try Peer.albums([])
        let manager = try Subject.albums([])
        let inserted = Album.select + " ORDER BY ID"

        /// What is in the table, and the keys that the objects were given.
        func sum(_ table: Checksum, _ keys: some Sequence<Int64?>) -> Checksum {
            var sum = table
            for key in keys { sum.add(key) }
            return sum
        }
        func ours(_ stopwatch: inout Stopwatch, _ insert: ([Album]) throws -> Void) throws -> Checksum {
            try manager.deleteAll(Album.self)
            let albums = Album.copies(of: albums)
            try stopwatch.measure { try insert(albums) }
            return sum(try manager.database.checksum(inserted), albums.map(\.id))
        }
        return Workload(
            row: "3", name: "insert \(count.grouped), one transaction", operations: count,
            contenders: [
                Contender(name: "floor") { stopwatch in
                    try floor.execute("DELETE FROM ALBUM")
                    let albums = Album.copies(of: albums)
                    try stopwatch.measure { try floor.insert(albums) { $0.id = $1 } }
                    return sum(try floor.checksum(inserted), albums.map(\.id))
                },
                Contender(name: "one by one") { stopwatch in
                    try ours(&stopwatch) { albums in
                        try manager.transaction {
                            for album in albums { try manager.insert(album) }
                        }
                    }
                },
                Contender(name: "batch") { stopwatch in
                    try ours(&stopwatch) { albums in try manager.insert(albums) }
                },
                Contender(name: "GRDB insert") { stopwatch in
                    try peer.write { try $0.execute(sql: "DELETE FROM ALBUM") }
                    var records = albums.map { AlbumRecord($0) }
                    try stopwatch.measure {
                        try peer.write { db in
                            for index in records.indices { try records[index].insert(db) }
                        }
                    }
                    return sum(try peer.checksum(inserted), records.map(\.id))
                },
            ],
            comparisons: [
                Comparison(
                    name: "one by one", subject: "one by one", limit: .ratio(1.15),
                    peers: [.init(contender: "GRDB insert", atLeast: 4)]),
                Comparison(
                    name: "batch", subject: "batch", limit: .ratio(1.1),
                    peers: [.init(contender: "GRDB insert", atLeast: 4)]),
            ])
    }
}
