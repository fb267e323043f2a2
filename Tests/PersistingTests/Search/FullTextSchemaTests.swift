import Foundation
import Persisting
import Testing

private class Leaflet: PersistingModel {
    var id: Int64?
    var title = ""
    var body: String?

    override class var tableName: String { "LEAFLET" }
}

private final class BareLeaflet: PersistingModel {
    var id: Int64?
    var title = ""

    override class var tableName: String { "LEAFLET" }
}

private final class IndexedLeaflet: Leaflet {
    static let text = FullTextIndex(\IndexedLeaflet.title, \IndexedLeaflet.body)
    override class var fullTextIndexes: FullTextIndexes { ["text": text] }
}

private final class StemmedLeaflet: Leaflet {
    static let text = FullTextIndex(
        \StemmedLeaflet.title, \StemmedLeaflet.body, tokenizer: .unicode61(.porter))
    override class var fullTextIndexes: FullTextIndexes { ["text": text] }
}

private final class PrefixedLeaflet: Leaflet {
    static let text = FullTextIndex(\PrefixedLeaflet.title, \PrefixedLeaflet.body, prefixes: [2])
    override class var fullTextIndexes: FullTextIndexes { ["text": text] }
}

private final class ShorterLeaflet: Leaflet {
    static let text = FullTextIndex(\ShorterLeaflet.body)
    override class var fullTextIndexes: FullTextIndexes { ["text": text] }
}

private final class WeightedLeaflet: Leaflet {
    static let text = FullTextIndex(\WeightedLeaflet.title, \WeightedLeaflet.body, weights: [1, 100])
    override class var fullTextIndexes: FullTextIndexes { ["text": text] }
}

private final class Brochure: PersistingModel {
    var id: Int64?
    var heading = ""
    var body: String?

    override class var formerTableNames: [String] { ["LEAFLET"] }
    override class var columns: Columns {
        var columns = super.columns
        columns["HEADING"] = .string.formerly("TITLE")
        return columns
    }
    static let text = FullTextIndex(\Brochure.heading, \Brochure.body)
    override class var fullTextIndexes: FullTextIndexes { ["text": text] }
}

private final class BareBrochure: PersistingModel {
    var id: Int64?
    var heading = ""

    override class var tableName: String { "BROCHURE" }
    override class var formerTableNames: [String] { ["LEAFLET"] }
    override class var columns: Columns {
        var columns = super.columns
        columns["HEADING"] = .string.formerly("TITLE")
        return columns
    }
}

/// The columns of a leaflet have exchanged their names.
private final class TurnedLeaflet: Leaflet {
    override class var columns: Columns {
        var columns = super.columns
        columns["TITLE"] = .string.formerly("BODY")
        columns["BODY"] = .string.formerly("TITLE")
        return columns
    }
    static let text = FullTextIndex(\TurnedLeaflet.title, \TurnedLeaflet.body)
    override class var fullTextIndexes: FullTextIndexes { ["text": text] }
}

private class Media: PersistingModel {
    var id: Int64?
    var title = ""

    override class var subclasses: [PersistingModel.Type] { [Song.self, Movie.self] }
    static let text = FullTextIndex(\Media.title)
    override class var fullTextIndexes: FullTextIndexes { ["text": text] }
}

private final class Song: Media {
    var lyrics: String?

    static let words = FullTextIndex(\Song.lyrics)
    override class var fullTextIndexes: FullTextIndexes { super.fullTextIndexes + ["lyrics": words] }
}

private final class Movie: Media {
    var plot: String?
}

private class Clash: PersistingModel {
    var id: Int64?
    var title = ""
    override class var subclasses: [PersistingModel.Type] { [ClashOne.self, ClashTwo.self] }
}

private final class ClashOne: Clash {
    var one: String?
    static let text = FullTextIndex(\ClashOne.one)
    override class var fullTextIndexes: FullTextIndexes { ["text": text] }
}

private final class ClashTwo: Clash {
    var two: String?
    static let text = FullTextIndex(\ClashTwo.two)
    override class var fullTextIndexes: FullTextIndexes { ["text": text] }
}

private enum Mood: String, SQLiteValueConvertible {
    case calm, stormy
}

private struct Extra: Codable, Sendable, Equatable {
    var remark = ""
}

private final class Log: PersistingModel {
    var id: Int64?
    var mail = ""
    var mood = Mood.calm
    var note: String?
    var scan: String?
    var extra = Extra()

