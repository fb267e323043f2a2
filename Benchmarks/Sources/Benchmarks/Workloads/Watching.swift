import Foundation
import GRDB
import Persisting
import SQLiteKit

/// Row 18: what it costs to watch, and not to be watched, in memory: a disk would hide it.
enum Watching {
    private static let create = "CREATE TABLE NUMBER (ID INTEGER PRIMARY KEY, VALUE INTEGER)"
    private static let insert = "INSERT INTO NUMBER (VALUE) VALUES (?)"
    private static let all = "SELECT VALUE FROM NUMBER ORDER BY ID"
    private static let others = (0..<10).map { "OTHER_\($0)" }

    /// A commit with nobody watching. What the library does then, a look at one number for each access, can't be taken
    /// out: the row compares a manager that was watched, and is no longer, with one that never was.
    static func nobody(_ options: Options) throws -> Workload {
        let times = options.size(50_000)
        let before = try numbers()
        let after = try numbers()
        let watcher = try Watchers(after, others: 1)
        let watched = Arrivals(after.observe { try $0.read { db in try db.scalar(SQL(all), as: Int.self) ?? 0 } })
        for number in 1...100 {
            try after.execute("INSERT OR REPLACE INTO NUMBER (ID, VALUE) VALUES (1, \(number))")
            _ = try watched.wait()
        }
        watched.end()
        watcher.end()
        return Workload(
            row: "18", name: "write with nobody watching", operations: times,
            contenders: [inserting("never watched", times, before), inserting("watched before", times, after)],
            comparisons: [
                Comparison(name: "", subject: "watched before", floor: "never watched", limit: .ratio(1.02))
            ])
    }

    /// A write with a hundred who watch other tables.
    static func others(_ options: Options) throws -> Workload {
        let times = options.size(50_000)
        let alone = try numbers()
        let watched = try numbers()
        let watchers = try Watchers(watched, others: 100)
        let peer = try peerNumbers()
        let watchedPeer = try peerNumbers()
        let observations = try WatchersOfPeer(watchedPeer, others: 100)
        func peers(_ name: String, _ queue: GRDB.DatabaseQueue) -> Contender {
            Contender(name: name) { stopwatch in
                try queue.write { try $0.execute(sql: "DELETE FROM NUMBER") }
                try stopwatch.measure {
                    for number in 0..<times {
                        try queue.write { db in
                            try db.cachedStatement(sql: insert).execute(arguments: [number])
                        }
                    }
                }
                withExtendedLifetime((watchers, observations)) {}
                return try queue.checksum(all)
            }
        }
        return Workload(
            row: "18", name: "write with 100 watchers of other tables", operations: times,
            contenders: [
                inserting("alone", times, alone), inserting("watched", times, watched),
                peers("GRDB alone", peer), peers("GRDB watched", watchedPeer),
            ],
            comparisons: [
                Comparison(name: "", subject: "watched", floor: "alone", limit: .ratio(1.1)),
                Comparison(name: "of GRDB", subject: "GRDB watched", floor: "GRDB alone"),
            ])
    }

