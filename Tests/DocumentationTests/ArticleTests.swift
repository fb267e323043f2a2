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
