import Faults
import Foundation
import Persisting
import SQLiteKit

/// R2: the disk is full at each write, once and from then on; and a database that has all the pages it may have.
enum DiskFull {
    static func run(_ options: Options) throws -> [Figures] {
        let directory = try CaseDirectory()
        var all: [Figures] = []
        for mode in [JournalMode.wal, .delete] {
            for isPersistent in [false, true] {
                var figures = Figures("R2 \(mode.rawValue), disk full, \(isPersistent ? "persistent" : "once")")
                var nth = 1
                while let faults = try full(mode, nth, isPersistent, directory) {
                    figures.add(faults, "write \(nth)")
                    nth += options.stride
                }
                all.append(figures)
            }
        }
        var pages = Figures("R2 in memory, all pages in use")
        pages.add(try allPages(), "")
        var disk = Figures("R2 a disk of a megabyte, full")
        for mode in [JournalMode.wal, .delete, .truncate, .persist] { disk.add(try smallDisk(mode), mode.rawValue) }
        return all + [pages, disk]
    }

    /// Fills a real disk, looks at what is there, makes room, and goes on.
    private static func smallDisk(_ mode: JournalMode) throws -> [Fault] {
        let disk = try SmallDisk()
        var configuration = DatabaseConfiguration()
        configuration.journalMode = mode
        let manager = try PersistenceManager(path: disk.path, configuration: configuration)
        try manager.createTableIfNecessary(for: Item.self)
        var faults = try fill(manager, expecting: disk.isMounted ? .full : .ioError)
        disk.giveSpace()
        do {
            try manager.save(Item(-1, data: .init(count: 4_000)))
            try manager.close()
        } catch {
            faults.append(Fault(.unusable, "\(error)"))
        }
        return faults
    }

    private static func full(
        _ mode: JournalMode, _ nth: Int, _ isPersistent: Bool, _ directory: CaseDirectory
    ) throws -> [Fault]? {
        let vfs = try FaultyVFS()
        vfs.trackDisk()
        return try FaultyCase.run(directory, mode, vfs: vfs, expecting: [.full]) {
            vfs.fail(.writes, at: nth, code: ResultCode.full.rawValue, isPersistent: isPersistent, isTorn: true)
        } end: {
            vfs.failNone()
        }
    }

    /// Fills a database of a hundred pages, gives it some more, and goes on. Deleting rows would be no way out: their
    /// history keeps what they held, and needs pages itself.
    private static func allPages() throws -> [Fault] {
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Item.self)
        try manager.database.withoutTransaction { db in try db.setPragma("max_page_count", to: 100) }
        var faults = try fill(manager, expecting: .full)
        try manager.database.withoutTransaction { db in try db.setPragma("max_page_count", to: 110) }
        do {
            try manager.delete(Item.self, where: \.tag < 8)
            try manager.save(Item(-1, data: .init(count: 4_000)))
        } catch {
            faults.append(Fault(.unusable, "\(error)"))
        }
        return faults
    }

    /// Saves objects until there is no room, and compares what was acknowledged with what is there.
    private static func fill(_ manager: PersistenceManager, expecting code: ResultCode) throws -> [Fault] {
        var faults: [Fault] = []
        var count = 0
        while true {
            let item = Item(count, data: .init(count: 5_000))
            do {
                try manager.save(item)
                count += 1
            } catch let error as PersistenceError {
                if error.sqliteError?.code != code { faults.append(Fault(.error, "\(error)")) }
                if item.isPersisted { faults.append(Fault(.object, "\(item.state)")) }
                break
            }
        }
        let tags = try manager.fetchAll(Item.self, sortedBy: [.ascending(\.tag)]).map(\.tag)
        if tags != Array(0..<count) {
            faults.append(Fault(.lost, "\(count) were acknowledged, \(tags.count) are there"))
        }
        let check = try manager.read { db in try db.scalar("PRAGMA integrity_check", as: String.self) }
        if check != "ok" { faults.append(Fault(.corrupt, check ?? "")) }
        return faults
    }
}
