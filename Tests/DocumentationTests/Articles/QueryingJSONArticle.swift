// swift-format-ignore-file
import Foundation
import Persisting
import Testing

struct QueryingJSONArticle: Article {
    // snippet.show
    struct Font: Codable, Sendable {
        var name = "Serif"
        var size = 12.0
    }

    struct Settings: Codable, Sendable {
        var theme = "light"
        var font = Font()
        var tags: [String] = []
        var limits: [String: Int] = [:]
        var since: Date?
    }

    struct Shelf: Codable, Sendable {
        var room = "hall"
        var books = 0
    }

    final class Reader: PersistingModel {
        var id: Int64?
        var settings = Settings()
        var shelves: [Shelf] = []

        override class var columns: Columns {
            ["ID": .int, "SETTINGS": .json, "SHELVES": .json]
        }
        override class var indexes: [Index] { [Index(\Reader.settings.theme)] }
    }
    // snippet.hide

    func run() throws {
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Reader.self)
        for (theme, size) in [("light", 12.0), ("dark", 13.0), ("dark", 9.0)] {
            let reader = Reader()
            reader.settings.theme = theme
            reader.settings.font.size = size
            if size == 9 { reader.shelves = [Shelf(room: "hall", books: 11)] }
            if size == 13 {
                reader.settings.tags = ["odd"]
                reader.settings.limits = ["books": 4]
                reader.settings.since = Date()
            }
            try manager.insert(reader)
        }
        try find(manager)
        try change(manager)
    }

    private func find(_ manager: PersistenceManager) throws {
        // snippet.show
        let dark = try manager.fetchAll(
            Reader.where(\.settings.theme == "dark" && \.settings.font.size > 12))
        let sorted = try manager.fetchAll(
            Reader.sorted(by: \.settings.font.size, .descending))
        let old = try manager.fetchAll(Reader.where(\.settings.since == nil))
        let limited = try manager.fetchAll(Reader.where(\.settings.limits["books"] > 3))
        // snippet.hide
        #expect(dark.map(\.id) == [2] && sorted.map(\.id) == [2, 1, 3] && old.map(\.id) == [1, 3] && limited.map(\.id) == [2])
        // snippet.show
        let odd = try manager.fetchAll(Reader.where(.contains(\.settings.tags, "odd")))
        let lights = try manager.fetchAll(
            Reader.where(.contains(\.settings.theme, "igh")))
        // snippet.hide
        #expect(odd.map(\.id) == [2] && lights.map(\.id) == [1])
        // snippet.show
        let large = try manager.fetchAll(
            Reader.where(.any(\.shelves, \.books > 10 && \.room == "hall")))
        let long = try manager.fetchAll(
            Reader.where(.any(\.settings.tags, .hasPrefix(\.self, "od"))))
        // snippet.hide
        #expect(large.map(\.id) == [3] && long.map(\.id) == [2])
        // snippet.show
        let same = try manager.fetchAll(Reader.self, where: ["settings.theme": "dark"])
        let format = try manager.fetchAll(
            Reader.where(.format("settings.font.size > 12 AND 'odd' IN settings.tags")))
        // snippet.hide
        #expect(same.map(\.id) == [2, 3] && format.map(\.id) == [2])
    }

    private func change(_ manager: PersistenceManager) throws {
        // snippet.show
        try manager.update(
            Reader.where(\.settings.theme == "dark"), \.settings.theme, to: "black")
        try manager.updateAll(
            Reader.self, set: ["settings.font.size": 14.0, "settings.since": nil])
        // snippet.hide
        // snippet.show
        let black = try manager.fetchAll(Reader.where(\.settings.theme == "black"))
        // snippet.hide
        #expect(black.map(\.id) == [2, 3] && black.allSatisfy { $0.settings.font.size == 14 && $0.settings.since == nil })
        // snippet.show
        let themes = try manager.groups(
            Reader.rows, by: .key(\.settings.theme), computing: .count)
        let largest = try manager.compute(Reader.rows, .max(\.settings.font.size))
        let sizes = try manager.values(Reader.sorted(by: \.id), \.settings.font.size)
        // snippet.hide
        #expect(themes.map(\.1) == [2, 1] && largest == 14 && sizes == [14, 14, 14])
    }
}
