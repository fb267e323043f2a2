import Foundation
import Persisting

/// An album of a record collection: plain properties, and the columns that store them.
final class Album: PersistingModel {
    var id: Int64?
    var mediaKey: String?
    var lastPlayedDate: Date?
    var coverImageData: Data?
    var mediaType: Int?  // not in `columns`: never persisted
    var title: String?
    var artist: String?
    var descrip: String?
    var publishDate: Date?
    var flags: Int?

    override class var tableName: String { "ALBUM" }

    override class var columns: Columns {
        [
            "ID": .int, "MEDIA_KEY": .string, "LAST_PLAYED_DATE": .date, "COVER_IMAGE_DATA": .data, "TITLE": .string,
            "ARTIST": .string, "DESCRIP": .string, "PUBLISH_DATE": .date, "FLAGS": .int,
        ]
    }
}

/// What the bits of ``Album/flags`` mean in this example.
struct AlbumFlags: OptionSet {
    let rawValue: Int
    static let live = AlbumFlags(rawValue: 1 << 0)
    static let favorite = AlbumFlags(rawValue: 1 << 1)
}
