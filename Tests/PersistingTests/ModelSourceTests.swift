import Foundation
import Persisting
import Testing

/// Tables of all kinds, for which GeneratedModels.swift holds what `modelSource(table:)` prints.
private let script = """
    CREATE TABLE batter (name TEXT PRIMARY KEY, team_name VARCHAR(20) NOT NULL, avg REAL, hr INTEGER NOT NULL DEFAULT 3);
    CREATE TABLE RECORD_ALBUM (ID INTEGER PRIMARY KEY, MEDIA_KEY TEXT NOT NULL DEFAULT 'it''s "x" \\ y', IMAGE_URL, COVER BLOB,
        PLAYED DATETIME NOT NULL, IS_NEW BOOLEAN NOT NULL DEFAULT 1, CREATED TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP);
    CREATE TABLE "weird table; name" ("class" INT, "Größe" REAL, "2nd" TEXT, "a b" TEXT, "a-b" TEXT, "🙂" BLOB, "" TEXT,
        "self" TEXT, "hashValue" INT, "init" INT, id TEXT, "say [hi]" NUMERIC);
    CREATE TABLE Data (a INTEGER, b TEXT, c DOUBLE NOT NULL DEFAULT -1.5e3, PRIMARY KEY (b, a))
    """

private let more = """
    CREATE TABLE strictRows (code TEXT PRIMARY KEY, amount INTEGER, anything ANY) STRICT, WITHOUT ROWID;
    CREATE TABLE counters (number INTEGER PRIMARY KEY AUTOINCREMENT, doubled INT AS (number * 2), id INTEGER);
    CREATE VIEW names AS SELECT name, avg, 1 AS id FROM batter;
    CREATE TABLE uuids (id UUID PRIMARY KEY NOT NULL, JSON_TEXT JSON NOT NULL UNIQUE, a INT, b INT, UNIQUE (b, a));
    CREATE UNIQUE INDEX partial ON uuids (a) WHERE b > 1;
    CREATE UNIQUE INDEX expression ON uuids (a + 1)
    """

private let tables = [
    "batter", "RECORD_ALBUM", "weird table; name", "Data", "strictRows", "counters", "names", "uuids",
]

// F43
@Suite("Swift source for tables") struct ModelSourceTests {
    let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(script: script + ";" + more)
    }

    @Test("is what the compiled file holds") func compiles() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "GeneratedModels.swift")
        let header = "// swift-format-ignore-file\n// What modelSource(table:) prints; ModelSourceTests compares.\n"
        let text = try header + tables.map { try manager.modelSource(table: $0) }.joined(separator: "\n")
        if ProcessInfo.processInfo.environment["PERSISTING_TEST_WRITE"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    @Test("makes classes whose objects are stored and found")
    func roundTrip() throws {
        let batter = Batter()
        batter.name = "Kao"
        try manager.save(batter)
        let found = try #require(try manager.find(Batter.self, "Kao"))
        #expect(found.hr == 3)
        let album = RecordAlbum()
        try manager.save(album)
        #expect(album.id == 1)
        #expect(album.created != nil)
        #expect(album.mediaKey == "it's \"x\" \\ y")
        let counter = Counters()
        try manager.save(counter)
        #expect(counter.number == 1)
        #expect(counter.doubled == 2)
        let row = DataRow()
        row.a = 1
        row.b = "b"
        try manager.save(row)
        #expect(try manager.count(DataRow.self, where: \.c == -1500) == 1)
        try manager.insert(WeirdTableName.self, values: ["class": 1, "größe": 2.5, "hashValue8": 3])
        #expect(try manager.fetchAll(WeirdTableName.self).first?.größe == 2.5)
        try manager.save(Uuids())
        try manager.save(StrictRows())
        #expect(try manager.fetchAll(Names.self).map(\.id) == [1])
    }

    @Test("finds a table whatever its case, and a missing one not") func missing() throws {
        #expect(try manager.modelSource(table: "BATTER") == manager.modelSource(table: "batter"))
        #expect(failure { try manager.modelSource(table: "battr") }?.code == .noTable)
    }
}
