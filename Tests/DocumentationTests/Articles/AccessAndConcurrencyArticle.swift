// swift-format-ignore-file
import Foundation
import SQLiteKit
import Testing

struct AccessAndConcurrencyArticle: Article {
    func run() async throws {
        let file = DatabaseLocation.file("library.sqlite")
        // snippet.show
        var configuration = DatabaseConfiguration()
        // for access to this queue or pool; nil waits forever
        configuration.accessTimeout = .seconds(10)
        // for a lock of another connection or process
        configuration.busyTimeout = .seconds(5)
        configuration.prepare = { db in  // on each connection, before its first use
            try db.addFunction("initial", argumentCount: 1, .deterministic) {
                arguments in
                let name: String? = try arguments[0]
                return name?.first.map(String.init)
            }
        }
        let pool = try DatabasePool(file, configuration: configuration)
        // snippet.hide
        try await pool.write { db in
            try db.executeScript(
                """
                CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, seen INTEGER NOT NULL DEFAULT 0);
                CREATE INDEX book_initial ON book (initial(title));
                """)
        }

        // snippet.show
        func add(_ title: String, to library: any DatabaseAccess) throws -> Int64 {
            try library.write { db in
                try db.execute("INSERT INTO book (title) VALUES (?)", [title])
                return db.lastInsertRowID
            }
        }
        let count = try await pool.write { db in  // all or nothing
            // joins, as a savepoint
            for title in ["Momo", "Krabat"] { _ = try add(title, to: pool) }
            return try pool.read { db in
                try db.scalar("SELECT count(*) FROM book", as: Int.self)
            }  // joins, and sees both
        }
        // snippet.hide
        #expect(count == 2)

        // snippet.show
        let search = Task {
            try await pool.read { db in
                try db.scalar("SELECT count(*) FROM book AS a, book AS b", as: Int.self)
            }
        }
        search.cancel()  // it throws CancellationError, unless it has finished
        // snippet.hide
        _ = await search.result

        // snippet.show
        for try await row in pool.rows("SELECT id, title FROM book") {
            let (id, title): (Int64, String) = (try row["id"], try row["title"])
            guard title != "Momo" else { continue }
            try await pool.write { db in
                try db.execute("UPDATE book SET seen = 1 WHERE id = ?", [id])
            }
        }
        // snippet.hide

        // snippet.show
        try await pool.write { db in  // nobody writes between the two statements
            let seen = try db.scalar("SELECT sum(seen) FROM book", as: Int.self) ?? 0
            try db.execute("UPDATE book SET seen = ? WHERE title = 'Momo'", [seen + 1])
            db.afterCommit { print("told to others when it is true") }
        }
        // snippet.hide
        let seen = try await pool.read { db in try db.column("SELECT seen FROM book ORDER BY id", as: Int.self) }
        #expect(seen == [2, 1])
        try await pool.close()
    }
}
