import Foundation
import GRDB
import Persisting
import SQLiteKit

/// The rows that a batch has, and where the next one begins.
///
/// Each reader goes through the table at its own pace.
private final class Batches: Sendable {
    static let size = 100
    let sums: [Checksum]
    private let lock = NSLock()
    // Guarded by `lock`.
    nonisolated(unsafe) private var next = [0, 0]

    /// - Parameter albums: What is in the table, with the keys from 1.
    init(_ albums: [Album]) {
        sums = stride(from: 0, to: albums.count, by: Self.size).map { first in
            var sum = Checksum()
            for (index, album) in albums[first..<(first + Self.size)].enumerated() {
                sum.add(Int64(first + index + 1))
                sum.add(album.rating)
            }
            return sum
        }
    }

    /// The keys of a reader's next batch, and the number of the batch.
    func take(_ reader: Int) -> (number: Int, keys: ClosedRange<Int64>) {
        let number = lock.withLock {
            defer { next[reader] = (next[reader] + 1) % sums.count }
            return next[reader]
        }
        let first = Int64(number * Self.size + 1)
        return (number, first...(first + Int64(Self.size) - 1))
    }

    func check(_ number: Int, _ albums: some Sequence<(Int64?, Double?)>) throws {
        var sum = Checksum()
        for (id, rating) in albums {
            sum.add(id)
            sum.add(rating)
        }
        guard sum == sums[number] else { throw BenchmarkFailure("batch \(number) was read wrongly") }
    }
}

/// The settings that all have: a write-ahead log, which is safe against a crash of the program, and not synchronized
/// at each commit, so that the disk is not what is measured.
private let settings = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"

private func checkCount(_ count: Int?, _ rows: Int, _ written: Int) throws {
    guard count == rows + written else {
        throw BenchmarkFailure("there are \(count ?? 0) rows, and \(rows) + \(written) were written")
    }
}

/// A connection for each thread, or for each task an actor with one.
final class FloorPool: Sendable {
    private let file: TemporaryFile
    private let batches: Batches
    private let rows: Int
    private let writer: Worker
    private let readers: [Worker]
    private let asyncWriter: AsyncWorker
    private let asyncReaders: [AsyncWorker]

    init(_ samples: [Album]) throws {
        let file = try TemporaryFile()
        self.file = file
        batches = Batches(samples)
        rows = samples.count
        try FloorConnection.albums(samples, path: file.path).execute(settings)
        func worker(_ sql: String) throws -> Worker { try Worker(file.path, sql, samples) }
        let select = Album.select + " WHERE ID BETWEEN ? AND ? ORDER BY ID"
        writer = try worker(Album.insert)
        readers = [try worker(select), try worker(select)]
        asyncWriter = AsyncWorker(try worker(Album.insert))
        asyncReaders = [AsyncWorker(try worker(select)), AsyncWorker(try worker(select))]
    }

    @Sendable func write() throws {
        try writer.write()
    }

    @Sendable func read(_ reader: Int) throws {
        let (number, keys) = batches.take(reader)
        try batches.check(number, readers[reader].read(keys).map { ($0.id, $0.rating) })
    }

    @Sendable func write() async throws {
        try await asyncWriter.write()
    }

    @Sendable func read(_ reader: Int) async throws {
        let (number, keys) = batches.take(reader)
        let albums = try await asyncReaders[reader].read(keys)
        try batches.check(number, albums.map { ($0.id, $0.rating) })
    }

    func settle(_ written: Int) throws {
        let db = try FloorConnection(file.path)
        let count = try db.prepare("SELECT count(*) FROM ALBUM")
        defer { count.finalize() }
        try checkCount(try count.step() ? count.required(0) : nil, rows, written)
        try count.reset()
        try db.execute("DELETE FROM ALBUM WHERE ID > \(rows)")
    }

    /// A connection with a statement.
    ///
    /// `@unchecked Sendable`, since it goes to the thread or actor that is to use it: one alone does.
    private final class Worker: @unchecked Sendable {
        private let db: FloorConnection
        private let statement: FloorStatement
        private let samples: [Album]

        init(_ path: String, _ sql: String, _ samples: [Album]) throws {
            db = try FloorConnection(path)
            try db.execute("PRAGMA synchronous = NORMAL")
            statement = try db.prepare(sql)
            self.samples = Album.copies(of: samples.prefix(Batches.size))
        }

        deinit {
            statement.finalize()
        }

        func write() throws {
            let albums = Album.copies(of: samples)
            try db.transaction {
                for album in albums {
                    try statement.bind(album)
                    try statement.run()
                    album.id = db.lastInsertRowID
                }
            }
        }

