import Foundation
import Persisting
import Testing

@Suite("Random values inside of JSON")
struct JSONRandomTests {
    private static let texts = ["", "a", "A", "é", "e\u{301}", "\"", "\\", "a.b", "null", "1", "\u{1F600}", "\n", "/"]

    private func settings(_ random: inout some RandomNumberGenerator) -> ReaderSettings {
        var settings = ReaderSettings()
        settings.theme = Self.texts.randomElement(using: &random) ?? ""
        settings.kind = Theme.allCases.randomElement(using: &random) ?? .light
        settings.font.size = [0, -1.5, 0.1, 0.30000000000000004, 1e300, 5, 1e-7].randomElement(using: &random) ?? 0
        settings.tags = (0..<Int.random(in: 0...2, using: &random)).map { _ in Self.texts.randomElement() ?? "" }
        settings.limits = Bool.random(using: &random) ? ["a": Int.random(in: -2...2, using: &random)] : [:]
        settings.since =
            Bool.random(using: &random)
            ? Date(timeIntervalSince1970: Double(Int.random(in: -4...4, using: &random)) / 4) : nil
        settings.price = Decimal(Int.random(in: -9...9, using: &random)) / 8
        settings.isOpen = Bool.random(using: &random)
        settings.count = [.min, -1, 0, 1, .max, .max - 1].randomElement(using: &random) ?? 0
        settings.large = [0, 1, .max, .max - 1].randomElement(using: &random) ?? 0
        settings.ratio = [0, 0.1, 0.2, -3.5].randomElement(using: &random) ?? 0
        settings.awkward = Bool.random(using: &random) ? 1 : nil
        return settings
    }

    private func check<Value: Comparable & Sendable>(
        _ keyPath: KeyPath<ReaderSettings, Value>, _ readers: [JSONReader], _ value: Value,
        _ manager: PersistenceManager
    ) throws {
        let path = (\JSONReader.settings).appending(path: keyPath)
        let conditions: [(Criteria<JSONReader>, (Value) -> Bool)] = [
            (path == value, { $0 == value }), (path != value, { $0 != value }), (path < value, { $0 < value }),
            (path >= value, { $0 >= value }),
        ]
        for (condition, holds) in conditions {
            let expected = readers.filter { holds($0.settings[keyPath: keyPath]) }.compactMap(\.id)
            let found = try manager.matches(condition)
            #expect(found == (expected, true), "\(keyPath) \(value)")
        }
        let sorted = try manager.fetchAll(JSONReader.self, sortedBy: [.ascending(path), .ascending(\.id)])
        let values = sorted.map { $0.settings[keyPath: keyPath] }
        #expect(values == values.sorted(), "\(keyPath)")
    }

    private func check<Value: Comparable & Sendable>(
        optional keyPath: KeyPath<ReaderSettings, Value?>, _ readers: [JSONReader], _ value: Value?,
        _ manager: PersistenceManager
    ) throws {
        let path = (\JSONReader.settings).appending(path: keyPath)
        let expected = readers.filter { $0.settings[keyPath: keyPath] == value }.compactMap(\.id)
        #expect(try manager.matches(path == value) == (expected, true), "\(keyPath)")
        let less = readers.filter { reader in
            guard let own = reader.settings[keyPath: keyPath], let value else { return false }
            return own < value
        }.compactMap(\.id)
        #expect(try manager.matches(path < value) == (less, true), "\(keyPath)")
    }

    @Test("are matched, ordered, grouped and updated as in Swift", .local(.decimals), arguments: 0..<Effort.times(2))
    func random(_ round: Int) throws {
        var random = SystemRandomNumberGenerator()
        let manager = try memoryManager(JSONReader.self)
        for _ in 0..<20 {
            let reader = JSONReader()
            reader.settings = settings(&random)
            try manager.insert(reader)
        }
        let readers = try manager.fetchAll(JSONReader.self, sortedBy: .ascending(\.id))
        for _ in 0..<3 {
            let value = settings(&random)
            try check(\.font.size, readers, value.font.size, manager)
            try check(\.price, readers, value.price, manager)
            try check(\.count, readers, value.count, manager)
            try check(\.large, readers, value.large, manager)
            try check(\.ratio, readers, value.ratio, manager)
            try check(optional: \.since, readers, value.since, manager)
            try check(optional: \.awkward, readers, value.awkward, manager)
            try check(optional: \.limits["a"], readers, value.limits["a"], manager)
            let open = readers.filter { $0.settings.isOpen == value.isOpen }.compactMap(\.id)
            #expect(try manager.matches(\.settings.isOpen == value.isOpen) == (open, true))
            let kinds = readers.filter { $0.settings.kind == value.kind }.compactMap(\.id)
            #expect(try manager.matches(\.settings.kind == value.kind) == (kinds, true))
            let bytes = { (text: String) in Array(text.utf8) }
            let themes = readers.filter { bytes($0.settings.theme) == bytes(value.theme) }.compactMap(\.id)
            #expect(try manager.matches(\.settings.theme == value.theme) == (themes, true))
            let tag = Self.texts.randomElement(using: &random) ?? ""
            let tagged = readers.filter { $0.settings.tags.contains { bytes($0) == bytes(tag) } }.compactMap(\.id)
            #expect(try manager.matches(.contains(\.settings.tags, tag)) == (tagged, true))
        }
        try checkGroupsAndUpdates(readers, settings(&random), manager)
    }

    private func checkGroupsAndUpdates(
        _ readers: [JSONReader], _ value: ReaderSettings, _ manager: PersistenceManager
    ) throws {
        let groups = try manager.groups(JSONReader.rows, by: .key(\.settings.kind), computing: .count)
        let expected = Dictionary(grouping: readers, by: \.settings.kind).mapValues(\.count)
        #expect(Dictionary(uniqueKeysWithValues: groups.map { ($0.0, $0.1) }) == expected)
        let rows = JSONReader.where(\.settings.count < value.count)
        try manager.update(rows, \.settings.theme, to: value.theme)
        try manager.update(rows, \.settings.font.size, to: value.font.size)
        try manager.update(rows, \.settings.price, to: value.price)
        try manager.update(rows, \.settings.since, to: value.since)
        try manager.update(rows, \.settings.tags, to: value.tags)
        let updated = readers.map { reader in
            var settings = reader.settings
            guard settings.count < value.count else { return settings }
            (settings.theme, settings.font.size, settings.price) = (value.theme, value.font.size, value.price)
            (settings.since, settings.tags) = (value.since, value.tags)
            return settings
        }
        #expect(try manager.fetchAll(JSONReader.self, sortedBy: .ascending(\.id)).map(\.settings) == updated)
    }
}
