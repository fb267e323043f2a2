import GRDB
import Persisting

/// Row 4: one object after the other, by its key.
enum FetchingByKey {
    static func albums(_ options: Options) throws -> Workload {
        let count = options.size(100_000)
        let albums = Album.samples(count, seed: options.seed)
        let floor = try FloorConnection.albums(albums)
        let peer = try Peer.albums(albums)
        let manager = try Subject.albums(albums)
        var random = SplitMix64(seed: options.seed)
        let keys = (1...Int64(count)).shuffled(using: &random)
        return Workload(
            row: "4", name: "find by key, \(count.grouped) times", operations: count,
            contenders: [
                Contender(name: "floor") { stopwatch in
                    try stopwatch.measure {
                        var sum = Checksum()
                        let statement = try floor.prepare(Album.select + " WHERE ID = ?")
                        defer { statement.finalize() }
                        for key in keys {
                            try statement.bind(key, 1)
                            guard try statement.step() else { throw BenchmarkFailure("there is no album \(key)") }
                            let album = try statement.album()
                            try statement.reset()
                            sum.add(album.id)
                            sum.add(album.rating)
                        }
                        return sum
                    }
                },
                Contender(name: "find") { stopwatch in
                    try stopwatch.measure {
                        var sum = Checksum()
                        for key in keys {
                            guard let album = try manager.find(Album.self, key) else {
                                throw BenchmarkFailure("there is no album \(key)")
                            }
                            sum.add(album.id)
                            sum.add(album.rating)
                        }
                        return sum
                    }
                },
                Contender(name: "GRDB fetchOne(key:)", share: 5) { stopwatch in
                    try stopwatch.measure {
                        var sum = Checksum()
                        for key in keys.prefix(count / 5) {
                            let album = try peer.read { try AlbumRecord.fetchOne($0, key: key) }
                            guard let album, album.id == key else {
                                throw BenchmarkFailure("there is no album \(key)")
                            }
                            sum.add(album.id)
                            sum.add(album.rating)
                        }
                        return sum
                    }
                },
            ],
            comparisons: [
                Comparison(
                    name: "", subject: "find", limit: .ratio(1.25),
                    peers: [.init(contender: "GRDB fetchOne(key:)", atLeast: 15)])
            ])
    }
}
