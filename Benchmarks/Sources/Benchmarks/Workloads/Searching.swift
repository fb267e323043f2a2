import Foundation
import GRDB
import Persisting

/// Row 22: full-text search.
enum Searching {
    /// New objects into an indexed class, in one transaction.
    static func inserting(_ options: Options) throws -> Workload {
        let count = options.size(50_000)
        let notes = (1...count).map(SearchNote.sample)
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: SearchNote.self)
        let floor = try FloorConnection()
        for sql in try manager.searchSchema() { try floor.execute(sql) }
        let documented = try FloorConnection()
        try documented.execute(SearchNote.documented)
        let peer = try Peer.database()
        try peer.write { db in
            try db.execute(sql: SearchNote.create)
            try db.create(virtualTable: "SEARCH_NOTE_text", using: FTS5()) { table in
                table.synchronize(withTable: "SEARCH_NOTE")
                table.column("TITLE")
                table.column("BODY")
            }
        }
        let found = "SELECT count(*) FROM SEARCH_NOTE_text WHERE SEARCH_NOTE_text MATCH 'word7'"

        func byHand(_ db: FloorConnection, _ stopwatch: inout Stopwatch) throws -> Checksum {
            try db.execute("DELETE FROM SEARCH_NOTE")
            let copies = notes.map(SearchNote.init)
            try stopwatch.measure {
                try db.transaction {
                    let statement = try db.prepare("INSERT INTO SEARCH_NOTE (TITLE, BODY) VALUES (?, ?)")
                    defer { statement.finalize() }
                    for note in copies {
                        try statement.bind(note.title, 1)
                        try statement.bind(note.body, 2)
                        try statement.run()
                        note.id = db.lastInsertRowID
                    }
                }
            }
            return try db.checksum(found)
        }
        func ours(_ stopwatch: inout Stopwatch, _ insert: ([SearchNote]) throws -> Void) throws -> Checksum {
            try manager.deleteAll(SearchNote.self)
            let copies = notes.map(SearchNote.init)
            try stopwatch.measure { try insert(copies) }
            return try manager.database.checksum(found)
        }
        return Workload(
            row: "22", name: "insert \(count.grouped) searched objects", operations: count,
            contenders: [
                Contender(name: "floor") { stopwatch in try byHand(floor, &stopwatch) },
                Contender(name: "documented triggers") { stopwatch in try byHand(documented, &stopwatch) },
                Contender(name: "one by one") { stopwatch in
                    try ours(&stopwatch) { notes in
                        try manager.transaction { for note in notes { try manager.insert(note) } }
                    }
                },
                Contender(name: "batch") { stopwatch in try ours(&stopwatch) { try manager.insert($0) } },
                Contender(name: "GRDB insert") { stopwatch in
                    try peer.write { try $0.execute(sql: "DELETE FROM SEARCH_NOTE") }
                    var records = notes.map { SearchNoteRecord(title: $0.title, body: $0.body) }
                    try stopwatch.measure {
                        try peer.write { db in
                            for index in records.indices { try records[index].insert(db) }
                        }
                    }
                    return try peer.checksum(found)
                },
            ],
            comparisons: [
                Comparison(
                    name: "one by one", subject: "one by one", limit: .ratio(1.05),
                    peers: [.init(contender: "GRDB insert"), .init(contender: "documented triggers")]),
                Comparison(name: "batch", subject: "batch", limit: .ratio(1.05)),
            ])
    }

    /// A file of rows into an indexed class that is empty. By hand, the index is filled when all rows are in.
    static func importing(_ options: Options) throws -> Workload {
        let count = options.size(50_000)
        let notes = (1...count).map(SearchNote.sample)
        let csv = Data(("title,body\n" + notes.map { "\($0.title),\($0.body)\n" }.joined()).utf8)
        let manager = try PersistenceManager(.memory)
        try manager.createTableIfNecessary(for: SearchNote.self)
        let floor = try FloorConnection()
        for sql in try manager.searchSchema() where !sql.contains("TRIGGER") { try floor.execute(sql) }
        let found = "SELECT count(*) FROM SEARCH_NOTE_text WHERE SEARCH_NOTE_text MATCH 'word7'"
        return Workload(
            row: "22", name: "import \(count.grouped) searched rows", operations: count,
            contenders: [
                Contender(name: "floor") { stopwatch in
                    try floor.execute("DELETE FROM SEARCH_NOTE")
                    try stopwatch.measure {
                        try floor.transaction {
                            let statement = try floor.prepare("INSERT INTO SEARCH_NOTE (TITLE, BODY) VALUES (?, ?)")
                            defer { statement.finalize() }
                            for note in notes {
                                try statement.bind(note.title, 1)
                                try statement.bind(note.body, 2)
                                try statement.run()
                            }
                            try floor.execute("INSERT INTO SEARCH_NOTE_text (SEARCH_NOTE_text) VALUES ('rebuild')")
                        }
                    }
                    return try floor.checksum(found)
                },
                Contender(name: "importCSV") { stopwatch in
                    try manager.deleteAll(SearchNote.self)
                    _ = try stopwatch.measure { try manager.importCSV(SearchNote.self, contentsOf: csv) }
                    return try manager.database.checksum(found)
                },
            ],
            comparisons: [Comparison(name: "", subject: "importCSV")])
    }

    /// The best twenty of the rows that a word is in: a hundredth of all.
    static func pages(_ options: Options) throws -> Workload {
        let (floor, manager, count) = try filled(options)
        let query = SearchNote.where(SearchNote.text.matches("word7", mode: .allWords)).sorted(by: SearchNote.text.rank)
        let first = try manager.fetchPage(query, limit: 20)
        // Many rows fit equally well, so that only their number is certain.
        func sum(_ notes: [SearchNote]) -> Checksum {
            var sum = Checksum()
            sum.add(notes.count)
            return sum
        }
        return Workload(
            row: "22", name: "the best 20 among \(count.grouped)", operations: 1,
            contenders: [
                Contender(name: "floor") { stopwatch in sum(try stopwatch.measure { try floor.bestNotes() }.map(\.note))
                },
                Contender(name: "fetch") { stopwatch in
                    sum(try stopwatch.measure { try manager.fetchAll(query.limit(20)) })
                },
                Contender(name: "page") { stopwatch in
                    sum(try stopwatch.measure { try manager.fetchPage(query, limit: 20) })
                },
                Contender(name: "next page") { stopwatch in
                    sum(try stopwatch.measure { try manager.fetchPage(query, after: first.last, limit: 20) })
                },
            ],
            comparisons: [
                Comparison(name: "fetch", subject: "fetch", limit: .ratio(1.1)),
                Comparison(name: "page", subject: "page", limit: .ratio(1.1)),
                Comparison(name: "next page", subject: "next page"),
            ])
    }

    /// The same with snippets.
    static func hits(_ options: Options) throws -> Workload {
        let (floor, manager, count) = try filled(options)
        let query = SearchNote.where(SearchNote.text.matches("word7", mode: .allWords)).limit(20)
        func sum(_ excerpts: [String?]) -> Checksum {
            var sum = Checksum()
            sum.add(excerpts.compactMap(\.self).count { $0.contains("<word7>") })
            return sum
        }
        return Workload(
            row: "22", name: "20 hits with snippets among \(count.grouped)", operations: 1,
            contenders: [
                Contender(name: "floor") { stopwatch in
                    sum(try stopwatch.measure { try floor.bestNotes(hasSnippets: true) }.map(\.excerpt))
                },
                Contender(name: "hits") { stopwatch in
                    let hits = try stopwatch.measure {
                        try manager.hits(query, excerpt: .init(\.body, words: 8, from: "<", to: ">"))
                    }
                    return sum(hits.map(\.excerpt))
                },
            ],
            comparisons: [Comparison(name: "", subject: "hits", limit: .ratio(1.15))])
    }

    private static func filled(_ options: Options) throws -> (FloorConnection, PersistenceManager, Int) {
        let count = options.size(1_000_000)
        let manager = try PersistenceManager(.memory)
        try manager.execute(SQL(SearchNote.create))
        try manager.execute(SQL(SearchNote.fill(count)))
        try manager.updateSchema(for: [SearchNote.self])
        let floor = try FloorConnection()
        try floor.execute(SearchNote.create)
        try floor.execute(SearchNote.fill(count))
        for sql in try manager.searchSchema().dropFirst() { try floor.execute(sql) }
        try floor.execute("INSERT INTO SEARCH_NOTE_text (SEARCH_NOTE_text) VALUES ('rebuild')")
        return (floor, manager, count)
    }
}

