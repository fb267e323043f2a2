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

    /// The path of a contender's file: for an insert a new one with an empty table, and else the one of its last insert.
    func file(of contender: String, for task: PythonTask.Kind) throws -> String {
        if task != .insert, let file = files[contender] { return file.path }
        let file = try TemporaryFile()
        let db = try FloorConnection(file.path)
        try db.execute("PRAGMA journal_mode = WAL")
        try db.execute(Album.create)
        files[contender] = file
        return file.path
    }
}
