import Testing

/// A file in which nothing is wrong, though something looks so.
struct SoundFile: CustomTestStringConvertible, Sendable {
    let name: String
    let script: String

    var testDescription: String { name }

    static let all: [SoundFile] = [
        SoundFile(name: "a collection", script: CollectionFile.script),
        SoundFile(name: "no tables", script: "PRAGMA user_version = 3"),
        SoundFile(
            name: "a strict table of any values",
            script:
                """
                CREATE TABLE s (a INTEGER PRIMARY KEY, b ANY) STRICT;
                INSERT INTO s VALUES (1, 'x'), (2, x'00'), (3, 1.5)
                """
        ),
        SoundFile(
            name: "columns without types",
            script: "CREATE TABLE t (a, b, at); INSERT INTO t VALUES (1, 'x', 'soon'), (x'00', 2.5, 'later')"),
        SoundFile(
            name: "points and intervals, whose names have INT in them",
            script: "CREATE TABLE t (a POINT, b INTERVAL); INSERT INTO t VALUES (x'4750', '3 days')"),
        SoundFile(
            name: "keys that other indexes and keys serve",
            script: """
                CREATE TABLE a (x INTEGER, y INTEGER, PRIMARY KEY (x, y));
                CREATE TABLE b (x INTEGER, y INTEGER, z INTEGER, FOREIGN KEY (x, y) REFERENCES a, UNIQUE (y, x, z));
                CREATE TABLE c (id INTEGER PRIMARY KEY REFERENCES d (n), up INTEGER UNIQUE REFERENCES c);
                CREATE TABLE d (n INTEGER UNIQUE);
                INSERT INTO a VALUES (1, 1); INSERT INTO b VALUES (1, 1, 1), (NULL, 9, 2), (9, NULL, 3)
                """),
        SoundFile(
            name: "dates with and without fractions, and none",
            script: """
                CREATE TABLE t (id INTEGER PRIMARY KEY, at DATETIME, day DATE, n TIMESTAMP);
                INSERT INTO t VALUES (1, '2024-05-01 13:45:00', '2024-05-01', 1714521600),
                    (2, '2024-05-01 13:45:00.250000', NULL, 1714521600.25), (3, NULL, '1999-12-31', 0)
                """),
        SoundFile(
            name: "full-text indexes with texts of their own, and without any",
            script: """
                CREATE VIRTUAL TABLE own USING fts5(a); INSERT INTO own VALUES ('one two');
                CREATE VIRTUAL TABLE none USING fts5(a, content=''); INSERT INTO none (rowid, a) VALUES (1, 'three');
                CREATE VIRTUAL TABLE old USING fts4(a); INSERT INTO old VALUES ('four')
                """),
        SoundFile(
            name: "indexes that look alike",
            script: """
                CREATE TABLE t (a TEXT, b TEXT UNIQUE);
                CREATE INDEX t_a ON t (a); CREATE INDEX t_a_down ON t (a DESC);
                CREATE INDEX t_a_case ON t (a COLLATE NOCASE);
                CREATE INDEX t_a_part ON t (a) WHERE b > 'x'; CREATE INDEX t_lower ON t (lower(a));
                CREATE INDEX t_upper ON t (upper(a))
                """),
        SoundFile(
            name: "names with quotes, and columns that SQLite computes",
            script: #"""
                CREATE TABLE "a ""b""" ("c d" INTEGER PRIMARY KEY, "e'" INTEGER AS ("c d" * 2), "select" TEXT);
                INSERT INTO "a ""b""" ("c d", "select") VALUES (1, 'x');
                CREATE VIEW "v w" AS SELECT "e'" FROM "a ""b"""
                """#),
        SoundFile(
            name: "statistics of a table with many rows",
            script: """
                CREATE TABLE plays (id INTEGER PRIMARY KEY, n INTEGER); CREATE INDEX plays_n ON plays (n);
                WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
                    INSERT INTO plays SELECT i, i FROM n;
                ANALYZE
                """),
        SoundFile(
            name: "a view with a function of another program",
            script: "CREATE TABLE t (a); CREATE VIEW v AS SELECT function_of_theirs(a) FROM t"),
    ]
}
