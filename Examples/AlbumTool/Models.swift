import Persisting

// What the article Using the Tool shows stands between snippet.show and snippet.hide.

// snippet.show
final class Artist: PersistingModel {
    var id: Int64?
    var name = ""

    static let albums = ToMany(inverse: Album.artist)
    override class var relations: Relations { ["albums": albums] }
}

final class Album: PersistingModel {
    var id: Int64?
    var title = ""
    var year: Int?
    var artistID: Int64?

    static let artist = ToOne(\Album.artistID, Artist.self, onDelete: .setNull)
    override class var relations: Relations { ["artist": artist] }
    override class var history: History? { .values() }
}
// snippet.hide
