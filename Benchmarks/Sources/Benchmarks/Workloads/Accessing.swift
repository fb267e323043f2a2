import GRDB
import Persisting
import SQLiteKit

/// Row 9: what an access costs, with as little as can be done in it.
enum Accessing {
    static func reading(_ options: Options) throws -> Workload {
        let times = options.size(50_000)
        let floor = try FloorConnection()
        let peer = try Peer.database()
        let manager = try PersistenceManager(.memory)

        func contender(_ name: String, _ body: @escaping () throws -> Int?) -> Contender {
            Contender(name: name) { stopwatch in
                try stopwatch.measure {
                    var sum = Checksum()
                    for _ in 0..<times { sum.add(try body()) }
                    return sum
                }
            }
        }
        let begin = try floor.prepare("BEGIN DEFERRED")
        let select = try floor.prepare("SELECT 1")
        let commit = try floor.prepare("COMMIT")
        return Workload(
            row: "9", name: "read { SELECT 1 }", operations: times,
            contenders: [
                contender("floor") {
                    try begin.run()
                    guard try select.step() else { return nil }
                    let one = select.int(0)
                    try select.reset()
                    try commit.run()
                    return one
                },
                contender("read") {
                    try manager.read { db in try db.scalar("SELECT 1", as: Int.self) }
                },
                contender("GRDB read") {
                    try peer.read { db in try Int.fetchOne(db, sql: "SELECT 1") }
                },
                contender("GRDB read, cached") {
                    try peer.read { db in try Int.fetchOne(db.cachedStatement(sql: "SELECT 1")) }
                },
            ],
            comparisons: [
                Comparison(
                    name: "", subject: "read", limit: .over(nanoseconds: 1000),
                    peers: [.init(contender: "GRDB read", atLeast: 3), .init(contender: "GRDB read, cached")])
            ])
    }

    static func writing(_ options: Options) throws -> Workload {
        let times = options.size(50_000)
        let create = "CREATE TABLE NUMBER (VALUE INTEGER)"
        let insert = "INSERT INTO NUMBER (VALUE) VALUES (?)"
        let all = "SELECT VALUE FROM NUMBER ORDER BY ROWID"
        let floor = try FloorConnection()
        try floor.execute(create)
        let peer = try Peer.database()
        try peer.write { try $0.execute(sql: create) }
        let manager = try PersistenceManager(.memory)
        try manager.execute(SQL(create))
        let begin = try floor.prepare("BEGIN IMMEDIATE")
        let statement = try floor.prepare(insert)
        let commit = try floor.prepare("COMMIT")

        func peers(_ name: String, _ write: @escaping (GRDB.Database, Int) throws -> Void) -> Contender {
            Contender(name: name) { stopwatch in
                try peer.write { try $0.execute(sql: "DELETE FROM NUMBER") }
                try stopwatch.measure {
                    for number in 0..<times { try peer.write { try write($0, number) } }
                }
                return try peer.checksum(all)
            }
        }
        return Workload(
            row: "9", name: "write { one insert }", operations: times,
            contenders: [
                Contender(name: "floor") { stopwatch in
                    try floor.execute("DELETE FROM NUMBER")
                    try stopwatch.measure {
                        for number in 0..<times {
                            try begin.run()
                            try statement.bind(number, 1)
                            try statement.run()
                            try commit.run()
                        }
                    }
                    return try floor.checksum(all)
                },
                Contender(name: "write") { stopwatch in
                    try manager.execute("DELETE FROM NUMBER")
                    try stopwatch.measure {
                        for number in 0..<times {
                            try manager.write { db in
                                try db.execute("INSERT INTO NUMBER (VALUE) VALUES (?)", [number])
                            }
                        }
                    }
                    return try manager.database.checksum(all)
                },
                peers("GRDB write") { db, number in try db.execute(sql: insert, arguments: [number]) },
                peers("GRDB write, cached") { db, number in
                    try db.cachedStatement(sql: insert).execute(arguments: [number])
                },
            ],
            comparisons: [
                Comparison(
                    name: "", subject: "write", limit: .over(nanoseconds: 1000),
                    peers: [.init(contender: "GRDB write", atLeast: 3), .init(contender: "GRDB write, cached")])
            ])
    }
}
