// swift-format-ignore-file
import Foundation
import SQLiteKit
import Testing

struct ComingFromFMDBArticle: Article {
    func run() async throws {
        let queue = try synchronous("people.sqlite")
        #expect(try await names(queue) == ["ADA", "GRACE"])
        try settingsAndSearch()
    }

    private func synchronous(_ path: String) throws -> DatabaseQueue {
        // snippet.show
        let queue = try DatabaseQueue(.file(path))  // FMDatabaseQueue; opens, or throws
        try queue.write { db in  // inTransaction:, without the rollback pointer
            try db.executeScript(
                """
                CREATE TABLE IF NOT EXISTS person (id INTEGER PRIMARY KEY, name TEXT,
                    born REAL, photo BLOB)
                """)
            try db.execute(
                "INSERT INTO person (name, born) VALUES (?, ?)", ["Ada", Date()])
            try db.execute(
                "INSERT INTO person (name) VALUES (:name)", ["name": "Grace"])
            let id = db.lastInsertRowID
            print(id)
        }
        try queue.read { db in  // inDatabase: for reading
            let rows = try db.query(
                "SELECT id, name, born FROM person WHERE id > ?", [0])
            while let row = try rows.next() {      // an error is thrown, not false
                let id: Int64 = try row["id"]      // longLongIntForColumn:
                // stringForColumn:; nil is NULL and nothing else
                let name: String? = try row["name"]
                let born: Date? = try row["born"]  // dateForColumn:
                print(id, name ?? "", born ?? .distantPast)
            }
        }
        // snippet.hide

        // snippet.show
        do {
            try queue.write { db in
                try db.execute("INSERT INTO person (id, name) VALUES (1, 'Ada')")
            }
        } catch let error as SQLiteError where error.isConstraint(.primaryKey) {
            print(error.extendedCode, error.message, error.columns, error.sql ?? "")
        }
        // snippet.hide

        try queue.write { db in
            // snippet.show
            let hash: UInt64 = .max
            try db.execute(
                "UPDATE person SET id = ? WHERE id = 1", [Int64(bitPattern: hash)])
            let row = try db.rows("SELECT min(id) AS id FROM person")[0]
            print(UInt64(bitPattern: try row["id"]))
            // snippet.hide
            #expect(try UInt64(bitPattern: row["id"]) == hash)
        }

        try queue.read { db in
            // snippet.show
            let mixed = try db.rows("SELECT '12 apples' AS amount, 9.5 AS price")[0]
            print(try mixed.integer("amount") ?? 0)                      // 12
            print(try mixed.text("price") ?? "")                         // 9.5
            // snippet.hide
        }

        let ids = [-1, 2]
        try queue.read { db in
            // snippet.show
            struct Person: Decodable { var id: Int64, name: String?, born: Date? }

            // IN (?, ?, ?)
            let chosen = try db.rows("SELECT * FROM person WHERE id IN (\(ids))")
            let all = try db.rows(
                "SELECT * FROM person WHERE id IN (SELECT value FROM json_each(?))",
                [JSON(ids)])
            let people = try all.map { try $0.decode(Person.self) }
            // snippet.hide
            #expect(chosen.count == 2)
            #expect(people.map(\.name) == ["Ada", "Grace"])
        }

        try queue.write { db in
            // snippet.show
            try db.execute(
                "UPDATE person SET born = ?", [DateStorage.iso8601.value(for: Date())])
            let row = try db.rows("SELECT born FROM person LIMIT 1").first
            let born: Date? = try row?["born"]  // reads a text as a date
            // snippet.hide
            #expect(born != nil)
        }

        // snippet.show
        struct Cancelled: Error {}
        do {
            try queue.write { db in
                try db.execute("DELETE FROM person")
                throw Cancelled()                                     // *rollback = YES
            }
        } catch is Cancelled {}
        // snippet.hide
        #expect(try queue.read { db in try db.scalar("SELECT count(*) FROM person", as: Int.self) } == 2)

        // snippet.show
        try queue.write { db in  // each is a savepoint in the one around it
            try db.savepoint { try db.execute("UPDATE person SET name = upper(name)") }
            try queue.write { db in
                try db.execute("DELETE FROM person WHERE name IS NULL")
            }  // FMDB: a deadlock
        }
        // snippet.hide
        return queue
    }

    private func names(_ queue: DatabaseQueue) async throws -> [String] {
        // snippet.show
        try await queue.read { db in
            try db.column("SELECT name FROM person", as: String.self)
        }
        // snippet.hide
    }

    private func settingsAndSearch() throws {
        // snippet.show
        var configuration = DatabaseConfiguration()
        configuration.busyTimeout = .seconds(2)  // maxBusyRetryTimeInterval
        configuration.statementCacheCapacity = 0  // shouldCacheStatements = NO
        // texts that are not UTF-8 are read with U+FFFD
        configuration.invalidText = .repaired
        configuration.prepare = { db in  // on every connection, before its first use
            try db.execute("PRAGMA cache_size = -20000")
        }
        // snippet.hide
        let db = try Database(.memory, configuration: configuration)
        try db.execute("CREATE VIRTUAL TABLE book USING fts5 (title)")
        try db.execute("INSERT INTO book VALUES ('Momo')")
        let searchField = "momo"
        // snippet.show
        let found = try db.rows(
            """
            SELECT title FROM book
            WHERE book MATCH \(FTS5Query(allWords: searchField)) ORDER BY rank
            """)
        // snippet.hide
        #expect(found.count == 1)
        // snippet.show
        try db.addTokenizer("words") { text, emit in
            for word in text.split(whereSeparator: { !$0.isLetter }) {
                try emit(word.lowercased(), word.startIndex..<word.endIndex)
            }
        }
        try db.execute(
            "CREATE VIRTUAL TABLE letter USING fts5 (text, tokenize = 'words')")
        // snippet.hide
    }
}
