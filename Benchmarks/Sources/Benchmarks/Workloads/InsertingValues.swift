import Foundation
import GRDB
import SQLiteKit

/// Row 12: SQLiteKit alone, writing: a statement is run with the values of each row.
enum InsertingValues {
    static func byPosition(_ options: Options) throws -> Workload {
        try workload(
            "by position", options, sql: Album.insert, limit: 1.05, atLeast: 1.2,
            others: [
                // The same, value by value, as one does who has the types.
                (
                    "bound one by one",
                    { statement, album in
                        func bind(_ value: String?, _ index: Int) throws {
                            if let value {
                                try statement.bind(text: value, at: index)
                            } else {
                                try statement.bindNull(at: index)
                            }
                        }
                        func bind(_ value: Double?, _ index: Int) throws {
                            if let value {
                                try statement.bind(double: value, at: index)
                            } else {
                                try statement.bindNull(at: index)
                            }
                        }
                        try statement.bindNull(at: 1)
                        try bind(album.mediaKey, 2)
                        try bind(album.lastPlayedDate?.timeIntervalSince1970, 3)
                        if let image = album.coverImageData {
                            try statement.bind(blob: image, at: 4)
                        } else {
                            try statement.bindNull(at: 4)
                        }
                        try bind(album.title, 5)
                        try bind(album.artist, 6)
                        try bind(album.descrip, 7)
                        try bind(album.publishDate?.timeIntervalSince1970, 8)
                        if let flags = album.flags {
                            try statement.bind(int64: Int64(flags), at: 9)
                        } else {
                            try statement.bindNull(at: 9)
                        }
                        try bind(album.rating, 10)
                        while try statement.step() {}
                        statement.reset()
                    }
                )
            ]
        ) { statement, album in
            try statement.execute([
                nil, album.mediaKey, album.lastPlayedDate, album.coverImageData, album.title, album.artist,
                album.descrip, album.publishDate, album.flags, album.rating,
            ])
        } peer: { statement, album in
            try statement.execute(arguments: [
                nil, album.mediaKey, album.lastPlayedDate?.timeIntervalSince1970, album.coverImageData, album.title,
                album.artist, album.descrip, album.publishDate?.timeIntervalSince1970, album.flags, album.rating,
            ])
        }
    }

    static func byName(_ options: Options) throws -> Workload {
        let names = [
            "id", "mediaKey", "lastPlayedDate", "coverImageData", "title", "artist", "descrip", "publishDate", "flags",
            "rating",
        ]
        let sql = """
            INSERT INTO ALBUM (\(Album.columnNames.joined(separator: ", "))) \
            VALUES (\(names.map { ":" + $0 }.joined(separator: ", ")))
            """
        return try workload("by name", options, sql: sql, limit: 1.15, atLeast: 1.2) { statement, album in
            try statement.execute([
                "id": nil, "mediaKey": album.mediaKey, "lastPlayedDate": album.lastPlayedDate,
                "coverImageData": album.coverImageData, "title": album.title, "artist": album.artist,
                "descrip": album.descrip, "publishDate": album.publishDate, "flags": album.flags,
                "rating": album.rating,
            ])
        } peer: { statement, album in
            try statement.execute(arguments: [
                "id": nil, "mediaKey": album.mediaKey,
                "lastPlayedDate": album.lastPlayedDate?.timeIntervalSince1970,
                "coverImageData": album.coverImageData, "title": album.title, "artist": album.artist,
                "descrip": album.descrip, "publishDate": album.publishDate?.timeIntervalSince1970,
                "flags": album.flags, "rating": album.rating,
            ])
        }
    }

    private typealias Insert = (SQLiteKit.Statement, Album) throws -> Void

    private static func workload(
        _ name: String, _ options: Options, sql: String, limit: Double, atLeast: Double,
        others: [(name: String, insert: Insert)] = [], _ insert: @escaping Insert,
        peer insertPeer: @escaping (GRDB.Statement, Album) throws -> Void
    ) throws -> Workload {
        let count = options.size(100_000)
        let albums = Album.samples(count, seed: options.seed)
        let floor = try FloorConnection.albums([])
        let peer = try Peer.albums([])
        let ours = try SQLiteKit.DatabaseQueue(.memory)
        try ours.write { try $0.execute(SQL(Album.create)) }
        let inserted = Album.select + " ORDER BY ID"

        func contender(_ name: String, _ insert: @escaping Insert) -> Contender {
            Contender(name: name) { stopwatch in
                try ours.write { try $0.execute("DELETE FROM ALBUM") }
                try stopwatch.measure {
                    try ours.write { db in
                        let statement = try db.prepare(SQL(sql))
                        for album in albums { try insert(statement, album) }
                    }
                }
                return try ours.checksum(inserted)
            }
        }
        return Workload(
            row: "12", name: "insert \(count.grouped), \(name)", operations: count,
            contenders: [
                Contender(name: "floor") { stopwatch in
                    try floor.execute("DELETE FROM ALBUM")
                    try stopwatch.measure { try floor.insert(albums) { _, _ in } }
                    return try floor.checksum(inserted)
                },
                contender(name, insert),
                Contender(name: "GRDB \(name)") { stopwatch in
                    try peer.write { try $0.execute(sql: "DELETE FROM ALBUM") }
                    try stopwatch.measure {
                        try peer.write { db in
                            let statement = try db.cachedStatement(sql: sql)
                            for album in albums { try insertPeer(statement, album) }
                        }
                    }
                    return try peer.checksum(inserted)
                },
            ] + others.map { contender($0.name, $0.insert) },
            comparisons: [
                Comparison(
                    name: "", subject: name, limit: .ratio(limit),
                    peers: [.init(contender: "GRDB \(name)", atLeast: atLeast)])
            ] + others.map { Comparison(name: $0.name, subject: $0.name) })
    }
}
