// swift-format-ignore-file
import Foundation
import Persisting
import Testing

struct RelatingObjectsArticle: Article {
    // snippet.show
    final class Show: PersistingModel {
        var id: Int64?
        var title = ""

        static let episodes = ToMany(inverse: Episode.show)
        override class var relations: Relations { ["episodes": episodes] }
    }

    final class Episode: PersistingModel {
        var id: Int64?
        var title = ""
        var seconds = 0
        var showID: Int64?

        static let show = ToOne(\Episode.showID, Show.self)
        static let tags = ManyToMany(Tagging.episode, Tagging.tag)
        override class var relations: Relations { ["show": show, "tags": tags] }
    }

    final class Tag: PersistingModel {
        var id: Int64?
        var name = ""

        static let episodes = ManyToMany(inverse: Episode.tags)
        override class var relations: Relations { ["episodes": episodes] }
    }

    final class Tagging: PersistingModel {
        var episodeID: Int64 = 0
        var tagID: Int64 = 0

        static let episode = ToOne(\Tagging.episodeID, Episode.self)
        static let tag = ToOne(\Tagging.tagID, Tag.self)
        override class var relations: Relations {
            ["episode": episode, "tag": tag]
        }
        override class var primaryKey: PrimaryKey {
            .composite("episodeID", "tagID")
        }
    }
    // snippet.hide

    func run() async throws {
        let manager = try PersistenceManager(.memory)
        try prepare(manager)
        try ask(manager)
        let show = try #require(try await manager.find(Show.self, 1))
        try await wait(show)
        try rows(manager, show)
        try loadAhead(manager)
        try find(manager)
        try change(manager)
        try several(manager)
    }

    private func prepare(_ manager: PersistenceManager) throws {
        for type in [Show.self, Episode.self, Tag.self, Tagging.self, Employee.self] as [PersistingModel.Type] {
            try manager.createTableIfNecessary(for: type)
        }
        try manager.insert(Show.self, values: ["title": "News"])
        try manager.insert(Episode.self, values: ["title": "Monday", "seconds": 1800, "showID": 1])
        try manager.insert(Episode.self, values: ["title": "Tuesday", "seconds": 1900, "showID": 1])
        try manager.insert(Episode.self, values: ["title": "Pilot"])
    }

    private func ask(_ manager: PersistenceManager) throws {
        // snippet.show
        for episode in try manager.fetchAll(Episode.self) {
            print(episode.title, try episode.related(Episode.show)?.title ?? "no show")
        }
        // snippet.hide
    }

    private func wait(_ show: Show) async throws {
        // snippet.show
        let episodes = try await show.related(Show.episodes)
        // snippet.hide
        #expect(episodes.count == 2)
    }

    private func rows(_ manager: PersistenceManager, _ show: Show) throws {
        // snippet.show
        let episodes = show.rows(Show.episodes).where(\.seconds > 60).sorted(
            by: \.title)
        let page = try manager.fetchPage(episodes, limit: 20)
        let total = try manager.sum(episodes, \.seconds)
        try manager.update(episodes, set: ["seconds": 1900])
        // snippet.hide
        #expect(page.count == 2 && total == 3700)
    }

    private func loadAhead(_ manager: PersistenceManager) throws {
        // snippet.show
        let shows = try manager.fetchAll(
            Show.with(Show.episodes.with(Episode.tags), Show.episodes.count))
        for show in shows {
            print(show.title, try show.related(Show.episodes.count))
        }
        // snippet.hide
        // snippet.show
        let longest = Show.episodes.where(\.seconds > 60)
            .sorted(by: \.seconds, .descending).limit(3)
        for show in try manager.fetchAll(Show.with(longest)) {
            print(show.title, try show.related(longest).map(\.title))
        }
        // snippet.hide
        // snippet.show
        manager.relationLoading = .strict
        // snippet.hide
        manager.relationLoading = .siblings
    }

