import Persisting
import SQLiteKit

/// What a file holds at each version of its migrations.
struct MigrationStates: SchemaStates {
    let name = "migrations"
    let work = Child.Work.migrate

    static let list = [
        Migration(1, sql: "CREATE TABLE ALBUM (ID INTEGER PRIMARY KEY, TITLE TEXT NOT NULL, ARTIST TEXT)"),
        Migration(2, "years") { manager in
            try manager.execute("ALTER TABLE ALBUM ADD COLUMN YEAR INTEGER NOT NULL DEFAULT 0")
            try manager.execute("UPDATE ALBUM SET YEAR = 1900 + ID")
        },
        Migration(3, "artists of their own") { manager in
            try manager.execute("CREATE TABLE ARTIST (ID INTEGER PRIMARY KEY, NAME TEXT NOT NULL UNIQUE)")
            try manager.execute("INSERT INTO ARTIST (NAME) SELECT DISTINCT ARTIST FROM ALBUM ORDER BY ARTIST")
            try manager.execute(
                """
                CREATE TABLE NEW_ALBUM (ID INTEGER PRIMARY KEY, TITLE TEXT NOT NULL, YEAR INTEGER NOT NULL,
                    ARTIST_ID INTEGER NOT NULL REFERENCES ARTIST)
                """)
            try manager.execute(
                """
                INSERT INTO NEW_ALBUM SELECT A.ID, A.TITLE, A.YEAR, B.ID FROM ALBUM A JOIN ARTIST B ON B.NAME = A.ARTIST
                """)
            try manager.execute("DROP TABLE ALBUM")
            try manager.execute("ALTER TABLE NEW_ALBUM RENAME TO ALBUM")
        },
        Migration(4, sql: "CREATE INDEX ALBUM_YEAR ON ALBUM (YEAR)"),
    ]

    /// Of each version from 1 on.
    private let states: [String]

    init() throws {
        let manager = try PersistenceManager(.memory)
        try Self.fill(manager)
        states =
            try [try manager.read(Self.state)]
            + (2...Self.list.count).map { count in
                try manager.migrate(Array(Self.list.prefix(count)))
                return try manager.read(Self.state)
            }
    }

    /// Makes a file of version 1, with rows on several pages.
    func prepare(_ manager: PersistenceManager) throws { try Self.fill(manager) }

    private static func fill(_ manager: PersistenceManager) throws {
        try manager.migrate(Array(list.prefix(1)))
        try manager.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
            INSERT INTO ALBUM SELECT i, 'album ' || i || ' ' || hex(zeroblob(20)), 'artist ' || (i % 7) FROM n
            """)
    }

    private static func state(_ db: Database) throws -> String { try db.state(of: ["ALBUM", "ARTIST"]) }

    func change(_ path: String, _ configuration: DatabaseConfiguration) throws -> PersistenceManager {
        try PersistenceManager(path: path, configuration: configuration, migrations: Self.list)
    }

    func check(_ manager: PersistenceManager, _ answer: SchemaAnswer) throws -> [Fault] {
        var faults: [Fault] = []
        let version = try manager.schemaVersion
        if answer == .applied, version != states.count { faults.append(Fault(.lost, "version \(version)")) }
        if try !(1...states.count).contains(version) || manager.read(Self.state) != states[version - 1] {
            faults.append(Fault(.half, "version \(version) has not its schema and rows"))
        }
        return faults
    }

    func isLast(_ manager: PersistenceManager) throws -> Bool { try manager.read(Self.state) == states.last }
}
