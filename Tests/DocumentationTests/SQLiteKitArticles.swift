// swift-format-ignore-file
import Foundation
import SQLiteKit

// The snippets of SQLiteKit's articles, word for word: compiled here, and compared with the articles by SnippetTests.

private func landing() throws {
    let queue = try DatabaseQueue(.file("library.sqlite"))
    try queue.write { db in                                       // a transaction; nested: a savepoint
        try db.execute("INSERT INTO book (title, year) VALUES (?, :year)", ["Momo"], ["year": 1973])
        let statement = try db.prepare("SELECT title, year FROM book WHERE year > ?")
        let rows = try statement.query([1970])
        while let row = try rows.next() {                         // a view, good until the next next()
            let title: String = try row["title"]
            let year: Int? = try row[1]
            print(title, year ?? 0)
        }
    }
    let count = try queue.read { db in try db.scalar("SELECT count(*) FROM book", as: Int.self) }
    _ = count
}

// Coming from FMDB

func comingFromFMDB(path: String, ids: [Int]) throws {
    let queue = try DatabaseQueue(.file(path))                    // FMDatabaseQueue; opens, or throws
    try queue.write { db in                                       // inTransaction:, without the rollback pointer
        try db.executeScript("CREATE TABLE IF NOT EXISTS person (id INTEGER PRIMARY KEY, name TEXT, born REAL, photo BLOB)")
        try db.execute("INSERT INTO person (name, born) VALUES (?, ?)", ["Ada", Date()])
        try db.execute("INSERT INTO person (name) VALUES (:name)", ["name": "Grace"])
        let id = db.lastInsertRowID
        print(id)
    }
    try queue.read { db in                                        // inDatabase: for reading
        let rows = try db.query("SELECT id, name, born FROM person WHERE id > ?", [0])
        while let row = try rows.next() {                         // an error is thrown, not false
            let id: Int64 = try row["id"]                         // longLongIntForColumn:
            let name: String? = try row["name"]                   // stringForColumn:; nil is NULL and nothing else
            let born: Date? = try row["born"]                     // dateForColumn:
            print(id, name ?? "", born ?? .distantPast)
        }
    }

    do {
        try queue.write { db in try db.execute("INSERT INTO person (id, name) VALUES (1, 'Ada')") }
    } catch let error as SQLiteError where error.isConstraint(.primaryKey) {
        print(error.extendedCode, error.message, error.columns, error.sql ?? "")
    }

    struct Cancelled: Error {}
    do {
        try queue.write { db in
            try db.execute("DELETE FROM person")
            throw Cancelled()                                     // *rollback = YES
        }
    } catch is Cancelled {}

    try queue.write { db in                                       // each is a savepoint in the one around it
        try db.savepoint { try db.execute("UPDATE person SET name = upper(name)") }
        try queue.write { db in try db.execute("DELETE FROM person WHERE name IS NULL") }      // FMDB: a deadlock
    }

    var configuration = DatabaseConfiguration()
    configuration.busyTimeout = .seconds(2)                       // maxBusyRetryTimeInterval
    configuration.statementCacheCapacity = 0                      // shouldCacheStatements = NO
    configuration.invalidText = .repaired                         // texts that are not UTF-8 are read with U+FFFD
    configuration.prepare = { db in                               // on every connection, before its first use
        try db.execute("PRAGMA cache_size = -20000")
    }

    try queue.write { db in
        try db.execute("UPDATE person SET born = ?", [DateStorage.iso8601.value(for: Date())])
        let row = try db.rows("SELECT born FROM person LIMIT 1").first
        let born: Date? = try row?["born"]                        // a text is read as a date, too
        print(born ?? .distantPast)
    }

    try queue.read { db in
        let chosen = try db.rows("SELECT * FROM person WHERE id IN (\(ids))")                  // IN (?, ?, ?)
        let all = try db.rows("SELECT * FROM person WHERE id IN (SELECT value FROM json_each(?))", [JSON(ids)])
        let people = try all.map { try $0.decode(Person.self) }
        print(chosen.count, people)
    }

    try queue.write { db in
        let hash: UInt64 = .max
        try db.execute("UPDATE person SET id = ? WHERE id = 1", [Int64(bitPattern: hash)])
        let row = try db.rows("SELECT min(id) AS id FROM person")[0]
        print(UInt64(bitPattern: try row["id"]))
    }
}

