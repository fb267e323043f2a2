import Foundation
import Persisting
import Testing

private typealias Show = Pod.Show
private typealias Episode = Pod.Episode
private typealias Tag = Pod.Tag
private typealias Tagging = Pod.Tagging

/// Random programs that change what objects are related to, against a plain model of the same.
// F123
@Suite struct RelationRandomTests {
    @Test func `after each step, tables and relations are what the model says`() throws {
        let seed = SeededGenerator().seed
        for number in 0..<Effort.times(12) {
            var program = try Program(SeededGenerator(seed: seed &+ UInt64(number)))
            for step in 0..<40 {
                let place = "seed \(seed &+ UInt64(number)), step \(step)"
                do {
                    let done = try program.step()
                    try program.check("\(place): \(done)")
                } catch {
                    Issue.record(error, "\(place)")
                    return
                }
            }
        }
    }
}

/// What the tables hold, by keys.
private struct Model: Equatable {
    var shows: Set<Int64> = []
    /// The show of each episode.
    var episodes: [Int64: Int64?] = [:]
    var tags: Set<Int64> = []
    var taggings: Set<[Int64]> = []

    mutating func deleteShow(_ id: Int64) {
        shows.remove(id)
        for episode in episodes.keys where episodes[episode] == .some(id) { deleteEpisode(episode) }
    }

    mutating func deleteEpisode(_ id: Int64) {
        episodes[id] = nil
        taggings = taggings.filter { $0[0] != id }
    }

    func episodes(of show: Int64) -> [Int64] { episodes.filter { $0.value == show }.map(\.key).sorted() }

    func tags(of episode: Int64) -> [Int64] { taggings.filter { $0[0] == episode }.map { $0[1] }.sorted() }
}

private struct Program {
    let manager: PersistenceManager
    var random: SeededGenerator
    var model = Model()
    var shows: [Show] = []
    var episodes: [Episode] = []
    var tags: [Tag] = []

    private struct Stop: Error {}

    init(_ random: SeededGenerator) throws {
        self.random = random
        manager = try podManager()
    }

    /// Does something, and says what.
    mutating func step() throws -> String {
        guard random.chance(8) else { return try change() }
        let before = self
        var done: [String] = []
        do {
            try manager.transaction {
                for _ in 0..<3 { done.append(try change()) }
                throw Stop()
            }
        } catch is Stop {
            let all: [PersistingModel] = shows + episodes + tags
            let old = Set(before.shows as [PersistingModel] + before.episodes + before.tags)
            for object in all { #expect(object.isPersisted == old.contains(object), "after a rollback") }
            (model, shows, episodes, tags) = (before.model, before.shows, before.episodes, before.tags)
            // What was set by hand before a save stays set.
            for object in old { try manager.refresh(object) }
        }
        return "rolled back: \(done.joined(separator: "; "))"
    }

    private mutating func change() throws -> String {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return try newShow()
        case 1: return try newEpisode()
        case 2: return try setShow()
        case 3: return try add()
        case 4: return try remove()
        case 5: return try replace()
        case 6: return try addTags()
        case 7: return try removeTags()
        case 8: return try replaceTags()
        default: return try delete()
        }
    }

    private mutating func some(of episodes: [Episode]) -> [Episode] {
        episodes.filter { _ in random.chance(3) }
    }