    override class var columns: Columns {
        var columns = super.columns
        columns["MAIL"] = .string.transformed(by: .lowercased)
        columns["SCAN"] = .string.deferred
        columns["EXTRA"] = .json
        return columns
    }
    static let text = FullTextIndex(\Log.mail, \Log.mood, \Log.note, \Log.scan, \Log.extra)
    override class var fullTextIndexes: FullTextIndexes { ["text": text] }
}

private final class Numbered: PersistingModel {
    var id: Int64?
    var number = 0

    static let text = FullTextIndex(\Numbered.number)
    override class var fullTextIndexes: FullTextIndexes { ["text": text] }
}

// F150
@Suite("Full-text indexes in schemas") struct FullTextSchemaTests {
    private func manager() throws -> PersistenceManager {
        let manager = try memoryManager(IndexedLeaflet.self)
        try manager.insert(IndexedLeaflet.self, values: ["title": "Sailing", "body": "windy days"])
        try manager.insert(IndexedLeaflet.self, values: ["title": "Wine"])
        return manager
    }

    private func names(_ manager: PersistenceManager) throws -> [SQLiteValue] {
        try manager.storedColumn("SELECT name FROM sqlite_schema WHERE name LIKE '%\\_text%' ESCAPE '\\'")
    }

    @Test("An index is checked after its columns have exchanged their names")
    func exchange() throws {
        let manager = try memoryManager(IndexedLeaflet.self)
        try manager.insert(IndexedLeaflet.self, values: ["title": "a", "body": "b"])
        try manager.updateSchema(for: [TurnedLeaflet.self], allowing: .rewrites)
        try manager.check(TurnedLeaflet.text)
        #expect(try manager.fetchAll(TurnedLeaflet.self).map(\.title) == ["b"])
        let fresh = try memoryManager(TurnedLeaflet.self)
        try fresh.check(TurnedLeaflet.text)
    }

    @Test("An index that no class has goes with its table, and no longer keeps a column from being dropped")
    func left() throws {
        // F146
        let manager = try memoryManager(IndexedLeaflet.self)
        try manager.insert(IndexedLeaflet.self, values: ["title": "a", "body": "b"])
        try manager.updateSchema(for: [BareLeaflet.self], dropping: ["LEAFLET.BODY"], allowing: .loses)
        try manager.insert(BareLeaflet.self, values: ["title": "c"])
        #expect(try manager.values(BareLeaflet.sorted(by: \.id), \.title) == ["a", "c"])
        let other = try memoryManager(IndexedLeaflet.self)
        try other.updateSchema(for: [Media.self], dropping: ["LEAFLET"], allowing: .loses)
        #expect(try other.storedColumn("SELECT name FROM sqlite_schema WHERE name LIKE 'LEAFLET%'") == [])
    }

    @Test("that no class declares any more stay, noted, and go by dropping") func undeclared() throws {
        let manager = try manager()
        let plan = try manager.schemaPlan(for: [Leaflet.self])
        #expect(plan.isEmpty)
        #expect(plan.notes.map(\.name) == ["LEAFLET_text"])
        #expect(plan.notes.map(\.message) == ["the full-text index LEAFLET_text, which no class has"])
        let dropping = try manager.schemaPlan(for: [Leaflet.self], dropping: ["LEAFLET_text"])
        #expect(dropping.risk == .adds)
        try manager.apply(dropping)
        #expect(try names(manager) == [])
        try manager.run("INSERT OR REPLACE INTO LEAFLET (ID, TITLE) VALUES (1, 'new'); DELETE FROM LEAFLET")
        #expect(try manager.schemaPlan(for: [Leaflet.self]).notes == [])
    }

    @Test("of other keys go with the texts that they keep") func undeclaredTexts() throws {
        let manager = try memoryManager(Sheet.self)
        #expect(try manager.schemaPlan(for: [PlainSheet.self]).notes.map(\.name) == ["SHEET_text"])
        try manager.updateSchema(for: [PlainSheet.self], dropping: ["SHEET_text"])
        #expect(try names(manager) == [])
    }

