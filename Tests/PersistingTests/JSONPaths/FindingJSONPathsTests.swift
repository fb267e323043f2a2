import Foundation
import Persisting
import Testing

@Suite("Key paths into columns of JSON")
struct FindingJSONPathsTests {
    /// Whether a condition finds the second of two rows, in SQL and in memory.
    private func finds<Value: Sendable>(
        _ keyPath: WritableKeyPath<ReaderSettings, Value>, _ value: Value
    ) throws -> Bool {
        let changed = JSONReader()
        changed.settings[keyPath: keyPath] = value
        let manager = try readers({ _ in })
        try manager.insert(changed)
        let path = (\JSONReader.settings).appending(path: keyPath)
        let found = try manager.matches(path == value)
        let others = try manager.matches(path != value)
        return found == ([2], true) && others == ([1], true)
    }

    @Test("lead to values of every type", .local(.decimals))
    func everyType() throws {
        #expect(try finds(\.theme, "dark"))
        #expect(try finds(\.kind, .black))
        #expect(try finds(\.font, Font(size: 9, name: "Mono")))
        #expect(try finds(\.font.size, 12.75))
        #expect(try finds(\.tags, ["a", "b"]))
        #expect(try finds(\.limits, ["a": 1]))
        #expect(try finds(\.since, Date(timeIntervalSince1970: 1_700_000_000.125)))
        #expect(try finds(\.token, UUID()))
        #expect(try finds(\.price, Decimal(string: "79228162514264337593543950.5") ?? 0))
        #expect(try finds(\.isOpen, true))
        #expect(try finds(\.count, .max))
        #expect(try finds(\.large, .max))
        #expect(try finds(\.ratio, 0.2))
    }

    @Test("lead to values whose keys are other than the properties' names")
    func renamed() throws {
        #expect(try finds(\.renamed, "s"))
        #expect(try finds(\.awkward, 4))
    }

    @Test("lead to a dictionary's value")
    func dictionary() throws {
        let manager = try readers({ $0.settings.limits = ["a": 1, "b.c": 2] }, { $0.settings.limits = ["a": 2] })
        #expect(try manager.matches(\.settings.limits["a"] == 2) == ([2], true))
        #expect(try manager.matches(\.settings.limits["b.c"] == 2) == ([1], true))
        #expect(try manager.matches(\.settings.limits["b.c"] == nil) == ([2], true))
    }

    @Test("read the default of a value that isn't written")
    func omitted() throws {
        let manager = try readers({ _ in }, { $0.sparse.level = 6 }, { $0.sparse.title = "t" })
        #expect(try manager.stored("SELECT SPARSE FROM READER WHERE ID = 1") == .text("{}"))
        #expect(try manager.matches(\.sparse.level == 5) == ([1, 3], true))
        #expect(try manager.matches(\.sparse.level > 5) == ([2], true))
        #expect(try manager.matches(\.sparse.title == nil) == ([1, 2], true))
    }

    @Test("lead into an Optional column")
    func optional() throws {
        let manager = try readers({ _ in }, { $0.other = Font(size: 8) })
        #expect(try manager.matches(\.other == nil) == ([1], true))
        #expect(try manager.matches(["other.size": 8]) == ([2], true))
    }

    @Test("lead into what is nil in a new object")
    func optionalChain() throws {
        let manager = try readers({ _ in }, { $0.other = Font(size: 8) }, { $0.other = Font(size: 9) })
        #expect(try manager.matches(\.other?.size == 8) == ([2], true))
        #expect(try manager.matches(\.other?.size == nil) == ([1], true))
        #expect(try manager.matches(\.other?.size > 8) == ([3], true))
    }

    @Test("throw where reading one in another object would trap")
    func traps() throws {
        let manager = try readers({ _ in })
        let conditions: [Criteria<JSONReader>] = [
            \.settings.tags[0] == "a", \.settings.tags[7].count == 1, \.other!.size == 3, \.other!.name.count == 3,
        ]
        for condition in conditions {
            let error = failure { try manager.fetchAll(JSONReader.self, where: condition) }
            #expect(error?.code == .unknownKey && error?.model == "JSONReader")
        }
        let ordering = Ordering<JSONReader>.ascending(\.settings.tags[0])
        #expect(failure { try manager.fetchAll(JSONReader.self, sortedBy: ordering) }?.code == .unknownKey)
    }

    @Test("throw where they read no value that is encoded")
    func mistakes() throws {
        let manager = try readers({ _ in })
        let conditions: [Criteria<JSONReader>] = [
            \.settings.upper == "LIGHT", \.settings.clamped == 3, \.settings.length == 5, \.settings.effective == "r",
            \.settings.notEncoded == 7,
        ]
        for condition in conditions {
            let error = failure { try manager.fetchAll(JSONReader.self, where: condition) }
            #expect(error?.code == .unknownKey && error?.model == "JSONReader")
            #expect(error?.message.contains("in a column of JSON") == true)
        }
    }
}