        func read(_ keys: ClosedRange<Int64>) throws -> [Album] {
            try statement.bind(keys.lowerBound, 1)
            try statement.bind(keys.upperBound, 2)
            var albums: [Album] = []
            while try statement.step() { albums.append(try statement.album()) }
            try statement.reset()
            return albums
        }
    }

    private actor AsyncWorker {
        private let worker: Worker

        init(_ worker: Worker) {
            self.worker = worker
        }

        func write() throws {
            try worker.write()
        }

        func read(_ keys: ClosedRange<Int64>) throws -> sending [Album] {
            // Made in this call, and kept by no one.
            nonisolated(unsafe) let albums = try worker.read(keys)
            return albums
        }
    }
}

/// A manager on a file, which has a pool.
///
/// `@unchecked Sendable` for the samples, which nobody changes.
final class SharedSubject: @unchecked Sendable {
    private let file: TemporaryFile
    private let batches: Batches
    private let samples: [Album]
    private let rows: Int
    private let manager: PersistenceManager

    init(_ samples: [Album]) throws {
        file = try TemporaryFile()
        batches = Batches(samples)
        rows = samples.count
        self.samples = Album.copies(of: samples.prefix(Batches.size))
        try FloorConnection.albums(samples, path: file.path).execute(settings)
        var configuration = SQLiteKit.DatabaseConfiguration()
        configuration.synchronous = .normal
        manager = try PersistenceManager(path: file.path, configuration: configuration)
    }

    @Sendable func write() throws {
        try manager.insert(Album.copies(of: samples))
    }

    @Sendable func read(_ reader: Int) throws {
        let (number, keys) = batches.take(reader)
        let albums = try manager.fetchAll(Album.self, where: .between(\.id, keys), sortedBy: "id", tracked: false)
        try batches.check(number, albums.map { ($0.id, $0.rating) })
    }

    @Sendable func write() async throws {
        try await manager.insert(Album.copies(of: samples))
    }

    @Sendable func read(_ reader: Int) async throws {
        let (number, keys) = batches.take(reader)
        let albums = try await manager.fetchAll(
            Album.self, where: .between(\.id, keys), sortedBy: "id", tracked: false)
        try batches.check(number, albums.map { ($0.id, $0.rating) })
    }

    func settle(_ written: Int) throws {
        try checkCount(try manager.count(Album.self), rows, written)
        try manager.execute("DELETE FROM ALBUM WHERE ID > \(rows)")
    }
}

/// GRDB's pool.
final class SharedPeer: Sendable {
    private let file: TemporaryFile
    private let batches: Batches
    private let samples: [AlbumRecord]
    private let rows: Int
    private let pool: GRDB.DatabasePool

    init(_ samples: [Album]) throws {
        file = try TemporaryFile()
        batches = Batches(samples)
        rows = samples.count
        self.samples = samples.prefix(Batches.size).map { AlbumRecord($0) }
        try FloorConnection.albums(samples, path: file.path).execute(settings)
        pool = try GRDB.DatabasePool(path: file.path)
    }

    @Sendable func write() throws {
        try pool.write { db in try Self.insert(samples, db) }
    }

    @Sendable func read(_ reader: Int) throws {
        let (number, keys) = batches.take(reader)
        let albums = try pool.read { db in try Self.fetch(keys, db) }
        try batches.check(number, albums.map { ($0.id, $0.rating) })
    }

    @Sendable func write() async throws {
        let samples = samples
        try await pool.write { db in try Self.insert(samples, db) }
    }

    @Sendable func read(_ reader: Int) async throws {
        let (number, keys) = batches.take(reader)
        let albums = try await pool.read { db in try Self.fetch(keys, db) }
        try batches.check(number, albums.map { ($0.id, $0.rating) })
    }

    func settle(_ written: Int) throws {
        try checkCount(try pool.read { try AlbumRecord.fetchCount($0) }, rows, written)
        let rows = rows
        try pool.write { try $0.execute(sql: "DELETE FROM ALBUM WHERE ID > ?", arguments: [rows]) }
    }

    private static func insert(_ samples: [AlbumRecord], _ db: GRDB.Database) throws {
        var records = samples
        for index in records.indices { try records[index].insert(db) }
    }

    private static func fetch(_ keys: ClosedRange<Int64>, _ db: GRDB.Database) throws -> [AlbumRecord] {
        try AlbumRecord.filter(keys.contains(AlbumRecord.Columns.id)).order(AlbumRecord.Columns.id).fetchAll(db)
    }
}
