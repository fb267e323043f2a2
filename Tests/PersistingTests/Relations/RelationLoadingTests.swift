import Foundation
import Persisting
import Testing

@Suite struct RelationLoadingTests {
    // F123
    @Test func strictThrowsWithPlaceAndSQL() throws {
        let pod = try PodDatabase(shows: 2)
        pod.manager.relationLoading = .strict
        let episode = try #require(try pod.manager.find(Pod.Episode.self, 1))
        let error = failure { try episode.related(Pod.Episode.show, fileID: "Shows/List.swift", line: 42) }
        #expect(error?.code == .relationNotLoaded)
        #expect(
            error?.message == "the relation isn't loaded (Shows/List.swift:42): fetch with .with(Episode.show)")
        #expect(error?.model == "Episode")
        #expect(error?.key == "show")
        #expect(
            error?.sql
                == "SELECT ID, TITLE, sqlitekit_place FROM "
                + "(SELECT key AS sqlitekit_place, value AS sqlitekit_key FROM json_each(?)) "
                + "CROSS JOIN SHOW ON SHOW.ID = sqlitekit_key")
    }

    // F123
    @Test func strictThrowsForAValueThatIsNotLoaded() throws {
        let pod = try PodDatabase(shows: 2)
        let show = try #require(try pod.manager.fetchAll(Query(Pod.Show.self).relations(.strict)).first)
        let error = failure { try show.related(Pod.Show.episodes.count, fileID: "Shows/List.swift", line: 7) }
        #expect(
            error?.message == "the value of the relation isn't loaded (Shows/List.swift:7): "
                + "fetch with .with(Show.episodes.count)")
    }

    // F123
    @Test func strictGivesWhatIsLoaded() throws {
        let pod = try PodDatabase(shows: 2, episodes: 2)
        pod.manager.relationLoading = .strict
        let shows = try pod.manager.fetchAll(Pod.Show.with(Pod.Show.episodes, Pod.Show.episodes.count))
        for show in shows {
            #expect(try show.related(Pod.Show.episodes).count == 2)
            #expect(try show.related(Pod.Show.episodes.count) == 2)
            #expect(try show.related(Pod.Show.episodes)[0].related(Pod.Episode.show) === show)
        }
    }

    // F123
    @Test func changingAnArrayThatWasAskedForChangesNoOther() throws {
        let pod = try PodDatabase(shows: 1, episodes: 3)
        let show = try #require(try pod.manager.fetchAll(Pod.Show.self).first)
        var episodes = try show.related(Pod.Show.episodes)
        episodes.removeFirst()
        episodes.append(Pod.Episode("New"))
        #expect(try show.related(Pod.Show.episodes).map(\.isPersisted) == [true, true, true])
    }

    // F123
    @Test func strictOfAQueryHoldsForWhatItLoads() throws {
        let pod = try PodDatabase(shows: 2, episodes: 2)
        let show = try #require(
            try pod.manager.fetchAll(Pod.Show.with(Pod.Show.episodes).relations(.strict)).first)
        let episode = try show.related(Pod.Show.episodes)[0]
        #expect(failure { try episode.related(Pod.Episode.tags) }?.code == .relationNotLoaded)
    }

    // F123
    @Test func aloneLoadsForOneObject() throws {
        let pod = try PodDatabase(shows: 3, episodes: 2)
        pod.manager.relationLoading = .alone
        let shows = try pod.manager.fetchAll(Pod.Show.self)
        try pod.warmUp()
        let queries = try pod.queries { () throws in
            for show in shows + shows {
                #expect(try show.related(Pod.Show.episodes).count == 2)
                #expect(try show.related(Pod.Show.episodes.count) == 2)
            }
        }
        #expect(queries.count == 6)
    }

    // F123
    @Test func theQueryGoesBeforeTheManager() throws {
        let pod = try PodDatabase(shows: 3, episodes: 2)
        pod.manager.relationLoading = .strict
        let shows = try pod.manager.fetchAll(Query(Pod.Show.self).relations(.siblings))
        try pod.warmUp()
        let queries = try pod.queries { () throws in
            for show in shows { #expect(try show.related(Pod.Show.episodes).count == 2) }
        }
        #expect(queries.count == 1)
    }

    // F123
    @Test func theModeHoldsForAStreamToo() throws {
        let pod = try PodDatabase(shows: 2)
        let query = Query(Pod.Show.self).relations(.strict)
        let error = failure {
            try pod.manager.forEach(query) { show in _ = try show.related(Pod.Show.episodes) }
        }
        #expect(error?.code == .relationNotLoaded)
    }

    // F123
    @Test func theModeIsSiblingsUnlessSaid() throws {
        #expect(try podManager().relationLoading == .siblings)
    }
}
