import Foundation
import GRDB
import SQLiteKit

/// Row 12: SQLiteKit alone, reading.
enum Scanning {
    static func byIndex(_ options: Options) throws -> Workload {
        let scans = try Scans(options)
        return scans.workload(
            "scan \(scans.count.grouped) × 10, by index", "by index", limit: 1.05, peer: "GRDB by index", atLeast: 1
        ) { row, sum in
            let id: Int64 = try row[0]
            let key: String? = try row[1]
            let played: Date? = try row[2]
            let image: Data? = try row[3]
            let title: String? = try row[4]
            let artist: String? = try row[5]
            let description: String? = try row[6]
            let published: Date? = try row[7]
            let flags: Int? = try row[8]
            let rating: Double? = try row[9]
            sum.add(id, key, played, image, title, artist, description, published, flags, rating)
        } peers: { row, sum in
            sum.add(row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7], row[8], row[9])
        }
    }

    static func byName(_ options: Options) throws -> Workload {
        let scans = try Scans(options)
        return scans.workload(
            "scan \(scans.count.grouped) × 10, by name", "by name", limit: 1.15, peer: "GRDB by name", atLeast: 1.2
        ) { row, sum in
            let id: Int64 = try row["ID"]
            let key: String? = try row["MEDIA_KEY"]
            let played: Date? = try row["LAST_PLAYED_DATE"]
            let image: Data? = try row["COVER_IMAGE_DATA"]
            let title: String? = try row["TITLE"]
            let artist: String? = try row["ARTIST"]
            let description: String? = try row["DESCRIP"]
            let published: Date? = try row["PUBLISH_DATE"]
            let flags: Int? = try row["FLAGS"]
            let rating: Double? = try row["RATING"]
            sum.add(id, key, played, image, title, artist, description, published, flags, rating)
        } peers: { row, sum in
            sum.add(
                row["ID"], row["MEDIA_KEY"], row["LAST_PLAYED_DATE"], row["COVER_IMAGE_DATA"], row["TITLE"],
                row["ARTIST"], row["DESCRIP"], row["PUBLISH_DATE"], row["FLAGS"], row["RATING"])
        }
    }

    static func decoding(_ options: Options) throws -> Workload {
        let scans = try Scans(options)
        return Workload(
            row: "12", name: "scan \(scans.count.grouped) × 10, Decodable", operations: scans.count,
            contenders: [
                Contender(name: "floor") { stopwatch in
                    Checksum(
                        try stopwatch.measure {
                            let statement = try scans.floor.prepare(Album.select)
                            defer { statement.finalize() }
                            var albums: [AlbumValues] = []
                            while try statement.step() { albums.append(try statement.albumValues()) }
                            return albums
                        })
                },
                Contender(name: "decode") { stopwatch in
                    Checksum(
                        try stopwatch.measure {
                            try scans.ours.read { db in
                                var albums: [AlbumValues] = []
                                let rows = try db.query(SQL(Album.select))
                                while let row = try rows.next() { albums.append(try row.decode(AlbumValues.self)) }
                                return albums
                            }
                        })
                },
                Contender(name: "GRDB Codable") { stopwatch in
                    Checksum(try stopwatch.measure { try scans.peer.read { try AlbumValues.fetchAll($0) } })
                },
            ],
            comparisons: [
                Comparison(
                    name: "", subject: "decode", limit: .ratio(2.5),
                    peers: [.init(contender: "GRDB Codable", atLeast: 2)]
                )
            ])
    }
}

/// The same rows in all databases.
private struct Scans {
    let count: Int
    let floor: FloorConnection
    let ours: SQLiteKit.DatabaseQueue
    let peer: GRDB.DatabaseQueue

    init(_ options: Options) throws {
        count = options.size(100_000)
        let albums = Album.samples(count, seed: options.seed)
        floor = try FloorConnection.albums(albums)
        peer = try Peer.albums(albums)
        ours = try SQLiteKit.DatabaseQueue(.memory)
        try ours.write { db in
            try db.execute(SQL(Album.create))
            let insert = try db.prepare(SQL(Album.insert))
            for album in albums {
                try insert.execute([
                    album.id, album.mediaKey, album.lastPlayedDate, album.coverImageData, album.title, album.artist,
                    album.descrip, album.publishDate, album.flags, album.rating,
                ])
            }
        }
    }

    func workload(
        _ name: String, _ subject: String, limit: Double, peer peerName: String, atLeast: Double,
        _ read: @escaping (SQLiteKit.Row, inout Checksum) throws -> Void,
        peers readPeer: @escaping (GRDB.Row, inout Checksum) throws -> Void
    ) -> Workload {
        Workload(
            row: "12", name: name, operations: count,
            contenders: [
                Contender(name: "floor") { stopwatch in
                    try stopwatch.measure {
                        let statement = try floor.prepare(Album.select)
                        defer { statement.finalize() }
                        var sum = Checksum()
                        while try statement.step() {
                            sum.add(
                                Int64(statement.required(0)), try statement.text(1), statement.date(2),
                                statement.data(3), try statement.text(4), try statement.text(5),
                                try statement.text(6), statement.date(7), statement.int(8), statement.double(9))
                        }
                        return sum
                    }
                },
                Contender(name: subject) { stopwatch in
                    try stopwatch.measure {
                        try ours.read { db in
                            var sum = Checksum()
                            let rows = try db.query(SQL(Album.select))
                            while let row = try rows.next() { try read(row, &sum) }
                            return sum
                        }
                    }
                },
                Contender(name: peerName) { stopwatch in
                    try stopwatch.measure {
                        try peer.read { db in
                            var sum = Checksum()
                            let rows = try GRDB.Row.fetchCursor(db, sql: Album.select)
                            while let row = try rows.next() { try readPeer(row, &sum) }
                            return sum
                        }
                    }
                },
            ],
            comparisons: [
                Comparison(
                    name: "", subject: subject, limit: .ratio(limit),
                    peers: [.init(contender: peerName, atLeast: atLeast)])
            ])
    }
}

extension Checksum {
    /// A row of albums, looked at so that its values are needed, and no longer than that takes.
    @inline(__always)
    fileprivate mutating func add(
        _ id: Int64, _ key: String?, _ played: Date?, _ image: Data?, _ title: String?, _ artist: String?,
        _ description: String?, _ published: Date?, _ flags: Int?, _ rating: Double?
    ) {
        add(id)
        add(key?.utf8.count)
        add(played)
        add(image?.count)
        add(title?.utf8.count)
        add(artist?.utf8.count)
        add(description?.utf8.count)
        add(published)
        add(flags)
        add(rating)
    }
}
