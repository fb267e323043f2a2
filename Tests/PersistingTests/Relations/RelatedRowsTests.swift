import Persisting
import Testing

private typealias Show = Pod.Show
private typealias Episode = Pod.Episode
private typealias Tag = Pod.Tag
private typealias Tagging = Pod.Tagging
private typealias Worker = Pod.Worker

/// The related rows of an object, as a query.
// F123
@Suite struct RelatedRowsTests {
    private let manager: PersistenceManager
    private let show: Show

    /// A show of three episodes, the first of which has tags 1 and 2 and the second tag 2, beside another show with one
    /// that has tag 3.
    init() throws {
        manager = try podManager()
        show = Show("News")
        try manager.insert([show, Show("Other")])
        try manager.insert([
            Episode("b", 20, showID: 1), Episode("a", 10, showID: 1), Episode("c", 30, showID: 1),
            Episode("x", 40, showID: 2), Episode("y", 50),
        ])
        try manager.insert([Tag("one"), Tag("two"), Tag("three")])
        try manager.insert([Tagging(1, 1), Tagging(1, 2), Tagging(2, 2), Tagging(4, 3)])
    }

    private func episode(_ id: Int64) throws -> Episode { try #require(try manager.find(Episode.self, id)) }

    @Test func `take conditions, orders and limits of their own`() throws {
        let rows = show.rows(Show.episodes).where(\.seconds > 10).sorted(by: \.title)
        #expect(try manager.fetchAll(rows).map(\.title) == ["b", "c"])
        #expect(try manager.fetchAll(rows.limit(1).offset(1)).map(\.title) == ["c"])
    }

    @Test func `have the refinement of the relation`() throws {
        let longest = Show.episodes.where(\.seconds > 10).sorted(by: \.seconds, .descending).limit(1).with(Episode.tags)
        manager.relationLoading = .strict
        let found = try manager.fetchAll(show.rows(longest))
        #expect(found.map(\.title) == ["c"])
        #expect(try found[0].related(Episode.tags).isEmpty)
    }

    @Test func `of a relation through links or others are each there once`() throws {
        #expect(try manager.fetchAll(episode(1).rows(Episode.tags).sorted(by: \.name)).map(\.name) == ["one", "two"])
        let tag = try #require(try manager.find(Tag.self, 2))
        #expect(try manager.fetchAll(tag.rows(Tag.episodes).sorted(by: \.id)).map(\.title) == ["b", "a"])
        #expect(try manager.count(show.rows(Show.tags)) == 2)
        #expect(try manager.values(show.rows(Show.tags).sorted(by: \.name), \.name) == ["one", "two"])
    }

    @Test func `of a foreign key are those that the property names`() throws {
        let episode = try episode(1)
        #expect(try manager.fetchOne(episode.rows(Episode.show))?.title == "News")
        episode.showID = 2
        #expect(try manager.fetchOne(episode.rows(Episode.show))?.title == "Other")
        episode.showID = nil
        #expect(try manager.fetchOne(episode.rows(Episode.show)) == nil)
    }

    @Test func `of an object without a row are none`() throws {
        #expect(try manager.count(Show("new").rows(Show.episodes)) == 0)
        try manager.delete(show)
        #expect(try manager.count(show.rows(Show.episodes)) == 0)
        #expect(try manager.delete(show.rows(Show.tags)) == 0)
    }

    @Test func `go by the key that the row has`() throws {
        let show = try #require(try manager.find(Show.self, 1))
        show.id = 2
        #expect(try manager.count(show.rows(Show.episodes)) == 3)
    }

    @Test func `lead from a row to others of its own table`() throws {
        try manager.insert([
            Worker("boss", 3), Worker("a", 2, managerID: 1), Worker("b", 1, managerID: 1), Worker("c", 1, managerID: 2),
        ])
        let boss = try #require(try manager.find(Worker.self, 1))
        let grandchildren = ToMany(through: Worker.reports, Worker.reports)
        #expect(try manager.values(boss.rows(Worker.reports).sorted(by: \.id), \.name) == ["a", "b"])
        #expect(try manager.values(boss.rows(grandchildren), \.name) == ["c"])
        #expect(try manager.values(boss.rows(Worker.reports).where(!Worker.reports.isEmpty), \.name) == ["a"])
    }

    @Test func `go by composite keys`() throws {
        try manager.insert([Pod.Order("A", 1), Pod.Order("A", 2), Pod.Order("B", 1)])
        try manager.insert([Pod.Line("A", 1, "pen"), Pod.Line("A", 2, "ink"), Pod.Line("B", nil, "cup")])
        let order = try #require(try manager.fetchOne(Pod.Order.where(\.shop == "A" && \.number == 1)))
        #expect(try manager.values(order.rows(Pod.Order.lines), \.article) == ["pen"])
        let lines = try manager.fetchAll(Pod.Line.sorted(by: \.id))
        #expect(try lines.map { try manager.count($0.rows(Pod.Line.order)) } == [1, 1, 0])
    }

    @Test(.local(.connection)) func `are found by an index`() throws {
        func plan<Model>(_ rows: Query<Model>) throws -> String {
            let sql = try rows.selectStatement()
            return try manager.database.read { db in try db.queryPlan(of: sql).description }
        }
        for plan in [
            try plan(show.rows(Show.episodes)), try plan(episode(1).rows(Episode.show)),
            try plan(episode(1).rows(Episode.tags)), try plan(show.rows(Show.tags)),
        ] {
            #expect(plan.contains("SEARCH") && !plan.contains("SCAN"), "\(plan)")
        }
    }

    @Test func `can be written`() throws {
        #expect(try manager.update(show.rows(Show.episodes).where(\.seconds < 30), set: ["seconds": 0]) == 2)
        #expect(try manager.values(Episode.sorted(by: \.id), \.seconds) == [0, 0, 30, 40, 50])
        #expect(try manager.delete(show.rows(Show.tags)) == 2)
        #expect(try manager.values(Tag.rows, \.name) == ["three"])
        #expect(try manager.delete(show.rows(Show.episodes.sorted(by: \.title).limit(2))) == 2)
        #expect(try manager.values(Episode.sorted(by: \.id), \.title) == ["c", "x", "y"])
    }

    @Test func `have the verbs of a query`() async throws {
        let rows = show.rows(Show.episodes)
        #expect(try await manager.fetchPage(rows.sorted(by: \.title), limit: 2).map(\.title) == ["a", "b"])
        #expect(try await manager.sum(rows, \.seconds) == 60)
        #expect(try await manager.exists(rows.where(\.title == "x")) == false)
    }

    @Test func `have verbs of their own`() throws {
        try manager.asCurrent {
            let rows = show.rows(Show.episodes)
            let titles = try rows.sorted(by: \.title).all().map(\.title)
            let count = try rows.count()
            #expect(titles == ["a", "b", "c"] && count == 3)
        }
    }

    @Test func `cross to other tasks, which the object can't`() async throws {
        let (rows, manager) = (show.rows(Show.tags), manager)
        let task = Task { try await manager.count(rows) }
        #expect(try await task.value == 2)
    }

    @Test func `of another class throw by name`() throws {
        let error = failure { try manager.count(show.rows(Episode.show)) }
        #expect(error?.code == .invalidRelation)
        #expect(error?.message.contains("is one of Episode, and this is Show") == true, "\(String(describing: error))")
    }
}
