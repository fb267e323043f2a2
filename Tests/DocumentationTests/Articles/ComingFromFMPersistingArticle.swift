// swift-format-ignore-file
import Foundation
import Persisting
import PersistingDiagnostics
import Testing

struct ComingFromFMPersistingArticle: Article {
    // snippet.show
    final class Podcast: PersistingModel {
        var id: Int64?  // was the property ID, an NSNumber
        var firstName: String?
        var flags = 0
        var cover: Data?
        var wasDeleted: Bool {
            get { flags & 4 != 0 }
            set { flags = newValue ? flags | 4 : flags & ~4 }
        }

        // ordered, and checked at the first use of the class
        override class var columns: Columns {
            [
                "ID": .int, "GIVEN_NAME": .string.property("firstName"),
                "FLAGS": .int, "COVER": .data.deferred,
            ]
        }
        override class var bitFields: [BitField] {    // bitFieldMappings
            [
                BitField("autoDownloadEnabled", in: "flags", mask: 1),
                BitField("wifiRequired", in: "flags", mask: 2),
            ]
        }
        override class var aliases: [Alias] {         // columnNamesForKeys
            [Alias("wasDeleted", \Podcast.wasDeleted, in: "flags")]
        }
    }
    // snippet.hide

    func run() throws {
        let path = "podcasts.sqlite"
        // snippet.show
        let manager = try PersistenceManager(path: path)  // openDatabaseWithPath:
        try manager.createTableIfNecessary(for: Podcast.self)
        // insertNewObjectOfClass:withValues:
        let podcast = try manager.insert(Podcast.self, values: ["firstName": "Ada"])
        let named = try manager.fetchAll(
            Podcast.self, where: ["firstName": "Ada", "<NOT>flags": 4])
        // updateValue:forKey:ofObject:
        try podcast.update(key: "wifiRequired", to: true)
        try manager.delete(podcast)
        // snippet.hide
        #expect(named.map(\.firstName) == ["Ada"])
        #expect(podcast.flags == 2)

        // snippet.show
        do {
            try manager.save(podcast)
        } catch let error as PersistenceError where error.code == .notFound {
            print(error.message, error.sql ?? "")
        }
        // snippet.hide

        // snippet.show
        let source = try manager.modelSource(table: "PODCAST")
        print(source)
        // snippet.hide
        #expect(source.contains("final class Podcast: PersistingModel"))
    }
}
