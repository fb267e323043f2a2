import Foundation
import SQLiteKit
import Testing

/// Each word of a text, in small letters, without what follows an apostrophe.
private func words(_ text: String, _ emit: borrowing FTS5TokenSink) throws {
    for word in text.split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
        try emit(word.lowercased(), word.startIndex..<word.endIndex)
    }
}

/// Counts its objects.
private final class Counter: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var number = 0  // guarded by `lock`
    var count: Int { lock.withLock { number } }
    func add(_ change: Int) { lock.withLock { number += change } }
}

private final class Counted: FTS5Tokenizer {
    let counter: Counter
    let arguments: [String]

    init(_ counter: Counter, _ arguments: [String] = []) {
        (self.counter, self.arguments) = (counter, arguments)
        counter.add(1)
    }

    deinit { counter.add(-1) }

    func tokenize(_ text: String, _ emit: borrowing FTS5TokenSink) throws {
        let separators = arguments.joined()
        for word in text.split(whereSeparator: { separators.contains($0) }) {
            try emit(word, word.startIndex..<word.endIndex)
        }
    }
}

// K31
@Suite("Tokenizers in Swift") struct TokenizerTests {
    private func rowIDs(_ db: Database, _ query: String, in table: String = "note") throws -> [Int64] {
        try db.column(
            "SELECT rowid FROM \(identifier: table) WHERE \(identifier: table) MATCH \(query) ORDER BY rowid",
            as: Int64.self)
    }

    @Test("make the words of documents and queries, where highlight and snippet mark them") func closure() throws {
        let db = try memory("")
        try db.addTokenizer("words") { text, emit in try words(text, emit) }
        try db.executeScript(
            """
            CREATE VIRTUAL TABLE note USING fts5 (body, tokenize = 'words');
            INSERT INTO note VALUES ('Ärger, 東京 and 👩‍👩‍👧 Straße'), ('nothing'), (''), (NULL), ('a' || char(0) || 'b');
            """)
        #expect(try rowIDs(db, "\"ÄRGER\"") == [1])
        #expect(try rowIDs(db, "\"東京\" AND strasse") == [])
        #expect(try rowIDs(db, "not*") == [2])
        let marked = try db.scalar(
            "SELECT highlight(note, 0, '[', ']') FROM note WHERE note MATCH '\"東京\" \"straße\"'", as: String.self)
        #expect(marked == "Ärger, [東京] and 👩‍👩‍👧 [Straße]")
        try db.execute("DELETE FROM note WHERE rowid = 1")
        #expect(try rowIDs(db, "and") == [])
        try db.execute("INSERT INTO note(note, rank) VALUES ('integrity-check', 1)")
    }

