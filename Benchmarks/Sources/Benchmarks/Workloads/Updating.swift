import GRDB
import Persisting
import SQLiteKit
import Synchronization

/// Row 5: objects that are in the table, each written with one column changed, or none. All in one transaction.
enum Updating {
    static func oneColumn(_ options: Options) throws -> Workload {
        let databases = try Databases(options)
        return Workload(
            row: "5", name: "update one column of \(databases.count.grouped)", operations: databases.count,
            contenders: [
                databases.floor { album, title in album.title = title },
                databases.ours("update") { manager, album, title in try album.update(\.title, to: title) },
                databases.peer("GRDB update(columns:)") { db, record, title in
                    record.title = title
                    try record.update(db, columns: [AlbumRecord.Columns.title])
                },
            ],
            comparisons: [
                Comparison(
                    name: "", subject: "update", limit: .ratio(1.25),
                    peers: [.init(contender: "GRDB update(columns:)", atLeast: 3)])
            ])
    }

    static func savingOneChange(_ options: Options) throws -> Workload {
        let databases = try Databases(options)
        return Workload(
            row: "5", name: "save \(databases.count.grouped), one change each", operations: databases.count,
            contenders: [
                databases.floor { album, title in album.title = title },
                databases.ours("save") { manager, album, title in
                    album.title = title
                    try manager.save(album)
                },
                try databases.batch(options),
                databases.peer("GRDB updateChanges") { db, record, title in
                    _ = try record.updateChanges(db) { $0.title = title }
                },
            ],
            comparisons: [
                Comparison(
                    name: "", subject: "save", limit: .ratio(1.25),
                    peers: [.init(contender: "GRDB updateChanges", atLeast: 3)]),
                Comparison(
                    name: "batch", subject: "batch", limit: .ratio(0.95),
                    peers: [.init(contender: "GRDB updateChanges", atLeast: 3)]),
            ])
    }

    static func savingNone(_ options: Options) throws -> Workload {
        let databases = try Databases(options)
        try checkThatNothingRuns()
        return Workload(
            row: "5", name: "save \(databases.count.grouped), no change", operations: databases.count,
            contenders: [
                databases.ours("save") { manager, album, _ in try manager.save(album) },
                databases.peer("GRDB updateChanges") { db, record, _ in _ = try record.updateChanges(db) { _ in } },
            ],
            comparisons: [
                Comparison(
                    name: "", subject: "save", floor: nil, limit: .time(nanoseconds: 200),
                    peers: [.init(contender: "GRDB updateChanges", atLeast: 3)])
            ])
    }

    /// A save without changes runs no statement: a trace would be told of it.
    private static func checkThatNothingRuns() throws {
        let statements = StatementCount()
        var configuration = SQLiteKit.DatabaseConfiguration()
        configuration.trace = Trace { _ in statements.increment() }
        let manager = try PersistenceManager(.memory, configuration: configuration)
        try manager.createTableIfNecessary(for: Album.self)
        let album = Album()
        try manager.insert(album)
        let before = statements.value
        try manager.save(album)
        guard statements.value == before, before > 0 else {
            throw BenchmarkFailure("row 5: a save without changes ran a statement")
        }
    }
}

/// How many statements a trace was told of.
private final class StatementCount: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    func increment() {
        count.add(1, ordering: .relaxed)
    }
}

/// The same albums in all databases, and as objects.
private struct Databases {
    let count: Int
    private let floor: FloorConnection
    private let floorAlbums: [Album]
    private let manager: PersistenceManager
    private let albums: [Album]
    private let queue: GRDB.DatabaseQueue
    private let records: [AlbumRecord]

    init(_ options: Options) throws {
        count = options.size(50_000)
        albums = Album.samples(count, seed: options.seed)
        floor = try FloorConnection.albums(albums)
        floorAlbums = try floor.albums()
        queue = try Peer.albums(albums)
        manager = try Subject.albums(albums)
        records = albums.map { AlbumRecord($0) }
    }

    private static let written = "SELECT ID, TITLE, ARTIST FROM ALBUM ORDER BY ID"

    /// Another title for each run of a contender.
    private static func titles() -> () -> String {
        var run = 0
        return {
            run += 1
            return "what the title is in round \(run)"
        }
    }

    func floor(_ set: @escaping (Album, String) -> Void) -> Contender {
        let title = Self.titles()
        return Contender(name: "floor") { stopwatch in
            let title = title()
            try stopwatch.measure {
                try floor.transaction {
                    let statement = try floor.prepare("UPDATE ALBUM SET TITLE = ? WHERE ID = ?")
                    defer { statement.finalize() }
                    for album in floorAlbums {
                        set(album, title)
                        try statement.bind(album.title, 1)
                        try statement.bind(album.id, 2)
                        try statement.run()
                        guard floor.changes == 1 else { throw BenchmarkFailure("the album is gone") }
                    }
                }
            }
            return try floor.checksum(Self.written)
        }
    }

    func ours(
        _ name: String, _ write: @escaping (PersistenceManager, Album, String) throws -> Void
    ) -> Contender {
        let title = Self.titles()
        return Contender(name: name) { stopwatch in
            let title = title()
            try stopwatch.measure {
                try manager.transaction {
                    for album in albums { try write(manager, album, title) }
                }
            }
            return try manager.database.checksum(Self.written)
        }
    }

    /// The array of all of them, saved together.
    func batch(_ options: Options) throws -> Contender {
        let albums = Album.copies(of: albums)
        let manager = try Subject.albums(albums)
        let title = Self.titles()
        return Contender(name: "batch") { stopwatch in
            let title = title()
            try stopwatch.measure {
                for album in albums { album.title = title }
                try manager.save(albums)
            }
            return try manager.database.checksum(Self.written)
        }
    }

    func peer(
        _ name: String, _ write: @escaping (GRDB.Database, inout AlbumRecord, String) throws -> Void
    ) -> Contender {
        let title = Self.titles()
        return Contender(name: name) { stopwatch in
            let title = title()
            var records = records
            try stopwatch.measure {
                try queue.write { db in
                    for index in records.indices { try write(db, &records[index], title) }
                }
            }
            return try queue.checksum(Self.written)
        }
    }
}
