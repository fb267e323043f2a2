import Foundation
import SQLiteKit
import Testing

@Suite("Full-text search")
struct FullTextTests {
    private let db: Database

    init() throws {
        db = try memory(
            """
            CREATE VIRTUAL TABLE book USING fts5 (title, text);
            INSERT INTO book VALUES
                ('Momo', 'The grey men steal time and time again from the time of others'),
                ('Die unendliche Geschichte', 'Bastian reads, and time stands still'),
                ('Krabat', 'Twelve ravens at the mill of the e-mail NEAR Schwarzkollm'),
                ('Räuber Hotzenplotz', 'Café "Großmutter" AND her coffee mill'),
                ('日本の本', '東京 👩‍👩‍👧');
            """)
    }

    private func titles(_ query: FTS5Query) throws -> [String] {
        try db.column("SELECT title FROM book WHERE book MATCH \(query) ORDER BY rowid", as: String.self)
    }

    // K31
    @Test("rank orders by relevance, and can be read")
    func rank() throws {
        let rows = try db.rows(
            "SELECT title, rank FROM book WHERE book MATCH \(FTS5Query(allWords: "time")) ORDER BY rank")
        #expect(try rows.map { try $0["title"] as String } == ["Momo", "Die unendliche Geschichte"])
        let ranks = try rows.map { try $0["rank"] as Double }
        #expect(ranks[0] < ranks[1])
        let weighted = try db.scalar(
            "SELECT bm25(book, 10.0, 0.5) FROM book WHERE book MATCH 'momo'", as: Double.self)
        #expect(weighted != nil)
    }

    // K31
    @Test("highlight and snippet are columns like any other")
    func highlightAndSnippet() throws {
        let row = try db.rows(
            """
            SELECT highlight(book, 0, '<b>', '</b>') AS title, snippet(book, 1, '[', ']', '…', 4) AS extract
            FROM book WHERE book MATCH \(FTS5Query(anyWord: "momo steal"))
            """)[0]
        #expect(try row["title"] == "<b>Momo</b>")
        let extract: String = try row["extract"]
        #expect(extract.contains("[steal]"))
        #expect(extract.hasSuffix("…"))
    }

    // K31
    @Test("a table of external content follows its table by triggers")
    func externalContent() throws {
        try db.executeScript(
            """
            CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT);
            CREATE VIRTUAL TABLE note_index USING fts5 (body, content='note', content_rowid='id');
            CREATE TRIGGER note_insert AFTER INSERT ON note BEGIN
                INSERT INTO note_index (rowid, body) VALUES (new.id, new.body);
            END;
            CREATE TRIGGER note_delete AFTER DELETE ON note BEGIN
                INSERT INTO note_index (note_index, rowid, body) VALUES ('delete', old.id, old.body);
            END;
            INSERT INTO note VALUES (1, 'buy milk'), (2, 'milk the cow');
            DELETE FROM note WHERE id = 1;
            INSERT INTO note_index (note_index) VALUES ('integrity-check');
            """)
        let found = try db.column(
            "SELECT note.body FROM note_index JOIN note ON id = note_index.rowid WHERE note_index MATCH \(FTS5Query(allWords: "milk"))",
            as: String.self)
        #expect(found == ["milk the cow"])
    }

    // K31
    @Test("all words must be there, in any order and column")
    func allWords() throws {
        #expect(try titles(FTS5Query(allWords: "time GREY momo")) == ["Momo"])
        #expect(try titles(FTS5Query(allWords: "time ravens")) == [])
        #expect(try titles(FTS5Query(allWords: " \t\u{A0}time\nstands\u{3000}")) == ["Die unendliche Geschichte"])
    }

    // K31
    @Test("one word is enough")
    func anyWord() throws {
        #expect(try titles(FTS5Query(anyWord: "grey ravens nonesuch")) == ["Momo", "Krabat"])
    }

    // K31
    @Test("a phrase is found as it stands")
    func phrase() throws {
        #expect(try titles(FTS5Query(phrase: "steal time")) == ["Momo"])
        #expect(try titles(FTS5Query(phrase: "time steal")) == [])
        #expect(try titles(FTS5Query(phrase: "momo the grey")) == [])
    }

    // K31
    @Test("the last word may be the beginning of one, the others not")
    func prefixOfLastWord() throws {
        #expect(try titles(FTS5Query(prefixOfLastWord: "krab")) == ["Krabat"])
        #expect(try titles(FTS5Query(prefixOfLastWord: "twelve rav")) == ["Krabat"])
        #expect(try titles(FTS5Query(prefixOfLastWord: "twel raven")) == [])
        #expect(try titles(FTS5Query(prefixOfLastWord: "rav ")) == ["Krabat"])
        #expect(try titles(FTS5Query(prefixOfLastWord: "")) == [])
    }

    // K31
    @Test(
        "a text without a word matches nothing, and does not throw",
        arguments: [
            "", " ", "\n\t\0", "!?", "\"", "\"\"", "\"\"\"", "*", "^", "-", ":", "()", "+", "{}", "'", "\u{301}", "👩‍👩‍👧",
        ])
    func noWord(_ text: String) throws {
        #expect(try titles(FTS5Query(allWords: text)) == [])
        #expect(try titles(FTS5Query(anyWord: text)) == [])
        #expect(try titles(FTS5Query(phrase: text)) == [])
        #expect(try titles(FTS5Query(prefixOfLastWord: text)) == [])
    }