    @Test("know what the words are for, and emit synonyms in one place") func reasons() throws {
        let log = ReasonLog()
        let db = try memory("")
        try db.addTokenizer("synonyms") { text, emit in
            log.note(emit.reason)
            for word in text.split(separator: " ") {
                try emit(word, word.startIndex..<word.endIndex)
                if emit.reason != .query && emit.reason != .prefixQuery, word == "first" {
                    try emit("1st", word.startIndex..<word.endIndex, isColocated: true)
                }
            }
        }
        try db.executeScript(
            """
            CREATE VIRTUAL TABLE note USING fts5 (body, tokenize = 'synonyms');
            INSERT INTO note VALUES ('the first word');
            """)
        #expect(log.reasons == [.document])
        #expect(try rowIDs(db, "1st") == [1])
        #expect(log.reasons.last == .query)
        #expect(try rowIDs(db, "wor*") == [1])
        #expect(log.reasons.last == .prefixQuery)
        #expect(try rowIDs(db, "\"the 1st word\"") == [1])
        #expect(try rowIDs(db, "\"the first word\"") == [1])
        #expect(
            try db.scalar("SELECT highlight(note, 0, '[', ']') FROM note WHERE note MATCH '1st'", as: String.self)
                == "the [first] word")
        #expect(log.reasons.last == .auxiliary)
    }

    @Test("fail the statement with the message of what they throw") func failures() throws {
        struct Refused: LocalizedError { var errorDescription: String? { "no such words" } }
        let db = try memory("")
        try db.addTokenizer("picky") { text, emit in
            if text.contains("bad") { throw Refused() }
            try words(text, emit)
        }
        try db.execute("CREATE VIRTUAL TABLE note USING fts5 (body, tokenize = 'picky')")
        for sql in ["INSERT INTO note VALUES ('bad')", "SELECT rowid FROM note WHERE note MATCH 'bad'"] {
            let error = failure { try db.execute(SQL(sql)) }
            #expect(error?.extendedCode == .tokenizerFailed)
            #expect(error?.message == "the tokenizer failed: no such words")
        }
        try db.execute("INSERT INTO note VALUES ('good')")
        #expect(try rowIDs(db, "good") == [1])
        let other = failure { try db.execute("SELECT nothing") }
        #expect(other?.message.contains("tokenizer") == false)
    }

    @Test("fail as FTS5 does, whatever they make of its error") func swallowed() throws {
        let db = try memory("")
        try db.addTokenizer("deaf") { text, emit in
            for word in text.split(separator: " ") { try? emit(word, word.startIndex..<word.endIndex) }
        }
        try db.execute("CREATE VIRTUAL TABLE note USING fts5 (body, tokenize = 'deaf')")
        try db.execute("INSERT INTO note VALUES ('a b')")
        #expect(try rowIDs(db, "\"a b\"") == [1])
    }

    @Test("are made with their arguments, for each table, and released") func lifetime() throws {
        let counter = Counter()
        do {
            let db = try memory("")
            try db.addTokenizer("split") { arguments in
                guard arguments != ["none"] else { throw SQLiteError(.misuse, "no separators") }
                return Counted(counter, arguments)
            }
            try db.execute("CREATE VIRTUAL TABLE note USING fts5 (body, tokenize = \"split '-' '+'\")")
            try db.execute("CREATE VIRTUAL TABLE other USING fts5 (body, tokenize = \"porter split '-'\")")
            try db.execute("INSERT INTO note VALUES ('a-b+c')")
            try db.execute("INSERT INTO other VALUES ('sailing-b+c')")
            #expect(try rowIDs(db, "c") == [1])
            #expect(try rowIDs(db, "sails", in: "other") == [1])
            #expect(counter.count >= 2)
            let error = failure {
                try db.execute("CREATE VIRTUAL TABLE third USING fts5 (body, tokenize = 'split none')")
            }
            #expect(error?.message.contains("tokenizer") == true)
            try db.execute("DROP TABLE other")
            try db.close()
        }
        #expect(counter.count == 0)
    }

    @Test("release what closures hold when the connection is closed") func released() throws {
        let counter = Counter()
        do {
            let held = Counted(counter)
            let db = try memory("")
            try db.addTokenizer("one") { [counter = held.counter] text, emit in
                counter.add(0)
                try words(text, emit)
            }
            nonisolated(unsafe) let kept = held
            try db.addAuxiliaryFunction("two") { _, _ in kept.counter.count }
        }
        #expect(counter.count == 0)
    }

    @Test("that a connection doesn't have are named, with what to do") func missing() throws {
        let directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration()
        configuration.prepare = { db in try db.addTokenizer("words") { text, emit in try words(text, emit) } }
        do {
            let db = try Database(directory.file(), configuration: configuration)
            try db.executeScript(
                "CREATE VIRTUAL TABLE note USING fts5 (body, tokenize = 'words'); INSERT INTO note VALUES ('a')")
        }
        let db = try Database(directory.file())
        for sql in ["SELECT * FROM note WHERE note MATCH 'a'", "INSERT INTO note VALUES ('b')"] {
            let error = failure { try db.execute(SQL(sql)) }
            #expect(error?.message.hasPrefix("no such tokenizer: words: add it") == true)
        }
        try db.addTokenizer("words") { text, emit in try words(text, emit) }
        #expect(try rowIDs(db, "a") == [1])
    }

    @Test("are there on each connection of a pool that prepares them") func pool() async throws {
        let directory = try TemporaryDirectory()
        var configuration = DatabaseConfiguration()
        configuration.prepare = { db in
            try db.addTokenizer("words") { text, emit in try words(text, emit) }
            try db.addAuxiliaryFunction("places") { row, _ in try row.instances().count }
        }
        let pool = try DatabasePool(directory.file(), configuration: configuration)
        try await pool.write { db in
            try db.execute("CREATE VIRTUAL TABLE note USING fts5 (body, tokenize = 'words')")
            try db.execute("INSERT INTO note VALUES ('sea and sea')")
        }
        try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await pool.read { db in
                        try db.scalar("SELECT places(note) FROM note WHERE note MATCH 'sea'", as: Int.self)
                    }
                }
            }
            for try await count in group { #expect(count == 2) }
        }
    }

    @Test("survive texts that aren't UTF-8 and ranges of other texts") func invalid() throws {
        let db = try memory("")
        try db.addTokenizer("odd") { text, emit in
            let other = String(repeating: "x", count: 99)
            try emit("", text.startIndex..<text.endIndex)
            try emit("word", other.startIndex..<other.endIndex, isColocated: true)
            try emit(String(repeating: "long", count: 20_000), text.startIndex..<text.startIndex)
        }
        try db.execute("CREATE VIRTUAL TABLE note USING fts5 (body, tokenize = 'odd')")
        try db.execute("INSERT INTO note VALUES (CAST(x'61FF62' AS TEXT)), ('plain')")
        let marked = try db.column(
            "SELECT CAST(highlight(note, 0, '[', ']') AS BLOB) FROM note WHERE note MATCH 'word'", as: Data.self)
        #expect(marked.count == 2)
        try db.execute("DELETE FROM note")
        try db.execute("INSERT INTO note(note, rank) VALUES ('integrity-check', 1)")
    }

    @Test("need a name") func names() throws {
        let db = try memory("")
        for name in ["", "a\0b", String(repeating: "x", count: 256)] {
            #expect(throws: SQLiteError.self) { try db.addTokenizer(name) { _, _ in } }
            #expect(throws: SQLiteError.self) { try db.addAuxiliaryFunction(name) { _, _ in nil } }
        }
    }

    @Test("Auxiliary functions know the row, the table and the query") func auxiliary() throws {
        let db = try memory(
            """
            CREATE VIRTUAL TABLE note USING fts5 (title, body);
            INSERT INTO note VALUES ('wind', 'the wind and the sea'), ('sea', 'calm'), ('other', 'words');
            """)
        let made = Counter()
        try db.addAuxiliaryFunction("facts") { row, arguments in
            let rows = try row.kept {
                made.add(1)
                return try (0..<row.phraseCount).map { try row.rowCount(withPhrase: $0) }
            }
            let places = try row.instances().map { "\($0.phrase).\($0.column).\($0.offset)" }
            let suffix: String = arguments.count > 0 ? try arguments[0] : ""
            return "\(row.rowID) \(row.columnCount) \(rows) \(row.wordCount(ofPhrase: 0)) \(try row.rowCount()) "
                + "\(try row.wordCount()) \(try row.wordCount(ofColumn: 1)) \(try row.totalWordCount()) "
                + "\(try row.totalWordCount(ofColumn: 0)) \(try row.text(ofColumn: 0)) \(places)\(suffix)"
        }
        let facts = try db.column("SELECT facts(note, '!') FROM note WHERE note MATCH 'wind OR sea'", as: String.self)
        #expect(
            facts == [
                "1 2 [1, 2] 1 3 6 5 10 3 wind [\"0.0.0\", \"0.1.1\", \"1.1.4\"]!",
                "2 2 [1, 2] 1 3 2 1 10 3 sea [\"1.0.0\"]!",
            ])
        #expect(made.count == 1)
        try db.addAuxiliaryFunction("beyond") { row, _ in
            if row.rowID == 1 { return try row.text(ofColumn: 7) }
            return try row.rowCount(withPhrase: 9)
        }
        for title in ["wind", "calm"] {
            let error = failure {
                try db.column("SELECT beyond(note) FROM note WHERE note MATCH \(title)", as: String.self)
            }
            #expect(error?.code == .range)
        }
        let order = try db.column(
            "SELECT rowid FROM note WHERE note MATCH 'wind OR sea' AND rank MATCH 'facts()' ORDER BY rank DESC",
            as: Int64.self)
        #expect(order == [2, 1])
    }
}

private final class ReasonLog: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var noted: [FTS5TokenReason] = []  // guarded by `lock`
    var reasons: [FTS5TokenReason] { lock.withLock { noted } }
    func note(_ reason: FTS5TokenReason) { lock.withLock { noted.append(reason) } }
}
