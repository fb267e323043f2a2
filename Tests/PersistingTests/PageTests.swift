import Foundation
import Persisting
import Testing

private final class Track: PersistingModel {
    var id: Int64?
    var title: String?
    var plays = 0
    var flags = 0
    var cover: Data?

    var isNew: Bool { flags & 1 != 0 }

    override class var columns: Columns {
        var columns = super.columns
        columns["COVER"] = .data.deferred
        return columns
    }

    override class var bitFields: [BitField] { [BitField("isNew", \Track.isNew, in: "flags", mask: 1)] }
}

private final class IndexedTrack: PersistingModel {
    var id: Int64?
    var plays = 0

    override class var indexes: [Index] { [Index("plays")] }
}

// F84
@Suite("Pages by key") struct PageTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Track.self)
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<60 {
            try manager.insert(
                Track.self,
                values: [
                    "title": [nil, "a", "b", "É"].randomElement(using: &generator) ?? nil,
                    "plays": Int.random(in: 0..<5, using: &generator),
                    "flags": Int.random(in: 0..<4, using: &generator),
                ])
        }
    }

    @Test(
        "pages are the whole in its order, whatever the order, with NULLs and duplicates", .local(.textComparisons),
        arguments: [
            Query(Track.self), Track.sorted(by: \.title), Track.sorted(by: \.title, .descending),
            Track.sorted(by: "plays desc, title"), Track.sorted(by: "title desc, plays"),
            Track.sorted(by: "plays, title desc"),
            Track.sorted(by: "isNew, plays desc"),
            Track.sorted(by: .ascending(\.title, by: .unaccented, nils: .last)),
            Track.sorted(by: [.descending(\.title, by: .localized, nils: .first), .descending(\.plays)]),
            Track.sorted(by: "id desc"), Track.sorted(by: "plays, id desc, title"),
            Track.where(\.plays > 1 || \.title == nil).sorted(by: "title, plays"),
        ])
    fileprivate func whole(query: Query<Track>) throws {
        var paged: [Int64?] = []
        var last: Track?
        while true {
            let page = try manager.fetchPage(query, after: last, limit: 7)
            paged += page.map(\.id)
            if page.count < 7 { break }
            last = page.last
        }
        // SQLite's sort is stable, and rows without an order come by their key here.
        #expect(try paged == manager.fetchAll(query).map(\.id))
    }

    @Test("a page is ordered as a fetch is, then by the key") func order() throws {
        let expected = try manager.fetchAll(Track.sorted(by: "title desc, plays, id")).map(\.id)
        var paged: [Int64?] = []
        while true {
            let last = try paged.last.flatMap { try manager.find(Track.self, $0) }
            let page = try manager.fetchPage(Track.sorted(by: "title desc, plays"), after: last, limit: 9)
            if page.isEmpty { break }
            paged += page.map(\.id)
        }
        #expect(paged == expected)
    }

    @Test("rows that come and go neither repeat nor skip an object") func changes() throws {
        let query = Track.sorted(by: \.id)
        let first = try manager.fetchPage(query, limit: 10)
        let last = try #require(first.last)
        try manager.delete(Track.where(\.id <= 10))
        last.plays = 99
        let second = try manager.fetchPage(query, after: last, limit: 10)
        #expect(second.map(\.id) == (11...20).map { Int64($0) })
    }

    @Test("what an object was read with counts, not what has been set on it since") func unsaved() throws {
        let query = Track.sorted(by: \.plays)
        let first = try manager.fetchPage(query, limit: 10)
        let expected = try manager.fetchPage(query, after: first.last, limit: 10).map(\.id)
        first.last?.plays = 1000
        #expect(try manager.fetchPage(query, after: first.last, limit: 10).map(\.id) == expected)
    }

    @Test("NaN, which is stored as NULL, is NULL to what comes after it") func notANumber() throws {
        let manager = try memoryManager(Measure.self)
        let last = try manager.insert(Measure.self, values: ["value": Double.nan])
        try manager.insert(Measure.self, values: ["value": 1.0])
        let page = try manager.fetchPage(Measure.sorted(by: \.value), after: last, limit: 10)
        #expect(page.map(\.value) == [1])
    }

    @Test("an index on the order's first column is used") func plan() throws {
        let log = SQLLog()
        let manager = try log.manager()
        try manager.createTableIfNecessary(for: IndexedTrack.self)
        let track = try manager.insert(IndexedTrack.self, values: ["plays": 1])
        _ = try manager.fetchPage(IndexedTrack.sorted(by: \.plays), after: track, limit: 3)
        let sql = try #require(log.texts.last { $0.contains("PLAYS >=") })
        let plan = try manager.database.read { db in try db.queryPlan(of: SQL(sql)).description }
        #expect(plan.contains("INDEX") && plan.contains("PLAYS>?"), "\(plan)")
    }

    @Test("orders that an object does not tell are rejected, and named") func rejected() throws {
        let sql = failure { try manager.fetchPage(Track.sorted(by: .sql("length(TITLE)")), limit: 3) }
        #expect(sql?.code == .invalidOrdering)
        #expect(sql?.message.contains("length(TITLE)") == true)
        let deferred = failure { try manager.fetchPage(Track.sorted(by: \.cover), limit: 3) }
        #expect(deferred?.code == .invalidOrdering)
        #expect(deferred?.key == "cover")
        #expect(failure { try manager.fetchPage(Track.limit(3), limit: 3) }?.code == .invalidRange)
        #expect(failure { try manager.fetchPage(Query(Track.self), limit: -3) }?.code == .invalidRange)
        #expect(failure { try manager.fetchPage(Query(Track.self), after: Track(), limit: 3) }?.code == .notPersisted)
        #expect(
            failure { try memoryManager(Reading.self).fetchPage(Query(Reading.self), limit: 3) }?.code == .noPrimaryKey)
    }

    @Test("a composite key breaks ties") func composite() throws {
        // F38
        let manager = try memoryManager(Enrolment.self)
        for student in 0..<4 {
            for course in ["a", "b", "c"] { try manager.insert(Enrolment(Int64(student), course, student % 2)) }
        }
        var seen: [String] = []
        var last: Enrolment?
        while let page = Optional(try manager.fetchPage(Enrolment.sorted(by: \.grade), after: last, limit: 5)),
            !page.isEmpty
        {
            seen += page.map { "\($0.grade ?? -1)\($0.student)\($0.course)" }
            last = page.last
        }
        #expect(seen == seen.sorted())
        #expect(seen.count == 12)
    }

    @Test("there is an asynchronous form") func asynchronous() async throws {
        let first = try await manager.fetchPage(Track.sorted(by: \.id), limit: 50)
        #expect(try await manager.fetchPage(Track.sorted(by: \.id), after: first.last, limit: 50).count == 10)
    }
}

private final class Measure: PersistingModel {
    var id: Int64?
    var value: Double?
}
