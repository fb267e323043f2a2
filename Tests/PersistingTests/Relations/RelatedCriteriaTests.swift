import Foundation
import Persisting
import Testing

/// Three shows, of which one has no episodes, an episode without a show, and tags.
func podcasts() throws -> PersistenceManager {
    let manager = try podManager()
    try manager.save([Pod.Show("News"), Pod.Show("Sport"), Pod.Show("Empty")])
    try manager.save([
        Pod.Episode("Monday", 30, showID: 1), Pod.Episode("Tuesday", 90, showID: 1),
        Pod.Episode("Final", 120, showID: 2),
        Pod.Episode("Pilot", 10),
    ])
    try manager.save([Pod.Tag("long"), Pod.Tag("live"), Pod.Tag("unused")])
    try manager.save([Pod.Tagging(2, 1), Pod.Tagging(3, 1), Pod.Tagging(3, 2), Pod.Tagging(4, 2)])
    return manager
}

@Suite("Conditions on related rows")
struct RelatedCriteriaTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try podcasts()
    }

    private func shows(_ criteria: Criteria<Pod.Show>) throws -> [String] {
        try manager.fetchAll(Pod.Show.self, where: criteria, sortedBy: "id").map(\.title)
    }

    private func episodes(_ criteria: Criteria<Pod.Episode>) throws -> [String] {
        try manager.fetchAll(Pod.Episode.self, where: criteria, sortedBy: "id").map(\.title)
    }

    private func condition<Model: PersistingModel>(_ criteria: Criteria<Model>) throws -> String {
        let sql = try Query(Model.self).where(criteria).selectStatement().sql
        return String(sql[(sql.range(of: " WHERE ")?.upperBound ?? sql.startIndex)...])
    }

    // F123
    @Test("A condition on a to-one relation's row is found from there")
    func matches() throws {
        let criteria: Criteria<Pod.Episode> = \.seconds > 60 && Pod.Episode.show.matches(\.title == "News")
        #expect(try condition(criteria) == "(SECONDS > ? AND SHOW_ID IN (SELECT ID FROM SHOW WHERE TITLE = ?))")
        #expect(try episodes(criteria) == ["Tuesday"])
    }

    @Test("The opposite takes the rows without a related one")
    func matchesNot() throws {
        let criteria = !Pod.Episode.show.matches(\.title == "News")
        #expect(try condition(criteria) == "(SHOW_ID IN (SELECT ID FROM SHOW WHERE TITLE = ?)) IS NOT TRUE")
        #expect(try episodes(criteria) == ["Final", "Pilot"])
    }

    @Test("Any condition of a to-one relation's row asks whether there is one")
    func matchesAll() throws {
        #expect(try condition(Pod.Episode.show.matches(.all)) == "SHOW_ID IN (SELECT ID FROM SHOW)")
        #expect(try episodes(Pod.Episode.show.matches(.all)) == ["Monday", "Tuesday", "Final"])
    }

    @Test("A condition on a to-many relation's rows is an EXISTS")
    func contains() throws {
        let criteria = Pod.Show.episodes.contains(\.seconds > 60)
        #expect(
            try condition(criteria)
                == "EXISTS (SELECT 1 FROM EPISODE WHERE EPISODE.SHOW_ID = SHOW.ID AND SECONDS > ?)")
        #expect(try shows(criteria) == ["News", "Sport"])
    }

    @Test("All of no rows meet a condition")
    func allSatisfy() throws {
        let criteria = Pod.Show.episodes.allSatisfy(\.seconds > 60)
        #expect(
            try condition(criteria)
                == "NOT EXISTS (SELECT 1 FROM EPISODE WHERE EPISODE.SHOW_ID = SHOW.ID AND (SECONDS > ?) IS NOT TRUE)")
        #expect(try shows(criteria) == ["Sport", "Empty"])
    }

    @Test("A relation is empty where no row exists")
    func isEmpty() throws {
        let criteria = Pod.Show.episodes.isEmpty
        #expect(try condition(criteria) == "NOT EXISTS (SELECT 1 FROM EPISODE WHERE EPISODE.SHOW_ID = SHOW.ID)")
        #expect(try shows(criteria) == ["Empty"])
        #expect(try shows(!criteria) == ["News", "Sport"])
    }

    @Test("Related rows are counted by a subquery")
    func count() throws {
        let criteria = Pod.Show.episodes.count > 1
        #expect(
            try condition(criteria) == "(SELECT count(*) FROM EPISODE WHERE EPISODE.SHOW_ID = SHOW.ID) > ?")
        #expect(try shows(criteria) == ["News"])
        #expect(try shows(Pod.Show.episodes.count == 0) == ["Empty"])
        #expect(try shows(Pod.Show.episodes.count != 0) == ["News", "Sport"])
    }

    @Test("Sums, averages and extremes of no rows are nil")
    func aggregates() throws {
        #expect(
            try condition(Pod.Show.episodes.sum(\.seconds) >= 120)
                == "(SELECT sum(SECONDS) FROM EPISODE WHERE EPISODE.SHOW_ID = SHOW.ID) >= ?")
        #expect(try shows(Pod.Show.episodes.sum(\.seconds) >= 120) == ["News", "Sport"])
        #expect(try shows(Pod.Show.episodes.sum(\.seconds) == nil) == ["Empty"])
        #expect(try shows(Pod.Show.episodes.sum(\.seconds) != nil) == ["News", "Sport"])
        #expect(try shows(Pod.Show.episodes.average(\.seconds) == 60) == ["News"])
        #expect(try shows(Pod.Show.episodes.min(\.seconds) < 60) == ["News"])
        #expect(try shows(Pod.Show.episodes.max(\.title) == "Tuesday") == ["News"])
        #expect(try shows(!(Pod.Show.episodes.max(\.title) == "Tuesday")) == ["Sport", "Empty"])
    }

    @Test("A value of a to-one relation's row is nil without one")
    func value() throws {
        let title = Pod.Episode.show[\.title]
        #expect(try condition(title == "News") == "SHOW_ID IN (SELECT ID FROM SHOW WHERE TITLE = ?)")
        #expect(
            try condition(title == nil) == "(SELECT TITLE FROM SHOW WHERE SHOW.ID = EPISODE.SHOW_ID) IS NULL")
        #expect(try episodes(title == "News") == ["Monday", "Tuesday"])
        #expect(try episodes(title != "News") == ["Final", "Pilot"])
        #expect(try episodes(title == nil) == ["Pilot"])
        #expect(try episodes(title > "O") == ["Final"])
    }

    @Test("Rows are ordered by related values", .local(.textComparisons))
    func orderings() throws {
        let byCount = Pod.Show.sorted(by: [.descending(Pod.Show.episodes.count), .ascending(\.title)])
        #expect(
            try byCount.selectStatement().sql.hasSuffix(
                " ORDER BY (SELECT count(*) FROM EPISODE WHERE EPISODE.SHOW_ID = SHOW.ID) DESC, TITLE"))
        #expect(try manager.fetchAll(byCount).map(\.title) == ["News", "Sport", "Empty"])
        let byTitle = Pod.Episode.sorted(by: [.ascending(Pod.Episode.show[\.title], nils: .last), "seconds desc"])
        #expect(try manager.fetchAll(byTitle).map(\.title) == ["Tuesday", "Monday", "Final", "Pilot"])
        #expect(
            try manager.fetchAll(Pod.Episode.sorted(by: "show.title desc, seconds")).map(\.title)
                == ["Final", "Monday", "Tuesday", "Pilot"])
        #expect(
            try manager.fetchAll(Pod.Show.sorted(by: ["episodes.@sum.seconds": .descending, "id": .ascending]))
                .map(\.id) == [1, 2, 3])
        #expect(
            try manager.fetchAll(Pod.Episode.sorted(by: .descending("show.title", by: .caseInsensitive))).first?.title
                == "Final")
    }

    @Test("Dictionaries name values of related rows")
    func dictionaries() throws {
        #expect(try episodes(["show.title": "News"]) == ["Monday", "Tuesday"])
        #expect(try episodes(["<NOT>show.title": "News"]) == ["Final", "Pilot"])
        #expect(try episodes(["show.title": nil]) == ["Pilot"])
        #expect(try episodes(["show.title": ["Sport", nil]]) == ["Final", "Pilot"])
        #expect(try episodes(["show.id": 2...9]) == ["Final"])
        #expect(try shows(["episodes.@count": [0, 2]]) == ["News", "Empty"])
        #expect(
            try condition(["show.title": "News"] as Criteria<Pod.Episode>)
                == condition(Pod.Episode.show.matches(\.title == "News")))
    }

    @Test("Texts of related rows are found by key", .local(.textComparisons))
    func texts() throws {
        #expect(try episodes(.hasPrefix("show.title", "N")) == ["Monday", "Tuesday"])
        #expect(try episodes(.contains("show.title", "POR", .caseInsensitive)) == ["Final"])
        #expect(try episodes(.matches("show.title", "N.*")) == ["Monday", "Tuesday"])
    }

    @Test("Formats name related rows as NSPredicate's do", .local(.textComparisons))
    func formats() throws {
        #expect(try episodes(.format("show.title == 'News' AND seconds > 60")) == ["Tuesday"])
        #expect(try episodes(.format("show.title != 'News'")) == ["Final", "Pilot"])
        #expect(try episodes(.format("%K BEGINSWITH[c] %@", "show.title", "n")) == ["Monday", "Tuesday"])
        #expect(try shows(.format("ANY episodes.seconds > 60")) == ["News", "Sport"])
        #expect(try shows(.format("some episodes.seconds BETWEEN {0, 60}")) == ["News"])
        #expect(try shows(.format("ALL episodes.seconds > 60")) == ["Sport", "Empty"])
        #expect(try shows(.format("NONE episodes.seconds > 100")) == ["News", "Empty"])
        #expect(try shows(.format("NOT ANY episodes.seconds > 100 AND id < 3")) == ["News"])
        #expect(try shows(.format("ANY episodes.title IN %@", ["Final", "Pilot"])) == ["Sport"])
        #expect(try shows(.format("episodes.@count > 1 OR episodes.@max.seconds == 120")) == ["News", "Sport"])
        #expect(try shows(.format("episodes.@sum.seconds / episodes.@count == 60")) == ["News"])
        #expect(try shows(.format("ANY episodes.tags.name == 'live'")) == ["Sport"])
        #expect(try shows(.format("ANY episodes.tags.@count == 2")) == ["Sport"])
        #expect(try shows(.format("ALL episodes.tags.name == 'long'")) == ["News", "Empty"])
        #expect(try episodes(.format("tags.@count > 1")) == ["Final"])
        #expect(try episodes(.format("ANY show.episodes.title == 'Monday'")) == ["Monday", "Tuesday"])
        #expect(try episodes(.format("show.episodes.@count == 1")) == ["Final"])
    }

    @Test("A format made at run time is checked with its relations")
    func formatAtRunTime() throws {
        #expect(
            try episodes(Criteria(format: "show.title == %@ AND ANY tags.name == 'long'", arguments: ["News"])) == [
                "Tuesday"
            ])
        for (format, column, text) in [
            ("seconds > 1 AND shwo.title == 'x'", 17, "there is no relation \"shwo\"; there is: show, tags"),
            ("show.titel == 'x'", 1, "there is no column for the key \"titel\""),
            ("ANY tags.nome == 'x'", 5, "there is no column for the key \"nome\""),
            ("tags.name == 'x'", 1, "tags leads to several rows: write ANY tags.name"),
            ("show.@count > 1", 1, "show leads to one row, of which there is no @count"),
            ("tags.@median.id > 1", 1, "@median.id isn't computed of related rows"),
        ] {
            let error = failure { try Criteria<Pod.Episode>(format: format) }
            #expect(error?.message.contains(text) == true, "\(format): \(error?.message ?? "")")
            #expect(error?.message.contains("at column \(column) ") == true, "\(format): \(error?.message ?? "")")
        }
    }

    @Test("Many to many goes through the links, and a row counts once")
    func manyToMany() throws {
        let criteria = Pod.Episode.tags.contains(\.name == "live")
        #expect(
            try condition(criteria)
                == "EXISTS (SELECT 1 FROM TAGGING WHERE TAGGING.EPISODE_ID = EPISODE.ID "
                + "AND TAG_ID IN (SELECT ID FROM TAG WHERE NAME = ?))")
        #expect(try episodes(criteria) == ["Final", "Pilot"])
        #expect(
            try condition(Pod.Episode.tags.count > 1)
                == "(SELECT count(*) FROM TAG WHERE ID IN (SELECT TAG_ID FROM TAGGING "
                + "WHERE TAGGING.EPISODE_ID = EPISODE.ID)) > ?")
        #expect(try episodes(Pod.Episode.tags.isEmpty) == ["Monday"])
        let tags = try manager.fetchAll(Pod.Tag.self, where: Pod.Tag.episodes.sum(\.seconds) > 200)
        #expect(tags.map(\.name) == ["long"])
    }

    @Test("A relation through others reaches each row once")
    func through() throws {
        #expect(try shows(Pod.Show.tags.contains(\.name == "live")) == ["Sport"])
        #expect(try shows(Pod.Show.tags.count == 2) == ["Sport"])
        try manager.save(Pod.Tagging(1, 1))
        #expect(try shows(Pod.Show.tags.count == 1) == ["News"])
    }

    @Test("Conditions stand inside each other")
    func nested() throws {
        let criteria = Pod.Show.episodes.contains(
            Pod.Episode.tags.count == 2 && Pod.Episode.tags.contains(Pod.Tag.episodes.contains(\.title == "Pilot")))
        #expect(try shows(criteria) == ["Sport"])
    }

    @Test("Tables that are asked again have names of their own")
    func selfReference() throws {
        try manager.save([
            Pod.Worker("Ann", 100), Pod.Worker("Bob", 50, managerID: 1), Pod.Worker("Cy", 70, managerID: 1),
            Pod.Worker("Di", 60, managerID: 2), Pod.Worker("Ed", 10, managerID: 4),
        ])
        func workers(_ criteria: Criteria<Pod.Worker>) throws -> [String] {
            try manager.fetchAll(Pod.Worker.self, where: criteria, sortedBy: "id").map(\.name)
        }
        let reports = Pod.Worker.reports
        let deep = reports.contains(reports.contains(reports.contains(\.salary < 20)))
        #expect(
            try condition(deep)
                == "EXISTS (SELECT 1 FROM WORKER AS r1 WHERE r1.MANAGER_ID = WORKER.ID AND EXISTS "
                + "(SELECT 1 FROM WORKER AS r2 WHERE r2.MANAGER_ID = r1.ID AND EXISTS "
                + "(SELECT 1 FROM WORKER AS r3 WHERE r3.MANAGER_ID = r2.ID AND SALARY < ?)))")
        #expect(try workers(deep) == ["Ann"])
        let boss = Pod.Worker.boss
        #expect(try workers(boss.matches(boss.matches(boss.matches(\.name == "Ann")))) == ["Ed"])
        #expect(try workers(["boss.boss.name": "Ann"]) == ["Di"])
        #expect(try workers(boss.matches(reports.count == 1 && boss.matches(\.name == "Ann"))) == ["Di"])
        #expect(try workers(.format("boss.salary < salary OR reports.@avg.salary >= 60")) == ["Ann", "Bob", "Di"])
        #expect(
            try manager.fetchAll(Pod.Worker.sorted(by: "boss.name, name desc")).map(\.name)
                == ["Ann", "Cy", "Bob", "Di", "Ed"])
    }

    @Test("A key of several columns is compared by each")
    func compositeKey() throws {
        try manager.save([Pod.Order("A", 1, "Ann"), Pod.Order("A", 2, "Bob"), Pod.Order("B", 1, "Cy")])
        try manager.save([
            Pod.Line("A", 1, "tea", 2), Pod.Line("A", 1, "pot"), Pod.Line("B", 1, "tea", 5), Pod.Line("A", nil, "lost"),
        ])
        func lines(_ criteria: Criteria<Pod.Line>) throws -> [Int64?] {
            try manager.fetchAll(Pod.Line.self, where: criteria, sortedBy: "id").map(\.id)
        }
        let ann = Pod.Line.order.matches(\.customer == "Ann")
        #expect(
            try condition(ann)
                == "EXISTS (SELECT 1 FROM \"ORDER\" WHERE \"ORDER\".SHOP = LINE.SHOP "
                + "AND \"ORDER\".NUMBER = LINE.ORDER_NUMBER AND CUSTOMER = ?)")
        #expect(try lines(ann) == [1, 2])
        #expect(try lines(["order.customer": nil]) == [4])
        #expect(try lines(Pod.Line.order[\.customer] >= "Bob") == [3])
        let orders = Pod.Order.where(Pod.Order.lines.sum(\.quantity) >= 3).sorted(by: "shop")
        #expect(try manager.fetchAll(orders).map(\.customer) == ["Ann", "Cy"])
        #expect(try manager.count(Pod.Order.where(Pod.Order.lines.isEmpty)) == 1)
    }

    @Test("A refined relation asks the rows that it takes")
    func refined() throws {
        let long = Pod.Show.episodes.where(\.seconds > 60)
        #expect(try shows(long.count == 1) == ["News", "Sport"])
        #expect(try shows(long.isEmpty) == ["Empty"])
        #expect(try shows(long.contains(\.title == "Monday")) == [])
        #expect(try shows(long.min(\.seconds) == 90) == ["News"])
        let error = failure { try shows(long.limit(1).count == 1) }
        #expect(error?.code == .invalidCriteria)
        #expect(error?.message.contains("remove its limit and offset") == true)
    }

    @Test("Counting, writing and computing take conditions on related rows")
    func verbs() throws {
        let news = Pod.Episode.where(Pod.Episode.show.matches(\.title == "News"))
        #expect(try manager.count(news) == 2)
        #expect(try manager.exists(news.where(\.seconds > 1000)) == false)
        #expect(try manager.sum(news, \.seconds) == 120)
        #expect(try manager.sections(news.sorted(by: \.seconds), by: \.seconds).count == 2)
        #expect(try manager.update(news, \.seconds, to: 1) == 2)
        #expect(try manager.update(Pod.Show.where(Pod.Show.episodes.count == 2), \.title, to: "Two") == 1)
        #expect(try manager.delete(Pod.Show.where(Pod.Show.episodes.isEmpty)) == 1)
        #expect(try manager.delete(news.sorted(by: "show.title desc").limit(1)) == 0)
        #expect(try manager.delete(Pod.Episode.where(["show.title": "Two"]).sorted(by: "show.id, id").limit(1)) == 1)
        #expect(try manager.fetchAll(Pod.Episode.sorted(by: "id")).map(\.title) == ["Tuesday", "Final", "Pilot"])
    }

    @Test("Sections by related values are rejected")
    func rejectedOrderings() throws {
        let query = Pod.Episode.sorted(by: "show.title")
        let error = failure { try manager.sections(query, by: \.title) }
        #expect(error?.message.contains("the query's begins with show.title") == true)
    }

    @Test(
        "Mistakes say what there is",
        arguments: [
            ("episodes.seconds", "episodes leads to several rows: write ANY episodes.seconds in a format"),
            ("episode.seconds", "there is no relation \"episode\"; there is: episodes, tags"),
            ("episodes.@sum", "@sum isn't computed of related rows"),
            ("episodes.@sum.title", "a sum or an average needs numbers"),
            ("episodes.@sum.second", "there is no column for the key \"second\""),
        ])
    func mistakes(_ key: String, _ text: String) throws {
        let error = failure { try shows(Criteria([key: 1])) }
        #expect(error?.message.contains(text) == true, "\(error?.message ?? "none")")
        let ordering = failure { try manager.fetchAll(Pod.Show.sorted(by: Ordering([.ascending(key)]))) }
        #expect(ordering?.message.contains(text) == true, "\(ordering?.message ?? "none")")
    }

    @Test("A relation by itself isn't a value")
    func relationAsValue() throws {
        let error = failure { try shows(["episodes": 1]) }
        #expect(
            error?.message.contains("episodes is a relation: name a value of its rows, as in episodes.@count") == true)
        let toOne = failure { try episodes(["show": nil]) }
        #expect(toOne?.message.contains("show is a relation: name a value of its row, as in show.id") == true)
    }

    @Test("A value has its column's type")
    func types() throws {
        let error = failure { try shows(["episodes.@max.title": 7]) }
        #expect(error?.code == .invalidCriteria)
        #expect(
            failure { try shows(.format("title == episodes.@count")) }?.message.contains("can't be compared") == true)
    }
}
