import Foundation
import Persisting
import Testing

@Suite struct RelatedValueTests {
    // F123
    @Test func aCountIsLoadedForAllObjectsOfAFetch() throws {
        let pod = try PodDatabase(shows: 40, episodes: 3)
        try pod.manager.run("DELETE FROM EPISODE WHERE SHOW_ID = 7")
        let shows = try pod.manager.fetchAll(Pod.Show.self)
        try pod.warmUp()
        var counts: [Int] = []
        let queries = try pod.queries { () throws in counts = try shows.map { try $0.related(Pod.Show.episodes.count) }
        }
        #expect(queries.count == 1)
        #expect(counts == (1...40).map { $0 == 7 ? 0 : 3 })
    }

    // F123
    @Test func countsOfLinkedAndRefinedRelations() throws {
        let pod = try PodDatabase(shows: 2, episodes: 3, tags: 3)
        for show in try pod.manager.fetchAll(Pod.Show.self) {
            #expect(try show.related(Pod.Show.tags.count) == 3)
            #expect(try show.related(Pod.Show.episodes.where(\.seconds > 1).count) == 2)
            #expect(try show.related(Pod.Show.episodes.where(\.seconds > 2).count) == 1)
        }
    }

    // F123
    @Test func aggregatesOfRelatedRows() throws {
        let pod = try PodDatabase(shows: 2, episodes: 3)
        let show = try #require(try pod.manager.find(Pod.Show.self, 1))
        #expect(try show.related(Pod.Show.episodes.sum(\.seconds)) == 6)
        #expect(try show.related(Pod.Show.episodes.average(\.seconds)) == 2)
        #expect(try show.related(Pod.Show.episodes.min(\.title)) == "1.1")
        #expect(try show.related(Pod.Show.episodes.max(\.seconds)) == 3)
        let none = Pod.Show.episodes.where(\.seconds > 100)
        #expect(try show.related(none.sum(\.seconds)) == nil)
        #expect(try show.related(none.min(\.title)) == nil)
        #expect(try show.related(none.average(\.seconds)) == nil)
        #expect(try show.related(none.count) == 0)
    }

    // F123
    @Test func aValueOfTheToOnesRow() throws {
        let pod = try PodDatabase(shows: 30, episodes: 2)
        try pod.manager.insert(Pod.Episode("of none"))
        let episodes = try pod.manager.fetchAll(Pod.Episode.self)
        try pod.warmUp()
        let queries = try pod.queries { () throws in
            for episode in episodes {
                let expected = episode.showID.map { "show \($0)" }
                #expect(try episode.related(Pod.Episode.show[\.title]) == expected)
            }
        }
        #expect(queries.count == 1)
    }

    // F123
    @Test func objectsThatAreNotTrackedKnowValuesToo() throws {
        let pod = try PodDatabase(shows: 30, episodes: 2)
        for episode in try pod.manager.fetchAll(Pod.Episode.self, where: \.id > 0, tracked: false) {
            #expect(try episode.related(Pod.Episode.show[\.title]) == "show \(episode.showID ?? 0)")
        }
    }

    // F123
    @Test func countsAreLoadedAhead() throws {
        let pod = try PodDatabase(shows: 20, episodes: 2, tags: 2)
        try pod.warmUp()
        var shows: [Pod.Show] = []
        let queries = try pod.queries { () throws in
            shows = try pod.manager.fetchAll(
                Pod.Show.with(Pod.Show.episodes.count, Pod.Show.episodes.with(Pod.Episode.tags.count)))
        }
        #expect(queries.count == 4)
        let later = try pod.queries { () throws in
            for show in shows {
                #expect(try show.related(Pod.Show.episodes.count) == 2)
                for episode in try show.related(Pod.Show.episodes) {
                    #expect(try episode.related(Pod.Episode.tags.count) == episode.seconds)
                }
            }
        }
        #expect(later.isEmpty)
    }

    // F123
    @Test func keysOfSeveralColumnsAreCounted() throws {
        let pod = try PodDatabase(shows: 0)
        try pod.manager.insert([Pod.Order("north", 1), Pod.Order("north", 2), Pod.Order("south", 1)])
        try pod.manager.insert([Pod.Line("north", 1, "a", 2), Pod.Line("south", 1, "b"), Pod.Line("north", 1, "c", 3)])
        let orders = try pod.manager.fetchAll(Pod.Order.self, sortedBy: ["shop", "number"])
        #expect(try orders.map { try $0.related(Pod.Order.lines.count) } == [2, 0, 1])
        #expect(try orders.map { try $0.related(Pod.Order.lines.sum(\.quantity)) } == [5, nil, 1])
    }

    // F123
    @Test func aClassThatRefersToItselfIsCounted() throws {
        let pod = try PodDatabase(shows: 0)
        try pod.manager.insert([
            Pod.Worker("boss"), Pod.Worker("first", managerID: 1), Pod.Worker("second", managerID: 1),
        ])
        let workers = try pod.manager.fetchAll(Pod.Worker.self, sortedBy: "id")
        #expect(try workers.map { try $0.related(Pod.Worker.reports.count) } == [2, 0, 0])
        #expect(try workers.map { try $0.related(Pod.Worker.boss[\.name]) } == [nil, "boss", "boss"])
    }

    // F123
    @Test func aTaskLoadsAValueWhileItIsSuspended() async throws {
        let pod = try PodDatabase(shows: 20, episodes: 2)
        let shows = try await pod.manager.fetchAll(Pod.Show.self)
        let queries = try await pod.asyncQueries { () async throws in
            for show in shows { #expect(try await show.related(Pod.Show.episodes.count) == 2) }
        }
        #expect(queries.count == 1)
    }

    // F123
    @Test func aNewObjectHasNone() throws {
        let pod = try PodDatabase(shows: 0)
        try pod.manager.asCurrent {
            let count = try Pod.Show("new").related(Pod.Show.episodes.count)
            #expect(count == 0)
        }
    }

    // F123
    @Test func aValueIsForgottenWithItsRelation() throws {
        let pod = try PodDatabase(shows: 2, episodes: 1)
        let shows = try pod.manager.fetchAll(Pod.Show.self)
        _ = try shows[0].related(Pod.Show.episodes.count)
        try pod.manager.run("INSERT INTO EPISODE (TITLE, SECONDS, SHOW_ID) VALUES ('more', 1, 1), ('more', 1, 2)")
        try shows[0].forgetRelated(Pod.Show.episodes)
        #expect(try shows.map { try $0.related(Pod.Show.episodes.count) } == [2, 1])
    }

    // F123
    @Test func theValueOfARelationWithALimitIsRejected() throws {
        let pod = try PodDatabase(shows: 1)
        let show = try #require(try pod.manager.find(Pod.Show.self, 1))
        #expect(failure { try show.related(Pod.Show.episodes.limit(1).count) }?.code == .invalidCriteria)
    }
}
