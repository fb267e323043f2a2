import Foundation
import Persisting
import Testing

private typealias Show = Pod.Show
private typealias Episode = Pod.Episode
private typealias Tag = Pod.Tag

/// Adding, taking out and exchanging related objects.
// F123
@Suite struct RelationWriteTests {
    private func fixture() throws -> (manager: PersistenceManager, show: Show, episodes: [Episode]) {
        let manager = try podManager()
        let show = Show("News")
        try manager.save(show)
        let episodes = ["One", "Two", "Three"].map { Episode($0, showID: show.id) }
        try manager.save(episodes)
        return (manager, show, episodes)
    }

    private func titles(_ manager: PersistenceManager, of show: Show) throws -> [String] {
        try manager.fetchAll(Episode.self, where: \.showID == show.id, sortedBy: .ascending(\.id)).map(\.title)
    }

    @Test func `adding a new object inserts it`() throws {
        let (manager, show, _) = try fixture()
        let episode = Episode("Four")
        try show.add(episode, to: Show.episodes)
        #expect(episode.showID == show.id)
        #expect(try titles(manager, of: show) == ["One", "Two", "Three", "Four"])
    }

    @Test func `adding an object of another parent moves it`() throws {
        let (manager, show, episodes) = try fixture()
        let other = Show("Music")
        try manager.save(other)
        try other.add([episodes[0], episodes[2]], to: Show.episodes)
        #expect(try titles(manager, of: show) == ["Two"])
        #expect(try titles(manager, of: other) == ["One", "Three"])
    }

    @Test func `what was loaded is forgotten`() throws {
        let (manager, show, _) = try fixture()
        #expect(try show.related(Show.episodes).count == 3)
        try show.add(Episode("Four"), to: Show.episodes)
        #expect(try show.related(Show.episodes).count == 4)
        withExtendedLifetime(manager) {}
    }

    @Test func `taking out sets the foreign key to NULL, and keeps the row`() throws {
        let (manager, show, episodes) = try fixture()
        try show.remove(episodes[1], from: Show.episodes)
        #expect(episodes[1].showID == nil)
        #expect(try titles(manager, of: show) == ["One", "Three"])
        #expect(try manager.count(Episode.self) == 3)
    }

    @Test func `taking out what isn't related changes nothing`() throws {
        let (manager, show, episodes) = try fixture()
        let other = Show("Music")
        try manager.save(other)
        try other.remove(episodes, from: Show.episodes)
        #expect(try titles(manager, of: show).count == 3)
    }

    @Test func `exchanging keeps what is in both`() throws {
        let (manager, show, episodes) = try fixture()
        try show.replace(Show.episodes, with: [episodes[2], Episode("Four")])
        #expect(try titles(manager, of: show) == ["Three", "Four"])
        #expect(try manager.count(Episode.self) == 4)
    }

    @Test func `exchanging for none takes all out`() throws {
        let (manager, show, _) = try fixture()
        try show.replace(Show.episodes, with: [])
        #expect(try titles(manager, of: show).isEmpty)
    }

    @Test func `a link is inserted once`() throws {
        let (manager, _, episodes) = try fixture()
        let tag = Tag("swift")
        try episodes[0].add([tag, tag], to: Episode.tags)
        try episodes[0].add(tag, to: Episode.tags)
        try tag.add(episodes[0], to: Tag.episodes)
        #expect(try manager.rowCount("TAGGING") == 1)
        #expect(tag.isPersisted)
    }

    @Test func `both sides of a link forget what they had loaded`() throws {
        let (manager, _, episodes) = try fixture()
        let tag = Tag("swift")
        try manager.save(tag)
        #expect(try tag.related(Tag.episodes).isEmpty)
        #expect(try episodes[0].related(Episode.tags).isEmpty)
        try episodes[0].add(tag, to: Episode.tags)
        #expect(try tag.related(Tag.episodes).map(\.title) == ["One"])
        #expect(try episodes[0].related(Episode.tags).map(\.name) == ["swift"])
    }

    @Test func `taking out deletes the link, and keeps the object`() throws {
        let (manager, _, episodes) = try fixture()
        let tags = ["a", "b"].map { Tag($0) }
        try episodes[0].add(tags, to: Episode.tags)
        try episodes[1].add(tags, to: Episode.tags)
        try episodes[0].remove(tags[0], from: Episode.tags)
        #expect(try manager.rowCount("TAGGING") == 3)
        #expect(try manager.count(Tag.self) == 2)
    }

