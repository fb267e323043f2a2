// swift-format-ignore-file
import Foundation
import Persisting
import Testing

struct ConcurrencyArticle: Article {
    // snippet.show
    final class Book: PersistingModel {
        var id: Int64?
        var title = ""
        var year: Int?
        var lastRead: Date?
    }
    // snippet.hide

    func run() async throws {
        let manager = try PersistenceManager(.memory)
        try await manager.createTableIfNecessary(for: Book.self)
        let book = try await manager.insert(Book.self, values: ["title": "Ronja"])
        try await crossing(book)
        try await reading(manager)
        try await setMissingYears(in: manager)
        #expect(try await manager.count(Book.self, where: ["year": 1900]) == 1)
    }

    private func crossing(_ book: Book) async throws {
        // snippet.show
        let snapshot = book.snapshot()
        let title = try await Task.detached { try Book(snapshot).title }.value
        // snippet.hide
        #expect(title == "Ronja")
    }

    // snippet.show
    @MainActor final class Shelf {
        var books: [Book] = []

        func load(from manager: PersistenceManager) async throws {
            // made off the main actor, and sent to it
            books = try await manager.fetchAll(Book.self, sortedBy: "title")
        }

        func read(_ book: Book) async throws {
            book.lastRead = Date()
            try await book.save()  // sends the book's values, not the book
        }
    }
    // snippet.hide

    @MainActor private func reading(_ manager: PersistenceManager) async throws {
        let shelf = Shelf()
        try await shelf.load(from: manager)
        try await shelf.read(shelf.books[0])
        #expect(try await manager.count(Book.self, where: \.lastRead != nil) == 1)
        let ronja = shelf.books[0]
        ronja.lastRead = nil
        try await manager.save([ronja])
        try await markAsRead([ronja], in: manager)
        #expect(ronja.lastRead != nil && !ronja.hasChanges)
    }

    // snippet.show
    func setMissingYears(in manager: PersistenceManager) async throws {
        try await manager.transaction {
            for book in try manager.fetchAll(Book.self, where: ["year": nil]) {
                try book.update(\.year, to: 1900)
            }
        }
    }
    // snippet.hide

    // snippet.show
    @MainActor func markAsRead(_ books: [Book], in manager: PersistenceManager)
        async throws
    {
        let ids = books.compactMap(\.id)
        try await manager.transaction {
            for book in try manager.find(Book.self, keys: ids) {
                try book.update(\.lastRead, to: Date())
            }
        }
        for book in books { try await book.refresh() }
    }
    // snippet.hide
}
