import Foundation
import Persisting
import Testing

/// What the articles show runs, too.
@Suite struct ArticleTests {
    @Test("Getting Started runs from end to end")
    func started() throws {
        try gettingStarted()
    }

    @Test("the models of Defining Models have tables", arguments: [Edition.self, Loan.self, Bookmark.self, Book.self])
    func tables(model: PersistingModel.Type) throws {
        let manager = try PersistenceManager(.memory)
        #expect(try manager.createTableIfNecessary(for: model))
    }

    @Test("deferred columns, bits and columns by key path do what their sections say")
    func describingClasses() throws {
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Painting.self)
        for flags in [4, 0] {
            let painting = Painting()
            (painting.flags, painting.scan, painting.back) = (flags, Data([1]), Shade(grey: 0.5))
            try manager.save(painting)
        }
        let paintings = try manager.fetchAll(Painting.self)
        let lent = try describing(manager, paintings)
        #expect(lent.map(\.id) == [1])
        #expect(paintings.map(\.flags) == [7, 0])
        #expect(try manager.count(Painting.self, where: ["back": Shade(grey: 0.5)] as Criteria) == 2)
    }

    @Test("Coming from FMPersisting runs from end to end")
    func fromFMPersisting() throws {
        #expect(try comingFromFMPersisting(path: ":memory:").map(\.firstName) == ["Ada"])
    }

    @Test("an asynchronous transaction changes what it finds")
    func moving() async throws {
        let manager = try PersistenceManager(.memory)
        try await manager.createTableIfNecessary(for: Book.self)
        try await manager.insert(Book.self, values: ["title": "Ronja"])
        try await moveAll(in: manager)
        #expect(try await manager.count(Book.self, where: ["year": 1900]) == 1)
    }
}