    @Test func `exchanging links keeps those that stay`() throws {
        let (manager, _, episodes) = try fixture()
        let tags = ["a", "b", "c"].map { Tag($0) }
        try episodes[0].add([tags[0], tags[1]], to: Episode.tags)
        let kept = try manager.stored("SELECT rowid FROM TAGGING WHERE TAG_ID = 2")
        try episodes[0].replace(Episode.tags, with: [tags[1], tags[2]])
        #expect(try manager.storedColumn("SELECT TAG_ID FROM TAGGING ORDER BY TAG_ID") == [.integer(2), .integer(3)])
        #expect(try manager.stored("SELECT rowid FROM TAGGING WHERE TAG_ID = 2") == kept)
    }

    @Test func `a foreign key that can't be nil can't be taken out`() throws {
        let manager = try memoryManager(Whole.self, Part.self)
        let whole = Whole()
        try whole.add(Part(), to: Whole.parts)
        try manager.save(whole)
        let parts = try whole.related(Whole.parts)
        let error = #expect(throws: PersistenceError.self) { try whole.remove(parts, from: Whole.parts) }
        #expect(error?.description == "Part.wholeID: wholeID can't be nil: delete the object, or make it Optional")
    }

    final class Whole: PersistingModel {
        var id: Int64?
        static let parts = ToMany(inverse: Part.whole)
        override class var relations: Relations { ["parts": parts] }
    }

    final class Part: PersistingModel {
        var id: Int64?
        var wholeID: Int64 = 0
        static let whole = ToOne(\Part.wholeID, Whole.self)
        override class var relations: Relations { ["whole": whole] }
    }

    @Test func `a relation through others can't be written`() throws {
        let (_, show, _) = try fixture()
        let error = #expect(throws: PersistenceError.self) { try show.add(Tag("a"), to: Show.tags) }
        #expect(
            error?.description
                == "Show: Show.tags goes through other relations, and can't be written: change those that it goes through"
        )
    }

    @Test func `when one can't be added none is`() throws {
        let (manager, show, _) = try fixture()
        try manager.run(
            "CREATE TRIGGER no BEFORE INSERT ON EPISODE WHEN NEW.TITLE = 'no' BEGIN SELECT raise(ABORT, 'no'); END")
        let episodes = ["yes", "no"].map { Episode($0) }
        #expect(throws: PersistenceError.self) { try show.add(episodes, to: Show.episodes) }
        #expect(try manager.count(Episode.self) == 3)
        #expect(episodes.map(\.showID) == [nil, nil])
    }

    @Test func `adding, taking out and exchanging while the task is suspended`() async throws {
        let (manager, show, episodes) = try fixture()
        try await show.add(Episode("Four"), to: Show.episodes)
        try await show.remove(episodes[0], from: Show.episodes)
        #expect(try titles(manager, of: show) == ["Two", "Three", "Four"])
        try await show.replace(Show.episodes, with: [episodes[0], Episode("Five")])
        #expect(try titles(manager, of: show) == ["One", "Five"])
    }

    @Test func `links while the task is suspended`() async throws {
        let (manager, _, episodes) = try fixture()
        let tags = ["a", "b", "c"].map { Tag($0) }
        try await episodes[0].add([tags[0], tags[1]], to: Episode.tags)
        try await episodes[0].replace(Episode.tags, with: [tags[1], tags[2]])
        try await episodes[0].remove(tags[2], from: Episode.tags)
        #expect(try manager.storedColumn("SELECT TAG_ID FROM TAGGING") == [.integer(2)])
    }
}

/// Classes whose keys others store in other forms.
private enum Respelled {
    final class Band: PersistingModel {
        var id = Date(timeIntervalSince1970: 0)
        static let tunes = ToMany(inverse: Tune.band)
        override class var relations: Relations { ["tunes": tunes] }
    }

    final class Tune: PersistingModel {
        var id: Int64?
        var bandID: Date?
        static let band = ToOne(\Tune.bandID, Band.self)
        override class var relations: Relations { ["band": band] }
    }

    final class Club: PersistingModel {
        var id: Int64?
        static let fans = ManyToMany(Fandom.club, Fandom.fan)
        override class var relations: Relations { ["fans": fans] }
    }

    final class Fan: PersistingModel {
        var name = ""
        override class var columns: Columns { ["NAME": .string.collate(.nocase)] }
        override class var primaryKey: PrimaryKey { .assigned("name") }
    }

