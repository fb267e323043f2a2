import Foundation
import Persisting

/// Ten mixed columns: texts, dates, a blob, numbers, and NULL in many.
final class Album: PersistingModel {
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

    /// The table, with the columns' names in the properties' order.
    static let columnNames = [
        "ID", "MEDIA_KEY", "LAST_PLAYED_DATE", "COVER_IMAGE_DATA", "TITLE", "ARTIST", "DESCRIP", "PUBLISH_DATE",
        "FLAGS", "RATING",
    ]
    static let create = """
        CREATE TABLE ALBUM (
            ID INTEGER PRIMARY KEY, MEDIA_KEY TEXT, LAST_PLAYED_DATE REAL, COVER_IMAGE_DATA BLOB, TITLE TEXT,
            ARTIST TEXT, DESCRIP TEXT, PUBLISH_DATE REAL, FLAGS INTEGER, RATING REAL
        )
        """
    static let select = "SELECT \(columnNames.joined(separator: ", ")) FROM ALBUM"
    static let insert = """
        INSERT INTO ALBUM (\(columnNames.joined(separator: ", "))) \
        VALUES (\(columnNames.map { _ in "?" }.joined(separator: ", ")))
        """

    /// How many albums an artist has.
    static let perArtist = 20

    /// New albums, by chance.
    static func samples(_ count: Int, seed: UInt64) -> [Album] {
        var random = SplitMix64(seed: seed)
        let artists = (0..<max(1, count / perArtist)).map { "\(random.text(6...20)) \($0)" }
        return (0..<count).map { number in
            let album = Album()
            album.mediaKey = "key-\(number)-\(random.text(8...12))"
            album.lastPlayedDate =
                random.one(in: 3) ? nil : Date(timeIntervalSince1970: Double(random.next() % 2_000_000_000) + 0.25)
            album.coverImageData =
                random.one(in: 2) ? nil : Data((0..<Int(random.next() % 128)).map { UInt8(truncatingIfNeeded: $0) })
            album.title = random.text(5...30)
            album.artist = artists[number % artists.count]
            album.descrip = random.one(in: 4) ? nil : random.text(20...90)
            album.publishDate = Date(timeIntervalSince1970: Double(random.next() % 2_000_000_000))
            album.flags = Int(random.next() & 0xff)
            album.rating = random.one(in: 5) ? nil : Double(random.next() % 1000) / 10
            return album
        }
    }

    /// New albums with the values of others.
    static func copies(of albums: some Sequence<Album>) -> [Album] {
        albums.map { album in
            let copy = Album()
            copy.id = album.id
            copy.mediaKey = album.mediaKey
            copy.lastPlayedDate = album.lastPlayedDate
            copy.coverImageData = album.coverImageData
            copy.title = album.title
            copy.artist = album.artist
            copy.descrip = album.descrip
            copy.publishDate = album.publishDate
            copy.flags = album.flags
            copy.rating = album.rating
            return copy
        }
    }
}

extension Album: Summed {
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
