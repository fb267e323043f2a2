import Foundation
import Persisting
import Testing

/// A type that doesn't write a list that is its default.
private struct SparseTags: Codable, Sendable, Equatable {
    var tags = ["new"]

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        tags = try container.decodeIfPresent([String].self, forKey: .tags) ?? ["new"]
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if tags != ["new"] { try container.encode(tags, forKey: .tags) }
    }

    enum CodingKeys: CodingKey { case tags }
}

private final class TaggedReader: PersistingModel {
    var id: Int64?
    var settings = SparseTags()

    override class var columns: Columns { ["ID": .int, "SETTINGS": .json] }
}

@Suite("Conditions inside of JSON")
struct JSONConditionTests {
    @Test("compare numbers, texts and dates as Swift does", .local(.textComparisons))
    func comparisons() throws {
        let dates = [1e9, 1e9 + 0.25].map { Date(timeIntervalSince1970: $0) }
        let manager = try readers(
            { $0.settings.font.size = 9 },
            { ($0.settings.font.size, $0.settings.theme, $0.settings.since) = (10.5, "dark", dates[0]) },
            { ($0.settings.font.size, $0.settings.theme, $0.settings.since) = (100, "darker", dates[1]) })
        #expect(try manager.matches(\.settings.font.size > 9.5) == ([2, 3], true))
        #expect(try manager.matches(\.settings.font.size <= 10.5) == ([1, 2], true))
        #expect(try manager.matches(.between(\.settings.font.size, 10...10.5)) == ([2], true))
        #expect(try manager.matches(.in(\.settings.theme, ["light", "dark"])) == ([1, 2], true))
        #expect(try manager.matches(.hasPrefix(\.settings.theme, "dark")) == ([2, 3], true))
        #expect(try manager.matches(.contains(\.settings.theme, "KER", .caseInsensitive)) == ([3], true))
        #expect(try manager.matches(\.settings.since > dates[0]) == ([3], true))
        #expect(try manager.matches(\.settings.since < dates[1]) == ([2], true))
        #expect(try manager.matches(\.settings.theme == "dark" && \.name == "") == ([2], true))
    }

    @Test("keep numbers beyond 2^53, and the digits of decimals", .local(.decimals))
    func largeNumbers() throws {
        let price = try #require(Decimal(string: "1234567890123456789012345.1"))
        let manager = try readers(
            { ($0.settings.count, $0.settings.large, $0.settings.price) = (9_007_199_254_740_993, .max - 1, price) },
            { ($0.settings.count, $0.settings.large, $0.settings.price) = (9_007_199_254_740_992, .max, price + 1) })
        #expect(try manager.matches(\.settings.count == 9_007_199_254_740_993) == ([1], true))
        #expect(try manager.matches(\.settings.count < 9_007_199_254_740_993) == ([2], true))
        #expect(try manager.matches(\.settings.large == .max) == ([2], true))
        #expect(try manager.matches(\.settings.large < .max) == ([1], true))
        #expect(try manager.matches(\.settings.price == price) == ([1], true))
        #expect(try manager.matches(\.settings.price > price) == ([2], true))
    }

    @Test("take a value that is absent and JSON's null for nil")
    func null() throws {
        let manager = try readers({ _ in }, { _ in }, { $0.settings.since = Date(timeIntervalSince1970: 1) })
        try manager.run("UPDATE READER SET SETTINGS = json_set(SETTINGS, '$.since', NULL) WHERE ID = 2")
        #expect(try manager.matches(\.settings.since == nil) == ([1, 2], true))
        #expect(try manager.matches(\.settings.since != nil) == ([3], true))
    }

    @Test("ask a list that isn't written, since it is the default")
    func absentLists() throws {
        let manager = try memoryManager(TaggedReader.self)
        try manager.run(
            """
            INSERT INTO TAGGED_READER (SETTINGS) VALUES
                ('{}'), ('{"tags":["old"]}'), ('{"tags":null}'), ('{"tags":[]}'), ('{"tags":["new","x"]}')
            """)
        let all = try manager.fetchAll(TaggedReader.sorted(by: \.id))
        let conditions: [(Criteria<TaggedReader>, [Int64])] = [
            (.contains(\.settings.tags, "new"), [1, 3, 5]), (.any(\.settings.tags, \.self == "new"), [1, 3, 5]),
            (.contains(\.settings.tags, "old"), [2]), (!.contains(\.settings.tags, "new"), [2, 4]),
            (\.settings.tags == ["new"], [1, 3]),
        ]
        for (condition, ids) in conditions {
            #expect(try manager.values(TaggedReader.where(condition).sorted(by: \.id), \.id) == ids)
            #expect(try condition.filter(all).map(\.id) == ids)
        }
    }

    @Test("find other rows by a value inside of JSON, and rows by another's")
    func otherRows() throws {
        let manager = try readers({ $0.settings.count = 2 }, { $0.settings.count = 1 }, { $0.settings.count = 7 })
        func ids(_ criteria: Criteria<JSONReader>) throws -> [Int64?] {
            try manager.values(JSONReader.where(criteria).sorted(by: \.id), \.id)
        }
        #expect(try ids(.exists(JSONReader.rows, where: \.settings.count, equals: \.id)) == [1, 2])
        #expect(try ids(.exists(JSONReader.where(\.id == 3), where: \.settings.count, equals: \.id)) == [])
        #expect(try ids(.exists(JSONReader.rows, where: \.id, equals: \.settings.count)) == [1, 2])
        #expect(try ids(!.exists(JSONReader.rows, where: \.id, equals: \.settings.count)) == [3])
        try manager.run("UPDATE READER SET SETTINGS = 'no JSON' WHERE ID = 3")
        #expect(try ids(!.exists(JSONReader.rows, where: \.id, equals: \.settings.count)) == [])
    }

