import Persisting
import SQLiteKit
import Testing

@Suite("A relation that is refined for one query", .onBothEngines)
struct RefinedRelationLifeTests {
    @Test("goes with its query", arguments: ["with", "where", "related", "count"])
    func life(use: String) throws {
        // F123
        let pod = try PodDatabase(shows: 2, episodes: 2)
        weak var token: Token?
        do {
            let new = Token()
            token = new
            let episodes = Pod.Show.episodes.where(.sql("TITLE <> \(Held(token: new))"))
            let shows = try pod.manager.fetchAll(Pod.Show.self)
            switch use {
            case "with": #expect(try pod.manager.fetchAll(Query(Pod.Show.self).with(episodes)).count == 2)
            case "where": #expect(try pod.manager.fetchAll(Pod.Show.self, where: episodes.isEmpty).isEmpty)
            case "related": #expect(try shows[0].related(episodes).count == 2)
            default: #expect(try pod.manager.fetchAll(Pod.Show.self, where: episodes.count == 2).count == 2)
            }
        }
        #expect(token == nil)
    }
}

private final class Token: Sendable {}

/// A value that holds an object.
private struct Held: SQLiteValueConvertible {
    var token: Token?

    init(token: Token) {
        self.token = token
    }

    init(sqliteValue: SQLiteValue) {}

    func sqliteValue() -> SQLiteValue { .text("none") }
}
