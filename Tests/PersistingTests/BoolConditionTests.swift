import Foundation
import Persisting
import Testing

@Suite("Negated Bool properties", .onBothEngines)
struct BoolConditionTests {
    final class Record: PersistingModel {
        var id: Int64?
        var title = ""
        var year = 0
        var isLoved = false
        var isNew = false
    }

    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Record.self)
        for (title, year, isLoved, isNew) in [
            ("Pastel", 1971, true, true), ("Revolver", 1966, true, false), ("Tago Mago", 1971, false, true),
            ("Zuma", 1975, false, false),
        ] {
            try manager.insert(
                Record.self, values: ["title": title, "year": year, "isLoved": isLoved, "isNew": isNew])
        }
    }

    /// The titles that a condition finds, in the database and in memory.
    private func titles(_ criteria: Criteria<Record>) throws -> [String] {
        let found = try manager.fetchAll(Record.self, where: criteria, sortedBy: "title").map(\.title)
        let inMemory = try manager.fetchAll(Record.self, sortedBy: "title").filter { try criteria.matches($0) }
        #expect(inMemory.map(\.title) == found)
        return found
    }

    @Test("alone, among others and of both")
    func not() throws {
        #expect(try titles(!\.isLoved) == ["Tago Mago", "Zuma"])
        #expect(try titles(\.year == 1971 && !\.isLoved) == ["Tago Mago"])
        let either = !\Record.isNew || \Record.year > 1970 && !\Record.isLoved
        #expect(try titles(either) == ["Revolver", "Tago Mago", "Zuma"])
        #expect(try titles(!(!\.isLoved)) == ["Pastel", "Revolver"])
    }

    @Test("Mixed with other syntaxes")
    func mixed() throws {
        #expect(try titles(["year": 1971] && !\.isLoved && \.title != "x") == ["Tago Mago"])
        #expect(try titles(!\.isNew && .format("year < 1970")) == ["Revolver"])
    }
}
