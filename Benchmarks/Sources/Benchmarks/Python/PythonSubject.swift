import Persisting
import SQLiteKit

/// The tasks with Persisting.
struct PythonSubject {
    static let name = "Persisting"
    private let data: PythonData

    init(_ data: PythonData) {
        self.data = data
    }

    func contender(_ task: PythonTask) -> Contender {
        Contender(name: Self.name) { stopwatch in
            var configuration = DatabaseConfiguration()
            configuration.synchronous = .normal
            let manager = try PersistenceManager(
                path: try data.file(of: Self.name, for: task.kind), configuration: configuration)
            let albums = try run(task.kind, manager, &stopwatch)
            let sum = try albums.map { Self.sum($0) } ?? Self.sum(manager)
            try manager.close()
            return sum
        }
    }

    /// - Returns: The albums that were read; nil if some were written.
    private func run(
        _ task: PythonTask.Kind, _ manager: PersistenceManager, _ stopwatch: inout Stopwatch
    ) throws -> [Album]? {
        switch task {
        case .insert:
            let albums = Album.copies(of: data.albums)
            _ = try stopwatch.measure { try manager.insert(albums) }
            return nil
        case .fetch:
            return try stopwatch.measure { try manager.fetchAll(Album.self) }
        case .find:
            return try stopwatch.measure { try data.keys.compactMap { try manager.find(Album.self, $0) } }
        case .update:
            let albums = try manager.fetchAll(Album.self, sortedBy: "id", limit: data.changed)
            try stopwatch.measure {
                for album in albums { album.title = "the new title of \(album.id ?? 0)" }
                try manager.save(albums)
            }
            return nil
        case .delete:
            let last = Int64(data.changed)
            _ = try stopwatch.measure { try manager.delete(Album.where(\.id <= last)) }
            return nil
        }
    }

    /// The sum that `common.py` computes of objects.
    private static func sum(_ albums: [Album]) -> Checksum {
        let total = albums.reduce(0) { total, album in
            let weighted = Int(album.id ?? 0) * (album.title?.utf8.count ?? 0)
            return total + weighted + (album.mediaKey?.utf8.count ?? 0) + (album.flags ?? 0)
                + (album.coverImageData?.count ?? 0)
        }
        return Checksum(count: albums.count, total: total)
    }

    /// The sum that `common.py` computes of the table.
    private static func sum(_ manager: PersistenceManager) throws -> Checksum {
        try manager.database.checksum(
            """
            SELECT count(*), sum(ID * length(TITLE) + length(MEDIA_KEY) + FLAGS \
            + ifnull(length(COVER_IMAGE_DATA), 0)) FROM ALBUM
            """)
    }
}