    @Test("of dropped tables go as well") func droppedTable() throws {
        let manager = try manager()
        let notes = try manager.schemaPlan(for: [Movie.self]).notes.map(\.name)
        #expect(notes == ["LEAFLET", "LEAFLET_text"])
        try manager.updateSchema(for: [Movie.self], dropping: notes, allowing: .loses)
        #expect(try manager.storedColumn("SELECT name FROM sqlite_schema WHERE name LIKE 'LEAFLET%'") == [])
    }

    @Test("leave virtual tables of others alone", .local(.connection)) func otherTables() throws {
        let manager = try manager()
        try manager.run("CREATE VIRTUAL TABLE OTHER USING fts5(a)")
        #expect(try manager.schemaPlan(for: [IndexedLeaflet.self]).notes == [])
    }

    @Test("are made again by a plan for another tokenizer, other prefixes and other properties")
    func changed() throws {
        func count(_ rows: Query<some PersistingModel>) throws -> Int { try manager.count(rows) }
        let manager = try manager()
        func update(_ type: PersistingModel.Type) throws {
            let error = failure { try manager.createTableIfNecessary(for: type) }
            #expect(error?.code == .schemaMismatch)
            let plan = try manager.schemaPlan(for: [type])
            #expect(plan.steps.count == 2 && plan.steps.allSatisfy { $0.risk == .adds })
            #expect(plan.steps.last?.reason == "LEAFLET_text is to follow other columns, indexes or options")
            try manager.apply(plan)
            #expect(try manager.schemaPlan(for: [type]).isEmpty)
        }
        #expect(try count(IndexedLeaflet.where(IndexedLeaflet.text.matches("sail", mode: .allWords))) == 0)
        try update(StemmedLeaflet.self)
        #expect(try count(StemmedLeaflet.where(StemmedLeaflet.text.matches("sail", mode: .allWords))) == 1)
        try manager.check(StemmedLeaflet.text)
        try update(PrefixedLeaflet.self)
        #expect(try count(PrefixedLeaflet.where(PrefixedLeaflet.text.matches("wi"))) == 2)
        try manager.check(PrefixedLeaflet.text)
        try update(ShorterLeaflet.self)
        #expect(try count(ShorterLeaflet.where(ShorterLeaflet.text.matches("wi"))) == 1)
        try manager.run("INSERT OR REPLACE INTO LEAFLET (ID, TITLE, BODY) VALUES (1, 'wind', 'wine')")
        try manager.check(ShorterLeaflet.text)
        #expect(try count(ShorterLeaflet.where(ShorterLeaflet.text.matches("wine"))) == 1)
        try update(IndexedLeaflet.self)
        try manager.check(IndexedLeaflet.text)
    }

    @Test("of other weights are the same") func weights() throws {
        let manager = try manager()
        #expect(try manager.schemaPlan(for: [WeightedLeaflet.self]).isEmpty)
    }

    @Test("follow their table when it is altered by hand") func altered() throws {
        let manager = try manager()
        try manager.alterTable("LEAFLET") { table in
            table.change("BODY", to: .string.default("sailing"))
            table.addCheck("ID > 0")
        }
        #expect(try manager.schemaPlan(for: [IndexedLeaflet.self]).isEmpty)
        let new = try manager.insert(IndexedLeaflet.self, values: ["title": "zebra"])
        #expect(try manager.fetchAll(IndexedLeaflet.where(IndexedLeaflet.text.matches("zebra"))).map(\.id) == [new.id])
        try manager.check(IndexedLeaflet.text)
        try manager.alterTable("LEAFLET") { table in
            table.rename(to: "BROCHURE")
            table.rename("TITLE", to: "HEADING")
        }
        #expect(try manager.schemaPlan(for: [Brochure.self]).isEmpty)
        #expect(try manager.schemaPlan(for: [Brochure.self]).notes.isEmpty)
        #expect(try manager.fetchAll(Brochure.where(Brochure.text.matches("zebra"))).map(\.id) == [new.id])
        try manager.check(Brochure.text)
        try manager.alterTable("BROCHURE") { $0.drop("HEADING") }
        #expect(try manager.storedColumn("SELECT name FROM pragma_table_info('BROCHURE_text')") == ["BODY"])
        try manager.run("INSERT INTO BROCHURE (BODY) VALUES ('a whale')")
        #expect(try manager.stored("SELECT count(*) FROM BROCHURE_text('whale')") == 1)
    }

