import Foundation
import PersistingDiagnostics
import SQLiteKit

/// A file with a record collection in which nothing is wrong.
struct CollectionFile {
    static let script = """
        CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT NOT NULL, born DATE);
        CREATE TABLE album (id INTEGER PRIMARY KEY, title TEXT NOT NULL, artist_id INTEGER REFERENCES artist,
            year INTEGER CHECK (year > 0), note TEXT, released DATETIME, price REAL, is_new BOOLEAN);
        CREATE INDEX album_artist ON album (artist_id);
        CREATE INDEX album_year ON album (year);
        CREATE TABLE track (album_id INTEGER NOT NULL REFERENCES album ON DELETE CASCADE, number INTEGER NOT NULL,
            title TEXT, PRIMARY KEY (album_id, number)) WITHOUT ROWID;
        CREATE VIRTUAL TABLE album_search USING fts5(title, content='album', content_rowid='id');
        CREATE TRIGGER album_in AFTER INSERT ON album BEGIN
            INSERT INTO album_search (rowid, title) VALUES (new.id, new.title);
        END;
        CREATE VIEW titles AS SELECT title, name FROM album JOIN artist ON artist.id = artist_id;
        WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
            INSERT INTO artist SELECT i, 'artist ' || i, date('1950-01-01', i || ' days') FROM n;
        WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
            INSERT INTO album SELECT i, 'album ' || i, i % 20 + 1, 1960 + i % 7, NULL,
                datetime('1960-01-01', i || ' days'), i + 0.5, i % 2 FROM n;
        INSERT INTO track SELECT id, 1, 'first' FROM album;
        """

    let directory: TemporaryDirectory
    let path: String

    init(_ script: String = Self.script) throws {
        directory = try TemporaryDirectory()
        path = directory.path("collection.sqlite")
        try change { db in try db.executeScript(SQL(script)) }
    }

    /// Changes the file as another program would.
    func change(_ body: (Database) throws -> Void) throws {
        var configuration = DatabaseConfiguration()
        configuration.foreignKeys = false
        configuration.journalMode = .delete
        let queue = try DatabaseQueue(.file(path), configuration: configuration)
        try queue.withoutTransaction(body)
        try queue.close()
    }

    /// What a doctor finds.
    func findings() throws -> [FileFinding] { try FileDoctor(path: path).examine() }
}
