import GRDB
import Persisting

/// Row 7: a condition by key path, each time with another value, that takes about twenty rows.
enum Querying {
    static func byKeyPath(_ options: Options) throws -> Workload {
        let albums = Album.samples(options.size(100_000), seed: options.seed)
        let times = options.size(20_000)
        let index = "CREATE INDEX ALBUM_ARTIST ON ALBUM (ARTIST)"
        let floor = try FloorConnection.albums(albums)
        try floor.execute(index)
        let peer = try Peer.albums(albums)
        try peer.write { try $0.execute(sql: index) }
        var random = SplitMix64(seed: options.seed)
        let artists = Set(albums.compactMap(\.artist)).sorted()
        let wanted = (0..<times).map { artists[$0 % artists.count] }.shuffled(using: &random)
        let manager = try Subject.albums(albums)
        try manager.execute(SQL(index))

        return Workload(
            row: "7", name: "\(times.grouped) × where artist, \(Album.perArtist) rows", operations: times,
            contenders: [
                Contender(name: "floor") { stopwatch in
                    try stopwatch.measure {
                        var sum = Checksum()
                        let statement = try floor.prepare(Album.select + " WHERE ARTIST = ?")
                        defer { statement.finalize() }
                        for artist in wanted {
                            try statement.bind(artist, 1)
                            var albums: [Album] = []
                            while try statement.step() { albums.append(try statement.album()) }
                            try statement.reset()
                            for album in albums { sum.add(album.id) }
                        }
                        return sum
                    }
                },
                Contender(name: "fetchAll") { stopwatch in
                    try stopwatch.measure {
                        var sum = Checksum()
                        for artist in wanted {
                            let albums = try manager.fetchAll(Album.self, where: \.artist == artist)
                            for album in albums { sum.add(album.id) }
                        }
                        return sum
                    }
                },
                Contender(name: "GRDB by name", share: 4) { stopwatch in
                    try stopwatch.measure {
                        var sum = Checksum()
                        for artist in wanted.prefix(times / 4) {
                            let albums = try peer.read { db in
                                try AlbumRecord.filter(AlbumRecord.Columns.artist == artist).fetchAll(db)
                            }
                            guard albums.count == Album.perArtist, albums.allSatisfy({ $0.artist == artist }) else {
                                throw BenchmarkFailure("there are \(albums.count) albums of \(artist)")
                            }
                            for album in albums { sum.add(album.id) }
                        }
                        return sum
                    }
                },
            ],
            comparisons: [
                Comparison(
                    name: "", subject: "fetchAll", limit: .ratio(1.25),
                    peers: [.init(contender: "GRDB by name", atLeast: 2.5)])
            ])
    }
}
