import Persisting

/// An album of a record collection.
final class Album: PersistingModel {
    var id: Int64?
    var title = ""
    var artist = ""
    var year: Int?

    override class var indexes: [Index] { [Index("artist", "title")] }
}