    @Test("that no class declares follow the names of their table and its columns", arguments: [false, true])
    func undeclaredRenames(isDropped: Bool) throws {
        let manager = try manager()
        try manager.insert(IndexedLeaflet.self, values: ["title": "zebra"])
        try manager.updateSchema(for: [BareBrochure.self], dropping: isDropped ? ["LEAFLET_text"] : [])
        #expect(try manager.fetchAll(BareBrochure.self).contains { $0.heading == "zebra" })
        guard !isDropped else {
            return #expect(try manager.storedColumn("SELECT name FROM sqlite_schema WHERE name LIKE '%text%'") == [])
        }
        try manager.insert(BareBrochure.self, values: ["heading": "zebras"])
        #expect(try manager.stored("SELECT count(*) FROM BROCHURE_text('zebra*')") == 2)
        #expect(try manager.schemaPlan(for: [BareBrochure.self]).notes.map(\.name).contains("BROCHURE_text"))
    }

    @Test("follow a table and a column that get other names") func renamed() throws {
        let manager = try manager()
        try manager.updateSchema(for: [Brochure.self])
        let query = Brochure.where(Brochure.text.matches("sailing"))
        #expect(try manager.fetchAll(query).map(\.heading) == ["Sailing"])
        try manager.run("INSERT OR REPLACE INTO BROCHURE (ID, HEADING) VALUES (1, 'Rowing')")
        #expect(try manager.count(query) == 0)
        try manager.check(Brochure.text)
        #expect(try manager.schemaPlan(for: [Brochure.self]).isEmpty)
        #expect(try manager.storedColumn("SELECT name FROM sqlite_schema WHERE name LIKE 'LEAFLET%'") == [])
    }

    @Test("of a class hierarchy stand once, and find the rows of each class") func hierarchy() throws {
        for first in [Media.self, Song.self, Movie.self] {
            let manager = try memoryManager(first)
            try manager.createTableIfNecessary(for: Media.self)
            try manager.insert(Song.self, values: ["title": "Wind", "lyrics": "blowing in the wind"])
            try manager.insert(Movie.self, values: ["title": "Gone with the wind", "plot": "war"])
            try manager.insert(Media.self, values: ["title": "Noise of wind"])
            let all = try manager.fetchAll(Media.where(Media.text.matches("wind")).sorted(by: \.id))
            #expect(all.map { "\(type(of: $0))" } == ["Song", "Movie", "Media"])
            let songs = Song.where(Media.text.of(Song.self).matches("wind")).sorted(by: Media.text.of(Song.self).rank)
            #expect(try manager.fetchAll(songs).map(\.title) == ["Wind"])
            #expect(try manager.hits(Movie.where(Media.text.of(Movie.self).matches("wind"))).count == 1)
            #expect(try manager.fetchAll(Song.where(Song.words.matches("blow"))).map(\.title) == ["Wind"])
            try manager.updateAll(Song.self, set: ["lyrics": "calm"])
            #expect(try manager.count(Song.where(Song.words.matches("blow"))) == 0)
            try manager.check(Media.text)
            try manager.check(Song.words)
            for classes in [[Media.self], [Movie.self], [Media.self, Song.self, Movie.self]] {
                let plan = try manager.schemaPlan(for: classes)
                #expect(plan.isEmpty && plan.notes.isEmpty)
            }
            #expect(failure { try manager.count(Movie.where(Song.words.of(Movie.self).matches("x"))) }?.code != nil)
            try manager.dropTable(for: Movie.self)
            #expect(try manager.storedColumn("SELECT name FROM sqlite_schema WHERE name LIKE 'MEDIA%'") == [])
        }
    }

    @Test("of two subclasses can't have one name") func clash() throws {
        let error = failure { try memoryManager(Clash.self) }
        #expect(error?.code == .invalidModel)
        #expect(error?.message.contains("CLASH_text") == true)
    }

    @Test("are used by several managers of a file", .local(.connection)) func twoManagers() throws {
        let directory = try TemporaryDirectory()
        let managers = try (0..<2).map { _ in try PersistenceManager(path: directory.path()) }
        try managers[0].createTableIfNecessary(for: IndexedLeaflet.self)
        #expect(try managers[1].createTableIfNecessary(for: IndexedLeaflet.self) == false)
        for number in 0..<10 {
            try managers[number % 2].insert(IndexedLeaflet.self, values: ["title": "wind \(number)"])
            let query = IndexedLeaflet.where(IndexedLeaflet.text.matches("wind"))
            #expect(try managers.map { try $0.count(query) } == [number + 1, number + 1])
        }
        try managers[0].updateSchema(for: [StemmedLeaflet.self])
        let sails = StemmedLeaflet.where(StemmedLeaflet.text.matches("winds", mode: .allWords))
        #expect(try managers.map { try $0.count(sails) } == [10, 10])
        try managers[1].check(StemmedLeaflet.text)
    }

