import Persisting
import Testing

/// What the articles show runs, too.
@Suite struct ArticleTests {
    @Test("Getting Started runs from end to end")
    func started() throws {
        try gettingStarted()
    }

    @Test("Finding Objects runs from end to end")
    func finding() async throws {
        let manager = try PersistenceManager(.memory)
        try await manager.createTableIfNecessary(for: Book.self)
        try await manager.createTableIfNecessary(for: Edition.self)
        for (title, year) in [("Momo", 1973), ("Krabat", 1971), ("Ronja", 1981), ("Nils", nil)] {
            try await manager.insert(Book.self, values: ["title": title, "year": year])
        }
        try await goingThrough(manager)
        try manager.asCurrent { () throws -> Void in try findingObjects(manager, "Momo") }
        #expect(try await manager.count(Book.self) == 0)
    }

    @Test("the models of Defining Models have tables", arguments: [Edition.self, Loan.self, Bookmark.self, Book.self])
    func tables(model: PersistingModel.Type) throws {
        let manager = try PersistenceManager(.memory)
        #expect(try manager.createTableIfNecessary(for: model))
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
