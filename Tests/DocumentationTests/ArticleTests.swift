import Foundation
import Persisting
import SQLiteKit
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

    @Test("what Coming from FMDB shows runs")
    func fmdb() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite")
        // Nothing can be done about files that stay.
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + end) } }
        try comingFromFMDB(path: file.path, ids: [1, 2])
    }

    @Test("what SQL That Needs No Swift shows runs")
    func alone() throws {
        try sqlAlone(try Database(.memory))
    }

    @Test("what Access and Concurrency shows runs")
    func access() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite")
        // Nothing can be done about files that stay.
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + end) } }
        try await accessAndConcurrency(.file(file))
    }

    @Test("what Functions, Hooks and Traces shows runs")
    func functions() async throws {
        try await functionsAndHooks()
    }
}