    // K31
    @Test(
        "what has no word in it is skipped next to a word",
        arguments: ["! momo", "momo \" *", "- momo \0 :", "momo ()"])
    func passedOver(_ text: String) throws {
        #expect(try titles(FTS5Query(allWords: text)) == ["Momo"])
        #expect(try titles(FTS5Query(anyWord: text)) == ["Momo"])
        #expect(try titles(FTS5Query(phrase: text)) == ["Momo"])
    }

    // K31
    @Test(
        "operators are words",
        arguments: [
            "NEAR", "mill NEAR", "NEAR( mill", "near mail", "mill\"", "\"mill NEAR", "^mill e-mail near",
            "mill: near :",
        ])
    func operators(_ text: String) throws {
        #expect(try titles(FTS5Query(allWords: text)).contains("Krabat"))
    }

    // K31
    @Test("NOT, AND and OR exclude and join nothing")
    func words() throws {
        #expect(try titles(FTS5Query(allWords: "momo NOT time")) == [])
        #expect(try titles(FTS5Query(allWords: "momo OR krabat")) == [])
        #expect(try titles(FTS5Query(allWords: "Großmutter AND coffee")) == ["Räuber Hotzenplotz"])
        #expect(try titles(FTS5Query(allWords: "title:momo")) == [])
        #expect(try titles(FTS5Query(allWords: "mom*")) == [])
    }

    // K31
    @Test("the tokenizer decides about case, diacritics and hyphens")
    func tokenizer() throws {
        #expect(try titles(FTS5Query(allWords: "rauber CAFE")) == ["Räuber Hotzenplotz"])
        #expect(try titles(FTS5Query(allWords: "cafe\u{301}")) == ["Räuber Hotzenplotz"])
        #expect(try titles(FTS5Query(allWords: "e-mail")) == ["Krabat"])
        #expect(try titles(FTS5Query(allWords: "mail-e")) == [])
        #expect(try titles(FTS5Query(allWords: "東京")) == ["日本の本"])
        #expect(try titles(FTS5Query(prefixOfLastWord: "日")) == ["日本の本"])
    }

    // K31
    @Test("a query can be a part of a larger one")
    func part() throws {
        let query = FTS5Query(anyWord: "time mill")
        let found = try db.column(
            "SELECT title FROM book WHERE book MATCH \("text : (\(query.text)) NOT title : krabat") ORDER BY rowid",
            as: String.self)
        #expect(found == ["Momo", "Die unendliche Geschichte", "Räuber Hotzenplotz"])
    }

    // K31
    @Test("ten thousand words are a query, and so is a word of a million letters", .oneAtATime)
    func long() throws {
        let words = (0..<10_000).map { "w\($0)" }.joined(separator: " ")
        #expect(try titles(FTS5Query(anyWord: words + " momo")) == ["Momo"])
        #expect(try titles(FTS5Query(allWords: words)) == [])
        #expect(try titles(FTS5Query(phrase: words)) == [])
        #expect(try titles(FTS5Query(prefixOfLastWord: String(repeating: "x", count: 1_000_000))) == [])
    }

    // K31
    @Test("a query is bound and not read")
    func notRead() {
        #expect(failure { try read("'x'", as: FTS5Query.self) }?.extendedCode == .typeMismatch)
    }

    // K31
    @Test(
        "no text makes an invalid query, and a text is found by its own words", .oneAtATime,
        arguments: ["unicode61", "ascii", "porter unicode61", "trigram"])
    func anyText(_ tokenizer: String) throws {
        var random = SeededGenerator()
        let db = try memory(
            """
            CREATE VIRTUAL TABLE t USING fts5 (a, title, tokenize = '\(tokenizer)');
            CREATE VIRTUAL TABLE words USING fts5vocab ('t', 'row');
            """)
        let isFound = try db.prepare("SELECT count(*) FROM t WHERE t MATCH ?")
        for _ in 0..<2000 {
            let text = hostileText(&random)
            try db.execute("DELETE FROM t")
            try db.execute("INSERT INTO t VALUES (?, '')", [text])
            let hasWords = try db.scalar("SELECT count(*) FROM words", as: Int.self) != 0
            let queries = [
                FTS5Query(allWords: text), FTS5Query(anyWord: text), FTS5Query(phrase: text),
                FTS5Query(prefixOfLastWord: text),
            ]
            for query in queries {
                let rows = try isFound.query([query])
                let count: Int = try rows.next()?[0] ?? -1
                // To `ascii` and `trigram` a blank between words may be a letter of one.
                let isExact = tokenizer.hasSuffix("unicode61")
                let expected = isExact ? (hasWords ? 1 : 0) : max(count, 0)
                #expect(count == expected, "seed \(random.seed): \(text.debugDescription), \(query.text)")
            }
        }
    }

    private func hostileText(_ random: inout SeededGenerator) -> String {
        let parts = [
            "\"", "\"\"", "'", "*", "^", "-", "+", ":", "(", ")", "{", "}", ",", "\\", "AND", "OR", "NOT", "NEAR",
            "NEAR(",
            "title", "title:", "{a title} :", "*reads", "\0", " ", "\n", "\t", "\u{A0}", "\u{3000}", "\u{200B}",
            "\u{FEFF}", "\u{202E}",
            "\u{301}", "\"\u{301}", " \u{308}", "é", "ß", "İ", "👍🏽", "👩‍👩‍👧", "日本語", "한국어", "العربية", "word", "x", "42",
            "a.b", "rank", "%", ";--",
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0...8, using: &random) {
            if Int.random(in: 0..<5, using: &random) == 0 {
                let scalar = Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &random)) ?? "\u{FFFD}"
                text.unicodeScalars.append(scalar)
            } else {
                text += parts.randomElement(using: &random) ?? ""
            }
        }
        return text
    }
}
