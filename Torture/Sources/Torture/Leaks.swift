import Faults
import Foundation
import Persisting
import SQLiteKit

/// R12: a database is opened, used, misused and closed a thousand times. SQLite's memory is all given back, no file stays
/// open, and the process does not grow.
enum Leaks {
    /// The growth of the process that is noise of its allocator's, in bytes a cycle.
    private static let tolerance = 1_024

    static func run(_ options: Options) throws -> [Figures] {
        let directory = try CaseDirectory()
        var figures = Figures("R12 open, use, misuse and close")
        try directory.reset(.wal)
        let count = options.count(long: 20_000, full: 1_000, quick: 50)
        // What is made once, such as the descriptions of classes, and what the allocator keeps.
        for _ in 0..<(options.isQuick ? 50 : 200) { try cycle(directory.path) }
        let (memory, files, resident) = (FaultyMemory.used, openFiles(), try ProcessMemory.current())
        for number in 0..<count {
            try cycle(directory.path)
            var faults: [Fault] = []
            if FaultyMemory.used > memory { faults.append(Fault(.leaked, "\(FaultyMemory.used - memory) bytes")) }
            if openFiles() != files { faults.append(Fault(.leaked, "\(openFiles() - files) files")) }
            figures.add(faults, "cycle \(number)")
        }
        let growth = try (ProcessMemory.current() - resident) / count
        if growth > tolerance { figures.add([Fault(.leaked, "\(growth) bytes a cycle")], "the process") }
        figures.count("bytes of growth a cycle", max(0, growth))
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
            // The key is taken, the table and the column are not there, the transaction is undone, rows are left unread.
            try? manager.insert(item)
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
            try? manager.forEach(Item.self) { _ in throw Complaint("enough") }
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