    final class Fandom: PersistingModel {
        var clubID: Int64 = 0
        var fanName = ""
        static let club = ToOne(\Fandom.clubID, Club.self)
        static let fan = ToOne(\Fandom.fanName, Fan.self)
        override class var relations: Relations { ["club": club, "fan": fan] }
        override class var primaryKey: PrimaryKey { .composite("clubID", "fanName") }
    }

    final class Land: PersistingModel {
        var code = ""
        static let towns = ToMany(inverse: Town.land)
        override class var relations: Relations { ["towns": towns] }
        override class var primaryKey: PrimaryKey { .assigned("code") }
    }

    final class Town: PersistingModel {
        var id: Int64?
        var landCode: String?
        static let land = ToOne(\Town.landCode, Land.self, onUpdate: .cascade)
        override class var relations: Relations { ["land": land] }
    }
}

/// Writing relations by the keys that rows have, whatever the properties hold.
// F123
@Suite struct RespelledRelationWriteTests {
    @Test(.local(.valueForms)) func `objects whose foreign key is stored in another form are taken out`() throws {
        let manager = try memoryManager(Respelled.Band.self, Respelled.Tune.self)
        let id = "2026-01-02T03:04:05Z"
        try manager.run(
            """
            INSERT INTO BAND (ID) VALUES ('\(id)');
            INSERT INTO TUNE (BAND_ID) VALUES ('\(id)'), ('\(id)'), ('\(id)')
            """)
        let band = try #require(try manager.fetchAll(Respelled.Band.self).first)
        let tunes = try band.related(Respelled.Band.tunes)
        #expect(tunes.count == 3)
        try band.remove(tunes[0], from: Respelled.Band.tunes)
        #expect(try manager.stored("SELECT count(BAND_ID) FROM TUNE") == 2)
        try band.replace(Respelled.Band.tunes, with: [tunes[1]])
        #expect(try manager.storedColumn("SELECT ID FROM TUNE WHERE BAND_ID IS NOT NULL") == [2])
        try band.replace(Respelled.Band.tunes, with: [])
        #expect(try manager.stored("SELECT count(BAND_ID) FROM TUNE") == 0)
    }

    private func club() throws -> (PersistenceManager, Respelled.Club) {
        let manager = try memoryManager(Respelled.Club.self, Respelled.Fan.self, Respelled.Fandom.self)
        try manager.run(
            """
            INSERT INTO CLUB (ID) VALUES (1);
            INSERT INTO FAN (NAME) VALUES ('Ann'), ('Bob');
            INSERT INTO FANDOM (CLUB_ID, FAN_NAME) VALUES (1, 'ann'), (1, 'Bob')
            """)
        return (manager, try #require(try manager.fetchAll(Respelled.Club.self).first))
    }

    @Test func `links in another form are neither inserted again nor kept`() throws {
        let (manager, club) = try club()
        let fans = try manager.fetchAll(Respelled.Fan.self, sortedBy: .ascending(\.name))
        #expect(try club.related(Respelled.Club.fans).count == 2)
        try club.add(fans, to: Respelled.Club.fans)
        #expect(try manager.storedColumn("SELECT FAN_NAME FROM FANDOM ORDER BY FAN_NAME") == ["Bob", "ann"])
        try club.replace(Respelled.Club.fans, with: [fans[0]])
        #expect(try manager.storedColumn("SELECT FAN_NAME FROM FANDOM") == ["ann"])
        try club.remove(fans[0], from: Respelled.Club.fans)
        #expect(try manager.rowCount("FANDOM") == 0)
    }

    @Test func `links in another form while the task is suspended`() async throws {
        let (manager, club) = try club()
        let fans = try await manager.fetchAll(Respelled.Fan.self, sortedBy: .ascending(\.name))
        try await club.add(fans, to: Respelled.Club.fans)
        try await club.remove(fans[0], from: Respelled.Club.fans)
        #expect(try manager.storedColumn("SELECT FAN_NAME FROM FANDOM") == ["Bob"])
    }

    @Test func `a key that has changed and isn't saved doesn't count`() throws {
        let manager = try memoryManager(Respelled.Land.self, Respelled.Town.self)
        let land = Respelled.Land()
        land.code = "CS"
        let towns = (0..<3).map { _ in Respelled.Town() }
        try land.add(towns[0], to: Respelled.Land.towns)
        try manager.save(land)
        land.code = "CZ"
        try land.add(towns[1...].map { $0 }, to: Respelled.Land.towns)
        #expect(try manager.storedColumn("SELECT LAND_CODE FROM TOWN") == ["CS", "CS", "CS"])
        try land.remove(towns[0], from: Respelled.Land.towns)
        try land.replace(Respelled.Land.towns, with: [towns[2]])
        #expect(try manager.storedColumn("SELECT LAND_CODE FROM TOWN") == [.null, .null, "CS"])
        try manager.save(land)
        #expect(try manager.storedColumn("SELECT LAND_CODE FROM TOWN") == [.null, .null, "CZ"])
    }

    @Test(.local(.connection)) func `few links are looked for by their keys`() throws {
        let database = try PodDatabase(shows: 1, episodes: 1, tags: 1)
        let episode = try #require(try database.manager.fetchAll(Pod.Episode.self).first)
        let tag = try #require(try database.manager.fetchAll(Pod.Tag.self).first)
        for verb in ["add", "remove"] {
            let queries = try database.queries {
                if verb == "add" { try tag.add(episode, to: Pod.Tag.episodes) }
                if verb == "remove" { try tag.remove(episode, from: Pod.Tag.episodes) }
            }
            let links = queries.filter { $0.contains("FROM TAGGING") }
            #expect(links.count == 1 && links[0].contains("EPISODE_ID = ?"), "\(queries)")
        }
        #expect(try database.manager.rowCount("TAGGING") == 0)
    }
}

/// What SQLite does to rows when another goes, and what it rejects.
// F123
@Suite struct ReferencedRowTests {
    @Test func `objects that were loaded for a parent are deleted with it, and theirs`() throws {
        let manager = try podManager()
        let show = Show("News")
        try show.add(Episode("One"), to: Show.episodes)
        try manager.save(show)
        let found = try #require(try manager.fetchAll(Show.self).first)
        let episode = try #require(try found.related(Show.episodes).first)
        try manager.delete(found)
        #expect(episode.isDeleted)
    }

