import Foundation
import Persisting
import Testing

@Suite struct WithTests {
    // F123
    @Test(arguments: [1, 16, 17, 100]) func eachRelationTakesOneQuery(count: Int) throws {
        let pod = try PodDatabase(shows: count, episodes: 3, tags: 2)
        try pod.warmUp()
        var shows: [Pod.Show] = []
        let queries = try pod.queries { () throws in
            shows = try pod.manager.fetchAll(Pod.Show.with(Pod.Show.episodes.with(Pod.Episode.tags)))
        }
        #expect(queries.count == 3)
        let later = try pod.queries { () throws in
            for show in shows {
                for episode in try show.related(Pod.Show.episodes) {
                    #expect(try episode.related(Pod.Episode.tags).count == min(episode.seconds, 2))
                    #expect(try episode.related(Pod.Episode.show) === show)
                }
            }
        }
        #expect(later.isEmpty)
    }

    // F123
    @Test func aConditionOfTheQueryHoldsForItsObjectsAlone() throws {
        let pod = try PodDatabase(shows: 20, episodes: 2)
        try pod.warmUp()
        var shows: [Pod.Show] = []
        let queries = try pod.queries { () throws in
            shows = try pod.manager.fetchAll(Pod.Show.where(\.id > 5).with(Pod.Show.episodes))
        }
        #expect(queries.count == 2)
        #expect(queries.last?.contains("json_each") == true)
        #expect(try shows.map { try $0.related(Pod.Show.episodes).count } == Array(repeating: 2, count: 15))
    }

    // F123
    @Test func theToOneIsLoadedAheadAsWell() throws {
        let pod = try PodDatabase(shows: 20, episodes: 2)
        try pod.warmUp()
        var episodes: [Pod.Episode] = []
        let queries = try pod.queries { () throws in
            episodes = try pod.manager.fetchAll(Query(Pod.Episode.self).with(Pod.Episode.show.with(Pod.Show.episodes)))
        }
        #expect(queries.count == 3)
        let later = try pod.queries { () throws in
            for episode in episodes {
                #expect(try episode.related(Pod.Episode.show)?.related(Pod.Show.episodes).count == 2)
            }
        }
        #expect(later.isEmpty)
    }

    // F123
    @Test func aRelationSaidTwiceIsLoadedOnceWithWhatBothWant() throws {
        let pod = try PodDatabase(shows: 5, episodes: 2, tags: 1)
        try pod.warmUp()
        let query = Query(Pod.Show.self)
            .with(Pod.Show.episodes, Pod.Show.episodes.with(Pod.Episode.tags), Pod.Show.episodes.with(Pod.Episode.show))
        let queries = try pod.queries { () throws in _ = try pod.manager.fetchAll(query) }
        #expect(queries.count == 4)
    }

    // F123
    @Test(arguments: [0, 1, 3, 10]) func aLimitIsForEachParent(limit: Int) throws {
        let pod = try PodDatabase(shows: 30, episodes: 5)
        let longest = Pod.Show.episodes.sorted(by: \.seconds, .descending).limit(limit)
        try pod.warmUp()
        var shows: [Pod.Show] = []
        let queries = try pod.queries { () throws in shows = try pod.manager.fetchAll(Pod.Show.with(longest)) }
        #expect(queries.count == 2)
        for show in shows {
            #expect(try show.related(longest).map(\.seconds) == Array([5, 4, 3, 2, 1].prefix(limit)))
        }
    }

    // F123
    @Test func anOffsetIsForEachParent() throws {
        let pod = try PodDatabase(shows: 3, episodes: 5)
        let shows = try pod.manager.fetchAll(Pod.Show.self)
        for show in shows {
            #expect(try show.related(Pod.Show.episodes.sorted(by: \.seconds).offset(3)).map(\.seconds) == [4, 5])
            let middle = Pod.Show.episodes.where(\.seconds > 1).sorted(by: \.seconds).offset(1).limit(2)
            #expect(try show.related(middle).map(\.seconds) == [3, 4])
        }
    }

    // F123
    @Test func aLimitWithoutAnOrderTakesSoMany() throws {
        let pod = try PodDatabase(shows: 3, episodes: 5, tags: 3)
        for show in try pod.manager.fetchAll(Pod.Show.with(Pod.Show.episodes.limit(2), Pod.Show.tags.limit(2))) {
            #expect(try show.related(Pod.Show.episodes.limit(2)).count == 2)
            #expect(try show.related(Pod.Show.tags.limit(2)).count == 2)
        }
    }

    // F123
    @Test func aNegativeLimitThrows() throws {
        let pod = try PodDatabase(shows: 1)
        #expect(failure { try pod.manager.fetchAll(Pod.Show.with(Pod.Show.episodes.limit(-1))) }?.code == .invalidRange)
        let show = try #require(try pod.manager.find(Pod.Show.self, 1))
        #expect(failure { try show.related(Pod.Show.tags.offset(-1)) }?.code == .invalidRange)
    }

