import Foundation
import Persisting
import Testing

private enum Discs {
    final class Artist: PersistingModel {
        var id: Int64?
        var name: String?
        static let discs = ToMany(inverse: Disc.artist)
        override class var relations: Relations { ["discs": discs] }
    }

    final class Disc: PersistingModel {
        var id: Int64?
        var title = ""
        var year: Int?
        var artistID: Int64?
        static let artist = ToOne(\Disc.artistID, Artist.self, onDelete: .setNull)
        override class var relations: Relations { ["artist": artist] }
    }
}

// F84
@Suite("Pages backward and by related values")
struct BackwardPageTests {
    private let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(Discs.Artist.self, Discs.Disc.self)
        for name in ["b", "a", nil, "C"] {
            let artist = Discs.Artist()
            artist.name = name
            try manager.insert(artist)
        }
        for number in 0..<31 {
            let disc = Discs.Disc()
            disc.title = "t\(number % 5)"
            disc.year = number % 4 == 0 ? nil : number % 3
            disc.artistID = number % 6 == 0 ? nil : Int64(number % 4 + 1)
            try manager.insert(disc)
        }
    }

    private static let orders: [Ordering<Discs.Disc>] = [
        "id", .ascending(\.title), [.descending(\.year), .ascending(\.title)], .ascending(\.year, nils: .last),
        .descending(\.year, nils: .first), .descending(Discs.Disc.artist[\.name]),
        .ascending(Discs.Disc.artist[\.name], nils: .last), "artist.name desc, year",
        [.ascending(Discs.Disc.artist[\.name]), .descending(\.id)],
    ]

    private func keys(_ discs: [Discs.Disc]) -> [Int64?] { discs.map(\.id) }

    @Test("Pages from the end and from the beginning are the whole", arguments: 0..<9) func whole(_ number: Int) throws
    {
        let order = Self.orders[number]
        let query = Discs.Disc.sorted(by: order)
        let all = keys(try manager.fetchAll(Discs.Disc.sorted(by: Ordering([order, .ascending(\.id)]))))
        var forward: [Int64?] = []
        var last: Discs.Disc?
        while case let page = try manager.fetchPage(query, after: last, limit: 4), !page.isEmpty {
            forward += keys(page)
            last = page.last
        }
        #expect(forward == all)
        var backward = all.suffix(1)
        var first = last
        while case let page = try manager.fetchPage(query, before: first, limit: 4), !page.isEmpty {
            backward = keys(page) + backward
            first = page.first
        }
        #expect(Array(backward) == all)
        let ten = try manager.fetchPage(query, limit: 10)
        let between = try manager.fetchPage(query, after: ten[2], before: ten[8], limit: 3)
        #expect(keys(between) == keys(Array(ten[3...5])))
        #expect(try keys(manager.fetchPage(query, after: ten[2], before: ten[4], limit: 3)) == [ten[3].id])
    }

    @Test("The asynchronous form and that of the class page backward") func forms() async throws {
        let all = try await manager.fetchAll(Discs.Disc.sorted(by: \.id)).map(\.id)
        let disc = try #require(try await manager.find(Discs.Disc.self, 9))
        let page = try await manager.fetchPage(Query(Discs.Disc.self), before: disc, limit: 3).map(\.id)
        #expect(page == Array(all[5...7]))
        #expect(try keys(second(disc)) == Array(all[5...7]))
    }

    private func second(_ disc: Discs.Disc) throws -> [Discs.Disc] {
        try manager.fetchPage(Discs.Disc.sorted(by: "id"), before: disc, limit: 3)
    }

    @Test("An object that was read without the property throws, whichever way") func partial() throws {
        let discs = try manager.fetchAll(Discs.Disc.self, sql: "SELECT ID FROM DISC ORDER BY ID LIMIT 2", partial: true)
        let query = Discs.Disc.sorted(by: \.title)
        #expect(failure { try manager.fetchPage(query, after: discs.last, limit: 2) }?.code == .invalidOrdering)
        #expect(failure { try manager.fetchPage(query, before: discs.last, limit: 2) }?.code == .invalidOrdering)
        #expect(try keys(manager.fetchPage(Query(Discs.Disc.self), after: discs.last, limit: 2)) == [3, 4])
        let disc = try #require(discs.last)
        try manager.refresh(disc)
        #expect(try manager.fetchPage(query, after: disc, limit: 2).count == 2)
    }

    @Test("A row that is gone is known by its own values, and not by related ones") func gone() throws {
        let disc = try #require(try manager.find(Discs.Disc.self, 8))
        try manager.delete(disc)
        #expect(try keys(manager.fetchPage(Query(Discs.Disc.self), before: disc, limit: 2)) == [6, 7])
        let error = failure { try manager.fetchPage(Discs.Disc.sorted(by: "artist.name"), after: disc, limit: 2) }
        #expect(error?.code == .notFound)
    }
}
