import Foundation
import Persisting
import Testing

private typealias Show = Pod.Show
private typealias Episode = Pod.Episode
private typealias Tag = Pod.Tag

/// Refers to a show, has a column to load, and one that a trigger writes.
private final class WaitingEpisode: PersistingModel {
    var id: Int64?
    var title = ""
    var cover: Data?
    var touched: Int?
    var showID: Int64?

    static let show = ToOne(\WaitingEpisode.showID, Pod.Show.self)
    override class var relations: Relations { ["show": show] }
    override class var columns: Columns {
        var columns = super.columns
        columns["COVER"] = .data.deferred
        return columns
    }
}

/// Gets a new show before it is inserted.
private final class WaitingGuest: PersistingModel {
    var id: Int64?
    var name = ""
    var showID: Int64?

    static let show = ToOne(\WaitingGuest.showID, Pod.Show.self)
    override class var relations: Relations { ["show": show] }
    override func willInsert() throws { try set(WaitingGuest.show, to: Pod.Show("Hook")) }
}

// F123
@Suite("What waits to be saved with an object") @MainActor struct WaitingLinkTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try podManager()
        try manager.createTableIfNecessary(for: WaitingEpisode.self)
        try manager.createTableIfNecessary(for: WaitingGuest.self)
    }

    /// Begins to save an object, and runs `body` while the save waits for the database.
    private func saving(_ object: PersistingModel, _ body: @escaping @MainActor () throws -> Void) async throws {
        let held = Gate()
        let busy = await hold(manager, until: held)
        let save = Task { @MainActor in try await manager.save(object) }
        let change = Task { @MainActor in
            defer { held.open() }
            try body()
        }
        try await change.value
        try await busy.value
        try await save.value
    }

    @Test("is what is added while it is inserted", .local(.heldConnection), arguments: [0, 2])
    func added(before: Int) async throws {
        let show = Show("News")
        try add((0..<before).map { Episode("\($0)") }, to: show)
        try await saving(show) { try add([Episode("late")], to: show) }
        let titles = (0..<before).map { "\($0)" } + ["late"]
        #expect(show.isPersisted)
        #expect(try await show.related(Show.episodes).map(\.title) == titles)
        #expect(try manager.rowCount("EPISODE") == before)
        try await manager.save(show)
        #expect(try manager.storedColumn("SELECT TITLE FROM EPISODE WHERE SHOW_ID = 1") == titles.map { .text($0) })
        #expect(try await show.related(Show.episodes).map(\.title) == titles)
    }

    private func add(_ episodes: [Episode], to show: Show) throws { try show.add(episodes, to: Show.episodes) }

    @Test("is the object that is set while another one is being saved with it", .local(.heldConnection))
    func set() async throws {
        let (old, new, episode) = (Show("Old"), Show("New"), Episode("One"))
        try episode.set(Episode.show, to: old)
        try await saving(episode) { try episode.set(Episode.show, to: new) }
        #expect(old.isPersisted && !new.isPersisted && episode.showID == nil)
        #expect(try await episode.related(Episode.show) === new)
        try await manager.save(episode)
        #expect(try manager.storedColumn("SELECT SHOW.TITLE FROM SHOW JOIN EPISODE ON SHOW_ID = SHOW.ID") == ["New"])
    }

    @Test("leaves a foreign key that is set by hand while it is being saved", .local(.heldConnection))
    func setByHand() async throws {
        let (show, episode) = (Show("News"), Episode("One"))
        try add([episode], to: show)
        try await saving(show) { episode.showID = 7 }
        #expect(episode.showID == 7 && episode.changedKeys == ["showID"])
        #expect(try manager.storedColumn("SELECT SHOW_ID FROM EPISODE") == [1])
    }

    /// What gives an object other tracked values.
    enum Verb: CaseIterable { case load, merge, update, save }

    private func run(_ verb: Verb, _ episode: WaitingEpisode) throws {
        switch verb {
        case .load: try manager.load([episode], \.cover)
        case .merge: try manager.merge(episode)
        case .update: try episode.update(\.title, to: "Two")
        case .save: try manager.update(episode, keys: ["title"])
        }
    }

    private func runSuspended(_ verb: Verb, _ episode: WaitingEpisode) async throws {
        switch verb {
        case .load: try await manager.load([episode], \.cover)
        case .merge: try await manager.merge(episode)
        case .update: try await episode.update(\.title, to: "Two")
        case .save: try await manager.update(episode, keys: ["title"])
        }
    }

    /// An episode in the table, to which a new show was set. A trigger writes to its row as well.
    private func waitingEpisode() throws -> WaitingEpisode {
        try manager.run(
            """
            CREATE TRIGGER TOUCH AFTER UPDATE OF TITLE ON WAITING_EPISODE
            BEGIN UPDATE WAITING_EPISODE SET TOUCHED = 1 WHERE ID = NEW.ID; END
            """)
        let episode = WaitingEpisode()
        episode.title = "One"
        try manager.save(episode)
        try episode.set(WaitingEpisode.show, to: Show("News"))
        return episode
    }

    @Test("stays when its row is read", arguments: Verb.allCases) func read(_ verb: Verb) throws {
        let episode = try waitingEpisode()
        try run(verb, episode)
        #expect(try episode.related(WaitingEpisode.show)?.title == "News")
        try manager.save(episode)
        #expect(try manager.storedColumn("SELECT SHOW_ID FROM WAITING_EPISODE") == [1])
        #expect(!episode.hasChanges)
    }

    @Test("stays when its row is read while the task is suspended", arguments: Verb.allCases)
    func readSuspended(_ verb: Verb) async throws {
        let episode = try waitingEpisode()
        try await runSuspended(verb, episode)
        #expect(try await episode.related(WaitingEpisode.show)?.title == "News")
        try await manager.save(episode)
        #expect(try manager.storedColumn("SELECT SHOW_ID FROM WAITING_EPISODE") == [1])
    }

    @Test("stays when a rollback undoes that its row was read", arguments: Verb.allCases)
    func rolledBack(_ verb: Verb) throws {
        let episode = try waitingEpisode()
        try catchingTestError {
            try manager.transaction {
                try run(verb, episode)
                try manager.save(episode)
                throw TestError()
            }
        }
        #expect(try episode.showID == nil && episode.related(WaitingEpisode.show)?.title == "News")
        try manager.save(episode)
        #expect(try manager.storedColumn("SELECT SHOW_ID FROM WAITING_EPISODE") == [1])
    }

    @Test("stays when its insertion is rolled back after more was added") func addedBeforeRollback() throws {
        let show = Show("News")
        try show.add(Episode("One"), to: Show.episodes)
        let guest = WaitingGuest()
        try catchingTestError {
            try manager.transaction {
                try manager.save(show)
                try manager.save(guest)
                throw TestError()
            }
        }
        #expect(try !guest.isPersisted && guest.related(WaitingGuest.show)?.title == "Hook")
        try manager.save(show)
        #expect(try manager.storedColumn("SELECT TITLE FROM EPISODE WHERE SHOW_ID = 1") == ["One"])
    }

    @Test("is what a hook of the insertion sets") func hook() throws {
        let guest = WaitingGuest()
        try manager.save(guest)
        #expect(try manager.storedColumn("SELECT SHOW_ID FROM WAITING_GUEST") == [.null])
        #expect(try guest.related(WaitingGuest.show)?.title == "Hook")
        try manager.save(guest)
        #expect(try manager.storedColumn("SELECT SHOW_ID FROM WAITING_GUEST") == [1])
    }

    @Test("is saved, however many circles there are") func circles() throws {
        let workers = (0..<200).map { Pod.Worker("\($0)") }
        for number in stride(from: 0, to: 200, by: 2) {
            try workers[number].set(Pod.Worker.boss, to: workers[number + 1])
            try workers[number + 1].set(Pod.Worker.boss, to: workers[number])
        }
        try manager.save(workers)
        for number in 0..<200 { #expect(workers[number].managerID == workers[number ^ 1].id) }
        #expect(try manager.stored("SELECT count(MANAGER_ID) FROM WORKER") == 200)
    }
}
