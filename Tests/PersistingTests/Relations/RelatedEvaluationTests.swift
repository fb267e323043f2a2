import Foundation
import Persisting
import Testing

@Suite("Conditions on related rows, in memory")
struct RelatedEvaluationTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try podcasts()
    }

    // F123
    @Test("The answer is that of SQL, for each spelling")
    func sameAnswer() throws {
        let criteria: [Criteria<Pod.Show>] = [
            Pod.Show.episodes.contains(\.seconds > 60), Pod.Show.episodes.allSatisfy(\.seconds > 60),
            Pod.Show.episodes.isEmpty, Pod.Show.episodes.count == 2, Pod.Show.episodes.sum(\.seconds) == 120,
            Pod.Show.episodes.sum(\.seconds) == nil, Pod.Show.episodes.average(\.seconds) > 60,
            Pod.Show.episodes.min(\.title) == "Final", Pod.Show.episodes.max(\.seconds) != 120,
            Pod.Show.tags.contains(\.name == "live"), Pod.Show.tags.count == 1, ["episodes.@count": [0, 1]],
            .format("ANY episodes.tags.name == 'long' AND NONE episodes.seconds < 50"),
            Pod.Show.episodes.where(\.seconds > 60).count == 1,
        ]
        let shows = try manager.fetchAll(Pod.Show.sorted(by: "id"))
        for criterion in criteria {
            let rows = try manager.fetchAll(Pod.Show.where(criterion).sorted(by: "id")).map(\.id)
            #expect(try criterion.filter(shows).map(\.id) == rows)
        }
    }

    @Test("What is loaded is loaded for all objects of a fetch")
    func queries() throws {
        let pod = try PodDatabase(shows: 20, episodes: 3)
        try pod.warmUp()
        let episodes = try pod.manager.fetchAll(Pod.Episode.self)
        let criteria: Criteria<Pod.Episode> = Pod.Episode.show.matches(Pod.Show.episodes.count == 3)
        var found: [Pod.Episode] = []
        #expect(try pod.queries { found = try criteria.filter(episodes) }.count == 2)
        #expect(found.count == 60)
        #expect(try pod.queries { found = try criteria.filter(episodes) }.isEmpty)
        #expect(found.count == 60)
    }

    @Test("A foreign key that isn't saved counts")
    func unsaved() throws {
        let pilot = try #require(try manager.fetchOne(Pod.Episode.where(\.title == "Pilot")))
        let criteria = Pod.Episode.show.matches(\.title == "Sport")
        #expect(try !criteria.matches(pilot))
        pilot.showID = 2
        #expect(try criteria.matches(pilot))
    }

    @Test("Objects are sorted by related values as rows are")
    func sorting() throws {
        let orderings: [Ordering<Pod.Episode>] = [
            [.ascending(Pod.Episode.show[\.title], nils: .last), .descending(\.seconds)],
            "show.title desc, tags.@count, id desc", [.descending(Pod.Episode.tags.count), .ascending(\.id)],
        ]
        let episodes = try manager.fetchAll(Pod.Episode.self)
        for ordering in orderings {
            let rows = try manager.fetchAll(Query(Pod.Episode.self).sorted(by: ordering)).map(\.id)
            #expect(try ordering.sort(episodes).map(\.id) == rows)
        }
    }

    @Test("A sum beyond Int64 is an error, as it is in SQL")
    func overflow() throws {
        try manager.update(Pod.Episode.where(["show.title": "News"]), \.seconds, to: .max)
        let criteria = Pod.Show.episodes.sum(\.seconds) > 0
        #expect(throws: (any Error).self) { try manager.count(Pod.Show.where(criteria)) }
        let shows = try manager.fetchAll(Pod.Show.self)
        #expect(failure { try criteria.filter(shows) }?.code == .overflow)
    }

    @Test("Where nothing may be loaded, it isn't answered")
    func strict() throws {
        let shows = try manager.fetchAll(Query(Pod.Show.self).relations(.strict))
        let criteria = Pod.Show.episodes.isEmpty
        #expect(failure { try criteria.filter(shows) }?.code == .relationNotLoaded)
    }
}
