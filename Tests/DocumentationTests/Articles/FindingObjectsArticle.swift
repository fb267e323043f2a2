// swift-format-ignore-file
import Foundation
import Persisting
import Testing

struct FindingObjectsArticle: Article {
    func run() async throws {
        let manager = try PersistenceManager(.memory)
        try manager.asCurrent { () throws -> Void in try fetching(manager, "Momo") }
        try await streaming(manager)
        try sectionsAndWrites(manager)
        #expect(try await manager.count(Book.self) == 0)
    }

    // snippet.show
    final class Book: PersistingModel {
        var id: Int64?
        var title = ""
        var year: Int?
        var lastRead: Date?

        static let unread = Book.where(\.lastRead == nil)
    }

    final class Edition: PersistingModel {
        var isbn = ""
        var printing = 1

        override class var primaryKey: PrimaryKey { .composite("isbn", "printing") }
    }
    // snippet.hide

    private func fetching(_ manager: PersistenceManager, _ name: String) throws {
        for model in [Book.self, Edition.self] as [PersistingModel.Type] { try manager.createTableIfNecessary(for: model) }
        for (title, year) in [("Momo", 1973), ("Krabat", 1971), ("Ronja", 1981), ("Nils", nil)] {
            try manager.insert(Book.self, values: ["title": title, "year": year])
        }
        do {
            // snippet.show
            let byDictionary = try manager.fetchAll(
                Book.self, where: ["title": "Momo", "<NOT>year": 1971])  // AND
            let byKeyPath = try manager.fetchAll(
                Book.self, where: \.title == "Momo" && \.year > 1970)
            let byFormat = try manager.fetchAll(
                Book.self, where: .format("title ==[cd] %@ AND year > %d", "momo", 1970))
            let byPredicate = try manager.fetchAll(
                Book.where(#Predicate { $0.title == name }))
            // binds name
            let bySQL = try manager.fetchAll(
                Book.self, where: .sql("TITLE = \(name) AND YEAR > :y", ["y": 1970]))
            // snippet.hide
            for found in [byDictionary, byKeyPath, byFormat, byPredicate, bySQL] { #expect(found.map(\.title) == ["Momo"]) }
        }

        // snippet.show
        let query = Book.where(\.year > 1970).sorted(by: \.title).limit(20)
        let books = try manager.fetchAll(query)
        let first = try manager.fetchOne(query)
        let count = try manager.count(query)               // at most 20
        let isThere = try manager.exists(query.offset(10))
        let same = try query.all()  // by the current manager
        // also values, select, sum, average, min and page
        let newest = try query.max(\.year)
        let unread = try manager.fetchAll(Book.unread.where(\.year > 1970))
        // snippet.hide
        #expect(books.map(\.title) == ["Krabat", "Momo", "Ronja"])
        #expect(first?.title == "Krabat")
        #expect(same.count == 3)
        #expect(count == 3)
        #expect(!isThere)
        #expect(newest == 1981)
        #expect(unread.count == 3)

        // snippet.show
        let byPhrase = try manager.fetchAll(
            Book.self, sortedBy: "year desc, title", limit: 3, offset: 1)
        let byPaths = try manager.fetchAll(
            Book.self, sortedBy: [.descending(\.year), .ascending("title")])
        let byNames = try manager.fetchAll(Book.self, sortedBy: ["year": .descending])
        let byDescriptor = try manager.fetchAll(
            Book.sorted(by: SortDescriptor(\.title)))
        let unaccented = try manager.fetchAll(
            Book.self, sortedBy: .ascending(\.title, by: .unaccented))
        let byLocale = try manager.fetchAll(
            Book.self, sortedBy: .ascending(\.title, by: .localized))
        let atTheEnd = try manager.fetchAll(
            Book.self, sortedBy: .ascending(\.year, nils: .last))
        // snippet.hide
        // snippet.show
        var orderings: [Ordering<Book>] = [.descending(\.year)]
        orderings.append(.ascending(\.title))
        let collected = try manager.fetchAll(Book.sorted(by: Ordering(orderings)))
        // snippet.hide
        #expect(collected.map(\.title) == byPaths.map(\.title))
        #expect(byPhrase.map(\.title) == ["Momo", "Krabat", "Nils"])
        #expect(byPaths.map(\.title) == ["Ronja", "Momo", "Krabat", "Nils"])
        #expect(byNames.map(\.title) == byPaths.map(\.title))
        #expect(byDescriptor.map(\.title) == ["Krabat", "Momo", "Nils", "Ronja"])
        #expect(unaccented.map(\.title) == byDescriptor.map(\.title))
        #expect(byLocale.map(\.title) == byDescriptor.map(\.title))
        #expect(atTheEnd.map(\.year) == [1971, 1973, 1981, nil])

        // snippet.show
        let one = try manager.find(Book.self, 1)
        // in this order, without those that don't exist
        let some = try manager.find(Book.self, keys: [3, 1, 2])
        let edition = try manager.find(Edition.self, ["isbn": "978-3", "printing": 1])
        // snippet.hide
        #expect(one?.title == "Momo")
        #expect(some.map(\.id) == [3, 1, 2])
        #expect(edition == nil)

        // snippet.show
        let titles = try manager.values(query, \.title)  // [String]
        let years = try manager.values(Book.sorted(by: \.year), \.year, distinct: true)
        for (title, year) in try manager.select(query, \.title, \.year) {
            print(title, year ?? 0)
        }
        // [[String: Any]]; NULL is left out
        let rows = try manager.dictionaries(query, keys: ["title", "year"])
        // snippet.hide
        #expect(titles == ["Krabat", "Momo", "Ronja"])
        #expect(years == [nil, 1971, 1973, 1981])
        #expect(rows.count == 3)

        do {
            // snippet.show
            let sum = try manager.sum(query, \.id)
            let oldest = try manager.min(Book.rows, \.year)
            for (year, count) in try manager.groups(
                query, by: .key(\.year), computing: .count)
            {
                print(year ?? 0, count)
            }
            let latest = try manager.groups(
                query, by: .key(\.year), computing: .max(\.lastRead))  // ordered by year
            // snippet.hide
            #expect(sum == 6)
            #expect(oldest == 1971)
            #expect(latest.count == 3)
        }

        // snippet.show
        try manager.forEach(query) { book in
            book.lastRead = nil
            try manager.save(book)  // or delete it, or call anything else
        }
        try manager.forEachBatch(query, of: 50) { batch in print(batch.count) }
        let page = try manager.fetchPage(Book.sorted(by: \.title), limit: 50)
        let next = try manager.fetchPage(
            Book.sorted(by: \.title), after: page.last, limit: 50)
        // the first page again
        let back = try manager.fetchPage(
            Book.sorted(by: \.title), before: next.first, limit: 50)
        // snippet.hide
        #expect(page.count == 4)
        #expect(back.count == 4)
        #expect(next.isEmpty)
    }

    private func streaming(_ manager: PersistenceManager) async throws {
        // snippet.show
        for try await book in manager.objects(Book.where(\.year > 1970)) {
            print(book.title)
        }
        // snippet.hide
    }

    private func sectionsAndWrites(_ manager: PersistenceManager) throws {
        // snippet.show
        let sections = try manager.sections(Book.sorted(by: \.title), by: \.title) {
            $0.prefix(1)
        }
        for section in sections { print(section.name, section.count, section.objects) }
        let book = sections[[0, 0]]  // by index path: section and row
        let path = book.flatMap { sections.indexPath(of: $0) }
        // snippet.hide
        #expect(sections.map(\.name) == ["K", "M", "N", "R"])
        #expect(book?.title == "Krabat")
        #expect(path == [0, 0])

        // snippet.show
        let changed = try manager.update(Book.where(\.year == nil), set: ["year": 1900])
        let deleted = try manager.delete(Book.where(\.year < 1950))
        let oldestGone = try manager.delete(
            Book.where(\.year != nil).sorted(by: \.year).limit(10))
        try manager.updateAll(Book.self, set: ["lastRead": nil])
        try manager.deleteAll(Book.self)
        // snippet.hide
        #expect(changed == 1)
        #expect(deleted == 1)
        #expect(oldestGone == 3)
    }
}
