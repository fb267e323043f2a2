// swift-format-ignore-file
import Foundation
import Persisting
import Testing

struct UsingOtherLibrariesArticle: Article {
    // snippet.show
    func titles(of rows: [SQLiteKit.RowSnapshot]) throws -> [String] {
        try rows.map { row in try row["TITLE"] }
    }

    let newest: Persisting.Query<Book> = Book.sorted(by: \.id, .descending)
    // snippet.hide

    // snippet.show
    typealias Query = Persisting.Query
    typealias Database = SQLiteKit.Database
    // snippet.hide

    // snippet.show
    final class Book: PersistingModel {
        var id: Int64?
        var title = ""
        var isDeleted = false                                // column IS_DELETED
    }
    // snippet.hide

    func run() throws {
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: Book.self)
        // snippet.show
        let book = try manager.insert(
            Book.self, values: ["title": "Momo", "isDeleted": true])
        print(book.isDeleted, (book as PersistingModel).isDeleted)      // true false
        // snippet.hide
        #expect(try manager.fetchOne(newest)?.title == "Momo")
        #expect(try titles(of: manager.read { (db: borrowing Database) in try db.rows("SELECT * FROM BOOK") }) == ["Momo"])
    }
}