    @Test("are found wanting when another program adds a unique index") func uniqueIndex() throws {
        let manager = try manager()
        try manager.run("CREATE UNIQUE INDEX BY_OTHERS ON LEAFLET (TITLE)")
        let error = failure { try manager.check(IndexedLeaflet.text) }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("LEAFLET_text") == true)
        try manager.updateSchema(for: [IndexedLeaflet.self])
        try manager.check(IndexedLeaflet.text)
        try manager.run("INSERT OR REPLACE INTO LEAFLET (TITLE, BODY) VALUES ('Wine', 'new')")
        try manager.check(IndexedLeaflet.text)
        #expect(try manager.count(IndexedLeaflet.self) == 2)
    }

    @Test("have what columns store: texts of transforms, of enums and of JSON, deferred ones too, and nothing of NULL")
    func meanings() throws {
        let manager = try memoryManager(Log.self)
        let log = Log()
        (log.mail, log.mood, log.scan, log.extra) = (
            "ANNA@Example.com", .stormy, "scanned words", Extra(remark: "json")
        )
        try manager.insert([log, Log()])
        func count(_ text: String) throws -> Int {
            try manager.count(Log.where(Log.text.matches(text, mode: .allWords)))
        }
        #expect(try ["anna", "stormy", "calm", "json", "scanned"].map(count) == [1, 1, 1, 1, 1])
        #expect(try count("remark") == 2, "the keys of JSON are words, too")
        #expect(try ["NULL", "nil"].map(count) == [0, 0])
        let hit = try #require(
            try manager.hits(Log.where(Log.text.matches("words")), excerpt: .init(\.scan, from: "<", to: ">")).first)
        #expect(hit.excerpt == "scanned <words>")
        #expect(hit.object.scan == nil, "a deferred property is searched without being loaded")
        hit.object.mood = .calm
        try manager.save(hit.object)
        #expect(try ["stormy", "scanned"].map(count) == [0, 1])
        try manager.check(Log.text)
        #expect(
            try manager.hits(Log.where(Log.text.matches("calm")), excerpt: .init(\.note, from: "", to: "")).map(
                \.excerpt)
                == [nil, nil])
    }

    @Test("of numbers aren't possible") func numbers() throws {
        let error = failure { try memoryManager(Numbered.self) }
        #expect(error?.code == .invalidModel)
        #expect(error?.key == "number")
    }
}

private class PlainSheet: PersistingModel {
    var name = ""
    var words = ""

    override class var tableName: String { "SHEET" }
    override class var primaryKey: PrimaryKey { .assigned("name") }
}

private final class Sheet: PlainSheet {
    static let text = FullTextIndex(\Sheet.words)
    override class var fullTextIndexes: FullTextIndexes { ["text": text] }
}

// F131
@Suite("A search index on a connection whose schema is old") struct FullTextStaleSchemaTests {
    @Test("is written as before", .local(.connection)) func write() throws {
        let directory = try TemporaryDirectory()
        let one = try PersistenceManager(path: directory.path())
        try one.createTableIfNecessary(for: Stanza.self)
        try one.insert(Stanza.self, values: ["book": "a", "number": 1, "text": "then"])
        let two = try PersistenceManager(path: directory.path())
        #expect(try two.count(Stanza.self) == 1)
        try one.execute("CREATE TABLE OTHER (A)")
        try two.execute("UPDATE STANZA SET TEXT = 'now' WHERE NUMBER = 1")
        #expect(try two.count(Stanza.where(Stanza.search.matches("now"))) == 1)
    }
}

private final class Stanza: PersistingModel {
    var book = ""
    var number = 0
    var text = ""

    override class var history: History? { .values() }
    static let search = FullTextIndex(\Stanza.text)
    override class var fullTextIndexes: FullTextIndexes { ["search": search] }
    override class var primaryKey: PrimaryKey { .composite("book", "number") }
    override class var tableOptions: TableOptions { .withoutRowID }
}
