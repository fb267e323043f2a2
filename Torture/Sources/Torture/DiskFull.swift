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
        return all + [pages]
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

    /// Fills a database of a hundred pages, deletes some rows, and goes on.
    private static func allPages() throws -> [Fault] {
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Item.self)
        try manager.database.withoutTransaction { db in try db.setPragma("max_page_count", to: 100) }
        var faults: [Fault] = []
        var stored: [Item] = []
        var isFull = false
        while !isFull {
            let item = Item(stored.count, data: .init(count: 5_000))
            do {
                try manager.save(item)
                stored.append(item)
            } catch let error as PersistenceError {
                isFull = true
                if error.sqliteError?.code != .full { faults.append(Fault(.error, "\(error)")) }
                if item.isPersisted { faults.append(Fault(.object, "\(item.state)")) }
            }
        }
        if try manager.count(Item.self) != stored.count { faults.append(Fault(.lost, "\(stored.count) rows")) }
        try manager.delete(stored[0])
        do {
            try manager.save(Item(-1, data: .init(count: 4_000)))
        } catch {
            faults.append(Fault(.unusable, "\(error)"))
        }
        return faults
    }
}
