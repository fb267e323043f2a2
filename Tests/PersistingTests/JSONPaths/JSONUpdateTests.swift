import Foundation
import Persisting
import Testing

@Suite("Updates inside of JSON")
struct JSONUpdateTests {
    @Test("set a value, and leave the rest as it is in each row")
    func rest() throws {
        let manager = try readers(
            { ($0.settings.theme, $0.settings.tags) = ("dark", ["a"]) }, { $0.settings.theme = "dark" }, { _ in })
        let before = try manager.fetchAll(JSONReader.self, sortedBy: .ascending(\.id)).map(\.settings)
        #expect(try manager.update(JSONReader.where(\.settings.theme == "dark"), \.settings.theme, to: "black") == 2)
        let after = try manager.fetchAll(JSONReader.self, sortedBy: .ascending(\.id)).map(\.settings)
        #expect(after.map(\.theme) == ["black", "black", "light"])
        #expect(
            after.map {
                var old = $0; old.theme = "light"; return old
            }
                == before.map {
                    var old = $0; old.theme = "light"; return old
                })
    }

    @Test("set values of every type")
    func types() throws {
        let manager = try readers({ _ in })
        let date = Date(timeIntervalSince1970: 1_700_000_000.5)
        try manager.update(JSONReader.where(\.name == ""), \.settings.kind, to: .dark)
        try manager.update(JSONReader.where(\.name == ""), \.settings.since, to: date)
        try manager.update(JSONReader.where(\.name == ""), \.settings.font, to: Font(size: 1, name: "x"))
        try manager.update(JSONReader.where(\.name == ""), \.settings.price, to: 0.25)
        try manager.update(JSONReader.where(\.name == ""), \.settings.isOpen, to: true)
        try manager.update(JSONReader.where(\.name == ""), \.settings.tags, to: ["a"])
        try manager.update(JSONReader.where(\.name == ""), \.settings.large, to: .max)
        let settings = try #require(try manager.fetchAll(JSONReader.self).first?.settings)
        #expect(settings.kind == .dark && settings.since == date && settings.font == Font(size: 1, name: "x"))
        #expect(settings.price == 0.25 && settings.isOpen && settings.tags == ["a"] && settings.large == .max)
        try manager.update(JSONReader.where(\.name == ""), \.settings.since, to: nil)
        #expect(try manager.matches(\.settings.since == nil) == ([1], true))
    }

    @Test("take a dictionary's value out, and set none to nil that can't be")
    func none() throws {
        let manager = try readers({ $0.settings.limits = ["a": 1, "b": 2] })
        try manager.update(JSONReader.where(\.id == 1), \.settings.limits["a"], to: nil)
        #expect(try manager.fetchAll(JSONReader.self).first?.settings.limits == ["b": 2])
        let error = failure { try manager.update(JSONReader.where(\.id == 1), set: ["settings.theme": nil]) }
        #expect(error?.code == .typeMismatch && error?.key == "settings.theme")
        #expect(try manager.fetchAll(JSONReader.self).count == 1)
    }

    @Test("set several values by their names")
    func names() throws {
        let manager = try readers({ _ in })
        try manager.update(
            JSONReader.where(\.name == ""), set: ["settings.theme": "x", "settings.font.size": 3.5, "name": "n"])
        let reader = try #require(try manager.fetchAll(JSONReader.self).first)
        #expect(reader.settings.theme == "x" && reader.settings.font.size == 3.5 && reader.name == "n")
    }

    @Test("throw for a value that isn't the property's, and for a column that is set as well")
    func mistakes() throws {
        let manager = try readers({ _ in })
        #expect(
            failure { try manager.update(JSONReader.where(\.name == ""), set: ["settings.count": "x"]) }?.code
                == .typeMismatch)
        let twice = failure {
            try manager.update(
                JSONReader.where(\.name == ""), set: ["settings.count": 1, "settings": ReaderSettings()])
        }
        #expect(twice?.code == .invalidCriteria)
        #expect(
            failure { try manager.update(JSONReader.where(\.name == ""), \.settings.awkward, to: 1) }?.code
                == .unsupported)
    }
}
