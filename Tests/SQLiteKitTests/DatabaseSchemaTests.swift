import SQLiteKit
import Testing

@Suite("The schema of a database")
struct DatabaseSchemaTests {
    private let db: Database

    init() throws {
        db = try memory(
            """
            CREATE TABLE parent (x INTEGER, y TEXT COLLATE NOCASE, PRIMARY KEY (y, x));
            CREATE TABLE s (
                id INTEGER PRIMARY KEY AUTOINCREMENT, "ein ""d" VARCHAR(20) NOT NULL DEFAULT 'it''s', v AS (id + 1),
                h INT GENERATED ALWAYS AS (id) STORED, n DEFAULT (1 + 1), u UNIQUE);
            CREATE TABLE w (a TEXT PRIMARY KEY, b ANY) STRICT, WITHOUT ROWID;
            CREATE VIEW "an 'view" AS SELECT y AS why FROM parent;
            CREATE VIRTUAL TABLE f USING fts5(t);
            CREATE INDEX i ON parent (y COLLATE RTRIM DESC, x + 1, x) WHERE x > 3;
            CREATE UNIQUE INDEX "größe" ON s (n);
            CREATE TRIGGER tr AFTER INSERT ON S BEGIN SELECT 1; END;
            CREATE TRIGGER tv INSTEAD OF INSERT ON "an 'view" BEGIN SELECT 1; END
            """)
    }

