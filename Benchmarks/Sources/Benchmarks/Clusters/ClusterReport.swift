import DqliteKit
import Foundation

/// A cluster of three nodes on this machine, with objects and with a bare client of the protocol, and how long it takes
/// until the cluster goes on after its leader was killed.
enum ClusterReport {
    /// Prints a line for each task, and one for the leader's loss.
    ///
    /// - Returns: Whether the figures are within their limits.
    static func print(_ options: Options) throws -> Bool {
        let nodes = try LocalNodes()
        let cluster = try Cluster(nodes.addresses, database: "albums")
        let manager = try PersistenceManager(cluster)
        try manager.execute(SQL(Album.create))
        let albums = Album.samples(5_000, seed: options.seed)
        for start in stride(from: 0, to: albums.count, by: 500) {
            try manager.insert(Array(albums[start..<start + 500]))
        }
        let floor = try BareClient(cluster.leader().address, database: "albums")

        var random = SplitMix64(seed: options.seed)
        var table = Table()
        show("Three nodes on this machine; the floor is a bare client of the protocol.\n")
        show(Table.header)
        let workloads = [
            try finding(floor, manager, options), try committing(floor, manager, options),
            try inserting(floor, manager, options), try fetching(floor, manager, albums.count),
        ]
        for workload in workloads {
            let measurement = try Measurement(workload, rounds: options.countedRounds, random: &random)
            show(table.lines(measurement).joined(separator: "\n"))
        }
        try printLosses(nodes, cluster, manager, options)
        return !table.isBeyond
    }

    private static let limit = Comparison.Limit.ratio(1.15)

    private static func finding(
        _ floor: BareClient, _ manager: PersistenceManager, _ options: Options
    ) throws -> Workload {
        let keys = (1...Int64(options.size(5_000))).map { $0 }
        let select = try floor.prepare(Album.select + " WHERE ID = ?")
        return Workload(
            row: "C1", name: "find by key, \(keys.count.grouped) times", operations: keys.count,
            contenders: [
                Contender(name: "floor") { stopwatch in
                    try stopwatch.measure {
                        var sum = Checksum()
                        for key in keys { try floor.query(select, key) { $0.add(to: &sum) } }
                        return sum
                    }
                },
                Contender(name: "find") { stopwatch in
                    try stopwatch.measure {
                        var sum = Checksum()
                        for key in keys { try manager.find(Album.self, key)?.add(to: &sum) }
                        return sum
                    }
                },
            ],
            comparisons: [Comparison(name: "", subject: "find", limit: limit)])
    }

    private static func committing(
        _ floor: BareClient, _ manager: PersistenceManager, _ options: Options
    ) throws -> Workload {
        let count = options.size(2_000)
        let insert = try floor.prepare(Album.insert)
        let samples = Album.samples(count, seed: options.seed)
        return Workload(
            row: "C2", name: "insert, each its own commit, \(count.grouped) times", operations: count,
            contenders: [
                Contender(name: "floor") { stopwatch in
                    let albums = Album.copies(of: samples)
                    try stopwatch.measure { for album in albums { try floor.execute(insert, album) } }
                    return Checksum()
                },
                Contender(name: "insert") { stopwatch in
                    let albums = Album.copies(of: samples)
                    try stopwatch.measure { for album in albums { try manager.insert(album) } }
                    return Checksum()
                },
            ],
            comparisons: [Comparison(name: "", subject: "insert", limit: limit)])
    }

    private static func inserting(
        _ floor: BareClient, _ manager: PersistenceManager, _ options: Options
    ) throws -> Workload {
        let count = options.size(2_000)
        let insert = try floor.prepare(Album.insert)
        let (begin, commit) = (try floor.prepare("BEGIN IMMEDIATE"), try floor.prepare("COMMIT"))
        let samples = Album.samples(count, seed: options.seed)
        return Workload(
            row: "C3", name: "insert \(count.grouped) in one transaction", operations: count,
            contenders: [
                Contender(name: "floor") { stopwatch in
                    let albums = Album.copies(of: samples)
                    try stopwatch.measure {
                        try floor.execute(begin)
                        for album in albums { try floor.execute(insert, album) }
                        try floor.execute(commit)
                    }
                    return Checksum()
                },
                Contender(name: "insert") { stopwatch in
                    let albums = Album.copies(of: samples)
                    try stopwatch.measure { try manager.insert(albums) }
                    return Checksum()
                },
            ],
            comparisons: [Comparison(name: "", subject: "insert", limit: limit)])
    }

    private static func fetching(_ floor: BareClient, _ manager: PersistenceManager, _ count: Int) throws -> Workload {
        let select = try floor.prepare(Album.select + " WHERE ID <= ?")
        return Workload(
            row: "C4", name: "fetch \(count.grouped) objects", operations: count,
            contenders: [
                Contender(name: "floor") { stopwatch in
                    let albums = try stopwatch.measure {
                        var albums: [Album] = []
                        try floor.query(select, Int64(count)) { albums.append($0) }
                        return albums
                    }
                    return Checksum(albums)
                },
                Contender(name: "fetchAll") { stopwatch in
                    let albums = try stopwatch.measure {
                        try manager.fetchAll(Album.self, where: \.id <= Int64(count))
                    }
                    return Checksum(albums)
                },
            ],
            comparisons: [Comparison(name: "", subject: "fetchAll", limit: limit)])
    }

    /// Kills the leader again and again, and measures until an insert is acknowledged.
    private static func printLosses(
        _ nodes: LocalNodes, _ cluster: Cluster, _ manager: PersistenceManager, _ options: Options
    ) throws {
        var times: [Double] = []
        for _ in 0..<(options.isQuick ? 5 : 25) {
            let leader = try cluster.leader().address
            guard let index = nodes.addresses.firstIndex(of: leader) else { continue }
            try manager.insert(Album())
            nodes.kill(index)
            let start = ContinuousClock.now
            while (try? manager.insert(Album())) == nil {}
            times.append((ContinuousClock.now - start).seconds)
            try nodes.restart(index)
            // It has what it missed when it could lead.
            let deadline = ContinuousClock.now + .seconds(20)
            while .now < deadline, (try? cluster.transferLeadership(to: UInt64(index + 1))) == nil { usleep(50_000) }
        }
        let sorted = times.sorted()
        guard let worst = sorted.last else { throw BenchmarkFailure("no leader was killed") }
        show(
            String(
                format:
                    "\nFrom kill -9 of the leader to the next acknowledged insert, %d times: median %.2f s, worst %.2f s.",
                sorted.count, sorted[sorted.count / 2], worst))
    }
}
