import Foundation
import Persisting

@main
struct AlbumExample {
    static let usage = """
        USAGE: Album [<path>]

        Keeps a small record collection in an SQLite file, and says at each step what it calls and what SQLite stores.
        Run it twice: the second run finds the albums of the first. Look into the file with: sqlite3 albums.sqlite .schema

        ARGUMENTS:
          <path>    The database file; :memory: for none. Without it: albums.sqlite in the current folder.

        OPTIONS:
          -h, --help    Show this help.
        """

    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.contains("-h") || arguments.contains("--help") { return print(usage) }
        guard arguments.count <= 1, arguments.first?.hasPrefix("-") != true else {
            FileHandle.standardError.write(Data((usage + "\n").utf8))
            exit(64)
        }
        do {
            try await run(path: arguments.first ?? "albums.sqlite")
        } catch {
            FileHandle.standardError.write(Data("Album: \(error)\n".utf8))
            exit(1)
        }
    }

    static func run(path: String) async throws {
        let manager = try PersistenceManager(path: path)
        let mode = try await manager.database.withoutTransaction { db in
            try db.scalar("PRAGMA journal_mode", as: String.self) ?? "unknown"
        }
        Report.step("PersistenceManager(path: \"\(path)\")", "SQLite \(SQLiteLibrary.version), journal mode \(mode)")

        let created = try await manager.createTableIfNecessary(for: Album.self)
        Report.step(
            "manager.createTableIfNecessary(for: Album.self)", created ? "CREATE TABLE ALBUM" : "ALBUM was there")

        try await addMissing(to: manager)
        try await play(in: manager)
        try await find(in: manager)
        try await change(in: manager)

        let rest = try await manager.fetchAll(Album.self, sortedBy: "publishDate")
        Report.step("manager.fetchAll(Album.self, sortedBy: \"publishDate\")", "\(rest.count) rows")
        Report.table(rest)
        try await manager.close()
    }

    /// Adds those of the dozen that the file does not hold: all of them at first, later the one that the last run
    /// deleted.
    private static func addMissing(to manager: PersistenceManager) async throws {
        let known = try await manager.fetchAll(Album.self)
        let titles = Set(known.map(\.title))
        let missing = Collection.albums().filter { !titles.contains($0.title) }
        Report.step("manager.fetchAll(Album.self)", "\(known.count) albums of an earlier run")

        try await manager.insert(missing)
        let keys = missing.compactMap(\.id).map(String.init).joined(separator: ", ")
        Report.step("manager.insert([\(missing.count) albums])", "one transaction, generated keys \(keys)")

        let all = try await manager.fetchAll(Album.self, sortedBy: "artist, publishDate")
        Report.step("manager.fetchAll(Album.self, sortedBy: \"artist, publishDate\")", "\(all.count) rows")
        Report.table(all)
    }

    private static func play(in manager: PersistenceManager) async throws {
        guard let album = try await manager.fetchOne(Album.self, where: ["title": "Kind of Blue"]) else { return }
        try await album.update(\.lastPlayedDate, to: Date())
        Report.step(
            "album.update(\\.lastPlayedDate, to: Date())",
            try await Report.stored("LAST_PLAYED_DATE", of: album, in: manager))
    }

    private static func find(in manager: PersistenceManager) async throws {
        let byTitle = try await manager.fetchOne(Album.self, where: \.title == "The Köln Concert")
        Report.step(
            "manager.fetchOne(Album.self, where: \\.title == \"The Köln Concert\")",
            "row \(byTitle?.primaryKeyValue ?? .null) by \(byTitle?.artist ?? "nobody")")

        let byArtist = try await manager.fetchAll(
            Album.self, where: ["artist": "John Coltrane"], sortedBy: [.descending(\.publishDate)])
        Report.step(
            "manager.fetchAll(Album.self, where: [\"artist\": \"John Coltrane\"], sortedBy: [.descending(\\.publishDate)])",
            byArtist.compactMap(\.title).joined(separator: ", "))
    }

    private static func change(in manager: PersistenceManager) async throws {
        if let album = try await manager.fetchOne(Album.self, where: ["title": "Blue Train"]) {
            let flags = AlbumFlags(rawValue: album.flags ?? 0).union(.favorite)
            try await album.update(key: "flags", to: flags.rawValue)
            Report.step(
                "album.update(key: \"flags\", to: \(flags.rawValue))",
                try await Report.stored("FLAGS", of: album, in: manager))
        }
        if let album = try await manager.fetchOne(Album.self, where: \.title == "Head Over Heels") {
            try await manager.delete(album)
            Report.step("manager.delete(album)", try await Report.stored("ID", of: album, in: manager))
        }
    }
}
