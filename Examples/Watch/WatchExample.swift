import Foundation
import Persisting

@main
@MainActor struct WatchExample {
    static let usage = """
        USAGE: Watch [<path>]

        Shows the albums of an SQLite file by artist, and shows them again whenever they change. Start it in two
        terminals on one file: what you type in one moves the rows and sections of the other.

        ARGUMENTS:
          <path>    The database file. Without it: albums-by-artist.sqlite in the current folder.

        COMMANDS:
          \(Command.usage)
        """

    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.contains("-h") || arguments.contains("--help") { return Terminal.show(usage) }
        guard arguments.count <= 1, arguments.first?.hasPrefix("-") != true else {
            FileHandle.standardError.write(Data((usage + "\n").utf8))
            exit(64)
        }
        do {
            try await run(path: arguments.first ?? "albums-by-artist.sqlite")
        } catch {
            FileHandle.standardError.write(Data("Watch: \(error)\n".utf8))
            exit(1)
        }
    }

    static func run(path: String) async throws {
        let manager = try PersistenceManager(path: path)
        try await manager.updateSchema(for: [Album.self])
        let list = AlbumList(manager)
        Terminal.show(Command.usage)
        let following = Task { try await list.follow() }
        for await line in lines() {
            guard let command = Command(line) else {
                Terminal.show(Command.usage)
                continue
            }
            if case .quit = command { break }
            do {
                try await command.run(list, manager)
            } catch {
                Terminal.show("\(error)")
            }
        }
        following.cancel()
        // It ends with CancellationError as a rule. Another error is one of reading the list.
        if case .failure(let error) = await following.result, !(error is CancellationError) { throw error }
        try await manager.close()
    }

    /// The lines that are typed, read on a thread of their own.
    private static func lines() -> AsyncStream<String> {
        AsyncStream { continuation in
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
        }
    }
}