    @Test("find a UUID in lower case")
    func uuid() throws {
        let token = UUID()
        let manager = try readers({ $0.settings.token = token })
        try manager.run("UPDATE READER SET SETTINGS = replace(SETTINGS, '\(token)', lower('\(token)'))")
        #expect(try manager.matches(\.settings.token == token) == ([1], true))
    }

    @Test("find nothing in a text that isn't JSON, which throws when it is read")
    func invalidJSON() throws {
        let manager = try readers({ _ in }, { $0.settings.theme = "dark" })
        try manager.run("UPDATE READER SET SETTINGS = 'no JSON' WHERE ID = 1")
        #expect(try manager.count(JSONReader.where(\.settings.theme == "light")) == 0)
        #expect(try manager.count(JSONReader.where(\.settings.theme == "dark")) == 1)
        let conditions: [Criteria<JSONReader>] = [
            \.settings.theme == nil, \.settings.theme != "dark", !(\.settings.theme == "dark" || \.id == 3),
            .in(\.settings.since, [nil]), !.contains(\.settings.tags, "a"), \.settings.theme == \.settings.renamed,
            .any(\.settings.tags, \.self == "a"), !.any(\.settings.tags, \.self == "a"), !(\.settings.font.size > 1),
        ]
        for condition in conditions {
            let rows = try manager.values(JSONReader.where(condition), \.id)
            #expect(!rows.contains(1), "\(condition)")
        }
        #expect(try manager.update(JSONReader.where(\.id == 1), \.settings.theme, to: "x") == 1)
        #expect(try manager.stored("SELECT SETTINGS FROM READER WHERE ID = 1") == .text("no JSON"))
        #expect(failure { try manager.fetchAll(JSONReader.self) }?.code == .typeMismatch)
    }

    @Test("order rows")
    func order() throws {
        let manager = try readers(
            { $0.settings.font.size = 10 }, { $0.settings.font.size = 9.5 }, { $0.settings.font.size = 100 })
        let up = JSONReader.sorted(by: \.settings.font.size)
        #expect(try manager.fetchAll(up).map(\.id) == [2, 1, 3])
        #expect(try manager.fetchAll(JSONReader.sorted(by: \.settings.font.size, .descending)).map(\.id) == [3, 1, 2])
        #expect(try manager.fetchAll(JSONReader.self, sortedBy: "settings.font.size desc").map(\.id) == [3, 1, 2])
        let ordering = Ordering<JSONReader>.descending(\.settings.font.size)
        #expect(try ordering.sort(manager.fetchAll(JSONReader.self)).map(\.id) == [3, 1, 2])
    }

    @Test("are written by names too")
    func names() throws {
        let manager = try readers({ _ in }, { ($0.settings.theme, $0.settings.renamed) = ("dark", "s") })
        #expect(try manager.matches(["settings.theme": "dark"]) == ([2], true))
        #expect(try manager.matches(["settings.theme": ["dark", "black"]]) == ([2], true))
        #expect(try manager.matches([#"settings."re.named""#: "s"]) == ([2], true))
        #expect(try manager.matches(.format("settings.theme == 'dark' AND settings.font.size > 12")) == ([2], true))
    }

    @Test("find an element of a list")
    func elements() throws {
        let manager = try readers({ $0.settings.tags = ["odd"] }, { $0.settings.tags = ["even", "oddly"] }, { _ in })
        #expect(try manager.matches(.contains(\.settings.tags, "odd")) == ([1], true))
        #expect(try manager.matches(!.contains(\.settings.tags, "odd")) == ([2, 3], true))
        #expect(try manager.matches(.format("'even' IN settings.tags")) == ([2], true))
        try manager.update(JSONReader.where(\.id == 1), \.settings.limits, to: ["a.b": 2, "7": 3])
        #expect(try manager.count(JSONReader.where(Criteria(format: "settings.limits.7 = 3"))) == 1)
        #expect(try manager.matches(.format(#"settings.limits."a.b" == 2 AND settings.limits.7 > 2"#)) == ([1], true))
    }

    @Test("select and compute values")
    func values() throws {
        let manager = try readers({ $0.settings.font.size = 10 }, { $0.settings.font.size = 9.5 })
        let sizes = try manager.values(JSONReader.sorted(by: \.settings.font.size), \.settings.font.size)
        #expect(sizes == [9.5, 10])
        let sum = try manager.compute(JSONReader.rows, .sum(\.settings.font.size))
        #expect(sum == 19.5)
        let groups = try manager.groups(JSONReader.rows, by: .key(\.settings.kind), computing: .count)
        #expect(groups.map(\.0) == [.light] && groups.map(\.1) == [2])
        #expect(try manager.max(JSONReader.rows, \.settings.font.size) == 10)
        #expect(try manager.average(JSONReader.rows, \.settings.font.size) == 9.75)
    }
}