struct Person: Codable {
    var id: Int64
    var name: String?
    var born: Date?
}

private func load(_ queue: DatabaseQueue) async throws -> [String] {
    try await queue.read { db in try db.column("SELECT name FROM person", as: String.self) }
}

private func search(_ db: Database, _ searchField: String) throws -> [RowSnapshot] {
    let found = try db.rows("SELECT title FROM book WHERE book MATCH \(FTS5Query(allWords: searchField)) ORDER BY rank")
    return found
}

// SQL That Needs No Swift

struct Event: Codable {
    var kind: String
    var tags: [String]
}

func sqlAlone(_ db: Database) throws {
    try db.executeScript(
        """
        CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, author TEXT, sold INTEGER);
        CREATE TABLE tag (book INTEGER, name TEXT, UNIQUE (book, name));
        CREATE TABLE event (payload TEXT);
        CREATE TABLE stock (item TEXT PRIMARY KEY, count INTEGER);
        INSERT INTO book VALUES (1, 'Momo', 'Ende', 20), (2, 'Krabat', 'Preussler', 30), (3, 'Jim Knopf', 'Ende', 40);
        """)
    let ids = [1, 3]

    let chosen = try db.rows("SELECT * FROM book WHERE id IN (SELECT value FROM json_each(\(JSON(ids))))")
    try db.execute(
        "INSERT INTO tag (book, name) SELECT :book, value FROM json_each(:names)",
        ["book": 1, "names": JSON(["time", "cats"])])
    print(chosen.count)

    try db.execute("INSERT INTO event (payload) VALUES (?)", [JSON(Event(kind: "click", tags: ["new", "red"]))])
    let clicks = try db.rows("SELECT payload FROM event WHERE payload ->> '$.kind' = ?", ["click"])
    let tags = try db.column("SELECT DISTINCT value FROM event, json_each(payload, '$.tags')", as: String.self)
    try db.execute("UPDATE event SET payload = json_set(payload, '$.kind', ?)", ["tap"])
    let event: JSON<Event> = try clicks[0]["payload"]
    print(event.value.kind, tags)

    let count = try db.scalar(
        """
        INSERT INTO stock (item, count) VALUES (?, ?)
        ON CONFLICT (item) DO UPDATE SET count = count + excluded.count RETURNING count
        """, ["pen", 5], as: Int.self)
    let removed = try db.rows("DELETE FROM tag WHERE book = ? RETURNING name", [1])
    print(count ?? 0, removed)

    let ranked = try db.rows(
        """
        SELECT title, rank() OVER (PARTITION BY author ORDER BY sold DESC) AS place,
            100.0 * sold / sum(sold) OVER (PARTITION BY author) AS share
        FROM book ORDER BY author, place
        """)
    print(ranked)

    try db.executeScript(
        """
        CREATE VIRTUAL TABLE page USING fts5 (title, text, tokenize = 'porter unicode61 remove_diacritics 2');
        INSERT INTO page VALUES ('Sailing', 'How to sail by the wind'), ('Cafés', 'Where sailors sit');
        """)
    let found = try db.rows(
        """
        SELECT highlight(page, 0, '<b>', '</b>') AS title, snippet(page, 1, '<b>', '</b>', '…', 8) AS extract, rank
        FROM page WHERE page MATCH \(FTS5Query(allWords: "sailing")) ORDER BY rank
        """)
    for row in found { print(try row["title"] as String, try row["extract"] as String, try row["rank"] as Double) }
    try db.execute("INSERT INTO page (page) VALUES ('optimize')")

    try db.executeScript(
        """
        CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT);
        CREATE VIRTUAL TABLE note_index USING fts5 (body, content = 'note', content_rowid = 'id');
        CREATE TRIGGER note_insert AFTER INSERT ON note BEGIN
            INSERT INTO note_index (rowid, body) VALUES (new.id, new.body);
        END;
        CREATE TRIGGER note_delete AFTER DELETE ON note BEGIN
            INSERT INTO note_index (note_index, rowid, body) VALUES ('delete', old.id, old.body);
        END;
        CREATE TRIGGER note_update AFTER UPDATE ON note BEGIN
            INSERT INTO note_index (note_index, rowid, body) VALUES ('delete', old.id, old.body);
            INSERT INTO note_index (rowid, body) VALUES (new.id, new.body);
        END;
        """)

    try db.executeScript(
        """
        CREATE VIRTUAL TABLE mail USING fts4 (subject, body);
        INSERT INTO mail VALUES ('Linux news', 'A kernel of truth'), ('Lunch', 'With the linux people');
        """)
    let mail = try db.rows(
        """
        SELECT subject, snippet(mail, '[', ']') AS extract, offsets(mail) AS places, matchinfo(mail, 'pc') AS info
        FROM mail WHERE mail MATCH ? ORDER BY rowid
        """, ["linux"])[0]
    let places: String = try mail["places"]               // column, term, first byte and length: "0 0 0 5"
    let info: Data = try mail["info"]                     // 32-bit numbers, in the machine's order of bytes
    let numbers = stride(from: 0, to: info.count, by: 4).map { offset in
        info.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    }
    print(places, numbers)

    try db.execute("CREATE VIRTUAL TABLE place USING rtree (id, west, east, south, north, +name TEXT)")
    try db.execute("INSERT INTO place VALUES (?, ?, ?, ?, ?, ?)", [1, 13.08, 13.76, 52.33, 52.68, "Berlin"])
    let here = try db.column(
        "SELECT name FROM place WHERE west <= :x AND east >= :x AND south <= :y AND north >= :y",
        ["x": 13.4, "y": 52.5], as: String.self)
    print(here)

    let days = try db.column(
        "WITH RECURSIVE day (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM day WHERE n < ?) SELECT n FROM day",
        [7], as: Int.self)
    let keys = try db.column("SELECT name FROM pragma_table_info(?) WHERE pk > 0", ["book"], as: String.self)
    let hasSizes = SQLiteLibrary.isCompiled(with: "ENABLE_DBSTAT_VTAB")
    if hasSizes { print(try db.rows("SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name")) }
    print(days, keys)
}

