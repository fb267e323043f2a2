import Foundation
import GRDB

/// An album as GRDB's guides teach it: a struct that is a record, read by the columns' names.
struct AlbumRecord {
    var id: Int64?
    var mediaKey: String?
    var lastPlayedDate: Date?
    var coverImageData: Data?
    var title: String?
    var artist: String?
    var descrip: String?
    var publishDate: Date?
    var flags: Int?
    var rating: Double?

    enum Columns {
        static let id = Column("ID")
        static let mediaKey = Column("MEDIA_KEY")
        static let lastPlayedDate = Column("LAST_PLAYED_DATE")
        static let coverImageData = Column("COVER_IMAGE_DATA")
        static let title = Column("TITLE")
        static let artist = Column("ARTIST")
        static let descrip = Column("DESCRIP")
        static let publishDate = Column("PUBLISH_DATE")
        static let flags = Column("FLAGS")
        static let rating = Column("RATING")
    }
}

extension AlbumRecord: FetchableRecord {
    static let databaseTableName = "ALBUM"

    init(row: Row) {
        id = row[Columns.id]
        mediaKey = row[Columns.mediaKey]
        lastPlayedDate = row[Columns.lastPlayedDate]
        coverImageData = row[Columns.coverImageData]
        title = row[Columns.title]
        artist = row[Columns.artist]
        descrip = row[Columns.descrip]
        publishDate = row[Columns.publishDate]
        flags = row[Columns.flags]
        rating = row[Columns.rating]
    }
}

extension AlbumRecord: MutablePersistableRecord {
    func encode(to container: inout PersistenceContainer) {
        container[Columns.id] = id
        container[Columns.mediaKey] = mediaKey
        container[Columns.lastPlayedDate] = lastPlayedDate?.timeIntervalSince1970
        container[Columns.coverImageData] = coverImageData
        container[Columns.title] = title
        container[Columns.artist] = artist
        container[Columns.descrip] = descrip
        container[Columns.publishDate] = publishDate?.timeIntervalSince1970
        container[Columns.flags] = flags
        container[Columns.rating] = rating
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

extension AlbumRecord: Summed {
    func add(to sum: inout Checksum) {
        sum.add(id)
        sum.add(mediaKey)
        sum.add(lastPlayedDate)
        sum.add(coverImageData)
        sum.add(title)
        sum.add(artist)
        sum.add(descrip)
        sum.add(publishDate)
        sum.add(flags)
        sum.add(rating)
    }
}

extension AlbumRecord {
    init(_ album: Album) {
        id = album.id
        mediaKey = album.mediaKey
        lastPlayedDate = album.lastPlayedDate
        coverImageData = album.coverImageData
        title = album.title
        artist = album.artist
        descrip = album.descrip
        publishDate = album.publishDate
        flags = album.flags
        rating = album.rating
    }
}

/// The same read by the columns' places, which is GRDB's documented best.
struct AlbumByIndex: FetchableRecord, TableRecord, Summed {
    static let databaseTableName = "ALBUM"
    let album: AlbumRecord

    init(row: Row) {
        album = AlbumRecord(
            id: row[0], mediaKey: row[1], lastPlayedDate: row[2], coverImageData: row[3], title: row[4],
            artist: row[5], descrip: row[6], publishDate: row[7], flags: row[8], rating: row[9])
    }

    func add(to sum: inout Checksum) {
        album.add(to: &sum)
    }
}

/// The same by `Codable`.
extension AlbumValues: FetchableRecord, TableRecord {
    static let databaseTableName = "ALBUM"

    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy {
        .timeIntervalSince1970
    }
}
