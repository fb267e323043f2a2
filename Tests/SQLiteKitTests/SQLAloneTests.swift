import Foundation
import SQLiteKit
import Testing

/// What has no Swift of its own, since SQL says it well.
@Suite("SQL alone")
struct SQLAloneTests {
    // K30
    @Test("virtual tables and pragmas as tables are queried like any other")
    func virtualTables() throws {
        let db = try memory("CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT)")
        let columns = try db.rows("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid", ["book"])
        #expect(try columns.map { try $0["name"] as String } == ["id", "title"])
        #expect(try columns.map { try $0["pk"] as Bool } == [true, false])
        let sql = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT i FROM n"
        #expect(try db.column(SQL(sql), [5], as: Int.self) == [1, 2, 3, 4, 5])
    }

    // K30
    @Test("a module that is not there is named, with the SQL")
    func missingModule() throws {
        let db = try memory()
        let error = failure { try db.execute("CREATE VIRTUAL TABLE t USING nonesuch (a)") }
        #expect(error?.code == .error)
        #expect(error?.message == "no such module: nonesuch")
        #expect(error?.sql == "CREATE VIRTUAL TABLE t USING nonesuch (a)")
        #expect(failure { try db.rows("SELECT * FROM nonesuch_function(1)") }?.code == .error)
    }

    // K31
    @Test("FTS3 and FTS4 find, and their functions are columns", arguments: ["fts3", "fts4"])
    func olderFullText(module: String) throws {
        let db = try memory(
            """
            CREATE VIRTUAL TABLE mail USING \(module) (subject, body, tokenize=unicode61);
            INSERT INTO mail VALUES ('Linux news', 'the Linux kernel'), ('Lunch', 'with linux people'), ('Größe', 'x');
            """)
        let rows = try db.rows(
            """
            SELECT subject, snippet(mail, '[', ']', '…') AS extract, offsets(mail) AS places,
                matchinfo(mail, 'pc') AS info
            FROM mail WHERE mail MATCH ? ORDER BY rowid
            """, ["linux"])
        #expect(try rows.map { try $0["subject"] as String } == ["Linux news", "Lunch"])
        #expect(try rows[1]["extract"] == "with [linux] people")
        #expect(try rows[0]["places"] == "0 0 0 5 1 0 4 5")
        let info: Data = try rows[0]["info"]
        let numbers = stride(from: 0, to: info.count, by: 4).map { offset in
            info.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
        }
        #expect(numbers == [1, 2])
        #expect(try db.column("SELECT subject FROM mail WHERE mail MATCH 'grosse'", as: String.self) == [])
        #expect(try db.column("SELECT subject FROM mail WHERE mail MATCH 'größe'", as: String.self) == ["Größe"])
    }

    // K31
    @Test("a query that FTS4 cannot parse throws", arguments: ["\"open", "a AND", "("])
    func malformedOlderQuery(query: String) throws {
        let db = try memory("CREATE VIRTUAL TABLE mail USING fts4 (subject); INSERT INTO mail VALUES ('a')")
        #expect(failure { try db.rows("SELECT * FROM mail WHERE mail MATCH ?", [query]) }?.code == .error)
    }

    // K32
    @Test("an R*Tree finds what overlaps, and carries a column along")
    func rTree() throws {
        let db = try memory("CREATE VIRTUAL TABLE place USING rtree (id, west, east, south, north, +name TEXT)")
        let insert = try db.prepare("INSERT INTO place VALUES (?, ?, ?, ?, ?, ?)")
        try insert.execute([1, 13.08, 13.76, 52.33, 52.68, "Berlin"])
        try insert.execute([2, 9.73, 10.33, 53.39, 53.74, "Hamburg"])
        try insert.execute([3, 11.36, 11.72, 48.06, 48.25, "München"])
        let sql = "SELECT name FROM place WHERE west <= :x AND east >= :x AND south <= :y AND north >= :y"
        #expect(try db.column(SQL(sql), ["x": 13.4, "y": 52.5], as: String.self) == ["Berlin"])
        #expect(try db.column(SQL(sql), ["x": 11.5, "y": 48.1], as: String.self) == ["München"])
        #expect(try db.column(SQL(sql), ["x": 0, "y": 0], as: String.self) == [])
        let bounds = try db.rows("SELECT west, east FROM place WHERE id = 1")[0]
        let (west, east): (Double, Double) = (try bounds["west"], try bounds["east"])
        #expect(west <= 13.08 && west > 13.07 && east >= 13.76 && east < 13.77)
    }

    // K32
    @Test("bounds in the wrong order, and too many dimensions, are rejected")
    func badRTree() throws {
        let db = try memory("CREATE VIRTUAL TABLE span USING rtree_i32 (id, start, end)")
        let error = failure { try db.execute("INSERT INTO span VALUES (1, 10, 5)") }
        #expect(error?.isConstraint() == true)
        #expect(error?.message.contains("start<=end") == true)
        #expect(try db.scalar("SELECT count(*) FROM span", as: Int.self) == 0)
        let six = "CREATE VIRTUAL TABLE t USING rtree (id, a, b, c, d, e, f, g, h, i, j, k, l)"
        #expect(failure { try db.execute(SQL(six)) }?.code == .error)
    }