// Access and Concurrency

func accessAndConcurrency(_ file: DatabaseLocation) async throws {
    var configuration = DatabaseConfiguration()
    configuration.accessTimeout = .seconds(10)                // for a turn of this queue or pool; nil waits for ever
    configuration.busyTimeout = .seconds(5)                   // for a lock of another connection or process
    configuration.prepare = { db in                           // on each connection, before its first use
        try db.addFunction("initial", argumentCount: 1, .deterministic) { arguments in
            let name: String? = try arguments[0]
            return name?.first.map(String.init)
        }
    }
    let pool = try DatabasePool(file, configuration: configuration)
    try await pool.write { db in
        try db.executeScript("CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, seen INTEGER NOT NULL DEFAULT 0)")
    }

    func add(_ title: String, to library: any DatabaseAccess) throws -> Int64 {
        try library.write { db in
            try db.execute("INSERT INTO book (title) VALUES (?)", [title])
            return db.lastInsertRowID
        }
    }
    let count = try await pool.write { db in                  // all or nothing
        for title in ["Momo", "Krabat"] { _ = try add(title, to: pool) }            // joins, each a savepoint
        return try pool.read { db in try db.scalar("SELECT count(*) FROM book", as: Int.self) }     // joins, sees both
    }
    print(count ?? 0)

    for try await row in pool.rows("SELECT id, title FROM book") {
        let (id, title): (Int64, String) = (try row["id"], try row["title"])
        guard title != "Momo" else { continue }
        try await pool.write { db in try db.execute("UPDATE book SET seen = 1 WHERE id = ?", [id]) }
    }

    let search = Task {
        try await pool.read { db in try db.scalar("SELECT count(*) FROM book AS a, book AS b", as: Int.self) }
    }
    search.cancel()                                           // it throws CancellationError, unless it was faster
    _ = await search.result

    try await pool.write { db in                              // nobody writes between the two statements
        let seen = try db.scalar("SELECT sum(seen) FROM book", as: Int.self) ?? 0
        try db.execute("UPDATE book SET seen = ? WHERE title = 'Momo'", [seen + 1])
        db.afterCommit { print("told to others when it is true") }
    }
    try pool.close()
    try pool.reopen()
}

