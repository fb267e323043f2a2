// swift-format-ignore-file
import Foundation
import Persisting
import PersistingDiagnostics
import Testing

// snippet.show
// stored as its raw value
enum Format: String, SQLiteValueConvertible { case paper, audio }

// stored as JSON
struct Size: Codable, SQLiteValueConvertible { var width = 0, height = 0 }
// snippet.hide

struct DefiningModelsArticle: Article {
    // snippet.show
    final class Edition: PersistingModel {
        var isbn = ""
        var printing = 1
        var format = Format.paper
        var size: Size?

        override class var primaryKey: PrimaryKey { .composite("isbn", "printing") }
    }
    // snippet.hide

    // snippet.show
    final class Book: PersistingModel {
        var id: Int64?
        var title = ""
    }

    final class Loan: PersistingModel {
        var id: Int64?
        var bookID: Int64?
        var reader = ""
        var notes: [String] = []
        var due: Date?

        override class var columns: Columns {
            var columns = super.columns
            columns["BOOK_ID"] = .int.notNull.references(
                Book.self, onDelete: .cascade)
            columns["READER"] = .string.collate(.nocase).check("length(READER) > 0")
            columns["NOTES"] = .json
            columns["DUE"] = .date.stored(as: .iso8601)
            return columns
        }

        override class var indexes: [Index] {
            [Index("reader", "due"), .unique("bookID", where: "DUE IS NULL")]
        }
    }
    // snippet.hide

    // snippet.show
    final class Painting: PersistingModel {
        var id: Int64?
        var title = ""
        var scan: Data?
        var flags = 0
        var back: Shade?
        var isFramed: Bool {
            get { flags & 1 != 0 }
            set { flags = newValue ? flags | 1 : flags & ~1 }
        }

        override class var columns: Columns {
            var columns = super.columns
            columns["SCAN"] = .data.deferred
            columns["BACK"] = .path(\Painting.back, transform: .percent)
            return columns
        }
        override class var bitFields: [BitField] {
            [
                BitField("isSold", in: "flags", mask: 1 << 1),
                BitField("isLent", in: "flags", mask: 1 << 2),
            ]
        }
        override class var aliases: [Alias] {
            [
                Alias("name", for: "title"),
                Alias("isFramed", \Painting.isFramed, in: "flags"),
            ]
        }
    }
    // snippet.hide

    func run() throws {
        let manager = try PersistenceManager(.memory)
        for model in [Book.self, Edition.self, Loan.self, Bookmark.self, Painting.self, Visitor.self] as [PersistingModel.Type] {
            #expect(try manager.createTableIfNecessary(for: model))
        }
        let painting = Painting()
        (painting.flags, painting.scan, painting.back) = (4, Data([1]), Shade(grey: 0.5))
        try manager.insert([painting, Painting()])
        try runDeferredColumnsAndBits(manager, manager.fetchAll(Painting.self, sortedBy: "id"))
        try runDescriptions(manager)
        try runCodable(manager)
        #expect(try manager.count(Painting.self, where: ["back": Shade(grey: 0.5)] as Criteria) == 1)
    }

    private func runDeferredColumnsAndBits(_ manager: PersistenceManager, _ paintings: [Painting]) throws {
        let painting = paintings[0]
        // snippet.show
        try manager.load(paintings, \.scan)
        try manager.withBlob(of: painting, \.scan) { blob in
            try blob.forEachChunk { piece in print(piece.count) }
        }
        // snippet.hide
        #expect(paintings.map(\.scan) == [Data([1]), nil])

        // snippet.show
        try painting.update(key: "isSold", to: true)  // stores FLAGS
        try painting.update(\.isFramed, to: true)  // runs the setter, and stores FLAGS
        // FLAGS & 4
        let lent = try manager.fetchAll(Painting.self, where: ["isLent": true])
        // snippet.hide
        #expect(lent.map(\.flags) == [7])
    }
}

// snippet.show
struct Shade: Equatable { var grey = 0.0 }

extension Transform where Value == Shade {
    static let percent = Transform(
        encode: { $0.grey * 100 },
        decode: { (number: Double) in Shade(grey: number / 100) })
}
// snippet.hide

extension DefiningModelsArticle {
    private func runDescriptions(_ manager: PersistenceManager) throws {
        // snippet.show
        let schema = try Painting.schema()
        print(schema.createTable)                           // CREATE TABLE PAINTING (…
        print(schema.column(forKey: "isLent")?.name ?? "")  // FLAGS
        print(try Painting.columnTemplate())
        print(try manager.modelSource(table: "PAINTING"))
        // snippet.hide
    }

    // snippet.show
    final class Visitor: PersistingModel, Codable {
        var id: Int64?
        var name = ""
        var born: Date?

        required init() {}
    }
    // snippet.hide

    private func runCodable(_ manager: PersistenceManager) throws {
        // snippet.show
        let visitor = try JSONDecoder().decode(
            Visitor.self, from: Data(#"{"name": "Ada"}"#.utf8))
        try manager.save(visitor)  // a decoded object is new
        let json = try JSONEncoder().encode(visitor)
        print(String(decoding: json, as: UTF8.self))  // {…}
        // snippet.hide
        #expect(try manager.fetchOne(Visitor.self)?.name == "Ada")
    }

    // snippet.show
    nonisolated final class Bookmark: PersistingModel {
        var id: Int64?
        var page = 0
    }
    // snippet.hide
}
