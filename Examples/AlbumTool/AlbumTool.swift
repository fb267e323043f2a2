#if Tool
import Persisting
import PersistingTool

// snippet.show
@main struct AlbumTool {
    static let migrations = [
        Migration(1, "artists have no blank names", sql: "SELECT 1")
    ]

    static func main() async {
        await PersistingTool.run([Artist.self, Album.self], migrations: migrations)
    }
}
// snippet.hide
#else
@main struct AlbumTool {
    static func main() { print("The tool needs swift-argument-parser: run it with --traits Tool.") }
}
#endif