// Functions, Hooks and Traces

struct Product: WindowFunction {
    var factors: [Double] = []
    mutating func step(_ arguments: borrowing FunctionArguments) throws { factors.append(try arguments[0]) }
    mutating func inverse(_ arguments: borrowing FunctionArguments) throws { factors.removeFirst() }
    func value() -> (any SQLiteValueConvertible)? { factors.reduce(1, *) }
}

func functionsAndHooks() async throws {
    let (changes, continuation) = AsyncStream.makeStream(of: RowChange.self)
    var configuration = DatabaseConfiguration()
    configuration.prepare = { db in
        try db.addFunction("masked", argumentCount: 2, [.deterministic, .innocuous]) { arguments in
            guard let text: String = try arguments[0] else { return nil }
            let length = try arguments.value(at: 1, as: Int.self)
            guard length >= 0 else { throw SQLiteError(.range, "masked shows no \(length) letters") }
            return String(text.prefix(length)) + "…"
        }
        try db.addAggregate("product", argumentCount: 1, .deterministic) { Product() }
        try db.addCollation("BY_NUMBER") { $0.compare($1, options: .numeric) }
        try db.setUpdateHook { change in continuation.yield(change) }
    }
    configuration.trace = Trace(minimumDuration: .milliseconds(100)) { event in
        print(event.duration, event.sql)                      // the values are not in it, unless asked for
    }
    let queue = try DatabaseQueue(.memory, configuration: configuration)

    try await queue.write { db in
        try db.executeScript(
            """
            CREATE TABLE part (name TEXT COLLATE BY_NUMBER UNIQUE, factor REAL);
            INSERT INTO part VALUES ('bolt 10', 2), ('bolt 9', 3), ('Écrou', 5);
            """)
        let rows = try db.rows(
            """
            SELECT masked(name, 2) AS name, product(factor) OVER (ORDER BY name ROWS 1 PRECEDING) AS product
            FROM part ORDER BY name
            """)
        print(rows)
    }

    try await queue.read { db in
        let bolts = try db.rows("SELECT * FROM part WHERE name REGEXP '^bolt \\d+$'")
        let nuts = try db.rows("SELECT * FROM part WHERE fold(name) = fold(?)", ["ecrou"])
        let sorted = try db.rows("SELECT * FROM part ORDER BY name COLLATE UNACCENTED_NOCASE")
        print(bolts, nuts, sorted)
    }

    try await queue.withoutTransaction { db in
        try db.setCommitHook {
            if Calendar.current.isDateInWeekend(.now) { throw SQLiteError(.abort, "closed at the weekend") }
        }
        try db.setCommitHook(nil)
        try db.setAuthorizer { request in
            switch request.action {
            case .select, .read, .function: .allow
            default: .deny                                    // "the authorizer denied: DELETE of part in main"
            }
        }
        try db.setAuthorizer(nil)
        let read = try db.columnsRead(by: "SELECT name FROM part WHERE factor > 1")
        print(read.map(\.column).sorted())
    }

    let interrupter = try await queue.withoutTransaction { db in db.interrupter }
    interrupter.interrupt()                                   // from any thread; the statement throws .interrupt
    try await queue.withoutTransaction { db in
        let deadline = ContinuousClock.now + .seconds(1)
        try db.setProgressHandler { ContinuousClock.now < deadline }
        print(try db.rows("SELECT count(*) FROM part"))
        try db.setProgressHandler(nil)
    }
    continuation.finish()
    for await change in changes { print(change.kind, change.table, change.rowID) }
}