    // K33
    @Test("json_each takes a list of any length, by interpolation, position and name")
    func jsonLists() throws {
        let db = try memory("CREATE TABLE book (id INTEGER PRIMARY KEY); INSERT INTO book VALUES (1), (2), (3)")
        let sql = "SELECT id FROM book WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY id"
        #expect(try db.column(SQL(sql), ["ids": JSON([3, 1, 9])], as: Int.self) == [1, 3])
        #expect(try db.column(SQL(sql), [JSON([Int]())], as: Int.self) == [])
        #expect(try db.column(SQL(sql), [JSON(Array(1...100_000))], as: Int.self) == [1, 2, 3])
        let words = "SELECT value FROM json_each(\(JSON(["a\"b", "größe", "it's"])))" as SQL
        #expect(try db.column(words, as: String.self) == ["a\"b", "größe", "it's"])
    }

    // K33
    @Test("what a Codable value holds is found, changed and indexed by SQL")
    func jsonColumns() throws {
        struct Event: Codable, Equatable {
            var kind: String
            var tags: [String]
        }
        let db = try memory(
            """
            CREATE TABLE event (payload TEXT CHECK (json_valid(payload)));
            CREATE INDEX event_kind ON event (json_extract(payload, '$.kind'));
            """)
        try db.execute("INSERT INTO event VALUES (?)", [JSON(Event(kind: "click", tags: ["new", "red"]))])
        try db.execute("INSERT INTO event VALUES (?)", [JSON(Event(kind: "key", tags: ["red"]))])
        let sql = "SELECT payload FROM event WHERE json_extract(payload, '$.kind') = ?"
        #expect(try db.rows(SQL(sql), ["key"])[0].value(at: 0, as: JSON<Event>.self).value.tags == ["red"])
        #expect(try db.queryPlan(of: SQL(sql)).description.contains("event_kind"))
        let tags = "SELECT value, count(*) AS n FROM event, json_each(payload, '$.tags') GROUP BY value ORDER BY value"
        #expect(try db.rows(SQL(tags)).map { try $0["n"] as Int } == [1, 2])
        try db.execute("UPDATE event SET payload = json_set(payload, '$.kind', ?) WHERE rowid = 1", ["tap"])
        #expect(try db.scalar("SELECT payload FROM event", as: JSON<Event>.self)?.value.kind == "tap")
        let all = try db.scalar("SELECT json_group_array(json(payload)) FROM event", as: JSON<[Event]>.self)
        #expect(all?.value.map(\.kind) == ["tap", "key"])
    }

    // K33
    @Test("->> reads a member; before SQLite 3.38 it is a mistake in the SQL")
    func jsonOperator() throws {
        let db = try memory()
        let sql = "SELECT ? ->> '$.a'"
        if SQLiteLibrary.versionNumber >= 3_038_000 {
            #expect(try db.scalar(SQL(sql), [#"{"a": 7}"#], as: Int.self) == 7)
            #expect(try db.scalar(SQL(sql), ["{}"], as: Int.self) == nil)
        } else {
            #expect(failure { try db.prepare(SQL(sql)) }?.code == .error)
        }
    }

    // K33
    @Test("a text that isn't JSON throws, and a CHECK keeps it out", arguments: ["{", "", "[1,", "nonesuch"])
    func malformedJSON(text: String) throws {
        let db = try memory("CREATE TABLE t (a TEXT CHECK (json_valid(a)))")
        #expect(failure { try db.rows("SELECT value FROM json_each(?)", [text]) }?.message == "malformed JSON")
        #expect(failure { try db.execute("INSERT INTO t VALUES (?)", [text]) }?.isConstraint(.check) == true)
    }

    // K39
    @Test("an upsert returns the row it has made of both, and counts as one change")
    func upsert() throws {
        let db = try memory("CREATE TABLE stock (item TEXT PRIMARY KEY, count INTEGER CHECK (count < 10))")
        let sql = """
            INSERT INTO stock VALUES (?, ?) ON CONFLICT (item) DO UPDATE SET count = count + excluded.count RETURNING count
            """
        #expect(try db.scalar(SQL(sql), ["pen", 5], as: Int.self) == 5)
        #expect(try db.scalar(SQL(sql), ["pen", 2], as: Int.self) == 7)
        #expect(try db.execute(SQL(sql), ["pen", 2]) == 1)
        #expect(failure { try db.scalar(SQL(sql), ["pen", 1], as: Int.self) }?.isConstraint(.check) == true)
        #expect(try db.scalar("SELECT count FROM stock", as: Int.self) == 9)
    }
}