    /// From the call of a one-row write to the value that a loop gets. By hand, the write yields to an `AsyncStream`,
    /// and the loop's task reads the value.
    static func arriving(_ options: Options) throws -> Workload {
        let times = options.size(5_000)
        let update = "UPDATE NUMBER SET VALUE = ? WHERE ID = 1"
        let select = "SELECT VALUE FROM NUMBER WHERE ID = 1"
        let insertOne = "INSERT INTO NUMBER (ID, VALUE) VALUES (1, -1)"

        let floor = try FloorConnection()
        try floor.execute(create)
        try floor.execute(insertOne)
        let manager = try numbers()
        try manager.execute(SQL(insertOne))
        let peer = try peerNumbers()
        try peer.write { try $0.execute(sql: insertOne) }

        func contender(
            _ name: String, _ begin: @escaping () throws -> (Arrivals, write: (Int) throws -> Void)
        ) -> Contender {
            Contender(name: name) { stopwatch in
                var sum = Checksum()
                let (arrivals, write) = try begin()
                defer { arrivals.end() }
                _ = try arrivals.wait()
                for number in 0..<times {
                    let start = ContinuousClock.now
                    try write(number)
                    let arrival = try arrivals.wait()
                    stopwatch.add(seconds: (arrival.time - start).seconds)
                    sum.add(arrival.value)
                }
                return sum
            }
        }
        return Workload(
            row: "18", name: "from a write to the value observed", operations: times,
            contenders: [
                contender("floor") {
                    let (values, continuation) = AsyncStream.makeStream(of: Void.self)
                    let write = try floor.prepare(update)
                    let statements = FloorStatements(read: try floor.prepare(select))
                    continuation.yield()
                    let arrivals = Arrivals(values.map { try statements.value() })
                    return (
                        arrivals,
                        { number in
                            try write.bind(number, 1)
                            try write.run()
                            continuation.yield()
                        }
                    )
                },
                contender("observe") {
                    (
                        Arrivals(
                            manager.observe { manager in
                                try manager.read { db in
                                    try db.scalar("SELECT VALUE FROM NUMBER WHERE ID = 1", as: Int.self) ?? 0
                                }
                            }),
                        { number in try manager.execute("UPDATE NUMBER SET VALUE = \(number) WHERE ID = 1") }
                    )
                },
                contender("GRDB") {
                    (
                        Arrivals(
                            ValueObservation.tracking { db in
                                try Int.fetchOne(db.cachedStatement(sql: select)) ?? 0
                            }.values(in: peer)),
                        { number in
                            try peer.write { db in
                                try db.cachedStatement(sql: update).execute(arguments: [number])
                            }
                        }
                    )
                },
            ],
            comparisons: [
                Comparison(
                    name: "", subject: "observe", limit: .ratio(3), peers: [.init(contender: "GRDB", atLeast: 2)])
            ])
    }

    /// One row of a list with sections changes, up to the change of the list. By hand, the row is written, and the keys
    /// and what names the sections are read in order.
    static func sections(_ options: Options) throws -> Workload {
        let count = options.size(100_000)
        let times = 10
        let floor = try FloorConnection()
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Contact.self)
        try floor.execute(Contact.createTableStatement().sql)
        let fill = """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO CONTACT (ID, LAST_NAME, FIRST_NAME)
            SELECT i, 'last name ' || (i * 7919 % 1000), 'first name ' || i FROM n
            """
        let index = "CREATE INDEX NAMES ON CONTACT (LAST_NAME, FIRST_NAME)"
        for sql in [fill, index] {
            try floor.execute(sql)
            try manager.execute(SQL(sql))
        }
        let list = List(manager)
        return Workload(
            row: "18", name: "one change in sections of \(count.grouped) rows", operations: times,
            contenders: [
                Contender(name: "floor") { stopwatch in
                    let update = try floor.prepare("UPDATE CONTACT SET FIRST_NAME = ? WHERE ID = ?")
                    let select = try floor.prepare("SELECT ID, LAST_NAME FROM CONTACT ORDER BY LAST_NAME, FIRST_NAME")
                    defer {
                        update.finalize()
                        select.finalize()
                    }
                    var sum = Checksum()
                    for number in 0..<times {
                        try stopwatch.measure {
                            try update.bind("\(number)", 1)
                            try update.bind(Int64(number + 1), 2)
                            try update.run()
                            var keys: [Int64?] = []
                            var names: [String?] = []
                            while try select.step() {
                                keys.append(select.int64(0))
                                names.append(try select.text(1))
                            }
                            try select.reset()
                            sum.add(keys.count)
                            sum.add(Set(names).count)
                        }
                    }
                    return sum
                },
                Contender(name: "controller") { stopwatch in
                    let (seconds, sum) = try awaiting { try await list.change(times) }
                    stopwatch.add(seconds: seconds)
                    return sum
                },
            ],
            comparisons: [Comparison(name: "", subject: "controller", limit: .ratio(1.5))])
    }

    // MARK: Databases

    private static func numbers() throws -> PersistenceManager {
        let manager = try PersistenceManager(.memory)
        try manager.execute(SQL(create))
        for name in others { try manager.execute("CREATE TABLE \(identifier: name) (VALUE INTEGER)") }
        return manager
    }

    private static func peerNumbers() throws -> GRDB.DatabaseQueue {
        let queue = try Peer.database()
        try queue.write { db in
            try db.execute(sql: create)
            for name in others { try db.execute(sql: "CREATE TABLE \(name) (VALUE INTEGER)") }
        }
        return queue
    }

    private static func inserting(_ name: String, _ times: Int, _ manager: PersistenceManager) -> Contender {
        Contender(name: name) { stopwatch in
            try manager.execute("DELETE FROM NUMBER")
            try stopwatch.measure {
                for number in 0..<times {
                    try manager.write { db in try db.execute("INSERT INTO NUMBER (VALUE) VALUES (?)", [number]) }
                }
            }
            return try manager.database.checksum(all)
        }
    }

    // MARK: Those who watch

    /// Loops over values of other tables.
    private final class Watchers {
        private let loops: [Arrivals]

        init(_ manager: PersistenceManager, others count: Int) throws {
            loops = (0..<count).map { number in
                let name = others[number % others.count]
                return Arrivals(
                    manager.observe { manager in
                        try manager.read { db in
                            try db.scalar("SELECT count(VALUE) FROM \(identifier: name)", as: Int.self) ?? 0
                        }
                    })
            }
            for loop in loops { _ = try loop.wait() }
        }

        func end() { for loop in loops { loop.end() } }
    }

    private final class WatchersOfPeer {
        private let loops: [Arrivals]

        init(_ queue: GRDB.DatabaseQueue, others count: Int) throws {
            loops = (0..<count).map { number in
                let sql = "SELECT count(VALUE) FROM \(others[number % others.count])"
                return Arrivals(
                    ValueObservation.tracking { db in try Int.fetchOne(db, sql: sql) ?? 0 }.values(in: queue))
            }
            for loop in loops { _ = try loop.wait() }
        }
    }
}

