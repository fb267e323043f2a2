import Foundation
import Persisting
import Testing

/// What the articles about writing, keys, types and rows show runs, and does what they say.
@Suite struct WritingArticleTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try PersistenceManager(.memory)
        for model in [
            Track.self, Invoice.self, Device.self, Country.self, Enrolment.self, Poster.self, Player.self, Team.self,
        ] as [PersistingModel.Type] {
            try manager.createTableIfNecessary(for: model)
        }
    }

    private func tracks() -> [Track] {
        ["C1", "C2"].map { code in
            let track = Track()
            (track.code, track.title) = (code, "Track \(code)")
            return track
        }
    }

    @Test("one object, and many") func objects() throws {
        let (wasThere, changed) = try savingOne(manager)
        #expect(wasThere)
        #expect(changed == ["title"])
        #expect(try savingMany(manager, tracks()) == 2)
        #expect(try manager.count(Track.self) == 0)
    }

    @Test("objects where a row may be") func upserts() throws {
        #expect(try upserting(manager, tracks()) == false)
        #expect(try manager.count(Track.self) == 2)
        #expect(try findingOrCreating(manager).map(\.code) == ["C7", nil])
        #expect(try findingOrCreating(manager).map(\.title) == ["Freddie Freeloader", ""])
    }

    @Test("an asynchronous upsert writes over the rows that are there") func suspended() async throws {
        for _ in 1...2 { try await store(tracks(), in: manager) }
        #expect(try await manager.count(Track.self) == 2)
    }

    @Test("hooks, validation, times and versions") func life() throws {
        let invoice = Invoice()
        invoice.total = -1
        try validating(manager, invoice)
        #expect(!invoice.isPersisted)
        invoice.total = 1
        try validating(manager, invoice)
        #expect(invoice.version == 1)
        #expect(invoice.number != nil && invoice.createdAt != nil && invoice.updatedAt != nil)
    }

    @Test("a conflict is merged") func conflict() throws {
        let mine = try manager.insert(Invoice.self, values: ["number": "R-1"])
        let theirs = try #require(try manager.find(Invoice.self, mine.primaryKeyValue))
        try manager.update(theirs, \.total, to: 5)
        mine.note = "paid"
        try merging(manager, mine)
        #expect(mine.total == 5 && mine.version == 3)
        try manager.refresh(theirs)
        #expect(theirs.note == "paid" && theirs.total == 5)
    }

    @Test("a rollback") func rollback() throws {
        let (draft, track) = (Track(), Track())
        try manager.save(track)
        try rollingBack(manager, draft, track)
        #expect(!draft.isPersisted && draft.id == nil)
        #expect(track.changedKeys == ["title"])
    }

    @Test("finding by key, and changing one") func keys() throws {
        let device = Device()
        try manager.save(device)
        try manager.insert(Enrolment.self, values: ["student": 7, "course": "SQL", "grade": 1])
        let country = try manager.insert(Country.self, values: ["code": "CS", "name": "Czechia"])
        try changingKey(manager, country)
        let (countries, isFound) = try findingByKey(manager, device.id)
        #expect(countries == ["CZ"])
        #expect(isFound)
    }

    @Test("the table of Primary Keys") func existing() throws {
        let article = try String(
            contentsOf: SnippetTests.root.appending(path: "Sources/Persisting/Persisting.docc/PrimaryKeys.md"),
            encoding: .utf8)
        let table = try #require(article.split(separator: "```").first { $0.hasPrefix("sql\n") })
        try manager.execute(SQL(String(table.dropFirst(4))))
        let item = try existingTable(manager)
        #expect(item.number == 1 && item.quantity == 1 && item.total == 2.5)
        #expect(try manager.modelSource(table: "line items").contains("override class var tableName"))
    }

    @Test("types and transforms") func types() throws {
        let poster = Poster()
        (poster.id, poster.ink, poster.marks, poster.mail) = (UUID(), Tint(red: 255), .signed, "Ada@Example.com")
        (poster.checksum, poster.frame) = (.max, Frame(width: 2, wood: "oak"))
        try manager.save(poster)
        #expect(try findingTransformed(manager) == [1, 1, 1])
        let found = try #require(try manager.find(Poster.self, poster.id))
        #expect(found.checksum == .max && found.frame?.wood == "oak" && found.mail == "ada@example.com")
        try manager.execute("UPDATE POSTER SET INK = 7")
        try namingRows(manager)
    }

    @Test("rows, joins, values and texts") func rows() throws {
        let team = try manager.insert(Team.self, values: ["name": "Bears"])
        try manager.insert(Player.self, values: ["name": "Kao", "teamID": team.id, "hits": 30])
        try manager.insert(Player.self, values: ["name": "Hu", "hits": 3])
        #expect(try objectsOfRows(manager, "Hu").map(\.name) == ["Kao", "Hu", "Kao", "Hu", "Kao"])
        #expect(try joining(manager) == ["Hu", nil, "Kao", "Bears"])
        #expect(try valuesOfRows(manager).map(\.players) == [1, 1])
        let insert = try texts()
        #expect(insert.sql == "INSERT INTO PLAYER (ID, NAME, TEAM_ID, HITS) VALUES (?, ?, ?, ?)")
        #expect(try insert.expandedSQL.hasSuffix("VALUES (NULL, 'O''Hara', NULL, 0)"))
    }

    @Test("Coming from FOMapping and MTLFMDBAdapter") func objectiveC() throws {
        #expect(try comingFromFOMapping(manager).count == 2)
        let (insert, user) = try comingFromMTLFMDBAdapter(manager)
        #expect(insert.sql == "INSERT INTO user (guid, name, age) VALUES (?, ?, ?)")
        #expect(user?.age == 42)
    }

    @Test("Coming from FMDBx") func fmdbx() throws {
        let before = PersistenceManager.shared
        defer { PersistenceManager.shared = before }
        #expect(try comingFromFMDBx(path: ":memory:") == [1, 1, 1, 1, 1, 0])
    }
}