    // F123
    @Test func aTableWithoutRowIdentifiersHasLimitsToo() throws {
        let manager = try memoryManager(Shelf.self, Item.self)
        try manager.insert([1, 2].map { id in Shelf(id) })
        try manager.insert((1...6).map { Item("item \($0)", shelfID: $0 % 2 + 1) })
        let last = Shelf.items.sorted(by: \.name, .descending).limit(2)
        let found = try manager.fetchAll(Shelf.with(last)).map { try $0.related(last).map(\.name) }
        #expect(found == [["item 6", "item 4"], ["item 5", "item 3"]])
    }

    // F123
    @Test func anEmptyResultLoadsNothing() throws {
        let pod = try PodDatabase(shows: 1)
        try pod.warmUp()
        let queries = try pod.queries { () throws in
            #expect(try pod.manager.fetchAll(Pod.Show.where(\.id > 9).with(Pod.Show.episodes)).isEmpty)
        }
        #expect(queries.count == 1)
    }

    // F123
    @Test func oneObjectAndPagesLoadTheirsToo() throws {
        let pod = try PodDatabase(shows: 5, episodes: 2)
        let query = Pod.Show.sorted(by: \.id).with(Pod.Show.episodes)
        let one = try #require(try pod.manager.fetchOne(query))
        #expect(try one.isLoaded(Pod.Show.episodes))
        let page = try pod.manager.fetchPage(query, after: one, limit: 2)
        #expect(try page.map { try $0.isLoaded(Pod.Show.episodes) } == [true, true])
    }

    // F123
    @Test func aStreamLoadsForEachOfItsBatches() throws {
        let pod = try PodDatabase(shows: 250, episodes: 1)
        try pod.warmUp()
        var count = 0
        let queries = try pod.queries { () throws in
            try pod.manager.forEach(Query(Pod.Show.self).with(Pod.Show.episodes)) { show in
                count += try show.related(Pod.Show.episodes).count
            }
        }
        #expect(count == 250)
        #expect(queries.filter { $0.contains("EPISODE") }.count == 3)
    }

    // F123
    @Test func countsAndWritesLeaveRelationsAlone() throws {
        let pod = try PodDatabase(shows: 3)
        try pod.warmUp()
        // The first write looks at the table's triggers.
        try pod.manager.delete(Pod.Show.where(\.id < 0))
        let query = Pod.Show.where(\.id > 1).with(Pod.Show.episodes)
        let queries = try pod.queries { () throws in
            #expect(try pod.manager.count(query) == 2)
            #expect(try pod.manager.exists(query))
            #expect(try pod.manager.delete(query) == 2)
        }
        #expect(queries.count == 2)
    }

    // F123
    @Test func insideAReadAllIsOfOneMoment() throws {
        let pod = try PodDatabase(shows: 3)
        let counts = try pod.manager.transaction {
            try pod.manager.insert(Pod.Episode("more", showID: 1))
            return try pod.manager.fetchAll(Pod.Show.with(Pod.Show.episodes)).map {
                try $0.related(Pod.Show.episodes).count
            }
        }
        #expect(counts == [3, 2, 2])
    }

    // F123
    @Test func aTaskGetsObjectsWithWhatIsLoaded() async throws {
        let pod = try PodDatabase(shows: 20, episodes: 2)
        let shows = try await pod.manager.fetchAll(Pod.Show.with(Pod.Show.episodes))
        let queries = try await pod.asyncQueries { () async throws in
            for show in shows { #expect(try await show.related(Pod.Show.episodes).count == 2) }
        }
        #expect(queries.isEmpty)
    }

    // F123
    @Test func theOrderOfLinkedObjectsIsTheRelations() throws {
        let pod = try PodDatabase(shows: 2, episodes: 3, tags: 3)
        let tags = Pod.Episode.tags.where(\.id > 1).sorted(by: \.name, .descending)
        for episode in try pod.manager.fetchAll(Query(Pod.Episode.self).with(tags)) {
            let expected = (2...3).reversed().filter { $0 <= episode.seconds }.map { "tag \($0)" }
            #expect(try episode.related(tags).map(\.name) == expected)
        }
    }

    // F123
    @Test func aConditionMayAskOtherRelations() throws {
        let pod = try PodDatabase(shows: 3, episodes: 3, tags: 3)
        let tagged = Pod.Show.episodes.where(Pod.Episode.tags.count > 1).sorted(by: \.seconds)
        let shows = try pod.manager.fetchAll(Pod.Show.with(tagged, tagged.limit(1)))
        for show in shows {
            #expect(try show.related(tagged).map(\.seconds) == [2, 3])
            #expect(try show.related(tagged.limit(1)).map(\.seconds) == [2])
        }
    }
}

/// Refers to rows without identifiers.
private final class Shelf: PersistingModel {
    var id: Int64?
    static let items = ToMany(inverse: Item.shelf)
    override class var relations: Relations { ["items": items] }

    convenience init(_ id: Int64) {
        self.init()
        self.id = id
    }
}

private final class Item: PersistingModel {
    var name = ""
    var shelfID: Int64 = 0
    static let shelf = ToOne(\Item.shelfID, Shelf.self)
    override class var primaryKey: PrimaryKey { .assigned("name") }
    override class var tableOptions: TableOptions { [.withoutRowID] }
    override class var relations: Relations { ["shelf": shelf] }

    convenience init(_ name: String, shelfID: Int) {
        self.init()
        self.name = name
        self.shelfID = Int64(shelfID)
    }
}
