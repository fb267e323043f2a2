import Persisting
import SQLiteKit

/// A manager on a file, which has a pool.
///
/// `@unchecked Sendable` for the samples, which nobody changes.
final class SharedSubject: @unchecked Sendable {
    private let table: SharedTable
    private let samples: [Album]
    private let manager: PersistenceManager

    init(_ samples: [Album]) throws {
        table = try SharedTable(samples)
        self.samples = Album.copies(of: samples.prefix(SharedTable.batch))
        var configuration = DatabaseConfiguration()
        configuration.synchronous = .normal
        manager = try PersistenceManager(path: table.file.path, configuration: configuration)
    }

    @Sendable func write() throws {
        try manager.insert(Album.copies(of: samples))
    }

    @Sendable func read(_ reader: Int) throws {
        let (number, keys) = table.take(reader)
        let albums = try manager.fetchAll(Album.self, where: .between(\.id, keys), sortedBy: "id", tracked: false)
        try table.check(number, albums.map { ($0.id, $0.rating) })
    }

    @Sendable func write() async throws {
        try await manager.insert(Album.copies(of: samples))
    }

    @Sendable func read(_ reader: Int) async throws {
        let (number, keys) = table.take(reader)
        let albums = try await manager.fetchAll(
            Album.self, where: .between(\.id, keys), sortedBy: "id", tracked: false)
        try table.check(number, albums.map { ($0.id, $0.rating) })
    }

    func settle(_ written: Int) throws {
        try table.check(count: manager.count(Album.self), written: written)
        try manager.execute("DELETE FROM ALBUM WHERE ID > \(table.rows)")
    }
}
