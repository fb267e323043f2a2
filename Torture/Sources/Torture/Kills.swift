import Foundation
import Persisting
import RandomTables
import SQLiteKit

/// R5: a process that writes is killed at any moment. What it said is written must be there, and nothing by half.
enum Kills {
    static func run(_ options: Options) throws -> [Figures] {
        let directory = try CaseDirectory()
        var random = SeededGenerator(seed: options.seed)
        return try [JournalMode.wal, .delete].map { mode in
            var figures = Figures("R5 \(mode.rawValue), kill -9")
            for _ in 0..<options.count(long: 5_000, full: 500, quick: 8) {
                try directory.reset(mode)
                let child = try Child(["write", directory.path, mode.rawValue])
                try child.waitForBeginning()
                let milliseconds = Int.random(in: 0...100, using: &random)
                usleep(UInt32(milliseconds * 1000))
                child.kill()
                let said = try child.end().compactMap { Int($0) }
                figures.add(audit(directory.path, acknowledged: said.last ?? -1), "after \(milliseconds) ms")
                figures.count("acknowledged", said.count)
            }
            return figures
        }
    }

    /// How many rows a write adds. Those with a tag are written by one call.
    private static func rows(_ number: Int) -> Int { [1, 3, 2][number % 3] }

    /// The rows of the writes come after those of the file that every case begins with.
    private static let first = 1_000

    /// The child: writes until it is killed.
    static func write(_ path: String, _ mode: String) throws {
        var configuration = DatabaseConfiguration()
        configuration.journalMode = JournalMode(rawValue: mode)
        let manager = try PersistenceManager(path: path, configuration: configuration)
        let last = Item(first - 1)
        try manager.save(last)
        Child.Work.say("")
        for number in 0... {
            let items = (0..<rows(number)).map { _ in Item(first + number) }
            switch number % 3 {
            case 0: try manager.save(items[0])
            case 1: try manager.insert(items)
            default:
                try manager.transaction {
                    for item in items { try manager.save(item) }
                    try last.update(\.text, to: "\(number)")
                }
            }
            Child.Work.say(number)
        }
    }

    private static func audit(_ path: String, acknowledged: Int) -> [Fault] {
        do {
            let manager = try PersistenceManager(path: path)
            defer { try? manager.close() }
            return try manager.read { db in
                var faults: [Fault] = []
                if try db.scalar("PRAGMA integrity_check", as: String.self) != "ok" {
                    faults.append(Fault(.corrupt, ""))
                }
                let tags = try db.column("SELECT TAG FROM ITEM WHERE TAG >= \(first) ORDER BY TAG", as: Int.self)
                let counts = Dictionary(grouping: tags) { $0 - first }.mapValues(\.count)
                for number in 0...max(0, acknowledged + 1) {
                    let isWhole = counts[number] == rows(number)
                    if number <= acknowledged, counts[number] == nil {
                        faults.append(Fault(.lost, "write \(number) of \(acknowledged)"))
                    } else if counts[number] != nil, !isWhole {
                        faults.append(Fault(.half, "write \(number) has \(counts[number] ?? 0) rows"))
                    }
                }
                if let most = counts.keys.max(), most > acknowledged + 1 {
                    faults.append(Fault(.half, "write \(most) is there, and \(acknowledged) was the last"))
                }
                // The row that a transaction updates goes with the rows that it inserts.
                let updated = counts.keys.filter { $0 % 3 == 2 }.max().map(String.init) ?? "new"
                let text = try db.scalar("SELECT TEXT FROM ITEM WHERE TAG = \(first - 1)", as: String.self)
                if text != updated { faults.append(Fault(.half, "\(text ?? "nothing") in the place of \(updated)")) }
                return try faults + Item.recordingFaults(db)
            }
        } catch {
            return [Fault(.unusable, "\(error)")]
        }
    }
}
