import Foundation
import SQLiteKit

/// Several processes that write to one file as fast as they can: how evenly they share it, with the library's way of
/// waiting for a lock and with `sqlite3_busy_timeout`.
enum ContentionReport {
    private static let processes = 4

    /// What one process does.
    private struct Writer {
        let contender: String
        let journal: String
        let seconds: Double
        /// When all begin, in seconds since 1970.
        let start: Double
        let path: String

        var argument: String { "\(contender):\(journal):\(seconds):\(start):\(path)" }

        init(_ contender: String, _ journal: String, seconds: Double, start: Double, path: String) {
            self.contender = contender
            self.journal = journal
            self.seconds = seconds
            self.start = start
            self.path = path
        }

        init(_ argument: String) throws {
            let parts = argument.split(separator: ":", maxSplits: 4).map(String.init)
            guard parts.count == 5, let seconds = Double(parts[2]), let start = Double(parts[3]) else {
                throw BenchmarkFailure("\(argument) says no contention")
            }
            self.init(parts[0], parts[1], seconds: seconds, start: start, path: parts[4])
        }
    }

    /// What came of one round.
    private struct Round {
        var commits: [Double] = []
        var longestWait = 0.0
        var busy = 0.0

        var mean: Double { commits.reduce(0, +) / Double(commits.count) }
        /// The commits of the slowest process compared with the mean.
        var share: Double { (commits.min() ?? 0) / max(mean, 1) }
    }

    /// Prints a line for each journal mode and each way of waiting, the medians of the rounds.
    ///
    /// - Returns: Whether the library's figures are within their limits.
    static func print(_ options: Options) throws -> Bool {
        let seconds = options.isQuick ? 2.0 : 5.0
        var isWithin = true
        show("\(processes) processes write to one file for \(Int(seconds)) s; medians of \(rounds(options)) rounds.\n")
        show("| journal | waiting | commits a second | slowest / mean | longest wait | BUSY | |")
        show("| --- | --- | ---: | ---: | ---: | ---: | --- |")
        for journal in ["wal", "delete"] {
            var found: [String: [Round]] = [:]
            // In turn, so that what else the machine does meets both alike.
            for _ in 0..<rounds(options) {
                for contender in ["floor", "library"] {
                    found[contender, default: []].append(try round(contender, journal, seconds))
                }
            }
            let floor = median(found["floor"] ?? []) { $0.mean }
            for contender in ["floor", "library"] {
                let rounds = found[contender] ?? []
                let (mean, share) = (median(rounds) { $0.mean }, median(rounds) { $0.share })
                let busy = rounds.reduce(0) { $0 + $1.busy }
                var verdict = ""
                if contender == "library" {
                    let isFair = share >= 0.8 && mean >= 0.85 * floor && busy == 0
                    verdict = (isFair ? Verdict.within : .beyond).rawValue
                    isWithin = isWithin && isFair
                }
                show(
                    String(
                        format: "| %@ | %@ | %.0f | %.2f | %.2f s | %.0f | %@ |", journal,
                        contender == "floor" ? "busy_timeout" : "SQLiteKit", mean * Double(processes) / seconds, share,
                        median(rounds) { $0.longestWait }, busy, verdict))
            }
        }
        show("\nSQLiteKit is to have: slowest / mean 0.80, 0.85 of the commits of busy_timeout, no BUSY.")
        return isWithin
    }

    private static func rounds(_ options: Options) -> Int { options.rounds ?? (options.isQuick ? 1 : 5) }

    private static func median(_ rounds: [Round], of figure: (Round) -> Double) -> Double {
        let sorted = rounds.map(figure).sorted()
        return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
    }

    private static func round(_ contender: String, _ journal: String, _ seconds: Double) throws -> Round {
        guard let executable = Bundle.main.executableURL else { throw BenchmarkFailure("there is no executable") }
        let file = try TemporaryFile()
        do {
            let floor = try FloorConnection(file.path)
            try floor.execute("PRAGMA journal_mode = \(journal); CREATE TABLE t (process INTEGER, number INTEGER)")
        }
        let task = Writer(
            contender, journal, seconds: seconds, start: Date().timeIntervalSince1970 + 0.5, path: file.path)
        let children = try (0..<processes).map { _ in
            let process = Process()
            process.executableURL = executable
            process.arguments = ["--child", "contend", task.argument]
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            return (process, pipe)
        }
        var round = Round()
        for (process, pipe) in children {
            let numbers = Child.numbers(
                in: String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self))
            process.waitUntilExit()
            guard process.terminationStatus == 0, let commits = numbers["commits"] else {
                throw BenchmarkFailure("a process that writes ended with \(process.terminationStatus)")
            }
            round.commits.append(commits)
            round.longestWait = max(round.longestWait, numbers["longest"] ?? 0)
            round.busy += numbers["busy"] ?? 0
        }
        return round
    }

    /// What a child measures: commits of one row, one after the other.
    static func measure(_ argument: String) throws {
        let task = try Writer(argument)
        let insert = try task.contender == "floor" ? floor(task) : library(task)
        while Date().timeIntervalSince1970 < task.start {}
        let start = ContinuousClock.now
        var (commits, busy, longest) = (0.0, 0.0, 0.0)
        var last = start
        while (last - start).seconds < task.seconds {
            if try insert() { commits += 1 } else { busy += 1 }
            let now = ContinuousClock.now
            longest = max(longest, (now - last).seconds)
            last = now
        }
        Child.report(["commits": commits, "busy": busy, "longest": longest])
    }

    // Both wait 5 s, and commit as safely.

    /// - Returns: What commits one row; false when it was BUSY.
    private static func floor(_ task: Writer) throws -> () throws -> Bool {
        let connection = try FloorConnection(task.path)
        try connection.execute("PRAGMA synchronous = \(task.journal == "wal" ? "FULL" : "EXTRA")")
        return {
            do {
                try connection.transaction { try connection.execute("INSERT INTO t VALUES (1, 2)") }
                return true
            } catch let error as FloorError where error.isBusy {
                return false
            }
        }
    }

    private static func library(_ task: Writer) throws -> () throws -> Bool {
        let queue = try DatabaseQueue(.file(task.path))
        return {
            do {
                try queue.write { db in _ = try db.execute("INSERT INTO t VALUES (1, 2)") }
                return true
            } catch let error as SQLiteError where error.code == .busy {
                return false
            }
        }
    }
}