    @Test func `a rollback undoes that`() throws {
        let manager = try podManager()
        let show = Show("News")
        try show.add(Episode("One"), to: Show.episodes)
        try manager.save(show)
        let found = try #require(try manager.fetchAll(Show.self).first)
        let episode = try #require(try found.related(Show.episodes).first)
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try manager.transaction {
                try manager.delete(found)
                throw Stop()
            }
        }
        #expect(episode.isPersisted)
    }

    @Test func `a foreign key that becomes NULL is nil in the objects that were loaded`() throws {
        let manager = try podManager()
        let boss = Pod.Worker("Ann")
        try boss.add(Pod.Worker("Bob"), to: Pod.Worker.reports)
        try manager.save(boss)
        let found = try #require(try manager.fetchOne(Pod.Worker.self, where: \.name == "Ann"))
        let report = try #require(try found.related(Pod.Worker.reports).first)
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try manager.transaction {
                try manager.delete(found)
                #expect(report.managerID == nil)
                throw Stop()
            }
        }
        #expect(report.managerID == found.id)
        try manager.delete(found)
        #expect(report.managerID == nil)
        #expect(report.changedKeys.isEmpty)
        #expect(report.isPersisted)
    }

    @Test func `objects are updated while the task is suspended, too`() async throws {
        let manager = try podManager()
        let show = Show("News")
        try await show.add(Episode("One"), to: Show.episodes)
        try await manager.save(show)
        let found = try #require(try await manager.fetchAll(Show.self).first)
        let episode = try #require(try await found.related(Show.episodes).first)
        try await manager.delete(found)
        #expect(episode.isDeleted)
    }

    @Test(.local(.keyOfForeignKey)) func `a missing parent's error names the relation`() throws {
        let manager = try podManager()
        let error = #expect(throws: PersistenceError.self) { try manager.insert(Episode("One", showID: 7)) }
        #expect(error?.code == .constraint)
        #expect(
            error?.description.hasPrefix(
                "Episode.showID: FOREIGN KEY constraint failed: EPISODE.SHOW_ID refers to no row of SHOW - by the "
                    + "relation Episode.show") == true)
    }
}

/// What was loaded of a relation after objects of it have been written.
// F123
@Suite struct RelationAfterWriteTests {
    private func loaded() throws -> (manager: PersistenceManager, shows: [Show], episodes: [Episode]) {
        let manager = try podManager()
        let shows = ["News", "Music"].map { Show($0) }
        try manager.save(shows)
        try manager.save(["One", "Two"].map { Episode($0, showID: shows[0].id) })
        let found = try manager.fetchAll(Show.self, sortedBy: .ascending(\.id))
        return (manager, found, try found[0].related(Show.episodes))
    }

