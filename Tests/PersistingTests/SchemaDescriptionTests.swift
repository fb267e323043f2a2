import Foundation
import Persisting
import PersistingDiagnostics
import Testing

private final class Artist: PersistingModel {
    var id: Int64?
}

private final class Song: PersistingModel {
    var guid = UUID()
    var title = ""
    var seconds = 0.0
    var released: Date?
    var isLive = false
    var flags: Int?
    var price: Decimal?
    var link: URL?
    var kind = Kind.full
    var givenName: String?
    var artistID: Int64?
    var score: Data?
    var tags: [String] = []
    var speed: Double {
        get { seconds * 2 }
        set { seconds = newValue / 2 }
    }

    override class var primaryKey: PrimaryKey { .assigned("guid") }
    override class var bitFields: [BitField] { [BitField("isLoud", in: "flags", mask: 1)] }
    override class var columns: Columns {
        var columns = super.columns
        columns["TITLE"] = .string.notNull.unique.default("it's \"new\"").collate(.nocase)
        columns["SECONDS"] = .double.default(-0.5).check("SECONDS < 10000 AND TITLE <> '\\'").onNull(.default)
        columns["RELEASED"] = .date.stored(as: .iso8601)
        columns["FORENAME"] = .string.property("givenName").collate(Collation(rawValue: "DECIMAL"))
        columns["ARTIST_ID"] = .int.references(
            Artist.self, "ID", onDelete: .setNull, onUpdate: .cascade, isDeferred: true)
        columns["SCORE"] = .data.deferred.default(.blob(Data([1, 2])))
        columns["TAGS"] = .json
        columns["SPEED"] = .path(\Song.speed)
        return columns
    }
}

/// `Song` with its columns as `columnTemplate()` prints them.
private final class PrintedSong: PersistingModel {
    var guid = UUID()
    var title = ""
    var seconds = 0.0
    var released: Date?
    var isLive = false
    var flags: Int?
    var price: Decimal?
    var link: URL?
    var kind = Kind.full
    var givenName: String?
    var artistID: Int64?
    var score: Data?
    var tags: [String] = []

    override class var tableName: String { "SONG" }
    override class var primaryKey: PrimaryKey { .assigned("guid") }
    // swift-format-ignore
    override class var columns: Columns {
        [
            "GUID": .uuid,
            "TITLE": .string.notNull.unique.default("it's \"new\"").collate(.nocase),
            "SECONDS": .double.default(-0.5).check("SECONDS < 10000 AND TITLE <> '\\'").onNull(.default),
            "RELEASED": .date.stored(as: .iso8601),
            "IS_LIVE": .bool,
            "FLAGS": .int,
            "PRICE": .decimal,
            "LINK": .url,
            "KIND": .string,
            "FORENAME": .string.property("givenName").collate(.decimal),
            "ARTIST_ID": .int.references(Artist.self, "ID", onDelete: .setNull, onUpdate: .cascade, isDeferred: true),
            "SCORE": .data.default(.blob(Data([1, 2]))).deferred,
            "TAGS": .json,
            // "SPEED": .path(\.speed),
        ]
    }
}

@Suite("What a class is stored as") struct SchemaDescriptionTests {
    // F42
    @Test("columns and properties are found by each other's name") func lookUp() throws {
        let schema = try Song.schema()
        #expect(schema.column(forKey: "givenName")?.name == "FORENAME")
        #expect(schema.column(named: "forename")?.key == "givenName")
        #expect(schema.column(forKey: "isLoud")?.name == "FLAGS")
        #expect(schema.column(forKey: "FORENAME") == nil)
        #expect(schema.column(named: "nonsense") == nil)
    }

    // F42
    @Test("it says types, keys and what is fetched") func types() throws {
        let schema = try Song.schema(dates: .unixMilliseconds)
        #expect(schema.modelName == "Song")
        #expect(schema.tableName == "SONG")
        #expect(schema.primaryKey == ["guid"])
        #expect(!schema.isKeyGenerated)
        #expect(schema.columns.first?.type == UUID.self)
        #expect(schema.column(forKey: "isLive")?.columnType == .integer)
        #expect(schema.column(forKey: "score")?.isDeferred == true)
        #expect(schema.column(forKey: "price")?.isOptional == true)
        #expect(schema.column(forKey: "guid")?.isPrimaryKey == true)
        #expect(
            schema.selectList
                == "GUID, TITLE, SECONDS, RELEASED, IS_LIVE, FLAGS, PRICE, LINK, KIND, FORENAME, ARTIST_ID, TAGS, SPEED"
        )
        #expect(schema.virtualKeys == ["isLoud": "flags"])
    }

    // F42
    @Test("its CREATE TABLE is the one that runs", .local(.decimals)) func createTable() throws {
        let manager = try memoryManager(Artist.self, Song.self)
        #expect(try manager.tableSQL("SONG") == Song.schema().createTable)
    }

    // F16, F41
    @Test("a class that cannot be mapped says why") func invalid() throws {
        final class Wrong: PersistingModel {
            var id: Int64?
            var thing: [Artist] = []
        }
        #expect(failure { try Wrong.schema() }?.key == "thing")
        #expect(failure { try Wrong.columnTemplate() }?.key == "thing")
    }

    // F43
    @Test("the template is Swift that declares the same columns") func template() throws {
        let lines = try Song.columnTemplate().split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let printed = try #require(source.range(of: "final class Printed" + "Song"))
        let rest = source[printed.upperBound...].split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let start = try #require(rest.firstIndex(of: "override class var columns: Columns {"))
        #expect(Array(rest[start...].prefix(lines.count)) == lines)
        let columns = try Song.schema().columns.filter { $0.key != "speed" }
        #expect(try PrintedSong.schema().columns.map(\.definition) == columns.map(\.definition))
    }
}
