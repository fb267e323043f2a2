import Foundation

/// An album as a value that is decoded, by SQLiteKit and by GRDB.
struct AlbumValues: Codable {
    var id: Int64
    var mediaKey: String?
    var lastPlayedDate: Date?
    var coverImageData: Data?
    var title: String?
    var artist: String?
    var descrip: String?
    var publishDate: Date?
    var flags: Int?
    var rating: Double?

    enum CodingKeys: String, CodingKey {
        case id = "ID", mediaKey = "MEDIA_KEY", lastPlayedDate = "LAST_PLAYED_DATE"
        case coverImageData = "COVER_IMAGE_DATA", title = "TITLE", artist = "ARTIST", descrip = "DESCRIP"
        case publishDate = "PUBLISH_DATE", flags = "FLAGS", rating = "RATING"
    }
}

extension AlbumValues: Summed {
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
