import Foundation
import Persisting
import Testing

@Suite struct SiblingTests {
    // F123
    @Test(arguments: [1, 2, 16, 17, 60, 61, 76, 77, 200]) func oneQueryServesAllObjectsOfAFetch(count: Int) throws {
        let pod = try PodDatabase(shows: count, episodes: 2)
        let shows = try pod.manager.fetchAll(Pod.Show.self, where: \.id > 0)
        try pod.warmUp()
        var titles: [[String]] = []
        let queries = try pod.queries { () throws in
            titles = try shows.map { try $0.related(Pod.Show.episodes).map(\.title) }
        }
        #expect(queries.count == 1)
        #expect(titles == (1...count).map { ["\($0).1", "\($0).2"] })
    }

    // F123
    @Test(arguments: [1, 16, 17, 200]) func aFetchOfTheWholeTableReadsTheOtherTableOnce(count: Int) throws {
        let pod = try PodDatabase(shows: count, episodes: 2)
        try pod.manager.insert(Pod.Episode("of none"))
        let shows = try pod.manager.fetchAll(Pod.Show.self)
        try pod.warmUp()
        var titles: [[String]] = []
        let queries = try pod.queries { () throws in
            titles = try shows.map { try $0.related(Pod.Show.episodes).map(\.title) }
        }
        #expect(queries == ["SELECT ID, TITLE, SECONDS, SHOW_ID FROM EPISODE"])
        #expect(titles == (1...count).map { ["\($0).1", "\($0).2"] })
    }

    // F123
    @Test func oneShowKeptOfManyDoesNotReadTheWholeTable() throws {
        let pod = try PodDatabase(shows: 200, episodes: 2)
        var shows = try pod.manager.fetchAll(Pod.Show.self)
        try pod.warmUp()
        shows.removeFirst(199)
        let queries = try pod.queries { () throws in _ = try shows[0].related(Pod.Show.episodes) }
        #expect(queries.first?.contains("json_each") == true)
    }

    // F123
    @Test(arguments: [1, 17, 200]) func oneQueryServesTheToOneOfAllObjects(count: Int) throws {
        let pod = try PodDatabase(shows: count, episodes: 3)
        let episodes = try pod.manager.fetchAll(Pod.Episode.self)
        try pod.warmUp()
        let queries = try pod.queries { () throws in
            for episode in episodes {
                let show = try episode.related(Pod.Episode.show)
                #expect(show?.id == episode.showID)
            }
        }
        #expect(queries.count == 1)
    }

    // F123
    @Test func aRowIsOneObjectForAllThatReferToIt() throws {
        let pod = try PodDatabase(shows: 1, episodes: 2, tags: 1)
        let episodes = try pod.manager.fetchAll(Pod.Episode.self)
        let show = try episodes[0].related(Pod.Episode.show)
        #expect(show != nil)
        #expect(try episodes[1].related(Pod.Episode.show) === show)
        let tag = try episodes[0].related(Pod.Episode.tags).first
        #expect(tag != nil)
        #expect(try episodes[1].related(Pod.Episode.tags).first === tag)
    }

    // F123
    @Test func twoFetchesLoadByThemselves() throws {
        let pod = try PodDatabase()
        let first = try pod.manager.fetchAll(Pod.Show.self)
        let second = try pod.manager.fetchAll(Pod.Show.self)
        try pod.warmUp()
        let queries = try pod.queries { () throws in
            for show in first + second { _ = try show.related(Pod.Show.episodes) }
        }
        #expect(queries.count == 2)
    }