final class SearchNote: PersistingModel {
    var id: Int64?
    var title = ""
    var body = ""

    convenience init(_ other: SearchNote) {
        self.init()
        (title, body) = (other.title, other.body)
    }

    static let text = FullTextIndex(\SearchNote.title, \SearchNote.body)
    override class var fullTextIndexes: FullTextIndexes { ["text": text] }

    static func sample(_ number: Int) -> SearchNote {
        let note = SearchNote()
        note.title = "Note \(number)"
        note.body = (0..<12).map { "word\((number + $0 * $0 * 7919) % 1000)" }.joined(separator: " ")
        return note
    }

    static let create =
        "CREATE TABLE SEARCH_NOTE (ID INTEGER PRIMARY KEY, TITLE TEXT NOT NULL DEFAULT '', BODY TEXT NOT NULL DEFAULT '')"

    /// A word of a hundred is in each row.
    static func fill(_ count: Int) -> String {
        let words = (0..<9).map { "'word' || (i + \($0 * $0 * 31)) % 900" }.joined(separator: " || ' ' || ")
        return """
            WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO SEARCH_NOTE SELECT i, 'Note ' || i, \(words) FROM n
            """
    }

    /// The triggers of SQLite's documentation, which REPLACE leaves behind.
    static let documented = """
        \(create);
        CREATE VIRTUAL TABLE SEARCH_NOTE_text USING fts5(
            TITLE, BODY, content='SEARCH_NOTE', content_rowid='ID', tokenize="unicode61 remove_diacritics 2");
        CREATE TRIGGER inserted AFTER INSERT ON SEARCH_NOTE BEGIN
            INSERT INTO SEARCH_NOTE_text (rowid, TITLE, BODY) VALUES (new.ID, new.TITLE, new.BODY);
        END;
        CREATE TRIGGER deleted AFTER DELETE ON SEARCH_NOTE BEGIN
            INSERT INTO SEARCH_NOTE_text (SEARCH_NOTE_text, rowid, TITLE, BODY)
                VALUES ('delete', old.ID, old.TITLE, old.BODY);
        END;
        """
}