    @Test func `an episode that goes to another show is that one's`() throws {
        let (manager, shows, episodes) = try loaded()
        episodes[0].showID = shows[1].id
        try manager.save(episodes[0])
        #expect(try shows[0].related(Show.episodes).map(\.title) == ["Two"])
        #expect(try shows[1].related(Show.episodes).map(\.title) == ["One"])
    }

    @Test func `an episode that is deleted is no show's`() throws {
        let (manager, shows, episodes) = try loaded()
        try manager.delete(episodes[0])
        #expect(try shows[0].related(Show.episodes).map(\.title) == ["Two"])
    }

    @Test func `another change keeps what was loaded`() throws {
        let (manager, shows, episodes) = try loaded()
        episodes[0].title = "Zero"
        try manager.save(episodes[0])
        #expect(try shows[0].related(Show.episodes)[0] === episodes[0])
    }

    @Test func `the object that was set is the related one, without a query`() throws {
        let (manager, shows, episodes) = try loaded()
        try episodes[0].set(Episode.show, to: shows[1])
        #expect(try episodes[0].related(Episode.show) === shows[1])
        try manager.save(episodes[0])
        #expect(try episodes[0].related(Episode.show) === shows[1])
    }

    @Test func `a new object is related before it is saved`() throws {
        let (show, episode) = (Show("News"), Episode("One"))
        try episode.set(Episode.show, to: show)
        #expect(try episode.related(Episode.show) === show)
        try show.add(Episode("Two"), to: Show.episodes)
        #expect(try show.related(Show.episodes).map(\.title) == ["Two"])
    }

    @Test func `objects that were set go with whoever has them`() throws {
        let manager = try podManager()
        weak var gone: Show?
        let episode = Episode("One")
        try manager.save(episode)
        do {
            let show = Show("News")
            try manager.save(show)
            try episode.set(Episode.show, to: show)
            gone = show
        }
        #expect(gone == nil)
        #expect(try episode.related(Episode.show)?.title == "News")
    }
}

extension ReferencedRowTests {
    @Test func `objects are updated by the key of the row, whatever the parent's property holds`() throws {
        let manager = try podManager()
        let show = Show("News")
        try show.add(Episode("One"), to: Show.episodes)
        try manager.save(show)
        let found = try #require(try manager.fetchAll(Show.self).first)
        let episode = try #require(try found.related(Show.episodes).first)
        found.id = 99
        try manager.delete(found)
        #expect(episode.isDeleted)
    }

    @Test("Objects that came through a relation of another class are added and removed", arguments: [true, false])
    func reached(_ isInTransaction: Bool) throws {
        let manager = try podManager()
        try manager.insert([Pod.Show("a")])
        try manager.insert([Pod.Episode("b", showID: 1), Pod.Episode("c", showID: 1)])
        try manager.insert([Pod.Tag("x"), Pod.Tag("y")])
        try manager.insert([Pod.Tagging(1, 1), Pod.Tagging(2, 1)])
        func run(_ body: () throws -> Void) throws { isInTransaction ? try manager.transaction(body) : try body() }
        let show = try #require(try manager.fetchOne(Pod.Show.self))
        let episodes = try show.related(Pod.Show.episodes)
        let tags = try episodes[0].related(Pod.Episode.tags)
        try run { try episodes[0].remove(tags[0], from: Pod.Episode.tags) }
        #expect(try episodes[0].related(Pod.Episode.tags).isEmpty)
        #expect(try tags[0].related(Pod.Tag.episodes).map(\.id) == [2])
        let other = try #require(try manager.find(Pod.Tag.self, 2))
        try run { for episode in episodes { try episode.add(other, to: Pod.Episode.tags) } }
        #expect(try manager.count(Pod.Tagging.self) == 3)
        let holder = try #require(try episodes[1].related(Pod.Episode.show))
        try run { try holder.add(Pod.Episode("d"), to: Pod.Show.episodes) }
        #expect(try holder.related(Pod.Show.episodes).count == 3)
        try run { try holder.replace(Pod.Show.episodes, with: [episodes[0]]) }
        #expect(try manager.count(Pod.Episode.self, where: \.showID == 1) == 1)
    }
}
