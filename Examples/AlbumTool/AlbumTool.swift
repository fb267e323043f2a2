// swift-format-ignore-file
// What the article Using the Tool shows stands between snippet.show and snippet.hide.
import Persisting

#if Tool
    import PersistingTool
#else
    import Foundation
#endif

// snippet.show
final class Artist: PersistingModel {
    var id: Int64?
    var name = ""

    static let albums = ToMany(inverse: Album.artist)
    override class var relations: Relations { ["albums": albums] }
    override class var history: History? { .values() }
}

final class Album: PersistingModel {
    var id: Int64?
    var title = ""
    var year: Int?
    var artistID: Int64?

    static let artist = ToOne(\Album.artistID, Artist.self, onDelete: .setNull)
    override class var relations: Relations { ["artist": artist] }
}
// snippet.hide

#if Tool
    // snippet.show
    @main struct AlbumTool {
        static let migrations = [
            Migration(
                1, "artists and albums",
                sql: """
                    CREATE TABLE ARTIST (ID INTEGER PRIMARY KEY,
                        NAME TEXT NOT NULL DEFAULT '');
                    CREATE TABLE ALBUM (ID INTEGER PRIMARY KEY,
                        TITLE TEXT NOT NULL DEFAULT '')
                    """)
        ]

        static func main() async {
            await PersistingTool.run(
                [Artist.self, Album.self], migrations: migrations)
        }
    }
    // snippet.hide
#else
    @main struct AlbumTool {
        static func main() {
            FileHandle.standardError.write(Data("AlbumTool: run it with --traits Tool\n".utf8))
            exit(69)
        }
    }
#endif
