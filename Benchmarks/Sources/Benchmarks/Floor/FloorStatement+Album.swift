/// What a person writes for one class.
extension FloorStatement {
    /// The album of a row of `Album.select`.
    @inline(__always)
    func album() throws -> Album {
        let album = Album()
        album.id = int64(0)
        album.mediaKey = try text(1)
        album.lastPlayedDate = date(2)
        album.coverImageData = data(3)
        album.title = try text(4)
        album.artist = try text(5)
        album.descrip = try text(6)
        album.publishDate = date(7)
        album.flags = int(8)
        album.rating = double(9)
        return album
    }

    /// The same as a value.
    @inline(__always)
    func albumValues() throws -> AlbumValues {
        AlbumValues(
            id: Int64(required(0)), mediaKey: try text(1), lastPlayedDate: date(2), coverImageData: data(3),
            title: try text(4), artist: try text(5), descrip: try text(6), publishDate: date(7), flags: int(8),
            rating: double(9))
    }

    /// Binds the values of `Album.insert`.
    @inline(__always)
    func bind(_ album: Album) throws {
        try bind(album.id, 1)
        try bind(album.mediaKey, 2)
        try bind(album.lastPlayedDate, 3)
        try bind(album.coverImageData, 4)
        try bind(album.title, 5)
        try bind(album.artist, 6)
        try bind(album.descrip, 7)
        try bind(album.publishDate, 8)
        try bind(album.flags, 9)
        try bind(album.rating, 10)
    }
}

extension FloorConnection {
    /// A database with a table of albums, and these in it. The albums keep no key.
    static func albums(_ albums: [Album], path: String = ":memory:") throws -> FloorConnection {
        let db = try FloorConnection(path)
        try db.execute(Album.create)
        try db.insert(albums) { _, _ in }
        return db
    }

    /// Inserts albums in one transaction.
    ///
    /// - Parameter insert: What is done with each album and the key it was given.
    @inline(__always)
    func insert(_ albums: [Album], _ inserted: (Album, Int64) -> Void) throws {
        try transaction {
            let statement = try prepare(Album.insert)
            defer { statement.finalize() }
            for album in albums {
                try statement.bind(album)
                try statement.run()
                inserted(album, lastInsertRowID)
            }
        }
    }

    /// Albums, all unless a limit is given.
    func albums(limit: Int = -1) throws -> [Album] {
        let statement = try prepare(Album.select + (limit < 0 ? "" : " LIMIT \(limit)"))
        defer { statement.finalize() }
        var albums: [Album] = []
        while try statement.step() { albums.append(try statement.album()) }
        return albums
    }
}
