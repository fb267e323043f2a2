// swift-format-ignore-file
import Foundation
import Persisting
import Testing

struct ClassHierarchiesArticle: Article {
    // snippet.show
    class Attachment: PersistingModel {
        var id: Int64?
        var title = ""

        override class var subclasses: [PersistingModel.Type] {
            [Photo.self, Clip.self]
        }
    }

    class Photo: Attachment {
        var width = 0
    }

    final class Clip: Attachment {
        var seconds = 0.0
        var codec: String?
    }
    // snippet.hide

    func run() throws {
        // snippet.show
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Attachment.self)
        print(try Photo.schema().createTable)  // CREATE TABLE ATTACHMENT (…
        // snippet.hide
        // snippet.show
        try manager.insert(Photo.self, values: ["title": "Harbor", "width": 4000])
        try manager.insert(Clip.self, values: ["title": "Waves", "seconds": 12.5])

        for attachment in try manager.fetchAll(Attachment.sorted(by: \.title)) {
            switch attachment {
            case let photo as Photo: print(photo.title, photo.width)  // Harbor 4000
            case let clip as Clip: print(clip.title, clip.seconds)    // Waves 12.5
            default: print(attachment.title)
            }
        }
        // snippet.hide
        // snippet.show
        let wide = try manager.fetchAll(Photo.self, where: \.width > 1920)
        let seconds = try manager.sum(Clip.rows, \.seconds)
        try manager.updateAll(Clip.self, set: ["codec": "AV1"])  // leaves photos alone
        let none = try manager.find(Photo.self, 2)  // nil: the row with key 2 is a clip
        // snippet.hide
        let article = try String(contentsOf: #require(Documents.all()[name]), encoding: .utf8)
        let table = try #require(article.split(separator: "```").first { $0.hasPrefix("sql\n") })
        #expect(try Photo.schema().createTable + "\n" == table.dropFirst(4))
        #expect(wide.map(\.title) == ["Harbor"])
        #expect(seconds == 12.5)
        #expect(none == nil)
        #expect(try manager.fetchAll(Clip.self).map(\.codec) == ["AV1"])
        // snippet.show
        class Account: PersistingModel {
            var id: Int64?
            var owner = ""

            override class var subclasses: [PersistingModel.Type] { [Savings.self] }
            override class var kindColumn: String { "type" }
            override class var unknownKind: UnknownKind { .asBase }
        }

        final class Savings: Account {
            var rate = 0.0
            override class var kind: String { "savings" }
        }
        // snippet.hide
        try manager.createTableIfNecessary(for: Account.self)
        try manager.execute("INSERT INTO ACCOUNT (OWNER, type) VALUES ('Ann', 'loan')")
        try manager.insert(Savings.self, values: ["owner": "Bob", "rate": 1.5])
        #expect(try manager.fetchAll(Account.sorted(by: \.owner)).map { $0 is Savings } == [false, true])
    }
}
