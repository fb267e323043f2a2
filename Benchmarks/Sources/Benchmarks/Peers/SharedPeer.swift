import GRDB

/// GRDB's pool.
final class SharedPeer: Sendable {
    private let table: SharedTable
    private let samples: [AlbumRecord]
    private let pool: DatabasePool

    init(_ samples: [Album]) throws {
        table = try SharedTable(samples)
        self.samples = samples.prefix(SharedTable.batch).map { AlbumRecord($0) }
        pool = try DatabasePool(path: table.file.path)
    }

    @Sendable func write() throws {
        try pool.write { db in try Self.insert(samples, db) }
    }

    @Sendable func read(_ reader: Int) throws {
        let (number, keys) = table.take(reader)
        let albums = try pool.read { db in try Self.fetch(keys, db) }
        try table.check(number, albums.map { ($0.id, $0.rating) })
    }

    @Sendable func write() async throws {
        let samples = samples
        try await pool.write { db in try Self.insert(samples, db) }
    }

    @Sendable func read(_ reader: Int) async throws {
        let (number, keys) = table.take(reader)
        let albums = try await pool.read { db in try Self.fetch(keys, db) }
        try table.check(number, albums.map { ($0.id, $0.rating) })
    }

    func settle(_ written: Int) throws {
        try table.check(count: pool.read { try AlbumRecord.fetchCount($0) }, written: written)
        let rows = table.rows
        try pool.write { try $0.execute(sql: "DELETE FROM ALBUM WHERE ID > ?", arguments: [rows]) }
    }

    private static func insert(_ samples: [AlbumRecord], _ db: Database) throws {
        var records = samples
        for index in records.indices { try records[index].insert(db) }
    }

    private static func fetch(_ keys: ClosedRange<Int64>, _ db: Database) throws -> [AlbumRecord] {
        try AlbumRecord.filter(keys.contains(AlbumRecord.Columns.id)).order(AlbumRecord.Columns.id).fetchAll(db)
    }
}
