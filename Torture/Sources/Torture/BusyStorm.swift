import Foundation
import Persisting
import SQLiteKit

/// R6: processes that all count in one row, each in a transaction that reads and then writes.
enum BusyStorm {
    private static let tag = 0
    private static let processes = 4

    static func run(_ options: Options) throws -> [Figures] {
        let directory = try CaseDirectory(prepare)
        return try (options.isQuick ? [JournalMode.wal] : [.wal, .delete]).map { mode in
            var figures = Figures("R6 \(mode.rawValue), four processes count in one row")
            for round in 0..<options.count(long: 50, full: 3, quick: 1) {
                try directory.reset(mode)
                let children = try (0..<processes).map { _ in try Child(["count", directory.path, mode.rawValue]) }
                for child in children { try child.waitForBeginning() }
                let said = try children.flatMap { try $0.end() }
                var faults = said.filter { Int($0) == nil }.map { Fault(.error, $0) }
                let counted = said.compactMap { Int($0) }.reduce(0, +)
                let manager = try PersistenceManager(path: directory.path)
                let found = try manager.fetchOne(Item.self)?.tag ?? -1
                try manager.close()
                if found < counted { faults.append(Fault(.lost, "\(counted - found) of \(counted)")) }
                if found > counted { faults.append(Fault(.applied, "\(found - counted) more than \(counted)")) }
                figures.add(faults, "round \(round)")
                figures.count("acknowledged", counted)
            }
            return figures
        }
    }

    private static func prepare(_ manager: PersistenceManager) throws {
        try manager.createTableIfNecessary(for: Item.self)
        try manager.save(Item(tag))
    }

    /// The child: counts two hundred times, and says how often it has.
    static func count(_ path: String, _ mode: String) throws {
        var configuration = DatabaseConfiguration()
        configuration.journalMode = JournalMode(rawValue: mode)
        // Four who wait for each other, on a machine that has other work as well.
        configuration.busyTimeout = .seconds(30)
        let manager = try PersistenceManager(path: path, configuration: configuration)
        Child.Work.say("")
        var count = 0
        for _ in 0..<200 {
            do {
                try manager.transaction {
                    guard let item = try manager.fetchOne(Item.self) else { return }
                    item.tag += 1
                    try manager.save(item)
                }
                count += 1
            } catch {
                Child.Work.say("\(error)")
            }
        }
        Child.Work.say(count)
    }
}