struct SearchNoteRecord: Codable, MutablePersistableRecord {
    static let databaseTableName = "SEARCH_NOTE"
    var id: Int64?
    var title: String
    var body: String

    enum CodingKeys: String, CodingKey { case id = "ID", title = "TITLE", body = "BODY" }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

extension PersistenceManager {
    /// The statements that make the class's table and its index, with the triggers, as the library has made them.
    fileprivate func searchSchema() throws -> [String] {
        try database.read { db in
            try db.column(
                """
                SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND tbl_name LIKE 'SEARCH_NOTE%'
                AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow') ORDER BY rowid
                """, as: String.self)
        }
    }
}

extension FloorConnection {
    /// The best twenty that a word is in.
    fileprivate func bestNotes(hasSnippets: Bool = false) throws -> [(note: SearchNote, excerpt: String?)] {
        let snippet = hasSnippets ? ", snippet(SEARCH_NOTE_text, 1, '<', '>', '…', 8)" : ""
        let statement = try prepare(
            """
            SELECT SEARCH_NOTE.ID, SEARCH_NOTE.TITLE, SEARCH_NOTE.BODY, rank\(snippet)
            FROM SEARCH_NOTE_text JOIN SEARCH_NOTE ON SEARCH_NOTE.ID = SEARCH_NOTE_text.rowid
            WHERE SEARCH_NOTE_text MATCH ? ORDER BY rank LIMIT 20
            """)
        defer { statement.finalize() }
        try statement.bind("word7", 1)
        var notes: [(note: SearchNote, excerpt: String?)] = []
        while try statement.step() {
            let note = SearchNote()
            note.id = statement.int64(0)
            note.title = try statement.text(1) ?? ""
            note.body = try statement.text(2) ?? ""
            notes.append((note, hasSnippets ? try statement.text(4) : nil))
        }
        return notes
    }
}
