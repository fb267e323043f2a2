// swift-format-ignore-file
// The snippets of the article Seeing What Runs, in order. Scripts/snippets copies them here.

import Foundation
import InMemoryLogging
import InMemoryTracing
import Logging
import Persisting
import PersistingObservability
import SQLiteKit
import Testing
import Tracing

private final class Book: PersistingModel {
    var id: Int64?
    var title = ""

    required init() {}
}

@Suite("Seeing What Runs", .serialized)
struct SeeingWhatRunsArticle {
    @Test("The article's trace is called") func trace() throws {
        let folder = try TemporaryFolder()
        enter(folder)
        // snippet.show
        var configuration = DatabaseConfiguration()
        configuration.trace = Trace { event in
            // BEGIN, COMMIT, and other statements of the library
            if event.isInternal { return }
            print(event.kind, event.rows, event.changes, event.duration, event.sql)
        }
        let manager = try PersistenceManager(
            path: "library.sqlite", configuration: configuration)
        // snippet.hide
        #expect(try manager.database.read { db in try db.scalar("SELECT 1", as: Int.self) } == 1)
        withExtendedLifetime(folder) {}
    }

    @Test("The article's configuration gives spans under the caller's") func observe() async throws {
        let tracer = InMemoryTracer()
        let folder = try TemporaryFolder()
        try await withTracer(tracer) {
            let manager = try observed(folder)
            try await manager.updateSchema(for: [Book.self])
            try await books(manager)
        }
        let caller = try #require(tracer.finishedSpans.first { $0.operationName == "list books" })
        let select = try #require(tracer.finishedSpans.last { $0.operationName == "SELECT BOOK" })
        #expect(select.parentSpanID == caller.spanID)
    }

    private func observed(_ folder: TemporaryFolder) throws -> PersistenceManager {
        enter(folder)
        // snippet.show
        var configuration = DatabaseConfiguration()
        configuration.observe(
            logger: Logger(label: "database"), metrics: true, tracer: true,
            slowerThan: .milliseconds(50))
        let manager = try PersistenceManager(
            path: "library.sqlite", configuration: configuration)
        // snippet.hide
        return manager
    }

    private func books(_ manager: PersistenceManager) async throws {
        // snippet.show
        let books = try await withSpan("list books") { _ in
            try await manager.fetchAll(Book.self, sortedBy: "title")
        }
        // snippet.hide
        #expect(books.isEmpty)
    }

    /// Makes a folder the current one, for the relative paths of the snippets. Other tests have absolute ones.
    private func enter(_ folder: TemporaryFolder) {
        #expect(FileManager.default.changeCurrentDirectoryPath(folder.url.path))
    }
}
