import Foundation
import GRDB
import Persisting

/// The memory of rows 1, 10 and 17, each contender in a process of its own.
enum MemoryReport {
    /// Prints it.
    ///
    /// - Returns: Whether streaming, importing and exporting stay within their limits.
    static func print(_ options: Options) throws -> Bool {
        if options.wants("1") { try printObjects(options) }
        let isStreamingWithin = try !options.wants("10") || printStreaming(options)
        let isImportingWithin = try !options.wants("17") || Importing.printMemory(options)
        return isStreamingWithin && isImportingWithin
    }

    private static func printObjects(_ options: Options) throws {
        let count = options.size(100_000)
        let contenders = ["floor", "untracked", "tracked", "GRDB"]
        let memory = try contenders.map { try Child.run("objects", "\($0):\(count)", options) }
        show("\nMemory of row 1: \(count.grouped) albums fetched from a file, and held")
        show("\n| of | bytes an object | peak |\n| --- | ---: | ---: |")
        for (contender, memory) in zip(contenders, memory) {
            let bytes = String(format: "%.0f", memory["bytes"] ?? .nan)
            show("| \(contender) | \(bytes) | \(megabytes(memory["peak"])) |")
        }
    }

    private static func printStreaming(_ options: Options) throws -> Bool {
        let limit = 16.0 * 1024 * 1024
        var isWithin = true
        show("\nMemory of row 10: what streaming a file takes over what there was when it had been opened")
        show("\n| of | over | at most | |\n| --- | ---: | ---: | --- |")
        for contender in ["floor", "forEach", "GRDB cursor"] {
            let memory = try Child.run("stream", contender, options)
            let over = (memory["peak"] ?? .nan) - (memory["opened"] ?? .nan)
            if contender == "forEach" {
                let verdict = over <= limit ? Verdict.within : .beyond
                isWithin = verdict == .within
                show("| \(contender) | \(megabytes(over)) | \(megabytes(limit)) | \(verdict.rawValue) |")
            } else {
                show("| \(contender) | \(megabytes(over)) | | |")
            }
        }
        return isWithin
    }

    static func megabytes(_ bytes: Double?) -> String {
        String(format: "%.1f MB", (bytes ?? .nan) / 1024 / 1024)
    }

    /// What a child measures.
    ///
    /// - Parameter contender: Its name, and after a colon how many rows there are.
    static func measureObjects(_ contender: String, _ options: Options) throws {
        let parts = contender.split(separator: ":")
        guard parts.count == 2, let count = Int(parts[1]), count > 0 else {
            throw BenchmarkFailure("\(contender) is no contender with a count")
        }
        let file = try TemporaryFile()
        try Streaming.fillElsewhere(file.path, count, options)
        let fetch: (_ limit: Int) throws -> [Any]
        switch parts[0] {
        case "floor":
            let db = try FloorConnection(file.path)
            fetch = { try db.albums(limit: $0) }
        case "GRDB":
            let queue = try Peer.database(file.path)
            fetch = { limit in try queue.read { try AlbumRecord.limit(limit).fetchAll($0) } }
        default:
            let manager = try PersistenceManager(path: file.path)
            let tracked = parts[0] == "tracked"
            fetch = { try manager.fetchAll(Album.self, limit: $0, tracked: tracked) }
        }
        // What the first call makes once is none of the objects'.
        _ = try fetch(100)
        let before = try Memory.resident()
        let objects = try fetch(count)
        let after = try Memory.resident()
        guard objects.count == count else { throw BenchmarkFailure("there were \(objects.count) objects") }
        Child.report(["bytes": Double(after - before) / Double(count), "peak": Double(try Memory.peak())])
    }
}
