import Foundation
import Persisting
import Testing

private final class Podcast: PersistingModel {
    enum Kind: String, SQLiteValueConvertible { case news, talk }

    var id: Int64?
    var title = ""
    var kind = Kind.news
    var price: Decimal?
    var seenAt: Date?
    var flags: Int?

    var isLoud: Bool { (flags ?? 0) & 4 != 0 }

    override class var columns: Columns {
        var columns = super.columns
        columns["SEEN_AT"] = .date.stored(as: .iso8601)
        return columns
    }

    override class var bitFields: [BitField] {
        [
            BitField("auto", in: "flags", mask: 1), BitField("wifi", in: "flags", mask: 2),
            BitField("isLoud", \Podcast.isLoud, in: "flags", mask: 4),
        ]
    }
    override class var aliases: [Alias] { [Alias("name", for: "title")] }
}

/// In a table without row identifiers.
private final class Word: PersistingModel {
    var text = ""
    var part = 0
    var number = 0

    override class var primaryKey: PrimaryKey { .composite("text", "part") }
    override class var tableOptions: TableOptions { .withoutRowID }
}

@Suite("Writes of whole queries", .onBothEngines) struct WriteQueryTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Podcast.self)
        for number in 0..<6 {
            try manager.insert(
                Podcast.self, values: ["title": "p\(number)", "flags": number == 5 ? nil : number])
        }
    }

    private func stored(_ column: String) throws -> [SQLiteValue] {
        try manager.storedColumn("SELECT \(column) FROM PODCAST ORDER BY ID")
    }

    @Test("an update sets the rows of its condition, and says how many they are") func update() throws {
        #expect(try manager.update(Podcast.where(\.id > 4), set: ["title": "x"]) == 2)
        #expect(try stored("TITLE") == ["p0", "p1", "p2", "p3", "x", "x"].map { .text($0) })
        #expect(try manager.update(Podcast.where(\.id > 99), set: ["title": "y"]) == 0)
        #expect(try manager.update(Podcast.where(["title": "p0"]), \.title, to: "z") == 1)
        #expect(try stored("TITLE").first == .text("z"))
    }

    @Test("values are stored as the columns store them; nil is NULL") func codecs() throws {
        let query = Podcast.where(\.id == 1)
        let date = Date(timeIntervalSince1970: 0)
        try manager.update(
            query,
            set: [
                "kind": Podcast.Kind.talk, "price": Decimal(string: "1.50"), "seenAt": date, "flags": nil, "name": "n",
            ])
        #expect(try manager.stored("SELECT SEEN_AT FROM PODCAST")?.storageClass == .text)
        let podcast = try #require(try manager.fetchOne(query))
        #expect(podcast.kind == .talk)
        #expect(podcast.price == Decimal(string: "1.50"))
        #expect(podcast.seenAt == date)
        #expect(podcast.flags == nil)
        #expect(podcast.title == "n")
        try manager.update(query, set: ["kind": "news"])
        #expect(try manager.values(query, \.kind) == [.news])
    }

    @Test("a bit field sets and clears its bits and leaves the others") func bits() throws {
        // F34
        let all = Podcast.where(\.id > 0)
        #expect(try manager.update(all, set: ["isLoud": true]) == 6)
        #expect(try stored("FLAGS") == [4, 5, 6, 7, 4, 4].map { .integer($0) })
        try manager.update(all, set: ["isLoud": false, "auto": true])
        #expect(try stored("FLAGS") == [1, 1, 3, 3, 1, 1].map { .integer($0) })
        try manager.update(Podcast.where(\.id == 1), set: ["flags": nil])
        try manager.update(all, set: ["wifi": false])
        #expect(try stored("FLAGS") == [.null] + [1, 1, 1, 1, 1].map { .integer($0) })
        #expect(try manager.update(all, \.isLoud, to: true) == 6)
        #expect(try stored("FLAGS").first == .integer(4))
    }

    @Test("a limit, an order and an offset say which rows") func limited() throws {
        #expect(
            try manager.update(Podcast.where(\.id > 1).sorted(by: \.title, .descending).limit(2), set: ["title": "x"])
                == 2)
        #expect(try stored("TITLE") == ["p0", "p1", "p2", "p3", "x", "x"].map { .text($0) })
        #expect(try manager.delete(Podcast.where(\.id > 0).sorted(by: \.id).limit(2).offset(1)) == 2)
        #expect(try stored("ID") == [1, 4, 5, 6].map { .integer($0) })
        #expect(try manager.delete(Podcast.where(\.id > 0).limit(0)) == 0)
    }

    @Test("tables without row identifiers go by their key, classes without a key by row identifiers") func otherTables()
        throws
    {
        let manager = try memoryManager(Word.self, Reading.self)
        for number in 0..<6 {
            try manager.insert(Word.self, values: ["text": "w\(number % 2)", "part": number, "number": number])
            try manager.insert(Reading.self, values: ["sensor": "s", "value": Double(number)])
        }
        #expect(try manager.delete(Word.where(\.text == "w1").sorted(by: \.number, .descending).limit(2)) == 2)
        #expect(try manager.values(Word.sorted(by: \.number), \.number) == [0, 1, 2, 4])
        #expect(try manager.delete(Reading.where(\.value > 1).sorted(by: \.value).limit(3)) == 3)
        #expect(try manager.values(Reading.sorted(by: \.value), \.value) == [0, 1, 5])
    }

    @Test("without a condition they throw, in every spelling, and nothing is written") func everyRow() throws {
        // Settled 2
        let spellings: [Criteria<Podcast>] = [
            .all, [:], .sql(""), .sql(" \n"), .sql(SQL(String())), Criteria([:]), .all && .sql(""), !(!.all),
            .all || \.id == 1,
            .format("TRUEPREDICATE"), .format("NOT FALSEPREDICATE"), .predicate(#Predicate { _ in true }),
            .format("1 == 1"), .format("NOT (1 == 2)"), .format("%@ == %@", "x", "x"), .format("nil == nil"),
            .format("1 IN {1}"), .format("2 BETWEEN {1, 3}"), .format("'a' LIKE '*'"), .format("1 == 1 OR id == 1"),
            .format("NOT (1 == 2 AND id == 1)"), .format("1 + 1 > 1"),
        ]
        for query in [Query(Podcast.self), Podcast.sorted(by: \.id).limit(1)] + spellings.map({ Podcast.where($0) }) {
            #expect(failure { try manager.delete(query) }?.code == .missingCondition)
            #expect(failure { try manager.update(query, set: ["title": "x"]) }?.code == .missingCondition)
        }
        for criteria in spellings {
            #expect(failure { try manager.delete(Podcast.self, where: criteria) }?.code == .missingCondition)
        }
        #expect(try manager.count(Podcast.where(["title": "x"])) == 0)
        #expect(try manager.count(Podcast.self) == 6)
    }

    @Test("all rows are written by words that say so") func all() throws {
        #expect(try manager.updateAll(Podcast.self, set: ["title": "x", "auto": true]) == 6)
        #expect(try manager.count(Podcast.where(["title": "x", "auto": true])) == 6)
        #expect(try manager.deleteAll(Podcast.self) == 6)
    }

    @Test("mistakes throw, and nothing is written") func mistakes() throws {
        let query = Podcast.where(\.id > 0)
        let unknown = failure { try manager.update(query, set: ["titel": "x"]) }
        #expect(unknown?.code == .unknownKey)
        #expect(unknown?.key == "titel")
        let type = failure { try manager.update(query, set: ["title": 5]) }
        #expect(type?.code == .typeMismatch)
        #expect(type?.key == "title")
        #expect(failure { try manager.update(query, set: ["title": nil]) }?.code == .typeMismatch)
        #expect(failure { try manager.update(query, set: ["auto": 2]) }?.code == .typeMismatch)
        #expect(failure { try manager.update(query, set: ["flags": 1, "auto": true]) }?.code == .invalidCriteria)
        #expect(failure { try manager.update(query, set: ["auto": true, "flags": 1]) }?.code == .invalidCriteria)
        #expect(failure { try manager.update(query, set: ["title": "a", "name": "b"]) }?.code == .invalidCriteria)
        #expect(failure { try manager.update(query, set: ["id": 7]) }?.code == .constraint)
        #expect(failure { try manager.update(Podcast.where(["titel": 1]), set: ["title": "x"]) }?.code == .unknownKey)
        #expect(try stored("TITLE") == (0..<6).map { .text("p\($0)") })
        #expect(try manager.update(query, set: [:]) == 0)
    }

    @Test("hostile values write no other row", .local(.textsWithNUL)) func hostile() throws {
        for text in ["' OR 1=1 --", "%", "*", "p_", "p?", "\"", "\0", "p0'; DROP TABLE PODCAST; --"] {
            #expect(try manager.update(Podcast.where(["title": text]), set: ["title": "x"]) == 0)
            #expect(try manager.update(Podcast.where(\.title == "p1"), set: ["title": text]) == 1)
            #expect(try manager.update(Podcast.where(\.title == text), set: ["title": "p1"]) == 1)
        }
        #expect(try stored("TITLE") == (0..<6).map { .text("p\($0)") })
    }

    @Test("objects in memory are not told") func objects() throws {
        let podcast = try #require(try manager.find(Podcast.self, 1))
        try manager.update(Podcast.where(\.id == 1), set: ["title": "x"])
        #expect(podcast.title == "p0")
        try manager.refresh(podcast)
        #expect(podcast.title == "x")
    }

    @Test("a write joins a transaction, and is rolled back with it") func transaction() throws {
        try catchingTestError {
            try manager.transaction {
                try manager.delete(Podcast.where(\.id > 2))
                #expect(try manager.count(Podcast.self) == 2)
                throw TestError()
            }
        }
        #expect(try manager.count(Podcast.self) == 6)
    }

    @Test("each has an asynchronous form") func asynchronous() async throws {
        #expect(try await manager.update(Podcast.where(\.id > 4), set: ["title": "x"]) == 2)
        #expect(try await manager.update(Podcast.where(\.id > 4), \.title, to: "y") == 2)
        #expect(try await manager.delete(Podcast.where(\.title == "y")) == 2)
        #expect(try await manager.updateAll(Podcast.self, set: ["title": "z"]) == 4)
    }
}