    private func find(_ manager: PersistenceManager) throws {
        // snippet.show
        let news = try manager.fetchAll(
            Episode.self, where: Episode.show.matches(\.title == "News"))
        let large = try manager.fetchAll(Show.self, where: Show.episodes.count > 3)
        let slow = try manager.fetchAll(
            Show.self, where: Show.episodes.contains(\.seconds > 3600))
        let empty = try manager.fetchAll(Show.self, where: Show.episodes.isEmpty)
        let sorted = try manager.fetchAll(
            Show.self, sortedBy: .descending(Show.episodes.sum(\.seconds)))
        let same = try manager.fetchAll(Episode.self, where: ["show.title": "News"])
        let both = try manager.fetchAll(
            Show.self,
            where: .format("ANY episodes.seconds > 1800 AND episodes.@count > 1"))
        // snippet.hide
        #expect(news.map(\.title) == same.map(\.title))
        #expect(large.isEmpty && slow.isEmpty && empty.isEmpty)
        #expect(sorted.count == 1 && both.count == 1)
    }

    private func change(_ manager: PersistenceManager) throws {
        let tag = Tag()
        tag.name = "swift"
        let otherShow = Show()
        try manager.insert(otherShow)
        // snippet.show
        let show = Show()
        show.title = "News"
        let episode = Episode()
        episode.title = "One"
        try show.add(episode, to: Show.episodes)
        try episode.add(tag, to: Episode.tags)
        // the show, the episode and the links, in one transaction
        try manager.save(show)
        // snippet.hide
        #expect(episode.showID == show.id)
        // snippet.show
        try episode.set(Episode.show, to: otherShow)    // sets showID
        try manager.save(episode)                       // stores it
        try otherShow.remove(episode, from: Show.episodes)  // showID becomes nil
        try episode.replace(Episode.tags, with: [tag])  // deletes the links to others
        // snippet.hide
        #expect(episode.showID == nil)
        #expect(try manager.count(Tagging.self) == 1)
    }

    // snippet.show
    final class Employee: PersistingModel {
        var id: Int64?
        var name = ""
        var bossID: Int64?

        static let boss = ToOne(\Employee.bossID, Employee.self, onDelete: .setNull)
        static let reports = ToMany(inverse: boss)
        override class var relations: Relations {
            ["boss": boss, "reports": reports]
        }
    }
    // snippet.hide

    // snippet.show
    final class Comment: PersistingModel {
        var id: Int64?
        var text = ""
        var showID: Int64?
        var episodeID: Int64?

        static let show = ToOne(\Comment.showID, Show.self)
        static let episode = ToOne(\Comment.episodeID, Episode.self)
        override class var relations: Relations {
            ["show": show, "episode": episode]
        }
        override class var columns: Columns {
            var columns = super.columns
            columns["EPISODE_ID"] = .int.check(
                "(SHOW_ID IS NULL) <> (EPISODE_ID IS NULL)")
            return columns
        }
    }
    // snippet.hide

    final class Mark: PersistingModel {
        var id: Int64?
        var kind = ""
        var subjectID: Int64?

        static let show = ToOne(\Mark.subjectID, Show.self, isEnforced: false)
        static let episode = ToOne(\Mark.subjectID, Episode.self, isEnforced: false)
        override class var relations: Relations { ["show": show, "episode": episode] }
    }

    private func several(_ manager: PersistenceManager) throws {
        for type in [Comment.self, Mark.self] as [PersistingModel.Type] { try manager.createTableIfNecessary(for: type) }
        let comment = try manager.insert(Comment.self, values: ["text": "Good", "episodeID": 1])
        #expect(try comment.related(Comment.episode)?.title == "Monday")
        #expect(throws: PersistenceError.self) { try manager.insert(Comment.self, values: ["text": "Of nothing"]) }
        #expect(throws: PersistenceError.self) {
            try manager.insert(Comment.self, values: ["text": "Of both", "showID": 1, "episodeID": 1])
        }
        for kind in ["show", "episode"] { try manager.insert(Mark.self, values: ["kind": kind, "subjectID": 1]) }
        let ofShows = try manager.fetchAll(Mark.where(\.kind == "show").with(Mark.show))
        #expect(try ofShows.map { try $0.related(Mark.show)?.title } == ["News"])
        let ofEpisodes = try manager.fetchAll(Mark.where(\.kind == "episode").with(Mark.episode))
        #expect(try ofEpisodes.map { try $0.related(Mark.episode)?.title } == ["Monday"])
        #expect(try !Mark.schema().createTable.contains("REFERENCES"))
    }
}
