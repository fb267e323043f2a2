import Faults
import Foundation
import Persisting
import SQLiteKit

/// R12: a database is opened, used, misused and closed a thousand times, or for an hour. SQLite's memory is all given
/// back, no file stays open, no object is left, and the process has no more memory in use.
///
/// What is in use is counted, not what is resident: an allocator takes pages and keeps them as it likes.
enum Leaks {
    /// The growth that isn't a leak, in bytes a cycle: what is made once, but not in the first cycles.
    private static let tolerance = 1_024
    /// The same in an hour.
    private static let toleranceInAll = 1 << 20

    static func run(_ options: Options) throws -> [Figures] {
        let directory = try CaseDirectory()
        var figures = Figures("R12 open, use, misuse and close")
        try directory.reset(.wal)
        let count = options.isQuick ? 50 : 1_000
        // What is made once, such as the descriptions of classes, and what the allocator keeps.
        for _ in 0..<(options.isQuick ? 50 : 200) { try cycle(directory.path) }
        let (memory, files, heap) = (FaultyMemory.used, openFiles(), FaultyMemory.usedInAll)
        let objects = Item.count
        let end = ContinuousClock.now + .seconds(3_600)
        var number = 0
        while options.isLong ? ContinuousClock.now < end : number < count {
            try cycle(directory.path)
            var faults: [Fault] = []
            let alive = Item.count
            if alive != objects { faults.append(Fault(.leaked, "\(alive - objects) objects")) }
            if FaultyMemory.used > memory { faults.append(Fault(.leaked, "\(FaultyMemory.used - memory) bytes")) }
            if openFiles() != files { faults.append(Fault(.leaked, "\(openFiles() - files) files")) }
            figures.add(faults, "cycle \(number)")
            number += 1
        }
        let growth = FaultyMemory.usedInAll - heap
        if growth > (options.isLong ? toleranceInAll : tolerance * number) {
            figures.add([Fault(.leaked, "\(growth) bytes")], "the process")
        }
        figures.count("bytes of growth a cycle", max(0, growth) / max(1, number))
        figures.count("kilobytes of growth", max(0, growth) / 1_024)
        return [figures]
    }

    private static func openFiles() -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd").count) ?? 0
    }

    /// What a program does, and what it should not.
    private static func cycle(_ path: String) throws {
        try autoreleasing {
            let manager = try PersistenceManager(path: path)
            for (tag, step) in Workload.steps.dropLast().enumerated() {
                try manager.insert(step.before.map { Item(1_000 + tag, $0) })
                try step.run(manager, 1_000 + tag) { _ in }
            }
            try manager.delete(Item.self, where: \.tag >= 1_000)
            let item = Item(1_000)
            item.id = 1
            // The key is taken, the table and the column are not there, the transaction is undone, rows are left
            // unread.
            _ = try? manager.insert(item)
            _ = try? manager.fetchAll(Item.self, where: ["nothing": 1])
            _ = try? manager.execute("SELECT * FROM NOTHING")
            _ = try? manager.execute("nonsense")
            try? manager.transaction {
                try manager.insert(Item(1_001))
                throw Complaint("undone")
            }
            try manager.read { db in
                let rows = try db.query("SELECT * FROM ITEM")
                _ = try rows.next()
            }
            try? manager.forEach(Item.rows) { _ in throw Complaint("enough") }
            try manager.close()
        }
    }

    private static func autoreleasing(_ body: () throws -> Void) rethrows {
        #if canImport(ObjectiveC)
            try autoreleasepool(invoking: body)
        #else
            try body()
        #endif
    }
}
