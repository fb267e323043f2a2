import Foundation
import PersistingDiagnostics
import SQLiteKit
import Testing

/// Something that is made wrong in a sound file.
struct Fault: CustomTestStringConvertible, Sendable {
    let name: String
    let kind: FileFinding.Kind
    /// Whether statements mend it.
    var isMendable = true
    let seed: @Sendable (CollectionFile) throws -> Void

    var testDescription: String { name }

    init(_ name: String, _ kind: FileFinding.Kind, isMendable: Bool = true, _ script: String) {
        self.init(name, kind, isMendable: isMendable) { file in
            try file.change { db in try db.executeScript(SQL(script)) }
        }
    }

    init(
        _ name: String, _ kind: FileFinding.Kind, isMendable: Bool = true,
        seed: @escaping @Sendable (CollectionFile) throws -> Void
    ) {
        (self.name, self.kind, self.isMendable, self.seed) = (name, kind, isMendable, seed)
    }

    /// Declares something else than the file was filled for.
    static func redeclared(_ name: String, _ old: String, _ new: String) -> String {
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(sql, '\(old)', '\(new)') WHERE name = '\(name)';
        PRAGMA writable_schema = OFF
        """
    }

    static let all: [Fault] =
        integrity + references + values + [
            Fault("dates as texts and as seconds", .mixedDates, "UPDATE album SET released = 3600000000 WHERE id < 4"),
            Fault(
                "dates as seconds and as milliseconds", .mixedDates,
                "UPDATE album SET released = CASE WHEN id < 4 THEN 1700000000000 ELSE 1700000000 END"),
            Fault(
                "dates with a blank and with a T", .mixedDates,
                "UPDATE album SET released = replace(released, ' ', 'T') || 'Z' WHERE id < 4"),
            Fault(
                "a full-text index without a row", .searchIndex,
                "DROP TRIGGER album_in; INSERT INTO album (id, title, artist_id) VALUES (99, 'new', 1)"),
            Fault(
                "a full-text index with a former text", .searchIndex, "UPDATE album SET title = 'other' WHERE id = 3"),
            Fault(
                "a full-text index without a table", .searchIndex,
                "CREATE TABLE c (a TEXT); CREATE VIRTUAL TABLE s USING fts5(a, content='c'); DROP TABLE c"),
            Fault(
                "no statistics", .statistics,
                """
                CREATE TABLE plays (id INTEGER PRIMARY KEY, n INTEGER); CREATE INDEX plays_n ON plays (n);
                WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
                    INSERT INTO plays SELECT i, i FROM n
                """),
            Fault(
                "statistics of a small table that has grown", .statistics,
                """
                CREATE TABLE plays (id INTEGER PRIMARY KEY, n INTEGER); CREATE INDEX plays_n ON plays (n);
                INSERT INTO plays VALUES (-1, 0); ANALYZE;
                WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
                    INSERT INTO plays SELECT i, i FROM n
                """),
            Fault(
                "unused pages", .freePages,
                "CREATE TABLE big AS SELECT zeroblob(3000000) AS b; DROP TABLE big"),
            Fault(
                "a view of a table that is gone", .view,
                "CREATE TABLE t (a); CREATE VIEW v AS SELECT a FROM t; DROP TABLE t"),
            Fault("a log that never shrinks", .log) { file in
                try file.change { db in
                    try db.executeScript("PRAGMA page_size = 512; VACUUM; PRAGMA wal_autocheckpoint = 0")
                    try db.setJournalMode(.wal)
                    try db.setKeepsWriteAheadLog(true)
                    try db.executeScript("CREATE TABLE big AS SELECT zeroblob(3000000) AS b")
                }
            },
        ]

    private static let integrity: [Fault] = [
        Fault("an index without its rows", .integrity, redeclared("album_year", "(year)", "(note)")),
        Fault(
            "NULL in a column that is NOT NULL", .integrity, isMendable: false,
            redeclared("album", "note TEXT", "note TEXT NOT NULL")),
        Fault(
            "a row that a CHECK rejects", .integrity, isMendable: false,
            "PRAGMA ignore_check_constraints = ON; UPDATE album SET year = -1 WHERE id = 1"),
        Fault(
            "two rows of a unique index", .integrity, isMendable: false,
            redeclared("album_year", "CREATE INDEX", "CREATE UNIQUE INDEX")),
        Fault(
            "a text in a strict table", .integrity, isMendable: false,
            "CREATE TABLE s (a INTEGER); INSERT INTO s VALUES ('x');" + redeclared("s", "INTEGER)", "INTEGER) STRICT")),
        Fault("a page of other bytes", .integrity, isMendable: false) { file in
            var (page, size) = (0, 0)
            try file.change { db in
                page = try db.scalar("SELECT rootpage FROM sqlite_schema WHERE name = 'album'", as: Int.self) ?? 0
                size = try db.pragma("page_size", as: Int.self) ?? 0
            }
            let handle = try FileHandle(forUpdating: URL(filePath: file.path))
            try handle.seek(toOffset: UInt64((page - 1) * size))
            try handle.write(contentsOf: Data(repeating: 0xFF, count: size))
            try handle.close()
        },
    ]

    private static let references: [Fault] = [
        Fault("a row without a parent", .orphan, "UPDATE album SET artist_id = 999 WHERE id = 5"),
        Fault(
            "a row without a parent that must have one", .orphan, "INSERT INTO track (album_id, number) VALUES (999, 1)"
        ),
        Fault(
            "a row without a parent of two columns", .orphan,
            """
            CREATE TABLE play (id INTEGER PRIMARY KEY, album INTEGER, number INTEGER,
                FOREIGN KEY (album, number) REFERENCES track); CREATE INDEX play_track ON play (album, number);
            INSERT INTO play VALUES (1, 1, 1), (2, 1, NULL), (3, 1, 7)
            """),
        Fault(
            "a key to a table that is gone", .foreignKey, isMendable: false,
            "CREATE TABLE t (a INTEGER PRIMARY KEY REFERENCES gone)"),
        Fault(
            "a key to a column that isn't there", .foreignKey, isMendable: false,
            "CREATE TABLE t (a INTEGER PRIMARY KEY REFERENCES artist (nickname))"),
        Fault(
            "a key to a column that isn't unique", .foreignKey,
            "CREATE TABLE t (a TEXT PRIMARY KEY REFERENCES artist (name))"),
        Fault("a key without an index", .unindexedForeignKey, "DROP INDEX album_artist"),
        Fault("two indexes of one column", .duplicateIndex, "CREATE INDEX again ON album (year)"),
    ]

    private static let values: [Fault] = [
        Fault("a text in a column of integers", .unfitValue, isMendable: false, "UPDATE album SET year = 'old'"),
        Fault("a blob in a column of integers", .unfitValue, isMendable: false, "UPDATE album SET year = x'00'"),
        Fault("a fraction in a column of integers", .unfitValue, isMendable: false, "UPDATE album SET year = 1.5"),
        Fault("an empty text in a column of numbers", .unfitValue, "UPDATE album SET price = '' WHERE id = 1"),
        Fault("a blob in a column of texts", .unfitValue, "UPDATE album SET note = x'41' WHERE id = 1"),
        Fault("a word for a truth value", .unfitValue, "UPDATE album SET is_new = 'True' WHERE id = 1"),
    ]
}
