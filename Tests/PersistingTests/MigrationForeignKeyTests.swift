import Persisting
import Testing

private let schema = Migration(
    1,
    sql: """
        CREATE TABLE ALBUM (ID INTEGER PRIMARY KEY, TITLE TEXT);
        CREATE TABLE TRACK (ID INTEGER PRIMARY KEY, ALBUM_ID INTEGER REFERENCES ALBUM ON DELETE CASCADE);
        INSERT INTO ALBUM VALUES (1, 'Kind of Blue'), (2, 'Blue Train');
        INSERT INTO TRACK VALUES (10, 1), (20, 2), (21, 2);
        """)

private let rebuild = Migration(
    2,
    sql: """
        CREATE TABLE NEW (ID INTEGER PRIMARY KEY, TITLE TEXT NOT NULL);
        INSERT INTO NEW SELECT * FROM ALBUM;
        DROP TABLE ALBUM;
        ALTER TABLE NEW RENAME TO ALBUM;
        """)

/// A manager whose database has rows without parents.
private func managerWithOrphans() throws -> PersistenceManager {
    let manager = try PersistenceManager(.memory, migrations: [schema])
    try manager.run("PRAGMA foreign_keys = OFF; INSERT INTO TRACK VALUES (30, 9), (31, 9); PRAGMA foreign_keys = ON")
    return manager
}

// F50
@Suite("Foreign keys in migrations") struct MigrationForeignKeyTests {
    @Test("a table is rebuilt without losing the rows that refer to it")
    func rebuilding() throws {
        let manager = try PersistenceManager(.memory, migrations: [schema, rebuild])
        #expect(try manager.rowCount("TRACK") == 3)
    }

    @Test("rows without a parent fail the migration, which names table and rows")
    func orphans() throws {
        let manager = try PersistenceManager(.memory, migrations: [schema])
        let error = failure { try manager.migrate([schema, Migration(2, sql: "DELETE FROM ALBUM WHERE ID = 2")]) }
        #expect(error?.migration == 2)
        #expect((error?.underlying as? PersistenceError)?.code == .constraint)
        #expect(
            error?.message.hasSuffix("2 rows of track would refer by album_id to no row of album; rowid: 20, 21")
                == true)
        #expect(try manager.rowCount("ALBUM") == 2)
    }

    @Test("foreign keys are enforced again afterwards, after an error too", arguments: ["", "nonsense"])
    func restored(_ sql: String) throws {
        let manager = try PersistenceManager(.memory, migrations: [schema])
        _ = try? manager.migrate([schema, Migration(2, sql: SQL(sql))])
        #expect(
            sqliteFailure { try manager.execute("INSERT INTO TRACK VALUES (30, 9)") }?.isConstraint(.foreignKey) == true
        )
    }

    @Test("inside a migration they aren't enforced, and aren't switched on")
    func inside() throws {
        let manager = try PersistenceManager(.memory, migrations: [schema])
        try manager.migrate([
            schema,
            Migration(
                2, sql: "PRAGMA foreign_keys = ON; INSERT INTO TRACK VALUES (30, 3); INSERT INTO ALBUM VALUES (3, '')"),
        ])
        #expect(try manager.rowCount("TRACK") == 4)
    }

    @Test(
        "rows that lacked their parents before don't fail a migration, a rebuilt or renamed table's neither",
        arguments: [
            rebuild, Migration(2, sql: "ALTER TABLE TRACK RENAME TO SONG; ALTER TABLE SONG RENAME ALBUM_ID TO RECORD"),
            Migration(2, sql: "ALTER TABLE ALBUM RENAME TO RECORD"),
            Migration(2, sql: "DELETE FROM TRACK WHERE ID = 30"),
            Migration(2, sql: "DROP TABLE TRACK"),
        ])
    func oldOrphans(migration: Migration) throws {
        #expect(try managerWithOrphans().migrate([schema, migration]) == [2])
    }

    @Test("besides rows that lacked their parents before, new ones fail the migration and are named")
    func newOrphans() throws {
        let manager = try managerWithOrphans()
        let error = failure { try manager.migrate([schema, Migration(2, sql: "DELETE FROM ALBUM WHERE ID = 1")]) }
        #expect(
            error?.message.hasSuffix("1 row of track would refer by album_id to no row of album; rowid: 10") == true)
    }

    @Test("many rows are counted, and a few named")
    func many() throws {
        let manager = try PersistenceManager(.memory, migrations: [schema])
        let error = failure {
            try manager.migrate([
                schema,
                Migration(
                    2,
                    sql: """
                        WITH N (I) AS (VALUES (101) UNION ALL SELECT I + 1 FROM N WHERE I < 108)
                        INSERT INTO TRACK SELECT I, 9 FROM N
                        """),
            ])
        }
        #expect(error?.message.contains("8 rows") == true)
        #expect(error?.message.hasSuffix("rowid: 101, 102, 103, 104, 105, 3 more") == true)
    }

    @Test("a table without rowids is counted")
    func withoutRowID() throws {
        let manager = try PersistenceManager(.memory, migrations: [schema])
        let sql: SQL = """
            CREATE TABLE FAN (NAME TEXT PRIMARY KEY, ALBUM_ID INTEGER REFERENCES ALBUM) WITHOUT ROWID;
            INSERT INTO FAN VALUES ('Ada', 9)
            """
        let error = failure { try manager.migrate([schema, Migration(2, sql: sql)]) }
        #expect(error?.message.hasSuffix("1 row of fan would refer by album_id to no row of album") == true)
    }

    @Test("a foreign key that SQLite can't check doesn't fail the migrations after it, and a new one does")
    func mismatch() throws {
        let manager = try PersistenceManager(.memory, migrations: [schema])
        let bad = "CREATE TABLE BAD (X REFERENCES ALBUM (TITLE)); INSERT INTO BAD VALUES (1)"
        #expect(failure { try manager.migrate([schema, Migration(2, sql: SQL(bad))]) }?.migration == 2)
        try manager.run("PRAGMA foreign_keys = OFF; \(bad); PRAGMA foreign_keys = ON")
        #expect(try manager.migrate([schema, Migration(2, sql: "")]) == [2])
        let error = failure {
            try manager.migrate([schema, Migration(2, sql: ""), Migration(3, sql: "DELETE FROM ALBUM WHERE ID = 1")])
        }
        #expect(error?.message.contains("rowid: 10") == true)
    }

    @Test("a manager that doesn't enforce foreign keys doesn't check them")
    func notEnforced() throws {
        var configuration = DatabaseConfiguration()
        configuration.foreignKeys = false
        let manager = try PersistenceManager(.memory, configuration: configuration, migrations: [schema])
        try manager.migrate([schema, Migration(2, sql: "DELETE FROM ALBUM WHERE ID = 2")])
        #expect(try manager.rowCount("ALBUM") == 1)
        #expect(try manager.database.withoutTransaction { try $0.pragma("foreign_keys", as: Int.self) } == 0)
    }
}
