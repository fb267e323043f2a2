import GRDB
import Persisting

/// Rows 1 and 2: all objects of a table.
enum Fetching {
    static func albums(_ options: Options) throws -> Workload {
        let count = options.size(100_000)
        let albums = Album.samples(count, seed: options.seed)
        let floor = try FloorConnection.albums(albums)
        let peer = try Peer.albums(albums)
        let manager = try Subject.albums(albums)
        return Workload(
            row: "1", name: "fetch all, \(count.grouped) albums", operations: count,
            contenders: [
                Contender(name: "floor") { stopwatch in
                    Checksum(try stopwatch.measure { try floor.albums() })
                },
                Contender(name: "untracked") { stopwatch in
                    Checksum(try stopwatch.measure { try manager.fetchAll(Album.self, tracked: false) })
                },
                Contender(name: "tracked") { stopwatch in
                    Checksum(try stopwatch.measure { try manager.fetchAll(Album.self) })
                },
                Contender(name: "GRDB by name") { stopwatch in
                    Checksum(try stopwatch.measure { try peer.read { try AlbumRecord.fetchAll($0) } })
                },
                Contender(name: "GRDB by index") { stopwatch in
                    Checksum(try stopwatch.measure { try peer.read { try AlbumByIndex.fetchAll($0) } })
                },
                Contender(name: "GRDB Codable") { stopwatch in
                    Checksum(try stopwatch.measure { try peer.read { try AlbumValues.fetchAll($0) } })
                },
            ],
            comparisons: [
                Comparison(
                    name: "untracked", subject: "untracked", limit: .ratio(1.05),
                    peers: [
                        .init(contender: "GRDB by name", atLeast: 1.3), .init(contender: "GRDB by index"),
                        .init(contender: "GRDB Codable"),
                    ]),
                Comparison(
                    name: "tracked", subject: "tracked", limit: .ratio(1.2),
                    peers: [
                        .init(contender: "GRDB by name", atLeast: 1.1), .init(contender: "GRDB by index"),
                        .init(contender: "GRDB Codable"),
                    ]),
            ])
    }

    static func integers(_ options: Options) throws -> Workload {
        let count = options.size(200_000)
        let fill = Integers.fill(count, seed: options.seed)
        let floor = try FloorConnection()
        try floor.execute(Integers.create)
        try floor.execute(fill)
        let peer = try Peer.database()
        try peer.write { db in
            try db.execute(sql: Integers.create)
            try db.execute(sql: fill)
        }
        let manager = try PersistenceManager(.memory)
        try manager.execute(SQL(Integers.create))
        try manager.execute(SQL(fill))
        return Workload(
            row: "2", name: "fetch all, \(count.grouped) × 10 integers", operations: count,
            contenders: [
                Contender(name: "floor") { stopwatch in
                    Checksum(try stopwatch.measure { try floor.integers() })
                },
                Contender(name: "untracked") { stopwatch in
                    Checksum(try stopwatch.measure { try manager.fetchAll(Integers.self, tracked: false) })
                },
                Contender(name: "GRDB by name") { stopwatch in
                    Checksum(try stopwatch.measure { try peer.read { try IntegersRecord.fetchAll($0) } })
                },
                Contender(name: "GRDB by index") { stopwatch in
                    Checksum(try stopwatch.measure { try peer.read { try IntegersByIndex.fetchAll($0) } })
                },
            ],
            comparisons: [
                Comparison(
                    name: "untracked", subject: "untracked", limit: .ratio(1.05),
                    peers: [.init(contender: "GRDB by name", atLeast: 2), .init(contender: "GRDB by index")])
            ])
    }

    /// Of each time the table is read, the last is looked at.
    static func purchases(_ options: Options) throws -> Workload {
        let count = options.size(16_000)
        let times = 20
        let floor = try FloorConnection()
        let peer = try Peer.database()
        let manager = try PersistenceManager(.memory, dates: .iso8601)
        try floor.execute(Purchase.create)
        try Purchase.fill(floor, count, seed: options.seed)
        // All the rows, moved by a query that each of the libraries can write.
        let copy = try floor.script(of: "PURCHASE")
        try peer.write { db in
            try db.execute(sql: Purchase.create)
            try db.execute(sql: copy)
        }
        try manager.database.write { db in
            try db.executeScript(SQL(Purchase.create + ";" + copy))
        }
        return Workload(
            row: "2", name: "fetch all, \(times.grouped) × \(count.grouped) orders", operations: times * count,
            contenders: [
                Contender(name: "floor") { stopwatch in
                    Checksum(
                        try stopwatch.measure {
                            var purchases: [Purchase] = []
                            for _ in 0..<times {
                                purchases = []
                                let statement = try floor.prepare(Purchase.select)
                                defer { statement.finalize() }
                                while try statement.step() { purchases.append(try statement.purchase()) }
                            }
                            return purchases
                        })
                },
                Contender(name: "untracked") { stopwatch in
                    Checksum(
                        try stopwatch.measure {
                            var purchases: [Purchase] = []
                            for _ in 0..<times { purchases = try manager.fetchAll(Purchase.self, tracked: false) }
                            return purchases
                        })
                },
                Contender(name: "GRDB by name") { stopwatch in
                    Checksum(
                        try stopwatch.measure {
                            var purchases: [PurchaseRecord] = []
                            for _ in 0..<times { purchases = try peer.read { try PurchaseRecord.fetchAll($0) } }
                            return purchases
                        })
                },
                Contender(name: "GRDB by index") { stopwatch in
                    Checksum(
                        try stopwatch.measure {
                            var purchases: [PurchaseByIndex] = []
                            for _ in 0..<times { purchases = try peer.read { try PurchaseByIndex.fetchAll($0) } }
                            return purchases
                        })
                },
            ],
            comparisons: [
                Comparison(
                    name: "untracked", subject: "untracked", limit: .ratio(1.05),
                    peers: [.init(contender: "GRDB by name", atLeast: 2), .init(contender: "GRDB by index")])
            ])
    }
}
