import Foundation
import Persisting
import SQLiteKit

/// How cost grows: what is measured for little and for much, in the same rounds.
struct Growth {
    let name: String
    /// The contenders of the workload.
    let small: String
    let large: String
    /// The floor's, where it does the same: its own growth is that of SQLite and of the machine's caches.
    var floor: (small: String, large: String)?
    /// How much it may grow; with a floor, beyond the floor's.
    let limit: Double
    let workload: Workload
}

enum GrowthReport {
    /// Prints a line for each check.
    ///
    /// - Returns: Whether all are within their limits.
    static func print(_ options: Options) throws -> Bool {
        var isWithin = true
        var random = SplitMix64(seed: options.seed)
        show("| what | little | much | growth | of the floor | at most | |")
        show("| --- | ---: | ---: | ---: | ---: | ---: | --- |")
        for make in checks {
            let growth = try make(options)
            let measurement = try Measurement(growth.workload, rounds: options.countedRounds, random: &random)
            let own = measurement.perRound(growth.large, growth.small, /)
            let floors = growth.floor.map { measurement.perRound($0.large, $0.small, /) }
            let limit = growth.limit * max(1, floors?.median ?? 1)
            let verdict = Verdict(own, atMost: limit)
            if verdict == .beyond { isWithin = false }
            let cells = [
                "\(growth.name), \(growth.small) and \(growth.large)", Table.time(measurement.time(growth.small)),
                Table.time(measurement.time(growth.large)),
                "\(Table.number(own.median)) ±\(Table.number(own.interquartileRange))",
                floors.map { Table.number($0.median) } ?? "", Table.number(limit), verdict.rawValue,
            ]
            show("| " + cells.joined(separator: " | ") + " |")
        }
        return try printMemory(options) && printShapes(options) && printTransactions(options) && isWithin
    }

    private static var checks: [(Options) throws -> Growth] {
        [
            RowGrowth.fetching, RowGrowth.inserting, ColumnGrowth.fetching, ColumnGrowth.registering,
            TableGrowth.opening, TableGrowth.finding,
        ]
    }

    /// Bytes of a fetched object.
    private static func printMemory(_ options: Options) throws -> Bool {
        let (few, many) = (options.size(100_000), options.size(1_000_000))
        var isWithin = true
        show("\n| bytes an object | \(few.grouped) rows | \(many.grouped) rows | growth | at most | |")
        show("| --- | ---: | ---: | ---: | ---: | --- |")
        for contender in ["floor", "untracked", "tracked"] {
            let bytes = try [few, many].map { try Child.run("objects", "\(contender):\($0)", options)["bytes"] ?? .nan }
            let growth = bytes[1] / bytes[0]
            let verdict = growth <= 1.1 ? Verdict.within : .beyond
            if verdict == .beyond { isWithin = false }
            show(
                String(
                    format: "| %@ | %.0f | %.0f | %.2f | 1.10 | %@ |", contender, bytes[0], bytes[1], growth,
                    verdict.rawValue))
        }
        return isWithin
    }

    /// Queries of many shapes, none like the other: what is kept of them is bounded.
    private static func printShapes(_ options: Options) throws -> Bool {
        let count = options.size(20_000)
        let manager = try Subject.albums(Album.samples(100, seed: options.seed))
        func query(_ shapes: Range<Int>) throws {
            for shape in shapes {
                let comment = "/* \(shape) */"
                let albums = try manager.fetchAll(Album.self, where: .sql("FLAGS < \(sql: SQL(comment)) 0"))
                guard albums.isEmpty else { throw BenchmarkFailure("shape \(shape) took \(albums.count) rows") }
            }
        }
        try query(0..<(count / 10))
        let before = try Memory.resident()
        try query((count / 10)..<count)
        let grown = Double(try Memory.resident() - before) / 1024 / 1024
        let cache = try manager.read { db in db.statementCacheStatistics }
        let verdict = cache.count <= cache.capacity && grown <= 8 ? Verdict.within : .beyond
        show("\n| query shapes | statements kept | capacity | memory since the first tenth | at most | |")
        show("| ---: | ---: | ---: | ---: | ---: | --- |")
        show(
            String(
                format: "| %d | %d | %d | %.1f MB | 8.0 MB | %@ |", count, cache.count, cache.capacity, grown,
                verdict.rawValue))
        return verdict == .within
    }

    /// The memory of one transaction that inserts objects which nobody keeps.
    private static func printTransactions(_ options: Options) throws -> Bool {
        let counts = [1000, options.size(5_000_000)]
        let peaks = try counts.map { try Child.run("transaction", "\($0)", options)["peak"] ?? .nan }
        let megabytes = peaks.map { $0 / 1024 / 1024 }
        let grown = megabytes[1] - megabytes[0]
        let verdict = grown <= 32 ? Verdict.within : .beyond
        show(
            "\n| peak of a transaction | \(counts[0].grouped) inserts | \(counts[1].grouped) inserts | growth | at most | |"
        )
        show("| --- | ---: | ---: | ---: | ---: | --- |")
        show(
            String(
                format: "| | %.1f MB | %.1f MB | %.1f MB | 32.0 MB | %@ |", megabytes[0], megabytes[1], grown,
                verdict.rawValue))
        return verdict == .within
    }

    /// What a child measures: inserting as many objects in one transaction, none of which is kept.
    static func measureTransaction(_ contender: String) throws {
        guard let count = Int(contender), count > 0 else { throw BenchmarkFailure("\(contender) is no count") }
        let file = try TemporaryFile()
        let manager = try PersistenceManager(path: file.path)
        try manager.createTableIfNecessary(for: Artist.self)
        try manager.transaction {
            for number in 0..<count {
                let artist = Artist()
                artist.rank = number
                try manager.insert(artist)
            }
        }
        Child.report(["peak": Double(try Memory.peak())])
    }

    /// What a child measures: registering a class that nobody has asked for.
    static func measureRegistering(_ contender: String) throws {
        let manager = try PersistenceManager(.memory)
        // What the first class of all needs is none of the second's.
        try manager.createTableIfNecessary(for: Artist.self)
        var stopwatch = Stopwatch()
        try stopwatch.measure {
            _ = try manager.createTableIfNecessary(for: contender == "100 columns" ? Wide.self : VeryWide.self)
        }
        Child.report(["seconds": stopwatch.elapsed])
    }
}
