// swift-format-ignore-file
import Foundation
import Persisting
import Testing

// F118, F119: a feed, a file and a download are stored, and written out again.
struct ImportingAndExportingArticle: Article {
    func run() async throws {
        let manager = try PersistenceManager(.memory)
        try await manager.createTableIfNecessary(for: Episode.self)
        try responses(manager)
        try files(manager)
        let lines = AsyncThrowingStream<UInt8, any Error> { stream in
            for byte in Data(#"{"id": "c1", "title": "New"}"#.utf8) { stream.yield(byte) }
            stream.finish()
        }
        #expect(try await download(lines, into: manager) == 1)
        try export(manager)
        var text = ""
        try await respond(with: manager) { text += String(decoding: $0, as: UTF8.self) }
        #expect(text.hasPrefix("[{\"id\":"))
        try rows()
    }

    // snippet.show
    final class Episode: PersistingModel {
        var id: Int64?
        var guid = ""
        var title = ""
        var seconds = 0
        var published: Date?
        var summary: String?

        override class var columns: Columns {
            var columns = super.columns
            columns["GUID"] = .string.unique
            return columns
        }

        override class var remoteMapping: RemoteMapping {
            RemoteMapping([
                // A property, its key in the feed, and the kind of value there. The
                // feed's id is the property guid.
                .key("guid", "id", .string, isPrimaryKey: true),
                .key("title", "title", .string),
                .key("seconds", "media.duration", .truncatedNumber),
                .key("published", "date", .time),
                .key("summary", "summary"),
            ])
        }
    }
    // snippet.hide

    private func responses(_ manager: PersistenceManager) throws {
        // snippet.show
        let feed = Data(
            #"""
            [{"id": "a1", "title": "Pilot", "date": "2024-05-01T06:00:00Z",
              "media": {"duration": "1800"}},
             {"id": "a2", "title": "Guests", "date": "2024-05-08T06:00:00+02:00",
              "media": {"duration": 2400.7}}]
            """#.utf8)
        let episodes = try manager.upsertAll(Episode.self, json: feed)
        print(episodes.map(\.seconds))                                  // [1800, 2400]
        // snippet.hide

        // snippet.show
        let changes: [[String: Any]] = [
            ["id": "a1", "status": "D"], ["id": "a3", "title": "Live", "status": "A"],
        ]
        let result = try manager.synchronize(Episode.self, json: changes)
        print(result.deleted, result.total)                             // 1 2
        // snippet.hide
    }

    private func files(_ manager: PersistenceManager) throws {
        // snippet.show
        let csv = Data(
            """
            id;title;media.duration
            b1;Trailer;95
            b2;Bonus;unknown
            """.utf8)
        let report = try manager.importCSV(
            Episode.self, contentsOf: csv, CSVFormat(separator: ";"),
            onConflict: .update(by: "guid"),
            errors: .collect(max: 100))
        print(report.inserted)  // 1
        print(report.failures)  // [line 3, media.duration: the value isn't a number…]
        // snippet.hide
    }

    // snippet.show
    func download(
        _ bytes: some AsyncSequence<UInt8, any Error>,
        into manager: PersistenceManager
    ) async throws -> Int {
        let report = try await manager.importJSON(
            Episode.self, contentsOf: bytes, .lines, onConflict: .update(by: "guid")
        )
        return report.inserted
    }
    // snippet.hide

    private func export(_ manager: PersistenceManager) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let url = directory.appending(path: "episodes")
        // snippet.show
        try manager.exportCSV(Query(Episode.self), to: url)
        try manager.exportJSON(Episode.where(\.seconds > 1000), to: url, .lines)
        // snippet.hide
        #expect(try String(contentsOf: url, encoding: .utf8).hasPrefix("{\"id\":\"a2\",\"title\":\"Guests\""))
        let copy = try PersistenceManager(.memory)
        try copy.createTableIfNecessary(for: Episode.self)
        // snippet.show
        try manager.exportJSON(Query(Episode.self), to: url, keys: .properties)
        try copy.importJSON(Episode.self, contentsOf: url, keys: .properties)
        // snippet.hide
        #expect(try copy.fetchAll(Episode.self).map(\.id) == manager.fetchAll(Episode.self).map(\.id))
    }

    // snippet.show
    func respond(
        with manager: PersistenceManager, send: ([UInt8]) async throws -> Void
    ) async throws {
        for try await bytes in manager.json(
            Query(Episode.self).sorted(by: \.published))
        {
            try await send(bytes)
        }
    }
    // snippet.hide

    private func rows() throws {
        let csv = Data("id;title;media.duration\nb1;Trailer;95\n".utf8)
        // snippet.show
        var trailers: [Episode] = []
        try CSVFormat(separator: ";").forEachRow(of: csv) { row in
            let episode = Episode()
            episode.guid = try row["id"]
            episode.title = try row["title"]
            let seconds: Int? = try row["media.duration"]  // nil for an empty field
            episode.seconds = seconds ?? 0
            trailers.append(episode)
        }
        // snippet.hide
    }
}
