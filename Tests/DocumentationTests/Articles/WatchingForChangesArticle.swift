// swift-format-ignore-file
import Foundation
import Persisting
import Testing

#if canImport(SwiftUI)
    import SwiftUI
#endif

struct WatchingForChangesArticle: Article {
    // snippet.show
    final class Album: PersistingModel {
        var id: Int64?
        var title = ""
        var artist = ""
    }
    // snippet.hide

    func run() async throws {
        let manager = try PersistenceManager(.memory)
        try await manager.createTableIfNecessary(for: Album.self)
        try await manager.insert(Album.self, values: ["title": "Kind of Blue", "artist": "Miles Davis"])
        let writer = Task {
            _ = try await manager.execute("INSERT INTO ALBUM (TITLE, ARTIST) VALUES ('Blue Train', 'John Coltrane')")
        }
        try await counting(manager)
        _ = try await writer.value
        try await serving(manager)
        try await handling(manager)
        try await listing(manager)
        #expect(try await follow(in: manager) == "So What")
    }

    private func counting(_ manager: PersistenceManager) async throws {
        // snippet.show
        for try await count in manager.observe({ try $0.count(Album.self) }) {
            print(count)
            if count == 2 { break }  // ends the observation
        }
        // snippet.hide
    }

    private func serving(_ manager: PersistenceManager) async throws {
        func send(_ text: String) async throws { #expect(text.hasPrefix("data: ")) }
        // snippet.show
        for try await titles in manager.observe({ try $0.values(Album.rows, \.title) })
        {
            try await send("data: \(titles.joined(separator: ", "))\n\n")
            if titles.count == 2 { break }
        }
        // snippet.hide
    }

    private func handling(_ manager: PersistenceManager) async throws {
        // snippet.show
        let token = manager.onChange(
            of: Album.self, [.insert, .update(\.title), .delete]
        ) { change in
            print(change.key, change.changedKeys.sorted())
        }
        // snippet.hide
        #expect(token.error == nil)
        token.cancel()
    }

    // snippet.show
    @MainActor final class AlbumList {
        let controller: FetchedResultsController<Album, String>

        init(_ manager: PersistenceManager) {
            let query = Album.sorted(by: [
                .ascending(\.artist), .ascending(\.title),
            ])
            controller = FetchedResultsController(
                query, sectionedBy: \.artist, in: manager)
        }

        var lines: [String] {
            controller.sections.flatMap { section in
                ["\(section.name): \(section.count)"] + section.objects.map(\.title)
            }
        }
    }
    // snippet.hide

    #if canImport(SwiftUI)
    // snippet.show
    struct AlbumListView: View {
        @State private var list: AlbumList

        init(manager: PersistenceManager) {
            _list = State(initialValue: AlbumList(manager))
        }

        var body: some View {
            List {
                ForEach(list.controller.sections, id: \.name) { section in
                    Section(section.name) {
                        ForEach(section.objects, id: \.id) { album in
                            Text(album.title)
                        }
                    }
                }
            }
        }
    }
    // snippet.hide
    #endif

    @MainActor private func listing(_ manager: PersistenceManager) async throws {
        let list = AlbumList(manager)
        while list.controller.sections.isEmpty { await Task.yield() }
        #expect(list.lines == ["John Coltrane: 1", "Blue Train", "Miles Davis: 1", "Kind of Blue"])
    }

    // snippet.show
    @MainActor func follow(in manager: PersistenceManager) async throws -> String? {
        let live = LiveObjects(in: manager)
        guard let album = try await live.find(Album.self, 1) else { return nil }
        try await manager.execute("UPDATE ALBUM SET TITLE = 'So What' WHERE ID = 1")
        // waits for the update; a view needs no loop
        while album.title != "So What" { await Task.yield() }
        return album.title
    }
    // snippet.hide
}
