import Foundation
import GRDB
import Persisting

/// Row 10: every object of a large file in turn, without having all of them.
enum Streaming {
    static func fromFile(_ options: Options) throws -> Workload {
        let count = options.size(1_000_000)
        let file = try TemporaryFile()
        try fill(file.path, count, seed: options.seed)
        let contenders: [(name: String, stream: Stream)] = try [
            ("floor", Self.floor(file.path)), ("forEach", ours(file.path)), ("GRDB cursor", peer(file.path)),
        ]
        return Workload(
            row: "10", name: "stream \(count.grouped) rows from a file", operations: count,
            contenders: contenders.map { name, stream in
                Contender(name: name) { stopwatch in
                    // The file is held, so that it is there as long as it is read.
                    try withExtendedLifetime(file) { try stopwatch.measure(stream) }
                }
            },
            comparisons: [
                Comparison(
                    name: "", subject: "forEach", limit: .ratio(1.05), peers: [.init(contender: "GRDB cursor")])
            ])
    }

    private typealias Stream = () throws -> Checksum

    /// What a child measures: the memory while the file is streamed, over what there was when it had been opened.
    static func measureMemory(_ contender: String, _ options: Options) throws {
        let file = try TemporaryFile()
        let count = options.size(1_000_000)
        try fillElsewhere(file.path, count, options)
        let stream =
            switch contender {
            case "floor": try floor(file.path)
            case "forEach": try ours(file.path)
            default: try peer(file.path)
            }
        let opened = try Memory.peak()
        let sum = try stream()
        guard sum.count == 2 * count else { throw BenchmarkFailure("there were \(sum)") }
        Child.report(["opened": Double(opened), "peak": Double(try Memory.peak())])
    }

    /// Fills a file in another process: the memory that the data is made in is none of this one's.
    static func fillElsewhere(_ path: String, _ count: Int, _ options: Options) throws {
        _ = try Child.run("fill", "\(count):\(path)", options)
    }

    /// What that process does.
    ///
    /// - Parameter order: How many rows, and after a colon the file.
    static func fill(_ order: String, _ options: Options) throws {
        let parts = order.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let count = Int(parts[0]) else { throw BenchmarkFailure("\(order) is no order") }
        try fill(String(parts[1]), count, seed: options.seed)
    }

    /// Fills a file with albums.
    static func fill(_ path: String, _ count: Int, seed: UInt64) throws {
        let db = try FloorConnection.albums([], path: path)
        try db.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF")
        var left = count
        let samples = Album.samples(min(count, 10_000), seed: seed)
        while left > 0 {
            try db.insert(Array(samples.prefix(left))) { _, _ in }
            left -= samples.count
        }
    }

    private static func floor(_ path: String) throws -> Stream {
        let db = try FloorConnection(path, readOnly: true)
        return {
            var sum = Checksum()
            let statement = try db.prepare(Album.select)
            defer { statement.finalize() }
            while try statement.step() {
                let album = try statement.album()
                sum.add(album.id)
                sum.add(album.rating)
            }
            return sum
        }
    }

    private static func ours(_ path: String) throws -> Stream {
        let manager = try PersistenceManager(path: path)
        return {
            var sum = Checksum()
            try manager.forEach(Query(Album.self), tracked: false) { album in
                sum.add(album.id)
                sum.add(album.rating)
            }
            return sum
        }
    }

    private static func peer(_ path: String) throws -> Stream {
        let queue = try Peer.database(path)
        return {
            try queue.read { db in
                var sum = Checksum()
                let albums = try AlbumRecord.fetchCursor(db)
                while let album = try albums.next() {
                    sum.add(album.id)
                    sum.add(album.rating)
                }
                return sum
            }
        }
    }
}
