// swift-format-ignore-file
import Foundation
import SQLiteKit
import Testing

struct SQLAloneArticle: Article {
    func run() throws {
        let db = try Database(.memory)
        try db.executeScript(
            """
            CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT, author TEXT, sold INTEGER);
            CREATE TABLE tag (book INTEGER, name TEXT, UNIQUE (book, name));
            CREATE TABLE event (payload TEXT);
            CREATE TABLE stock (item TEXT PRIMARY KEY, count INTEGER);
            INSERT INTO book VALUES (1, 'Momo', 'Ende', 20), (2, 'Krabat', 'Preussler', 30), (3, 'Jim Knopf', 'Ende', 40);
            """)
        let ids = [1, 3]
        // snippet.show
        let chosen = try db.rows(
            "SELECT * FROM book WHERE id IN (SELECT value FROM json_each(\(JSON(ids))))"
        )
        try db.execute(
            "INSERT INTO tag (book, name) SELECT :book, value FROM json_each(:names)",
            ["book": 1, "names": JSON(["time", "cats"])])
        // snippet.hide
        #expect(chosen.count == 2)

        // snippet.show
        struct Event: Codable { var kind: String, tags: [String] }

        try db.execute(
            "INSERT INTO event (payload) VALUES (?)",
            [JSON(Event(kind: "click", tags: ["new", "red"]))])
        let clicks = try db.rows(
            "SELECT payload FROM event WHERE payload ->> '$.kind' = ?", ["click"])
        let tags = try db.column(
            "SELECT DISTINCT value FROM event, json_each(payload, '$.tags')",
            as: String.self)
        try db.execute(
            "UPDATE event SET payload = json_set(payload, '$.kind', ?)", ["tap"])
        let event: JSON<Event> = try clicks[0]["payload"]
        // snippet.hide
        #expect(event.value.kind == "click")
        #expect(tags == ["new", "red"])

        // snippet.show
        let count = try db.scalar(
            """
            INSERT INTO stock (item, count) VALUES (?, ?)
            ON CONFLICT (item) DO UPDATE SET count = count + excluded.count
            RETURNING count
            """, ["pen", 5], as: Int.self)
        let removed = try db.rows("DELETE FROM tag WHERE book = ? RETURNING name", [1])
        // snippet.hide
        #expect(count == 5)
        #expect(removed.count == 2)

        // snippet.show
        let ranked = try db.rows(
            """
            SELECT title, rank() OVER (PARTITION BY author ORDER BY sold DESC) AS place,
                100.0 * sold / sum(sold) OVER (PARTITION BY author) AS share
            FROM book ORDER BY author, place
            """)
        // snippet.hide
        #expect(try ranked.map { try $0["place"] as Int } == [1, 2, 1])

        // snippet.show
        try db.executeScript(
            """
            CREATE VIRTUAL TABLE page USING fts5 (title, text,
                tokenize = 'porter unicode61 remove_diacritics 2');
            INSERT INTO page VALUES
                ('Sailing', 'How to sail by the wind'), ('Cafés', 'Where sailors sit');
            """)
        let found = try db.rows(
            """
            SELECT highlight(page, 0, '<b>', '</b>') AS title,
                snippet(page, 1, '<b>', '</b>', '…', 8) AS extract, rank
            FROM page WHERE page MATCH \(FTS5Query(allWords: "sailing")) ORDER BY rank
            """)
        for row in found {
            print(
                try row["title"] as String, try row["extract"] as String,
                try row["rank"] as Double)
        }
        try db.execute("INSERT INTO page (page) VALUES ('optimize')")
        // snippet.hide
        #expect(found.count == 1)

        // snippet.show
        try db.executeScript(
            """
            CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT);
            CREATE VIRTUAL TABLE note_index USING fts5 (body, content = 'note',
                content_rowid = 'id');
            CREATE TRIGGER note_insert AFTER INSERT ON note BEGIN
                INSERT INTO note_index (rowid, body) VALUES (new.id, new.body);
            END;
            CREATE TRIGGER note_delete AFTER DELETE ON note BEGIN
                INSERT INTO note_index (note_index, rowid, body)
                    VALUES ('delete', old.id, old.body);
            END;
            CREATE TRIGGER note_update AFTER UPDATE ON note BEGIN
                INSERT INTO note_index (note_index, rowid, body)
                    VALUES ('delete', old.id, old.body);
                INSERT INTO note_index (rowid, body) VALUES (new.id, new.body);
            END;
            """)
        // snippet.hide
        try db.execute("INSERT INTO note (body) VALUES ('wind')")
        try db.execute("UPDATE note SET body = 'sail'")
        let notes = try db.column("SELECT rowid FROM note_index WHERE note_index MATCH ?", ["sail"], as: Int.self)
        #expect(notes == [1])

        // snippet.show
        try db.executeScript(
            """
            CREATE VIRTUAL TABLE mail USING fts4 (subject, body);
            INSERT INTO mail VALUES ('Linux news', 'A kernel of truth'),
                ('Lunch', 'With the linux people');
            """)
        let mail = try db.rows(
            """
            SELECT subject, snippet(mail, '[', ']') AS extract, offsets(mail) AS places,
                matchinfo(mail, 'pc') AS info
            FROM mail WHERE mail MATCH ? ORDER BY rowid
            """, ["linux"])[0]
        // column, term, first byte and length: "0 0 0 5"
        let places: String = try mail["places"]
        let info: Data = try mail["info"]  // 32-bit numbers in native byte order
        let numbers = stride(from: 0, to: info.count, by: 4).map { offset in
            info.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            }
        }
        // snippet.hide
        #expect(places == "0 0 0 5")
        #expect(numbers == [1, 2])

        // snippet.show
        try db.execute(
            """
            CREATE VIRTUAL TABLE place
            USING rtree (id, west, east, south, north, +name TEXT)
            """)
        try db.execute(
            "INSERT INTO place VALUES (?, ?, ?, ?, ?, ?)",
            [1, 13.08, 13.76, 52.33, 52.68, "Berlin"])
        let here = try db.column(
            """
            SELECT name FROM place
            WHERE west <= :x AND east >= :x AND south <= :y AND north >= :y
            """,
            ["x": 13.4, "y": 52.5], as: String.self)
        // snippet.hide
        #expect(here == ["Berlin"])

        // snippet.show
        let days = try db.column(
            """
            WITH RECURSIVE day (n) AS (
                SELECT 1 UNION ALL SELECT n + 1 FROM day WHERE n < ?)
            SELECT n FROM day
            """,
            [7], as: Int.self)
        let keys = try db.column(
            "SELECT name FROM pragma_table_info(?) WHERE pk > 0", ["book"],
            as: String.self)
        let hasSizes = SQLiteLibrary.isCompiled(with: "ENABLE_DBSTAT_VTAB")
        if hasSizes {
            print(
                try db.rows(
                    "SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name"))
        }
        // snippet.hide
        #expect(days == Array(1...7))
        #expect(keys == ["id"])
    }
}
