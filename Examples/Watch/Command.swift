import Foundation
import Persisting

/// What is typed in the terminal.
enum Command {
    case add(title: String, artist: String, year: Int?)
    case rename(number: Int, title: String)
    case delete(number: Int)
    case quit

    static let usage = """
        add <title> / <artist> [/ <year>]    rename <number> <title>    delete <number>    quit
        """

    /// Nil for what is none of these.
    init?(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = words.count > 1 ? words[1] : ""
        switch words.first {
        case "add":
            let parts = rest.split(separator: "/").map { $0.trimmingCharacters(in: .whitespaces) }
            guard (2...3).contains(parts.count) else { return nil }
            self = .add(title: parts[0], artist: parts[1], year: parts.count > 2 ? Int(parts[2]) : nil)
        case "rename":
            let parts = rest.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let number = Int(parts[0]) else { return nil }
            self = .rename(number: number, title: String(parts[1]))
        case "delete":
            guard let number = Int(rest) else { return nil }
            self = .delete(number: number)
        case "quit": self = .quit
        default: return nil
        }
    }

    /// Carries the command out.
    @MainActor func run(_ list: AlbumList, _ manager: PersistenceManager) async throws {
        switch self {
        case .add(let title, let artist, let year):
            let album = Album()
            (album.title, album.artist, album.year) = (title, artist, year)
            try await manager.insert(album)
        case .rename(let number, let title):
            guard let album = list.album(number) else { return Terminal.show("There is no album \(number).") }
            try await album.update(\.title, to: title)
        case .delete(let number):
            guard let album = list.album(number) else { return Terminal.show("There is no album \(number).") }
            try await manager.delete(album)
        case .quit: break
        }
    }
}