    // K34
    @Test("tables are listed with what they are, in the order they were created")
    func tables() throws {
        let tables = try db.schema().tables
        #expect(
            tables.filter { $0.kind != .shadow }.map(\.name) == [
                "parent", "s", "sqlite_sequence", "w", "an 'view", "f",
            ])
        #expect(tables.filter(\.isInternal).map(\.name) == ["sqlite_sequence"])
        #expect(tables.filter(\.isStrict).map(\.name) == ["w"])
        #expect(tables.filter { $0.isWithoutRowID && $0.kind == .table }.map(\.name) == ["w"])
        #expect(tables.filter { $0.kind == .view }.map(\.name) == ["an 'view"])
        #expect(tables.filter { $0.kind == .virtual }.map(\.name) == ["f"])
        #expect(tables.filter { $0.kind == .shadow }.count == 5)
        #expect(tables.allSatisfy { $0.database == "main" })
        #expect(try db.schema().table("W")?.sql?.hasPrefix("CREATE TABLE w (") == true)
    }

    // K34
    @Test("each table by itself is what it is among all")
    func same() throws {
        let tables = try db.schema().tables
        #expect(!tables.isEmpty)
        for table in tables { #expect(try db.table(table.name) == table) }
    }

    // K34
    @Test("columns are reported with all that is known of them")
    func columns() throws {
        let columns = try #require(try db.table("s")?.columns)
        #expect(columns.map(\.name) == ["id", "ein \"d", "v", "h", "n", "u"])
        #expect(columns.map(\.declaredType).prefix(2) == ["INTEGER", "VARCHAR(20)"])
        #expect(columns.map(\.isNotNull) == [false, true, false, false, false, false])
        #expect(columns.map(\.defaultSQL) == [nil, "'it''s'", nil, nil, "1 + 1", nil])
        #expect(columns.map(\.primaryKeyPosition) == [1, nil, nil, nil, nil, nil])
        #expect(
            columns.map(\.kind) == [.ordinary, .ordinary, .generatedVirtual, .generatedStored, .ordinary, .ordinary])
        #expect(columns.map(\.isAutoincrement) == [true, false, false, false, false, false])
        #expect(try db.table("parent")?.columns.map(\.collation) == ["BINARY", "NOCASE"])
        #expect(try db.table("S")?.column("ID")?.name == "id")
        #expect(try db.table("s")?.column("nope") == nil)
    }

    // K34
    @Test("the columns of a view and of a virtual table, hidden ones too")
    func otherColumns() throws {
        #expect(try db.table("an 'view")?.columns.map(\.name) == ["why"])
        #expect(try db.table("an 'view")?.columns.map(\.collation) == [nil])
        #expect(try db.table("f")?.columns.map(\.name) == ["t", "f", "rank"])
        #expect(try db.table("f")?.columns.map(\.kind) == [.ordinary, .hidden, .hidden])
    }

    // K34
    @Test("the primary key is in its own order, and the alias of the row identifier is known")
    func primaryKey() throws {
        #expect(try db.table("parent")?.primaryKey == ["y", "x"])
        #expect(try db.table("parent")?.rowIDColumn == nil)
        #expect(try db.table("s")?.rowIDColumn == "id")
        #expect(try db.table("w")?.primaryKey == ["a"])
        #expect(try db.table("w")?.rowIDColumn == nil)
        try db.executeScript(
            """
            CREATE TABLE k1 (a integer, PRIMARY KEY (a)); CREATE TABLE k2 (a INTEGER PRIMARY KEY DESC);
            CREATE TABLE k3 (a INT PRIMARY KEY); CREATE TABLE k4 (a); CREATE TABLE k5 (a INTEGER PRIMARY KEY) WITHOUT ROWID
            """)
        #expect(try (1...5).map { try db.table("k\($0)")?.rowIDColumn } == ["a", nil, nil, nil, nil])
        #expect(try db.table("k4")?.primaryKey == [])
    }

    // K34
    @Test("indexes are reported with their columns, expressions, orders and collations")
    func indexes() throws {
        let indexes = try #require(try db.table("parent")?.indexes)
        #expect(indexes.map(\.name) == ["i", "sqlite_autoindex_parent_1"])
        #expect(indexes.map(\.origin) == [.created, .primaryKey])
        #expect(indexes.map(\.isUnique) == [false, true])
        #expect(indexes.map(\.isPartial) == [true, false])
        #expect(indexes[0].columns.map(\.name) == ["y", nil, "x"])
        #expect(indexes[0].columns.map(\.isDescending) == [true, false, false])
        #expect(indexes[0].columns.map(\.collation) == ["RTRIM", "BINARY", "BINARY"])
        #expect(indexes[1].columns.map(\.name) == ["y", "x"])
        #expect(indexes[0].sql?.contains("x + 1") == true)
        #expect(indexes[1].sql == nil)
        #expect(try db.table("s")?.indexes.map(\.name) == ["größe", "sqlite_autoindex_s_1"])
        #expect(try db.table("s")?.indexes.map(\.origin) == [.created, .unique])
        #expect(try db.table("w")?.indexes.map(\.origin) == [.primaryKey])
    }

    // K34
    @Test("foreign keys are reported with their columns, actions and deferral")
    func foreignKeys() throws {
        try db.execute(
            """
            CREATE TABLE c (
                a REFERENCES S ON DELETE CASCADE ON UPDATE SET NULL /* REFERENCES */ NOT NULL,
                b CONSTRAINT x REFERENCES s (u) DEFERRABLE INITIALLY DEFERRED, -- NOT DEFERRABLE
                d DEFAULT 'REFERENCES' REFERENCES "go""ne" ON DELETE RESTRICT NOT DEFERRABLE INITIALLY DEFERRED,
                "REFERENCES" REFERENCES s ON DELETE SET DEFAULT DEFERRABLE INITIALLY IMMEDIATE,
                [DEFERRABLE] `d`,
                FOREIGN KEY (d, b) REFERENCES parent deferrable initially deferred,
                FOREIGN KEY (d) REFERENCES s (id) DEFERRABLE)
            """)
        for keys in [try db.table("c")?.foreignKeys, try db.schema().table("c")?.foreignKeys] {
            let keys = try #require(keys)
            #expect(keys.map(\.columns) == [["a"], ["b"], ["d"], ["REFERENCES"], ["d", "b"], ["d"]])
            #expect(keys.map(\.parent) == ["S", "s", "go\"ne", "s", "parent", "s"])
            #expect(keys.map(\.parentColumns) == [["id"], ["u"], [], ["id"], ["y", "x"], ["id"]])
            #expect(keys.map(\.onDelete) == [.cascade, .noAction, .restrict, .setDefault, .noAction, .noAction])
            #expect(keys.map(\.onUpdate) == [.setNull, .noAction, .noAction, .noAction, .noAction, .noAction])
            #expect(keys.map(\.isDeferred) == [false, true, false, false, true, false])
            #expect(keys.map(\.id) == [5, 4, 3, 2, 1, 0])
        }
    }

    // K34
    @Test("a foreign key that was added later is reported as well")
    func addedForeignKey() throws {
        try db.executeScript(
            """
            CREATE TABLE c (a REFERENCES s);
            ALTER TABLE c ADD COLUMN b REFERENCES parent (x) DEFERRABLE INITIALLY DEFERRED
            """)
        #expect(try db.table("c")?.foreignKeys.map(\.columns) == [["a"], ["b"]])
        #expect(try db.table("c")?.foreignKeys.map(\.isDeferred) == [false, true])
    }

    // K34
    @Test("triggers are with their table, however its name was written")
    func triggers() throws {
        #expect(try db.table("s")?.triggers.map(\.name) == ["tr"])
        #expect(try db.table("s")?.triggers.first?.sql.hasPrefix("CREATE TRIGGER tr") == true)
        #expect(try db.table("an 'view")?.triggers.map(\.name) == ["tv"])
        #expect(try db.table("parent")?.triggers == [])
        try db.executeScript("CREATE TRIGGER x AFTER DELETE ON w BEGIN SELECT 1; END; CREATE INDEX x ON w (b)")
        #expect(try db.table("w")?.indexes.first { $0.name == "x" }?.sql == "CREATE INDEX x ON w (b)")
    }

    // K34
    @Test("what is not there is nil, a database that is not there an error")
    func missing() throws {
        #expect(try db.table("nope") == nil)
        #expect(try db.table("") == nil)
        #expect(try db.table("s\0x") == nil)
        #expect(try db.table("tr") == nil)
        #expect(try db.table("i") == nil)
        #expect(try db.table("sqlite_schema") == nil)
        #expect(try db.table("s", in: "temp") == nil)
        #expect(try db.schema(of: "temp").tables == [])
        #expect(failure { try db.table("s", in: "nowhere") }?.code == .error)
        #expect(failure { try db.schema(of: "nowhere") }?.message.contains("nowhere") == true)
    }

    // K34
    @Test("a table is looked for where SQL looks, and each database has its own")
    func databases() throws {
        try db.executeScript(
            """
            ATTACH ':memory:' AS "an ""other"; CREATE TABLE "an ""other".s (o REFERENCES s2);
            CREATE TABLE "an ""other".s2 (k PRIMARY KEY); CREATE TABLE "an ""other".alone (z)
            """)
        #expect(try db.table("s")?.database == "main")
        #expect(try db.table("alone")?.database == "an \"other")
        #expect(try db.schema(of: "an \"other").tables.map(\.name) == ["s", "s2", "alone"])
        #expect(try db.table("s", in: "AN \"OTHER")?.columns.map(\.name) == ["o"])
        #expect(try db.table("s", in: "an \"other")?.foreignKeys.first?.parentColumns == ["k"])
        try db.execute("CREATE TEMP TABLE s (t COLLATE RTRIM)")
        #expect(try db.table("s")?.database == "temp")
        #expect(try db.table("s")?.columns.map(\.collation) == ["RTRIM"])
        #expect(try db.schema(of: "temp").tables.map(\.columns.count) == [1])
        #expect(try db.table("s", in: "main")?.columns.count == 6)
    }

    // K34
    @Test("a view of what is gone has no columns, and hides no other table")
    func brokenView() throws {
        try db.executeScript("CREATE TABLE gone (a); CREATE VIEW broken AS SELECT a FROM gone; DROP TABLE gone")
        #expect(try db.table("broken")?.columns == [])
        #expect(try db.schema().table("broken")?.kind == .view)
        #expect(try db.schema().table("s")?.columns.count == 6)
    }

    // K34
    @Test("names that only Swift takes for equal are two tables")
    func canonicalEquivalents() throws {
        try db.executeScript(
            "CREATE TABLE \"\u{E9}\" (one); CREATE TABLE \"e\u{301}\" (one, two REFERENCES \"\u{E9}\")")
        #expect(try db.table("\u{E9}")?.columns.count == 1)
        #expect(try db.table("e\u{301}")?.columns.count == 2)
        let schema = try db.schema()
        #expect(schema.table("\u{E9}")?.columns.count == 1)
        #expect(schema.table("e\u{301}")?.foreignKeys.count == 1)
        #expect(schema.table("\u{E9}")?.foreignKeys.count == 0)
    }

    // K34
    @Test("a change of the schema is seen at once, in a read as well")
    func notStale() throws {
        let queue = try DatabaseQueue(.memory)
        try queue.write { db in
            try db.execute("CREATE TABLE t (a)")
            #expect(try db.table("t")?.columns.count == 1)
            try db.execute("ALTER TABLE t ADD COLUMN b")
            #expect(try db.table("t")?.columns.count == 2)
        }
        let count = try queue.read { db in try db.table("t")?.columns.count }
        #expect(count == 2)
    }

    // K34
    @Test("500 tables are read whole")
    func many() throws {
        let db = try memory()
        try db.transaction {
            for number in 0..<500 {
                try db.execute(
                    "CREATE TABLE \(identifier: "t\(number)") (id INTEGER PRIMARY KEY, a UNIQUE, b REFERENCES t0)")
            }
        }
        let tables = try db.schema().tables
        #expect(tables.map(\.name) == (0..<500).map { "t\($0)" })
        #expect(tables.allSatisfy { $0.columns.count == 3 && $0.indexes.count == 1 && $0.foreignKeys.count == 1 })
    }

    // K34
    @Test("a closed database is rejected")
    func closed() throws {
        try db.close()
        #expect(failure { try db.schema() }?.extendedCode == .closed)
        #expect(failure { try db.table("s") }?.extendedCode == .closed)
    }
}