/// The statement of the floor's loop, which reads while the writer waits for it.
private struct FloorStatements: @unchecked Sendable {
    let read: FloorStatement

    func value() throws -> Int {
        guard try read.step() else { throw BenchmarkFailure("the row is gone") }
        let value = read.required(0)
        try read.reset()
        return value
    }
}

/// A list that belongs to an actor.
private actor List {
    private let manager: PersistenceManager
    private var controller: FetchedResultsController<Contact, String>?

    init(_ manager: PersistenceManager) {
        self.manager = manager
    }

    /// Changes one row after the other.
    ///
    /// - Returns: The time from each write to the change of the list, and the numbers of objects and sections.
    func change(_ times: Int) async throws -> (seconds: Double, sum: Checksum) {
        let controller =
            self.controller
            ?? FetchedResultsController(
                Contact.sorted(by: [.ascending(\.lastName), .ascending(\.firstName)]), sectionedBy: \.lastName,
                in: manager)
        if self.controller == nil { try controller.fetch() }
        self.controller = controller
        var changes = controller.changes.makeAsyncIterator()
        var (seconds, sum) = (0.0, Checksum())
        for number in 0..<times {
            let start = ContinuousClock.now
            try write(number)
            guard let change = try await changes.next() else { throw BenchmarkFailure("the controller is gone") }
            seconds += (ContinuousClock.now - start).seconds
            guard change.updates.count == 1 else { throw BenchmarkFailure("another change: \(change)") }
            sum.add(controller.sections.reduce(0) { $0 + $1.count })
            sum.add(controller.sections.count)
        }
        return (seconds, sum)
    }

    private func write(_ number: Int) throws {
        try manager.execute(
            "UPDATE CONTACT SET FIRST_NAME = \("\(UInt32.random(in: 0 ... .max))") WHERE ID = \(number + 1)")
    }
}

private final class Contact: PersistingModel {
    var id: Int64?
    var lastName = ""
    var firstName = ""
    var phone: String?
    var email: String?
    var note: String?
}
