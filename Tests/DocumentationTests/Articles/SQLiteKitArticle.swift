// swift-format-ignore-file
import Foundation
import SQLiteKit
import Testing

struct SQLiteKitArticle: Article {
    func run() throws {
        let library = try Database(.file("library.sqlite"))
        try library.execute("CREATE TABLE book (title TEXT, year INTEGER)")
        try library.close()
        // snippet.show
        let queue = try DatabaseQueue(.file("library.sqlite"))
        try queue.write { db in  // a transaction; a savepoint if nested
            try db.execute(
                "INSERT INTO book (title, year) VALUES (?, :year)", ["Momo"],
                ["year": 1973])
            let statement = try db.prepare(
                "SELECT title, year FROM book WHERE year > ?")
            let rows = try statement.query([1970])
            // a view, valid until next() is called again
            while let row = try rows.next() {
                let title: String = try row["title"]
                let year: Int? = try row[1]
                print(title, year ?? 0)
            }
        }
        let count = try queue.read { db in
            try db.scalar("SELECT count(*) FROM book", as: Int.self)
        }
        // snippet.hide
        #expect(count == 1)
    }
}
