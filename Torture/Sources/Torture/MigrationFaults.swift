import Faults
import Foundation
import Persisting
import SQLiteKit

/// R14: migrations while calls fail, the power is cut, and the process is killed. A file has always a version and the
/// schema and rows that belong to it, and the next run brings it up to date.
enum MigrationFaults {
    static func run(_ options: Options) throws -> [Figures] {
        var all: [Figures] = []
        let states = try States()
        let directory = try CaseDirectory(States.prepare)
        for mode in [JournalMode.wal, .delete] {
            var errors = Figures("R14 \(mode.rawValue), migrations, I/O errors")
            for isPersistent in [false, true] {
                var nth = 1
                while try fail(mode, nth, isPersistent, directory, states, &errors) { nth += options.isQuick ? 9 : 1 }
            }
            var cuts = Figures("R14 \(mode.rawValue), migrations, power cuts")
            for seed in options.seed..<options.seed + UInt64(options.count(long: 40, full: 8, quick: 1)) {
                var nth = 1
                while try cut(mode, nth, seed, directory, states, &cuts) { nth += options.isQuick ? 4 : 1 }
            }
            var kills = Figures("R14 \(mode.rawValue), migrations, kill -9")
            var random = SeededGenerator(seed: options.seed)
            for _ in 0..<options.count(long: 2_000, full: 100, quick: 5) {
                try kill(mode, after: Int.random(in: 0...12_000, using: &random), directory, states, &kills)
            }
            all += [errors, cuts, kills]
        }
        return all
    }

    private static func fail(
        _ mode: JournalMode, _ nth: Int, _ isPersistent: Bool, _ directory: CaseDirectory, _ states: States,
        _ figures: inout Figures
    ) throws -> Bool {
        try directory.reset(mode)
        let vfs = try FaultyVFS()
        vfs.trackDisk()
        vfs.fail(.all, at: nth, isPersistent: isPersistent, isTorn: nth.isMultiple(of: 2))
        let answer = migrate(directory.path, mode, vfs)
        guard vfs.failNone() > 0 else { return false }
        figures.add(states.audit(directory.path, answer), "call \(nth)\(isPersistent ? " and on" : "")")
        return true
    }

    private static func cut(
        _ mode: JournalMode, _ nth: Int, _ seed: UInt64, _ directory: CaseDirectory, _ states: States,
        _ figures: inout Figures
    ) throws -> Bool {
        try directory.reset(mode)
        let vfs = try FaultyVFS()
        vfs.trackDisk()
        vfs.cutPower(at: nth)
        let answer = migrate(directory.path, mode, vfs)
        guard vfs.isOff else { return false }
        try vfs.restorePower(seed: seed &* 1_000_003 &+ UInt64(nth))
        figures.add(states.audit(directory.path, answer), "seed \(seed), change \(nth)")
        return true
    }

    private static func kill(
        _ mode: JournalMode, after microseconds: Int, _ directory: CaseDirectory, _ states: States,
        _ figures: inout Figures
    ) throws {
        try directory.reset(mode)
        let child = try Child(["migrate", directory.path, mode.rawValue])
        try child.waitForBeginning()
        usleep(UInt32(microseconds))
        child.kill()
        let isDone = try !child.end().isEmpty
        figures.add(states.audit(directory.path, isDone ? .applied : .unknown), "after \(microseconds) µs")
    }

    enum Answer { case applied, unknown }

    private static func migrate(_ path: String, _ mode: JournalMode, _ vfs: FaultyVFS) -> Answer {
        var configuration = DatabaseConfiguration()
        configuration.vfs = vfs.name
        if mode != .wal { configuration.journalMode = mode }
        do {
            let manager = try PersistenceManager(path: path, configuration: configuration, migrations: States.list)
            // What fails from here on has no part in it.
            defer { try? manager.close() }
            return .applied
        } catch {
            // Those before the one that failed have been committed.
            return .unknown
        }
    }

    /// The child: migrates a file.
    static func migrate(_ path: String, _ mode: String) throws {
        var configuration = DatabaseConfiguration()
        configuration.journalMode = JournalMode(rawValue: mode)
        Child.Work.say("")
        _ = try PersistenceManager(path: path, configuration: configuration, migrations: States.list)
        Child.Work.say("done")
        while true { pause() }
    }
}

/// What a file holds at each version.
struct States {
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
        try Self.prepare(manager)
        states =
            try [try manager.read(Self.state)]
            + (2...Self.list.count).map { count in
                try manager.migrate(Array(Self.list.prefix(count)))
                return try manager.read(Self.state)
            }
    }

    /// Makes a file of version 1, with rows on several pages.
    static func prepare(_ manager: PersistenceManager) throws {
        try manager.migrate(Array(list.prefix(1)))
        try manager.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
            INSERT INTO ALBUM SELECT i, 'album ' || i || ' ' || hex(zeroblob(20)), 'artist ' || (i % 7) FROM n
            """)
    }

    /// The schema and the rows.
    private static func state(_ db: Database) throws -> String {
        let schema = try db.column(
            "SELECT sql FROM sqlite_schema WHERE tbl_name LIKE 'A%' ORDER BY name", as: String?.self)
        let tables = try db.column(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'A%' ORDER BY name", as: String.self)
        let rows = try tables.map { table in
            try db.rows("SELECT * FROM \(identifier: table) ORDER BY 1").map { "\($0)" }.joined(separator: "\n")
        }
        return (schema.compactMap(\.self) + rows).joined(separator: "\n")
    }

    /// Compares a file with what was said, and brings it up to date.
    func audit(_ path: String, _ answer: MigrationFaults.Answer) -> [Fault] {
        var faults: [Fault] = []
        do {
            let manager = try PersistenceManager(path: path)
            defer { try? manager.close() }
            if try manager.read({ try $0.scalar("PRAGMA integrity_check", as: String.self) }) != "ok" {
                faults.append(Fault(.corrupt, ""))
            }
            let version = try manager.schemaVersion
            if answer == .applied, version != states.count { faults.append(Fault(.lost, "version \(version)")) }
            if try !(1...states.count).contains(version) || manager.read(Self.state) != states[version - 1] {
                faults.append(Fault(.half, "version \(version) has not its schema and rows"))
            }
            try manager.migrate(Self.list)
            if try manager.read(Self.state) != states[states.count - 1] {
                faults.append(Fault(.unusable, "it does not come to the last version"))
            }
        } catch {
            faults.append(Fault(.unusable, "\(error)"))
        }
        return faults
    }
}
