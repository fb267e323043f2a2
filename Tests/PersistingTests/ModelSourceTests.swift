import Foundation
import Persisting
import PersistingDiagnostics
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
    CREATE UNIQUE INDEX expression ON uuids (a + 1);
    CREATE TABLE gone (a, b, UNIQUE (a, b));
    CREATE TABLE ledger_entry (entry_id INTEGER PRIMARY KEY, batter_name TEXT NOT NULL REFERENCES batter ON DELETE CASCADE,
        parent INT REFERENCES ledger_entry (entry_id) ON UPDATE SET NULL DEFERRABLE INITIALLY DEFERRED, -- CHECK (a, b)
        total NUMERIC(10,2) NOT NULL DEFAULT 1.50 CHECK (total >= 0 AND total <> ')') CHECK (total < 1e6),
        tip MONEY NOT NULL DEFAULT 0, code TEXT COLLATE NOCASE, CONSTRAINT "check" CHECK (tip < total /* ( */),
        FOREIGN KEY (code, tip) REFERENCES gone (a, b));
    CREATE INDEX by_batter ON ledger_entry (batter_name, total);
    CREATE INDEX rich ON ledger_entry (code) WHERE total > 100 AND code <> ' WHERE ';
    CREATE INDEX down ON ledger_entry (total DESC);
    CREATE TABLE OrderedLines (LineID INTEGER PRIMARY KEY, UnitPrice DECIMAL, Data BLOB, ShipName NVARCHAR(40) NOT NULL);
    CREATE VIEW lines AS SELECT LineID, ShipName FROM OrderedLines
    """

/// Values that aren't what the columns are declared for.
private let values = """
    CREATE TABLE found_values (id INTEGER PRIMARY KEY, a POINT, b TIME, c BOOLEAN DEFAULT FALSE, d integer NOT NULL,
        e DATETIME, f VARBINARY(32), g STRING, h INET, i INTERVAL, j UUID, k DATE, l TIMESTAMP, m DOUBLE, n TEXT,
        o VARCHAR(10), p BLOB, q DATETIME, r JSONB, s DATETIME, t INT CHECK (t > 0), u YEAR, v, w UUID, x DECIMAL(10,2),
        link TEXT NOT NULL DEFAULT "", last TIMESTAMP NOT NULL DEFAULT '0000-01-01T00:00:00.000Z', first_user TEXT,
        lastUser TEXT, ref INTEGER REFERENCE blob, CHECK (id < t));
    INSERT INTO found_values VALUES (1, x'47500001', '09:30:00', 'FALSE', 'front', 2460431.5, x'01', 'abc', '::1',
        '3 days', '6dc11c0817cf491890e678e692b7543d', 20240501, 1714521600000, 'n/a', x'00', x'41', 'text',
        '2024-05-01 13:45:00', x'00', '2024-05-01T13:45:00.250Z', 1.5, 2024, 1, x'00112233445566778899AABBCCDDEEFF',
        '1,50', 'a', '0000-01-01T00:00:00.000Z', 'b', 'c', 5);
    INSERT INTO found_values VALUES (2, NULL, NULL, NULL, 7, 2460432, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1.25,
        'text', NULL, NULL, '2024-05-01 13:45:00.250000', NULL, '2024-05-01T13:45:00.000Z', 3, NULL, NULL,
        x'FF112233445566778899AABBCCDDEEFF', 2.5, '', '2024-05-01T13:45:00.000Z', NULL, NULL, NULL)
    """

private let tables = [
    "batter", "RECORD_ALBUM", "weird table; name", "Data", "strictRows", "counters", "names", "uuids",
    "ledger_entry", "OrderedLines", "lines", "found_values",
]

// F43
@Suite("Swift source for tables") struct ModelSourceTests {
    let manager: PersistenceManager

    init() throws {
        manager = try memoryManager(script: [script, more, values].joined(separator: ";"))
    }

    @Test("is what the compiled file holds", .local(.declaredDates)) func compiles() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "GeneratedModels.swift")
        let header = "// swift-format-ignore-file\n// What modelSource(table:) prints; ModelSourceTests compares.\n"
        let text = try header + tables.map { try manager.modelSource(table: $0) }.joined(separator: "\n")
        if ProcessInfo.processInfo.environment["PERSISTING_TEST_WRITE"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    @Test("makes classes whose objects are stored and found", .local(.declaredDates))
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
        try manager.insert(WeirdTableName.self, values: ["class": 1, "Größe": 2.5, "hashValue8": 3])
        #expect(try manager.fetchAll(WeirdTableName.self).first?.Größe == 2.5)
        try manager.save(Uuids())
        try manager.save(StrictRows())
        #expect(try manager.fetchAll(Names.self).map(\.id) == [1])
    }

    @Test("makes classes that agree with their tables, but for what they say they leave out", .local(.declaredDates))
    func agreement() throws {
        // Settled 22
        let types: [PersistingModel.Type] = [
            Batter.self, RecordAlbum.self, WeirdTableName.self, DataRow.self, StrictRows.self, Counters.self,
            Names.self,
            Uuids.self, LedgerEntry.self, OrderedLines.self, Lines.self, FoundValues.self,
        ]
        for type in types { #expect(try manager.createTableIfNecessary(for: type) == false) }
    }

    @Test("makes classes that a plan changes nothing for", .local(.declaredDates))
    func plans() throws {
        // Settled 22
        let types: [PersistingModel.Type] = [
            Batter.self, RecordAlbum.self, WeirdTableName.self, DataRow.self, StrictRows.self, Counters.self,
            OrderedLines.self, FoundValues.self,
        ]
        for type in types {
            let plan = try manager.schemaPlan(for: [type])
            #expect(plan.isEmpty && plan.obstacles.isEmpty, "\(type): \(plan)")
        }
    }

    @Test("makes a class that reads every row whatever is stored in it, and writes it as it is", .local(.declaredDates))
    func foundValues() throws {
        // Settled 28
        let rows = try manager.dictionaries("SELECT * FROM found_values")
        let objects = try manager.fetchAll(FoundValues.self)
        #expect(objects.map(\.id) == [1, 2])
        #expect(objects.map(\.d) == ["front", 7])
        #expect(objects[0].e == Date(timeIntervalSince1970: 1_714_521_600))
        #expect(objects[0].l == objects[0].e)
        #expect(objects[1].s == objects[0].q)
        #expect(objects[0].a == Data([0x47, 0x50, 0, 1]))
        try manager.upsert(objects)
        for object in objects {
            object.a = Data([1])
            try manager.save(object)
            object.a = nil
            try manager.save(object)
        }
        try manager.run("UPDATE found_values SET a = x'47500001' WHERE id = 1")
        #expect(try manager.dictionaries("SELECT * FROM found_values") == rows)
        #expect(try manager.count(FoundValues.self, where: \.l == objects[0].l && \.q == objects[0].q) == 1)
    }

    @Test("keeps foreign keys, CHECKs and indexes", .local(.declaredDates))
    func constraints() throws {
        let made = try memoryManager(Batter.self, LedgerEntry.self)
        #expect(failure { try made.insert(LedgerEntry.self, values: ["batterName": "none"]) }?.code == .constraint)
        try made.insert(Batter.self, values: ["name": "Kao"])
        #expect(
            failure { try made.insert(LedgerEntry.self, values: ["batterName": "Kao", "total": -1]) }?.code
                == .constraint)
        try made.insert(LedgerEntry.self, values: ["batterName": "Kao"])
        #expect(try made.count(LedgerEntry.self, where: \.total == Decimal(1.5)) == 1)
        let names = try made.storedColumn("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
        #expect(Set(names) == ["by_batter", "rich"])
        #expect(try LedgerEntry.schema().column(forKey: "code")?.definition.contains("COLLATE NOCASE") == true)
    }

    @Test("holds amounts of money to the cent, and asks for them", .local(.declaredDates)) func decimals() throws {
        try manager.insert(Batter.self, values: ["name": "Kao"])
        let entry = try manager.insert(
            LedgerEntry.self, values: ["batterName": "Kao", "total": Decimal(string: "19.99"), "tip": Decimal(2)])
        #expect(try manager.find(LedgerEntry.self, entry.entryID)?.total == Decimal(string: "19.99"))
        #expect(try manager.count(LedgerEntry.self, where: \.total > Decimal(9) && \.tip == 2) == 1)
    }

    @Test("of a view makes a class whose objects are streamed and read by pages", .local(.declaredDates)) func view()
        throws
    {
        for name in ["a", "b", "c"] { try manager.insert(OrderedLines.self, values: ["ShipName": name]) }
        var names: [String?] = []
        try manager.forEach(Query(Lines.self)) { names.append($0.ShipName) }
        let first = try manager.fetchPage(Query(Lines.self), limit: 2)
        names += try manager.fetchPage(Query(Lines.self), after: first.last, limit: 2).map(\.ShipName)
        #expect(names == ["a", "b", "c", "c"])
    }

    @Test("finds the key of a view in its rows", .local(.declaredDates)) func viewKey() throws {
        try manager.run(
            """
            INSERT INTO OrderedLines (ShipName) VALUES ('a'), ('b');
            CREATE VIEW numbered AS SELECT 1 AS id, ShipName FROM OrderedLines;
            CREATE VIEW alike AS SELECT 1 AS id FROM OrderedLines;
            """)
        #expect(try manager.modelSource(table: "numbered").contains(#".assigned("shipName")"#) == false)
        #expect(try manager.modelSource(table: "numbered").contains("ShipName\")"))
        #expect(try manager.modelSource(table: "alike").contains(".none"))
    }

    @Test("finds a table whatever its case, and a missing one not", .local(.declaredDates)) func missing() throws {
        #expect(try manager.modelSource(table: "BATTER") == manager.modelSource(table: "batter"))
        #expect(failure { try manager.modelSource(table: "battr") }?.code == .noTable)
    }

    @Test("makes a class of its own for each of several tables whose names are alike", .local(.declaredDates))
    func likeNames() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE "my table" (id INTEGER PRIMARY KEY);
                CREATE TABLE my_table (id INTEGER PRIMARY KEY, "Other" INTEGER REFERENCES "my-table" (id));
                CREATE TABLE "my-table" (id INTEGER PRIMARY KEY, "parent id" INTEGER REFERENCES my_table (id))
                """)
        let source = try manager.modelSources()
        for name in ["MyTable", "MyTable2", "MyTable3"] {
            #expect(source.components(separatedBy: "final class \(name): PersistingModel {").count == 2)
        }
        #expect(source.contains("// There is another type MyTable.\nfinal class MyTable2"))
        let classes = source.components(separatedBy: "final class ")
        let child = try #require(classes.first { $0.contains("tableName: String { \"my-table\" }") })
        let parent = try #require(
            classes.first { $0.contains("\"my_table\"") || $0.hasPrefix("MyTable:") && !$0.contains("\"my table\"") })
        #expect(child.contains(parent.prefix { $0 != ":" } + ".self"), "\(source)")
    }
}
