internal import Foundation
internal import SQLiteKit

/// Space that the file and its log take and don't need.
enum StorageCheck {
    /// SQLite copies the log into the file from 1,000 pages on. Four times as many mean that something keeps it from
    /// that: a reader that never ends, or writes that never pause.
    private static let logPages = 4_000

    static func findings(_ database: ExaminedDatabase) throws -> [FileFinding] {
        // SQLCipher answers with a text.
        let pageSize = try database.db.rows("PRAGMA page_size").first?.integer(0).map(Int.init) ?? 4096
        return try [log(database, pageSize), freePages(database, pageSize)].compactMap { $0 }
    }

    private static func log(_ database: ExaminedDatabase, _ pageSize: Int) -> FileFinding? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: database.path + "-wal")
        guard let size = (attributes?[.size] as? NSNumber)?.intValue, size > logPages * pageSize else { return nil }
        return FileFinding(
            .log, nil, [],
            "the write-ahead log has \(size) bytes and isn't emptied: a program keeps a read open, or writes without "
                + "a pause; end what reads, and set PRAGMA journal_size_limit",
            remedy: ["PRAGMA wal_checkpoint(TRUNCATE)"])
    }

    private static func freePages(_ database: ExaminedDatabase, _ pageSize: Int) throws -> FileFinding? {
        let free = try database.db.pragma("freelist_count", as: Int.self) ?? 0
        let all = try database.db.pragma("page_count", as: Int.self) ?? 0
        guard free * 4 > all, free * pageSize >= 1 << 20 else { return nil }
        return FileFinding(
            .freePages, nil, [], "\(free) of \(all) pages of the file are unused", remedy: ["VACUUM"])
    }
}
