import Foundation
import InMemoryLogging
import Logging
import Persisting
import PersistingObservability
import SQLiteKit
import Testing

@Suite("Logs")
struct LogTests {
    private let backends = Backends()

    @Test("Statements are logged by their names, the library's own at a lower level")
    func statements() throws {
        let queue = try DatabaseQueue(.memory, configuration: backends.configuration())
        try queue.write { db in
            try db.execute("CREATE TABLE IF NOT EXISTS album (title)")
            try db.execute("INSERT INTO album /* secret */ VALUES ('secret' || ?)", ["hidden"])
        }
        let insert = try #require(backends.entry("INSERT album"))
        #expect(insert.level == .debug)
        #expect(insert.value("db.query.text") == "INSERT INTO album VALUES (? || ?)")
        #expect(insert.value("changes") == "1")
        #expect(insert.value("transaction") == backends.entry("BEGIN")?.value("transaction"))
        #expect(backends.entry("CREATE album")?.level == .debug)
        #expect(backends.entry("BEGIN")?.level == .trace)
        #expect(!"\(backends.log.entries)".contains("secret"))
        #expect(!"\(backends.log.entries)".contains("hidden"))
    }

    @Test("Values are shown when they are asked for")
    func values() throws {
        let queue = try DatabaseQueue(.memory, configuration: backends.configuration(values: .shown))
        _ = try queue.read { db in try db.rows("SELECT ?, 'two'", ["one"]) }
        #expect(backends.entry("SELECT")?.value("db.query.text") == "SELECT 'one', 'two'")
    }

    @Test("A failed statement is a warning, without the values in SQLite's message")
    func failures() throws {
        let queue = try DatabaseQueue(.memory, configuration: backends.configuration())
        #expect(throws: SQLiteError.self) {
            try queue.withoutTransaction { db in
                try db.executeScript(
                    """
                    CREATE TABLE t (a);
                    CREATE TRIGGER r BEFORE INSERT ON t BEGIN SELECT RAISE(ABORT, 'secret'); END;
                    INSERT INTO t VALUES (1)
                    """)
            }
        }
        let entry = try #require(backends.entry("INSERT t failed"))
        #expect(entry.level == .warning)
        #expect(entry.value("error.type") == "constraint")
        #expect(!"\(backends.log.entries)".contains("secret"))
    }

    @Test("A pragma's value is never shown, as it may be a key", arguments: ["= 'secret'", "= secret", "(\"secret\")"])
    func keys(value: String) throws {
        let queue = try DatabaseQueue(.memory, configuration: backends.configuration())
        _ = try queue.withoutTransaction { db in try? db.rows(SQL(String("PRAGMA key \(value)"))) }
        #expect(backends.entry("PRAGMA key") != nil)
        #expect(!"\(backends.log.entries) \(backends.statements)".contains("secret"))
    }

    @Test("What opening runs is left out, with its key", arguments: [true, false])
    func opening(isPool: Bool) throws {
        let folder = try TemporaryFolder()
        var base = DatabaseConfiguration()
        base.prepare = { db in try db.execute("PRAGMA user_version = 31415") }
        let configuration = backends.configuration(values: .shown, base)
        if isPool {
            let pool = try DatabasePool(folder.file, configuration: configuration)
            try pool.read { db in _ = try db.rows("SELECT 1") }
        } else {
            let queue = try DatabaseQueue(folder.file, configuration: configuration)
            try queue.read { db in _ = try db.rows("SELECT 1") }
        }
        #expect(backends.entry("SELECT") != nil)
        #expect(!"\(backends.log.entries)".contains("31415"))
    }

    @Test("A slow statement is logged with its plan and the index that would help", arguments: [true, false])
    func slow(isPool: Bool) throws {
        let folder = try TemporaryFolder()
        let configuration = backends.configuration(slowerThan: .zero)
        let access: any DatabaseAccess =
            isPool
            ? try DatabasePool(folder.file, configuration: configuration)
            : try DatabaseQueue(folder.file, configuration: configuration)
        try access.write { db in
            try db.execute("CREATE TABLE album (title, year)")
            try db.execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)
                INSERT INTO album SELECT 'title ' || i, i FROM n
                """)
        }
        let before = backends.total("sqlite.statements")
        _ = try access.read { db in try db.rows("SELECT * FROM album WHERE year = ?", [1957]) }
        let entry = try #require(backends.entry("SELECT album is slow"))
        #expect(entry.level == .warning)
        #expect(entry.value("plan") == "SCAN album")
        #expect(entry.value("advice") == "CREATE INDEX album_year_index ON album (year)")
        // Finding that out is neither logged nor counted: BEGIN, its snapshot in a pool, SELECT, COMMIT.
        #expect(backends.total("sqlite.statements") - before == (isPool ? 4 : 3))
        #expect(!backends.log.entries.contains { "\($0)".contains("EXPLAIN") || "\($0)".contains("sqlite_schema") })
    }

    @Test("Nothing is slow when nothing is asked for, or all is fast enough", arguments: [nil, Duration.seconds(3600)])
    func fast(limit: Duration?) throws {
        let queue = try DatabaseQueue(.memory, configuration: backends.configuration(slowerThan: limit))
        _ = try queue.read { db in try db.rows("SELECT 1") }
        #expect(!backends.log.entries.contains { "\($0.message)".contains("slow") })
    }

    @Test("A slow statement of a connection by itself is logged without its plan")
    func alone() throws {
        let db = try Database(.memory, configuration: backends.configuration(slowerThan: .zero))
        _ = try db.rows("SELECT 1")
        #expect(backends.entry("SELECT is slow")?.value("plan") == nil)
        #expect(backends.entry("SELECT is slow") != nil)
    }

    @Test("What a manager asks once of a table is the library's own")
    func manager() throws {
        let folder = try TemporaryFolder()
        let path = try #require(folder.file.path)
        try PersistenceManager(path: path).updateSchema(for: [Album.self])
        let manager = try PersistenceManager(path: path, configuration: backends.configuration())
        let album = Album()
        album.title = "Kind of Blue"
        try manager.insert(album)
        _ = try manager.fetchAll(Album.self)
        try manager.delete(album)
        let own = backends.log.entries.filter { $0.level == .debug }.map { "\($0.message)" }
        #expect(own == ["INSERT ALBUM", "SELECT ALBUM", "DELETE ALBUM"])
        #expect(backends.log.entries.contains { $0.level == .trace })
    }

    @Test("A trace that was there before goes on, by its own terms")
    func earlier() throws {
        let seen = Seen()
        var base = DatabaseConfiguration()
        base.trace = Trace { event in seen.add(event) }
        let queue = try DatabaseQueue(.memory, configuration: backends.configuration(values: .shown, base))
        _ = try queue.read { db in try db.rows("SELECT ?", [1]) }
        #expect(seen.events.map(\.sql) == ["BEGIN DEFERRED", "SELECT ?", "COMMIT"])
        #expect(seen.events.allSatisfy { $0.expandedSQL == nil })
        #expect(backends.entry("SELECT")?.value("db.query.text") == "SELECT 1")
    }
}

/// The events of a trace, from any thread.
private final class Seen: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var all: [Trace.Event] = []  // guarded by `lock`

    func add(_ event: Trace.Event) { lock.withLock { all.append(event) } }

    var events: [Trace.Event] { lock.withLock { all } }
}
