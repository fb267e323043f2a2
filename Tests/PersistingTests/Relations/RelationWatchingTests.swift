import Foundation
import Persisting
import Testing

private typealias Show = Pod.Show
private typealias Episode = Pod.Episode
private typealias Tag = Pod.Tag
private typealias Worker = Pod.Worker

/// A controller of a query that loads relations shows what `observe` of the query gives.
@MainActor
@Suite struct RelationWatchingTests {
    // F121, F123
    private let manager: PersistenceManager

    /// Three shows with two episodes each, of which each first has one tag and each second has two.
    init() throws {
        // Local, since a cluster tells of no commits.
        manager = try PersistenceManager(.memory)
        for type in [Show.self, Episode.self, Tag.self, Pod.Tagging.self, Worker.self] as [PersistingModel.Type] {
            try manager.createTableIfNecessary(for: type)
        }
        let shows = (1...3).map { Show("show \($0)") }
        let tags = (1...2).map { Tag("tag \($0)") }
        try manager.save(tags)
        try manager.save(shows)
        for show in shows {
            for number in 1...2 {
                let episode = Episode("\(show.id ?? 0).\(number)")
                try show.add(episode, to: Show.episodes)
                try episode.add(Array(tags[..<number]), to: Episode.tags)
            }
        }
    }

    private static let query = Show.sorted(by: \.id).with(Show.episodes.with(Episode.tags), Show.episodes.count)

    private func text(_ shows: [Show]) throws -> [String] {
        try shows.map { show in
            let episodes = try show.related(Show.episodes).map { episode in
                "\(episode.title)(\(try episode.related(Episode.tags).map(\.name).joined(separator: " ")))"
            }
            return "\(show.title) \(try show.related(Show.episodes.count)): " + episodes.joined(separator: ", ")
        }
    }

    @Test("Rows of one object, by a link that is made and a title that changes", .timeLimit(.minutes(20)))
    func rowsOfOneObject() async throws {
        let episode = try #require(try await manager.find(Episode.self, 1))
        let controller = FetchedResultsController(episode.rows(Episode.tags).sorted(by: \.id), in: manager)
        try controller.fetch()
        #expect(controller.objects.map(\.id) == [1])
        var changes = controller.changes.makeAsyncIterator()
        var values = manager.observe(episode.rows(Episode.tags)).map { $0.map(\.name).sorted() }.makeAsyncIterator()
        #expect(try await values.next() == ["tag 1"])
        try await manager.execute("INSERT INTO TAGGING (EPISODE_ID, TAG_ID) VALUES (1, 2)")
        #expect(try await values.next() == ["tag 1", "tag 2"])
        try await manager.execute("UPDATE TAG SET NAME = 'other' WHERE ID = 1")
        #expect(try await values.next() == ["other", "tag 2"])
        while controller.objects.map(\.name) != ["other", "tag 2"] { _ = try #require(await changes.next()) }
    }

    @Test(
        "Rows of loaded relations and values", .timeLimit(.minutes(20)),
        arguments: [
            ("INSERT INTO EPISODE (TITLE, SECONDS, SHOW_ID) VALUES ('new', 1, 2)", [1]),
            ("UPDATE EPISODE SET TITLE = 'other' WHERE TITLE = '3.1'", [2]),
            ("UPDATE EPISODE SET SHOW_ID = 1 WHERE TITLE = '2.2'", [0, 1]),
            ("DELETE FROM EPISODE WHERE SHOW_ID = 2", [1]),
            ("UPDATE TAG SET NAME = 'other' WHERE ID = 2", [0, 1, 2]),
            ("DELETE FROM TAGGING WHERE EPISODE_ID = 1", [0]),
            ("UPDATE SHOW SET TITLE = 'other' WHERE ID = 3", [2]),
        ])
    func related(sql: String, updated: [Int]) async throws {
        let controller = FetchedResultsController(Self.query, in: manager)
        try controller.fetch()
        let before = controller.objects
        var changes = controller.changes.makeAsyncIterator()
        try await manager.execute(SQL(sql))
        let change = try #require(await changes.next())
        #expect(change.updates.map(\.to) == updated.map { [0, $0] })
        let fetched = try await manager.fetchAll(Self.query)
        #expect(try text(controller.objects) == text(fetched))
        for place in 0..<3 where !updated.contains(place) { #expect(controller.objects[place] === before[place]) }
    }

    @Test("A relation to the same table", .timeLimit(.minutes(20)))
    func sameTable() async throws {
        try await manager.save([Worker("Ann"), Worker("Bob", managerID: 1), Worker("Cid", managerID: 2)])
        let controller = FetchedResultsController(
            Worker.where(\.name != "Ann").sorted(by: \.id).with(Worker.boss), in: manager)
        try controller.fetch()
        let cid = controller.objects[1]
        var changes = controller.changes.makeAsyncIterator()
        try await manager.execute("UPDATE WORKER SET SALARY = 9 WHERE ID = 1")
        #expect(try await changes.next()?.updates == [.init(from: [0, 0], to: [0, 0])])
        #expect(try await controller.objects[0].related(Worker.boss)?.salary == 9)
        #expect(controller.objects[1] === cid)
    }

    @Test("Where the rows that a condition reads change, objects whose relations are as they were stay")
    func condition() async throws {
        let query = Show.where(Show.episodes.count > 1).sorted(by: \.id)
        let controller = FetchedResultsController(query, in: manager)
        try controller.fetch()
        let before = controller.objects
        var changes = controller.changes.makeAsyncIterator()
        try await manager.execute("DELETE FROM EPISODE WHERE TITLE = '2.1'")
        let change = try #require(await changes.next())
        #expect(change.deletions == [[0, 1]] && change.updates.isEmpty)
        #expect(controller.objects[1] === before[2])
    }
}
