import Faults
import Persisting
import SQLiteKit

/// R4: each allocation fails, once and from then on; in a file and in memory, of which nothing may be lost either.
enum OutOfMemory {
    static func run(_ options: Options) throws -> [Figures] {
        let directory = try CaseDirectory()
        var all: [Figures] = []
        for isPersistent in [false, true] {
            let times = isPersistent ? "persistent" : "once"
            var file = Figures("R4 wal, out of memory, \(times)")
            try each(options.isQuick ? 5 : 1, isPersistent, &file) { begin, end in
                let vfs = try FaultyVFS()
                vfs.trackDisk()
                return try FaultyCase.run(directory, .wal, vfs: vfs, begin: begin, end: end)
            }
            var memory = Figures("R4 in memory, out of memory, \(times)")
            try each(options.isQuick ? 5 : 1, isPersistent, &memory, inMemory)
            all += [file, memory]
        }
        return all
    }

    private static func each(
        _ stride: Int, _ isPersistent: Bool, _ figures: inout Figures,
        _ body: (_ begin: () -> Void, _ end: () -> Int) throws -> [Fault]?
    ) throws {
        var nth = 1
        while true {
            let before = FaultyMemory.used
            let faults = try body {
                FaultyMemory.fail(at: nth, isPersistent: isPersistent)
            } _: {
                FaultyMemory.failNone()
            }
            guard var faults else { return }
            let left = FaultyMemory.used - before
            // The first case leaves what SQLite keeps for good.
            if nth > 1, left > 0 { faults.append(Fault(.leaked, "\(left) bytes")) }
            figures.add(faults, "allocation \(nth)")
            nth += stride
        }
    }

    private static func inMemory(_ begin: () -> Void, _ end: () -> Int) throws -> [Fault]? {
        let manager = try PersistenceManager(.memory)
        try Workload.prepare(manager)
        var ledger = Ledger()
        begin()
        ledger.run(manager)
        let failures = end()
        do {
            try manager.read { db in try ledger.audit(db) }
        } catch {
            ledger.note(Fault(.unusable, "\(error)"))
        }
        FaultyCase.check(manager, &ledger)
        return failures == 0 ? nil : ledger.faults
    }
}