    // F123
    @Test func eachObjectOfAStreamLoadsAlone() throws {
        let pod = try PodDatabase(shows: 3)
        try pod.warmUp()
        var asked: [String] = []
        try pod.manager.forEach(Query(Pod.Show.self)) { show in
            asked += try pod.queries { () throws in #expect(try show.related(Pod.Show.episodes).count == 2) }
        }
        #expect(asked.count == 3)
    }

    // F123
    @Test func objectsFoundByTheirKeysAreSiblings() throws {
        let pod = try PodDatabase(shows: 3)
        let shows = try pod.manager.find(Pod.Show.self, keys: [3, 1])
        try pod.warmUp()
        let queries = try pod.queries { () throws in
            for show in shows { #expect(try show.related(Pod.Show.episodes).first?.title == "\(show.id ?? 0).1") }
        }
        #expect(queries.count == 1)
    }

    // F123
    @Test func anObjectFoundAloneLoadsForItself() throws {
        let pod = try PodDatabase(shows: 3)
        let show = try #require(try pod.manager.find(Pod.Show.self, 2))
        try pod.warmUp()
        let queries = try pod.queries { () throws in
            for _ in 0..<2 { #expect(try show.related(Pod.Show.episodes).map(\.title) == ["2.1", "2.2"]) }
        }
        #expect(queries.count == 1)
    }

    // F123
    @Test func insertedObjectsLoadAlone() throws {
        let pod = try PodDatabase(shows: 0, episodes: 0)
        let shows = [Pod.Show("a"), Pod.Show("b"), Pod.Show("c")]
        try pod.manager.insert(shows)
        try pod.manager.insert(shows.map { Pod.Episode($0.title, showID: $0.id) })
        try pod.warmUp()
        let queries = try pod.queries { () throws in
            for show in shows { #expect(try show.related(Pod.Show.episodes).map(\.title) == [show.title]) }
            for show in shows { #expect(try show.related(Pod.Show.episodes).map(\.title) == [show.title]) }
        }
        #expect(queries.count == 3)
        shows[1].title = "changed"
        #expect(shows[1].changedKeys == ["title"])
        try pod.manager.save(shows[1])
        #expect(try pod.manager.find(Pod.Show.self, shows[1].id)?.title == "changed")
    }

    // F123
    @Test func whatThePropertyHoldsDecidesSavedOrNot() throws {
        let pod = try PodDatabase(shows: 3)
        let episodes = try pod.manager.fetchAll(Pod.Episode.self)
        #expect(try episodes[0].related(Pod.Episode.show)?.id == 1)
        episodes[0].showID = 3
        #expect(try episodes[0].related(Pod.Episode.show)?.id == 3)
        episodes[0].showID = nil
        #expect(try episodes[0].related(Pod.Episode.show) == nil)
        episodes[0].showID = 99
        #expect(try episodes[0].related(Pod.Episode.show) == nil)
    }

    // F123
    @Test func aKeyThatIsNilAsksNothing() throws {
        let pod = try PodDatabase(shows: 1, episodes: 0)
        try pod.manager.insert(Pod.Episode("of none"))
        let episode = try #require(try pod.manager.fetchOne(Pod.Episode.self))
        try pod.warmUp()
        let queries = try pod.queries { () throws in
            #expect(try episode.related(Pod.Episode.show) == nil)
            #expect(try Pod.Show("new").related(Pod.Show.episodes).isEmpty)
        }
        #expect(queries.isEmpty)
    }

    // F123
    @Test func aNewObjectLoadsByItsProperties() throws {
        let pod = try PodDatabase(shows: 1)
        let show = try pod.manager.asCurrent { try Pod.Episode("new", showID: 1).related(Pod.Episode.show) }
        #expect(show?.title == "show 1")
    }

    // F123
    @Test func aDeletedObjectHasNoneThatReferToIt() throws {
        let pod = try PodDatabase(shows: 2)
        let show = try #require(try pod.manager.find(Pod.Show.self, 1))
        try pod.manager.delete(show)
        #expect(try show.related(Pod.Show.episodes).isEmpty)
    }

    // F123
    @Test func theInverseLeadsBackWithoutAQuery() throws {
        let pod = try PodDatabase(shows: 3)
        let shows = try pod.manager.fetchAll(Pod.Show.self)
        let episodes = try shows.map { try $0.related(Pod.Show.episodes) }
        let queries = try pod.queries { () throws in
            for (show, episodes) in zip(shows, episodes) {
                for episode in episodes { #expect(try episode.related(Pod.Episode.show) === show) }
            }
        }
        #expect(queries.isEmpty)
    }

    // F123
    @Test func anEpisodeThatIsMovedHasAnotherShowThanTheOneItCameBy() throws {
        let pod = try PodDatabase(shows: 2)
        let shows = try pod.manager.fetchAll(Pod.Show.self)
        let episode = try shows[0].related(Pod.Show.episodes)[0]
        episode.showID = 2
        #expect(try episode.related(Pod.Episode.show)?.title == "show 2")
    }

    // F123
    @Test func nothingIsLeftAliveOfACircle() throws {
        let pod = try PodDatabase(shows: 100, episodes: 3, tags: 2)
        weak var show: Pod.Show?
        weak var episode: Pod.Episode?
        weak var tag: Pod.Tag?
        do {
            let shows = try pod.manager.fetchAll(Pod.Show.self)
            for show in shows {
                for episode in try show.related(Pod.Show.episodes) {
                    _ = try episode.related(Pod.Episode.show)
                    for tag in try episode.related(Pod.Episode.tags) { _ = try tag.related(Pod.Tag.episodes) }
                }
            }
            show = shows[99]
            episode = try shows[99].related(Pod.Show.episodes).last
            tag = try episode?.related(Pod.Episode.tags).last
            #expect(episode != nil && tag != nil)
            withExtendedLifetime(shows) {}
        }
        #expect(show == nil)
        #expect(episode == nil)
        #expect(tag == nil)
    }

    // F123
    @Test func whatWasReadInATransactionThatIsRolledBackNeverWas() throws {
        let pod = try PodDatabase(shows: 2, episodes: 1)
        let shows = try pod.manager.fetchAll(Pod.Show.self)
        try catchingTestError {
            try pod.manager.transaction {
                try pod.manager.insert(Pod.Episode("uncommitted", showID: 1))
                #expect(try shows[0].related(Pod.Show.episodes).map(\.title) == ["1.1", "uncommitted"])
                throw TestError()
            }
        }
        #expect(try shows[0].related(Pod.Show.episodes).map(\.title) == ["1.1"])
    }

    // F123
    @Test func whatWasReadInATransactionStaysAfterItsCommit() throws {
        let pod = try PodDatabase(shows: 2, episodes: 1)
        let shows = try pod.manager.fetchAll(Pod.Show.self)
        try pod.manager.transaction {
            try pod.manager.insert(Pod.Episode("committed", showID: 1))
            #expect(try shows[0].related(Pod.Show.episodes).count == 2)
        }
        let queries = try pod.queries { () throws in #expect(try shows[0].related(Pod.Show.episodes).count == 2) }
        #expect(queries.isEmpty)
    }

    // F123
    @Test func anObjectAsksTheManagerThatItCameFrom() throws {
        let pod = try PodDatabase(shows: 1)
        let other = try podManager()
        let show = try #require(try pod.manager.find(Pod.Show.self, 1))
        let count = try other.asCurrent { try show.related(Pod.Show.episodes).count }
        #expect(count == 2)
    }

    // F123
    @Test func objectsThatAreNotTrackedNeedAQueryForTheirKeysToo() throws {
        let pod = try PodDatabase(shows: 40, episodes: 2)
        let episodes = try pod.manager.fetchAll(Pod.Episode.self, where: \.id > 0, tracked: false)
        try pod.warmUp()
        let queries = try pod.queries { () throws in
            for episode in episodes { #expect(try episode.related(Pod.Episode.show)?.id == episode.showID) }
        }
        #expect(queries.count == 2)
        let shows = try pod.manager.fetchAll(Pod.Show.self, tracked: false)
        let more = try pod.queries { () throws in
            for show in shows { #expect(try show.related(Pod.Show.episodes).count == 2) }
        }
        #expect(more.count == 1)
    }

    // F123
    @Test func whatIsLoadedIsTrackedAsTheAskerIs() throws {
        let pod = try PodDatabase(shows: 1)
        let tracked = try #require(try pod.manager.fetchAll(Pod.Show.self).first)
        #expect(try tracked.related(Pod.Show.episodes)[0].hasChanges == false)
        let untracked = try #require(try pod.manager.fetchAll(Pod.Show.self, tracked: false).first)
        #expect(try untracked.related(Pod.Show.episodes)[0].hasChanges)
    }

    // F123
    @Test func moreKeysThanAQueryTakesGoInSeveral() throws {
        let pod = try PodDatabase(shows: 25_000, episodes: 1)
        let shows = try pod.manager.fetchAll(Pod.Show.self, where: \.id > 0)
        try pod.warmUp()
        var count = 0
        let queries = try pod.queries { () throws in
            for show in shows { count += try show.related(Pod.Show.episodes).count }
        }
        #expect(queries.count == 3)
        #expect(count == 25_000)
    }

    // F123
    @Test func aRefinedRelationIsKnownByWhatItSays() throws {
        let pod = try PodDatabase(shows: 3, episodes: 4)
        let shows = try pod.manager.fetchAll(Pod.Show.self)
        try pod.warmUp()
        let queries = try pod.queries { () throws in
            for show in shows {
                let longest = try show.related(
                    Pod.Show.episodes.where(\.seconds > 1).sorted(by: \.seconds, .descending).limit(2))
                #expect(longest.map(\.seconds) == [4, 3])
                #expect(try show.related(Pod.Show.episodes.where(\.seconds > 2)).map(\.seconds) == [3, 4])
                #expect(try show.related(Pod.Show.episodes.where(\.seconds > 3)).map(\.seconds) == [4])
            }
        }
        #expect(queries.count == 3)
    }

    // F123
    @Test func linksLeadBothWays() throws {
        let pod = try PodDatabase(shows: 2, episodes: 3, tags: 3)
        let episodes = try pod.manager.fetchAll(Pod.Episode.self, sortedBy: "id")
        let tags = try pod.manager.fetchAll(Pod.Tag.self, sortedBy: "id")
        try pod.warmUp()
        let queries = try pod.queries { () throws in
            for episode in episodes {
                let found = try episode.related(Pod.Episode.tags.sorted(by: \.id))
                #expect(found.map(\.id) == (1...Int64(episode.seconds)).map { $0 })
            }
            for tag in tags {
                #expect(try tag.related(Pod.Tag.episodes).count == 2 * (4 - Int(tag.id ?? 0)))
            }
        }
        #expect(queries.count == 2)
    }

    // F123
    @Test func whatIsReachedInSeveralWaysIsThereOnce() throws {
        let pod = try PodDatabase(shows: 2, episodes: 3, tags: 3)
        let shows = try pod.manager.fetchAll(Pod.Show.self)
        try pod.warmUp()
        let queries = try pod.queries { () throws in
            for show in shows {
                #expect(try show.related(Pod.Show.tags.sorted(by: \.id)).map(\.id) == [1, 2, 3])
                #expect(try show.related(Pod.Show.tags.sorted(by: \.id, .descending).limit(2)).map(\.id) == [3, 2])
            }
        }
        #expect(queries.count == 2)
    }

    // F123
    @Test func aClassRefersToItself() throws {
        let pod = try PodDatabase(shows: 0)
        try pod.manager.insert([
            Pod.Worker("boss"), Pod.Worker("first", managerID: 1), Pod.Worker("second", managerID: 1),
            Pod.Worker("third", managerID: 2),
        ])
        let workers = try pod.manager.fetchAll(Pod.Worker.self, sortedBy: "id")
        let names = try workers.map { try $0.related(Pod.Worker.boss)?.name }
        #expect(names == [nil, "boss", "boss", "first"])
        let reports = try workers.map { try $0.related(Pod.Worker.reports).map(\.name) }
        #expect(reports == [["first", "second"], ["third"], [], []])
        let topmost = try workers[3].related(Pod.Worker.boss)?.related(Pod.Worker.boss)
        #expect(topmost?.name == "boss")
    }

    // F123
    @Test func keysOfSeveralColumnsAreFound() throws {
        let pod = try PodDatabase(shows: 0)
        try pod.manager.insert([Pod.Order("north", 1), Pod.Order("north", 2), Pod.Order("south", 1)])
        try pod.manager.insert([
            Pod.Line("north", 1, "a"), Pod.Line("south", 1, "b"), Pod.Line("north", 1, "c"), Pod.Line(nil, 1, "d"),
        ])
        let orders = try pod.manager.fetchAll(Pod.Order.self, sortedBy: ["shop", "number"])
        let lines = try pod.manager.fetchAll(Pod.Line.self, sortedBy: "id")
        try pod.warmUp()
        let queries = try pod.queries { () throws in
            #expect(try orders.map { try $0.related(Pod.Order.lines).map(\.article) } == [["a", "c"], [], ["b"]])
            #expect(try lines.map { try $0.related(Pod.Line.order)?.shop } == ["north", "south", "north", nil])
        }
        #expect(queries.count == 2)
    }

    // F123
    @Test func aTaskLoadsWhileItIsSuspended() async throws {
        let pod = try PodDatabase(shows: 30)
        let shows = try await pod.manager.fetchAll(Pod.Show.self)
        try pod.warmUp()
        let queries = try await pod.asyncQueries { () async throws in
            for show in shows {
                let episodes = try await show.related(Pod.Show.episodes)
                #expect(episodes.map(\.title) == ["\(show.id ?? 0).1", "\(show.id ?? 0).2"])
                let back = try await episodes[0].related(Pod.Episode.show)
                #expect(back === show)
            }
        }
        #expect(queries.count == 1)
    }

    // F123
    @Test @MainActor func theMainActorLoadsWhileItIsSuspended() async throws {
        let pod = try PodDatabase(shows: 30)
        let episodes = try await pod.manager.fetchAll(Pod.Episode.self)
        for episode in episodes {
            let show = try await episode.related(Pod.Episode.show)
            #expect(show?.id == episode.showID)
        }
    }

    // F123
    @Test func aSnapshotInAnotherTaskLoadsForItself() async throws {
        let pod = try PodDatabase(shows: 30)
        let shows = try await pod.manager.fetchAll(Pod.Show.self)
        let snapshot = shows[4].snapshot()
        async let titles = Task { try await Pod.Show(snapshot).related(Pod.Show.episodes).map(\.title) }.value
        for show in shows { #expect(try await show.related(Pod.Show.episodes).count == 2) }
        #expect(try await titles == ["5.1", "5.2"])
        shows[4].title = "changed"
        try await pod.manager.save(shows[4])
        #expect(try await shows[4].related(Pod.Show.episodes).count == 2)
    }

    // F123
    @Test func isLoadedAsksNothing() throws {
        let pod = try PodDatabase(shows: 2)
        let shows = try pod.manager.fetchAll(Pod.Show.self)
        try pod.warmUp()
        let queries = try pod.queries { () throws in #expect(try shows[1].isLoaded(Pod.Show.episodes) == false) }
        #expect(queries.isEmpty)
        _ = try shows[0].related(Pod.Show.episodes)
        #expect(try shows[1].isLoaded(Pod.Show.episodes))
    }

    // F26, F123
    @Test("what was loaded stays when a column is read", arguments: [false, true])
    func columnOfLoadedObjects(_ isSuspended: Bool) async throws {
        let pod = try PodDatabase(shows: 3, episodes: 1)
        pod.manager.relationLoading = .strict
        let shows = try await pod.manager.fetchAll(Pod.Show.with(Pod.Show.episodes))
        if isSuspended {
            try await pod.manager.load(shows, \.title)
        } else {
            try { try pod.manager.load(shows, \.title) }()
        }
        for show in shows { #expect(try await show.related(Pod.Show.episodes).count == 1) }
    }

    // F26, F123
    @Test func siblingsStayTogetherWhenAColumnIsRead() throws {
        let pod = try PodDatabase(shows: 3, episodes: 1)
        let shows = try pod.manager.fetchAll(Pod.Show.sorted(by: \.id))
        try pod.manager.load(Array(shows.dropLast()), \.title)
        _ = try shows[0].related(Pod.Show.episodes)
        #expect(try shows.map { try $0.isLoaded(Pod.Show.episodes) } == [true, true, true])
    }

    // F123
    @Test func whatIsForgottenIsLoadedAgain() throws {
        let pod = try PodDatabase(shows: 2, episodes: 1)
        let shows = try pod.manager.fetchAll(Pod.Show.self)
        _ = try shows[0].related(Pod.Show.episodes)
        try pod.manager.run("INSERT INTO EPISODE (TITLE, SECONDS, SHOW_ID) VALUES ('more', 1, 1), ('more', 1, 2)")
        try shows[0].forgetRelated(Pod.Show.episodes)
        #expect(try shows[0].related(Pod.Show.episodes).count == 2)
        #expect(try shows[1].related(Pod.Show.episodes).count == 1)
        shows[0].forgetRelated()
        #expect(try shows[1].related(Pod.Show.episodes).count == 2)
    }

    // F123
    @Test("what leads back, and what was set, is forgotten as well", arguments: [false, true])
    func whatWasKnownIsForgotten(_ isSet: Bool) throws {
        let pod = try PodDatabase(shows: 1, episodes: 2)
        let show = try #require(try pod.manager.find(Pod.Show.self, 1))
        let episodes = try isSet ? pod.manager.fetchAll(Pod.Episode.self) : show.related(Pod.Show.episodes)
        if isSet { try episodes[0].set(Pod.Episode.show, to: show) }
        #expect(try episodes[0].related(Pod.Episode.show) === show)
        try pod.manager.run("UPDATE SHOW SET TITLE = 'new'")
        try episodes[0].forgetRelated(Pod.Episode.show)
        #expect(try !episodes[0].isLoaded(Pod.Episode.show))
        #expect(try episodes[0].related(Pod.Episode.show)?.title == "new")
        #expect(show.title != "new")
    }

    // F123
    @Test func allThatLeadsBackIsForgotten() throws {
        let pod = try PodDatabase(shows: 1, episodes: 2)
        let show = try #require(try pod.manager.find(Pod.Show.self, 1))
        let episodes = try show.related(Pod.Show.episodes)
        #expect(try episodes[1].related(Pod.Episode.show) === show)
        episodes[0].forgetRelated()
        #expect(try episodes[1].related(Pod.Episode.show) !== show)
    }

    // F123
    @Test("a column that the class leaves out may have any name", arguments: ["_key", "_place", "sqlitekit"])
    func namesOfColumns(_ name: String) throws {
        let manager = try podManager()
        try manager.run("ALTER TABLE EPISODE ADD COLUMN \(name) TEXT")
        try manager.insert([Pod.Show("a"), Pod.Show("b")])
        for number in 1...4 { try manager.insert(Pod.Episode("\(number)", showID: 1)) }
        let shows = try manager.fetchAll(Pod.Show.self, sortedBy: "id")
        #expect(try shows[0].related(Pod.Show.episodes).count == 4)
        #expect(try shows[0].related(Pod.Show.episodes.limit(2)).count == 2)
        #expect(try shows[0].related(Pod.Show.episodes.count) == 4)
    }

    // F123
    @Test func aRelationOfAnotherClassIsRejected() throws {
        let pod = try PodDatabase(shows: 1)
        let show: PersistingModel = try #require(try pod.manager.find(Pod.Show.self, 1))
        #expect(failure { try show.related(Pod.Episode.show) }?.code == .invalidRelation)
        #expect(failure { try show.related(Pod.Episode.tags) }?.code == .invalidRelation)
    }
}
