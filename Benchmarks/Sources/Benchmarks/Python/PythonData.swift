import Foundation

/// The albums, the keys to find, and the files that the contenders work on.
final class PythonData {
    let albums: [Album]
    let keys: [Int64]
    /// How many albums are updated, and deleted.
    let changed: Int
    /// The file from which the programs in Python read the albums and the keys.
    let source: TemporaryFile
    private var files: [String: TemporaryFile] = [:]

    init(_ options: Options) throws {
        albums = Album.samples(options.size(100_000), seed: options.seed)
        changed = options.size(50_000)
        var random = SplitMix64(seed: options.seed)
        keys = Array((1...Int64(albums.count)).shuffled(using: &random).prefix(options.size(10_000)))
        source = try TemporaryFile()
        let db = try FloorConnection.albums(albums, path: source.path)
        try db.execute("CREATE TABLE KEYS (KEY INTEGER)")
        try db.transaction {
            for key in keys { try db.execute("INSERT INTO KEYS VALUES (\(key))") }
        }
    }

    /// The path of the file that a contender works on: for an insert a new one with an empty table. What changes rows
    /// works on a copy of it, so that each finds what was inserted.
    func file(of contender: String, for task: PythonTask.Kind) throws -> String {
        switch task {
        case .fetch, .find:
            if let file = files[contender] { return file.path }
        case .update, .delete:
            guard let inserted = files[contender] else { break }
            let file = try TemporaryFile()
            try FileManager.default.copyItem(atPath: inserted.path, toPath: file.path)
            files[contender + " changed"] = file
            return file.path
        case .insert:
            let file = try TemporaryFile()
            let db = try FloorConnection(file.path)
            try db.execute("PRAGMA journal_mode = WAL")
            try db.execute(Album.create)
            files[contender] = file
            return file.path
        }
        throw BenchmarkFailure("\(contender) has inserted nothing")
    }
}