    private mutating func newShow() throws -> String {
        let show = Show("show")
        let new = (0..<Int.random(in: 0..<3, using: &random)).map { Episode("new \($0)") }
        let old = some(of: episodes)
        try show.add(new + old, to: Show.episodes)
        try manager.save(show)
        let id = try #require(show.id)
        model.shows.insert(id)
        shows.append(show)
        episodes += new
        for episode in new + old { model.episodes[try #require(episode.id)] = .some(id) }
        return "new show with \(new.count) new and \(old.count) old episodes"
    }

    private mutating func newEpisode() throws -> String {
        let episode = Episode("episode")
        let show = Show("show of an episode")
        let tag = Tag("tag of an episode")
        try episode.set(Episode.show, to: show)
        try episode.add(tag, to: Episode.tags)
        try manager.save(episode)
        let (id, showID, tagID) = (try #require(episode.id), try #require(show.id), try #require(tag.id))
        model.shows.insert(showID)
        model.tags.insert(tagID)
        model.episodes[id] = .some(showID)
        model.taggings.insert([id, tagID])
        shows.append(show)
        tags.append(tag)
        episodes.append(episode)
        return "new episode with show and tag"
    }

    private mutating func setShow() throws -> String {
        guard let episode = episodes.randomElement(using: &random) else { return "nothing" }
        let show = random.chance(3) ? nil : shows.randomElement(using: &random)
        try episode.set(Episode.show, to: show)
        #expect(try episode.related(Episode.show) === show)
        try manager.save(episode)
        model.episodes[try #require(episode.id)] = .some(show?.id)
        return "set a show"
    }

    private mutating func add() throws -> String {
        guard let show = shows.randomElement(using: &random) else { return "nothing" }
        let added = some(of: episodes)
        try show.add(added, to: Show.episodes)
        for episode in added { model.episodes[try #require(episode.id)] = .some(show.id) }
        return "add \(added.count) episodes"
    }

    private mutating func remove() throws -> String {
        guard let show = shows.randomElement(using: &random) else { return "nothing" }
        let removed = some(of: episodes)
        try show.remove(removed, from: Show.episodes)
        for episode in removed {
            let id = try #require(episode.id)
            if model.episodes[id] == .some(show.id) { model.episodes[id] = .some(nil) }
        }
        return "remove \(removed.count) episodes"
    }

    private mutating func replace() throws -> String {
        guard let show = shows.randomElement(using: &random), let id = show.id else { return "nothing" }
        let others = some(of: episodes)
        try show.replace(Show.episodes, with: others)
        for episode in model.episodes(of: id) { model.episodes[episode] = .some(nil) }
        for episode in others { model.episodes[try #require(episode.id)] = .some(id) }
        // Objects of rows that were written by others of the same.
        for episode in episodes { try manager.refresh(episode) }
        return "replace by \(others.count) episodes"
    }

    private mutating func addTags() throws -> String {
        guard let episode = episodes.randomElement(using: &random), let id = episode.id else { return "nothing" }
        let new = random.chance(2) ? [Tag("new")] : []
        let added = tags.filter { _ in random.chance(3) } + new
        try episode.add(added + added, to: Episode.tags)
        tags += new
        for tag in added {
            let tagID = try #require(tag.id)
            model.tags.insert(tagID)
            model.taggings.insert([id, tagID])
        }
        return "add \(added.count) tags"
    }

    private mutating func removeTags() throws -> String {
        guard let tag = tags.randomElement(using: &random), let id = tag.id else { return "nothing" }
        let removed = some(of: episodes)
        try tag.remove(removed, from: Tag.episodes)
        for episode in removed { model.taggings.remove([try #require(episode.id), id]) }
        return "remove \(removed.count) episodes of a tag"
    }

    private mutating func replaceTags() throws -> String {
        guard let episode = episodes.randomElement(using: &random), let id = episode.id else { return "nothing" }
        let others = tags.filter { _ in random.chance(3) }
        try episode.replace(Episode.tags, with: others)
        model.taggings = model.taggings.filter { $0[0] != id }
        for tag in others { model.taggings.insert([id, try #require(tag.id)]) }
        return "replace by \(others.count) tags"
    }

    private mutating func delete() throws -> String {
        if random.chance(2), let place = shows.indices.randomElement(using: &random), let id = shows[place].id {
            let show = shows.remove(at: place)
            let related = random.chance(2) ? try show.related(Show.episodes) : []
            try manager.delete(show)
            model.deleteShow(id)
            let areDeleted = related.allSatisfy(\.isDeleted)
            #expect(areDeleted)
            episodes.removeAll { model.episodes[$0.id ?? 0] == nil }
            return "delete a show"
        }
        guard let place = episodes.indices.randomElement(using: &random), let id = episodes[place].id else {
            return "nothing"
        }
        try manager.delete(episodes.remove(at: place))
        model.deleteEpisode(id)
        return "delete an episode"
    }

    /// Compares tables, objects at hand and relations of fetched objects with the model.
    mutating func check(_ done: String) throws {
        var found = Model()
        found.shows = Set(try integers("SELECT ID FROM SHOW"))
        found.tags = Set(try integers("SELECT ID FROM TAG"))
        let pairs = zip(
            try integers("SELECT ID FROM EPISODE ORDER BY ID"),
            try manager.storedColumn("SELECT SHOW_ID FROM EPISODE ORDER BY ID"))
        for (id, show) in pairs {
            let show: Int64? = if case .integer(let show) = show { show } else { nil }
            found.episodes[id] = .some(show)
        }
        let links = zip(
            try integers("SELECT EPISODE_ID FROM TAGGING ORDER BY EPISODE_ID, TAG_ID"),
            try integers("SELECT TAG_ID FROM TAGGING ORDER BY EPISODE_ID, TAG_ID"))
        found.taggings = Set(links.map { [$0, $1] })
        #expect(found == model, "\(done)")
        for episode in episodes {
            #expect(model.episodes[episode.id ?? 0] == .some(episode.showID), "\(done)")
            #expect(episode.changedKeys.isEmpty, "\(done)")
        }
        let count = Show.episodes.count
        let query = random.chance(2) ? Query(Show.self) : Show.with(Show.episodes.with(Episode.tags), count)
        for show in try manager.fetchAll(query) {
            let id = try #require(show.id)
            let related = try show.related(Show.episodes)
            #expect(related.compactMap(\.id).sorted() == model.episodes(of: id), "\(done)")
            #expect(try show.related(count) == related.count, "\(done)")
            #expect(try ids(show.rows(Show.episodes)) == model.episodes(of: id), "\(done)")
            for episode in related {
                #expect(try episode.related(Episode.show) === show, "\(done)")
                let tags = try episode.related(Episode.tags).compactMap(\.id).sorted()
                #expect(tags == model.tags(of: episode.id ?? 0), "\(done)")
                #expect(try ids(episode.rows(Episode.tags)) == tags, "\(done)")
                #expect(try ids(episode.rows(Episode.show)) == [id], "\(done)")
            }
            let all = Set(related.flatMap { model.tags(of: $0.id ?? 0) })
            #expect(Set(try show.related(Show.tags).compactMap(\.id)) == all, "\(done)")
            #expect(try ids(show.rows(Show.tags)) == all.sorted(), "\(done)")
        }
    }

    private func ids<Model>(_ rows: Query<Model>) throws -> [Int64] {
        try manager.fetchAll(rows).compactMap { object in
            if case .integer(let id) = object.primaryKeyValue { id } else { nil }
        }.sorted()
    }

    private func integers(_ sql: String) throws -> [Int64] {
        try manager.storedColumn(sql).map { value in if case .integer(let value) = value { value } else { 0 } }
    }
}
