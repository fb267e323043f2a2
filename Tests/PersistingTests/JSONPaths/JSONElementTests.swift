import Foundation
import Persisting
import Testing

private struct Book: Codable, Sendable {
    var title: String
    var pages: Int
    var genre = Genre.poem
    var lent: Date?
}

private enum Genre: String, Codable, Sendable {
    case novel, poem
}

private struct Shelf: Codable, Sendable {
    var room: String
    var number: Int?
    var books: [Book]
    var owner: Owner?
    var keys: [UUID] = []
    var price: Decimal = 0

    enum CodingKeys: String, CodingKey {
        case room = "where", number, books, owner, keys, price
    }
}

private struct Owner: Codable, Sendable {
    var name: String
}

/// A type of which only its own code can make a value.
private struct Closed: Codable, Sendable {
    var level: Int

    init(from decoder: any Decoder) throws {
        level = try decoder.singleValueContainer().decode(Int.self)
        guard level > 7 else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "low"))
        }
    }
}

private final class Library: PersistingModel {
    var id: Int64?
    var shelves: [Shelf] = []
    var scores: [Double]?
    var names: [String: [String]] = [:]
    var grid: [[Int]] = []
    var closed: [Closed] = []

    override class var columns: Columns {
        [
            "ID": .int, "SHELVES": .json, "SCORES": .json, "NAMES": .json, "GRID": .json, "CLOSED": .json,
        ]
    }
}

@Suite("Conditions on elements of lists in JSON")
struct JSONElementTests {
    private func libraries(_ shelves: [Shelf]...) throws -> PersistenceManager {
        let manager = try memoryManager(Library.self)
        for shelves in shelves {
            let library = Library()
            library.shelves = shelves
            try manager.insert(library)
        }
        return manager
    }

    /// The identifiers of the rows that a condition matches in SQL; nil when memory says otherwise.
    private func found(_ criteria: Criteria<Library>, _ manager: PersistenceManager) throws -> [Int64]? {
        let ids = try manager.fetchAll(Library.self, where: criteria, sortedBy: .ascending(\.id)).compactMap(\.id)
        let all = try manager.fetchAll(Library.self, sortedBy: .ascending(\.id))
        return try criteria.filter(all).compactMap(\.id) == ids ? ids : nil
    }

    private func shelf(_ room: String, _ number: Int? = nil, _ books: Book...) -> Shelf {
        Shelf(room: room, number: number, books: books)
    }

    @Test("find rows with an element that meets all of a condition")
    func oneElement() throws {
        let manager = try libraries(
            [shelf("hall", 3), shelf("attic", 9)], [shelf("hall", 9)], [], [shelf("h\u{E9}\"all", nil)])
        #expect(try found(.any(\.shelves, \.room == "hall" && \.number > 4), manager) == [2])
        #expect(try found(.any(\.shelves, \.room == "hall" || \.number == 9), manager) == [1, 2])
        #expect(try found(.any(\.shelves, \.number == nil), manager) == [4])
        #expect(try found(.any(\.shelves, !(\.number == 9)), manager) == [1, 4])
        #expect(try found(!.any(\.shelves, \.number == 9), manager) == [3, 4])
        #expect(try found(.any(\.shelves, \.room == "h\u{E9}\"all"), manager) == [4])
        #expect(try found(.any(\.shelves, .hasPrefix(\.room, "at")), manager) == [1])
        #expect(try found(.any(\.shelves, .in(\.number, [3, 4])), manager) == [1])
        #expect(try found(.any(\.shelves, ["where": "hall", "number": 9]), manager) == [2])
        #expect(try found(.any(\.shelves, .all), manager) == [1, 2, 4])
    }

    @Test("go into lists of lists")
    func nested() throws {
        let date = Date(timeIntervalSince1970: 1e9)
        let manager = try libraries(
            [shelf("a", 1, Book(title: "x", pages: 10), Book(title: "y", pages: 90))],
            [shelf("b", 2, Book(title: "x", pages: 90, genre: .novel, lent: date))])
        #expect(try found(.any(\.shelves, .any(\.books, \.title == "x" && \.pages > 50)), manager) == [2])
        #expect(try found(.any(\.shelves, \.number == 1 && .any(\.books, \.pages > 50)), manager) == [1])
        #expect(try found(.any(\.shelves, .any(\.books, \.genre == .novel)), manager) == [2])
        #expect(try found(.any(\.shelves, .any(\.books, \.lent == date)), manager) == [2])
        #expect(try found(.any(\.shelves, .any(\.books, \.lent == nil && \.title == "y")), manager) == [1])
    }

    @Test("are of elements that are texts, numbers and lists")
    func plainElements() throws {
        let manager = try libraries([], [], [])
        for (library, number) in zip(try manager.fetchAll(Library.self, sortedBy: .ascending(\.id)), 0...) {
            library.scores = number == 0 ? nil : [Double(number), 0.5]
            library.names = ["a": ["n\(number)", "x"]]
            library.grid = [[number, 7], [number]]
            try manager.save(library)
        }
        #expect(try found(.any(\.scores, \.self > 1), manager) == [3])
        #expect(try found(.any(\.scores, \.self < 1), manager) == [2, 3])
        #expect(try found(.contains(\.scores, 1), manager) == [2])
        #expect(try found(.any(\.names["a"], .hasPrefix(\.self, "n1")), manager) == [2])
        #expect(try found(.any(\.grid, .contains(\.self, 7) && .contains(\.self, 2)), manager) == [3])
        #expect(try found(.any(\.grid, .any(\.self, \.self == 0)), manager) == [1])
    }

    @Test("ask for UUIDs, decimals and what is inside of an Optional", .local(.decimals))
    func values() throws {
        let (key, price) = (UUID(), Decimal(string: "12345678901234567890.25") ?? 0)
        var (one, other) = (shelf("a"), shelf("b"))
        (one.keys, one.owner) = ([UUID(), key], Owner(name: "Ada"))
        other.price = price
        let manager = try libraries([one], [other])
        #expect(try found(.any(\.shelves, .any(\.keys, \.self == key)), manager) == [1])
        #expect(try found(.any(\.shelves, \.price == price), manager) == [2])
        #expect(try found(.any(\.shelves, \.price < price), manager) == [1])
        #expect(try found(.any(\.shelves, \.owner?.name == "Ada"), manager) == [1])
        #expect(try found(.any(\.shelves, \.owner?.name == nil), manager) == [2])
    }

    @Test("are part of deletions, updates and counts")
    func verbs() throws {
        let manager = try libraries([shelf("a", 1)], [shelf("b", 2)], [shelf("a", 3)])
        let rows = Library.where(.any(\.shelves, \.room == "a"))
        #expect(try manager.count(rows) == 2)
        #expect(try manager.update(rows, set: ["scores": [1.0]]) == 2)
        #expect(try manager.delete(rows.where(.any(\.shelves, \.number == 3))) == 1)
        #expect(try found(.any(\.scores, \.self == 1), manager) == [1])
    }

    @Test("throw for what isn't a list, or isn't in the JSON")
    func mistakes() throws {
        let manager = try libraries([])
        func code(_ criteria: Criteria<Library>) -> PersistenceError.Code? {
            failure { try manager.fetchAll(Library.self, where: criteria) }?.code
        }
        #expect(code(.any(\.shelves, \.books.count == 3)) == .unknownKey)
        #expect(code(.any(\.shelves, \.books[0].pages == 3)) == .unknownKey)
        #expect(code(.any(\.closed, \.level == 8)) == .unknownKey)
        #expect(code(.any(\.closed, [".": 8])) == .unknownKey)
    }
}
