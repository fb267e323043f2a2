import Foundation
import Persisting
import Testing

final class Memo: PersistingModel {
    var id: Int64?
    var title = ""
    var body: String?
    var isPinned = false
    var folderID: Int64?

    convenience init(_ title: String, _ body: String? = nil, isPinned: Bool = false) {
        self.init()
        (self.title, self.body, self.isPinned) = (title, body, isPinned)
    }

    static let text = FullTextIndex(\Memo.title, \Memo.body, weights: [10, 1], prefixes: [2, 3])
    static let folder = ToOne(\Memo.folderID, MemoFolder.self)
    override class var fullTextIndexes: FullTextIndexes { ["text": text] }
    override class var relations: Relations { ["folder": folder] }
}

final class MemoFolder: PersistingModel {
    var id: Int64?
    var name = ""

    static let memos = ToMany(inverse: Memo.folder)
    override class var relations: Relations { ["memos": memos] }
}

/// An index of a table whose key isn't one integer.
private final class Page: PersistingModel {
    var book = ""
    var number = 0
    var words = ""
    var mark: String?

    convenience init(_ book: String, _ number: Int, _ words: String) {
        self.init()
        (self.book, self.number, self.words) = (book, number, words)
    }

    static let text = FullTextIndex(\Page.words, \Page.book, tokenizer: .unicode61(.porter))
    override class var fullTextIndexes: FullTextIndexes { ["text": text] }
    override class var primaryKey: PrimaryKey { .composite("book", "number") }
    override class var tableOptions: TableOptions { .withoutRowID }
    override class var columns: Columns {
        var columns = super.columns
        columns["MARK"] = .string.unique
        return columns
    }
}

// F150
@Suite("Full-text indexes") struct FullTextIndexTests {
    private func manager() throws -> PersistenceManager {
        let manager = try memoryManager(MemoFolder.self, Memo.self)
        try manager.insert([
            Memo("Sailing", "The wind was strong, and we sailed", isPinned: true), Memo("Wine", "A window with wine"),
            Memo("Café", "naïve \"quotes\" AND operators OR NOT * (brackets)"), Memo("日本語", "東京 タワー 😀 smile"),
            Memo("Nothing"),
        ])
        return manager
    }

    private func titles(_ criteria: Criteria<Memo>, _ manager: PersistenceManager) throws -> [String] {
        try manager.fetchAll(Memo.self, where: criteria, sortedBy: "id").map(\.title)
    }

    @Test(
        "find what a person has typed",
        arguments: [
            ("wi", ["Sailing", "Wine"]), ("window wi", ["Wine"]), ("WIND", ["Sailing", "Wine"]), ("", []), ("  ", []),
            ("cafe", ["Café"]), ("naive", ["Café"]), ("\"quotes", ["Café"]), ("AND", ["Café", "Sailing"]),
            ("NOT", ["Café", "Nothing"]), ("a OR b", []), ("*", []), ("(", []), ("title:wine", []), ("東", ["日本語"]),
            ("スマ", []), ("smi", ["日本語"]), ("a\0b", []), ("😀", []), ("--", []), ("' OR 1=1", []),
        ])
    func typed(text: String, expected: [String]) throws {
        let manager = try manager()
        #expect(Set(try titles(Memo.text.matches(text), manager)) == Set(expected))
    }

    @Test("find words by each mode") func modes() throws {
        let manager = try manager()
        #expect(try titles(Memo.text.matches("wind strong", mode: .allWords), manager) == ["Sailing"])
        #expect(try titles(Memo.text.matches("wi strong", mode: .allWords), manager) == [])
        #expect(try titles(Memo.text.matches("sailed window", mode: .anyWord), manager) == ["Sailing", "Wine"])
        #expect(try titles(Memo.text.matches("window with", mode: .phrase), manager) == ["Wine"])
        #expect(try titles(Memo.text.matches("with window", mode: .phrase), manager) == [])
        #expect(try titles(Memo.text.matches(FTS5Query(expression: "wi* NOT strong")), manager) == ["Wine"])
        #expect(try titles(Memo.text.matches("wine", in: \.title), manager) == ["Wine"])
        #expect(try titles(Memo.text.matches("window", in: \.title), manager) == [])
    }

    @Test("stand in conditions of every verb") func verbs() throws {
        let manager = try manager()
        let wi = Memo.text.matches("wi")
        #expect(try titles(wi && \.isPinned == true, manager) == ["Sailing"])
        #expect(try titles(wi || \.title == "Nothing", manager) == ["Sailing", "Wine", "Nothing"])
        #expect(try titles(!wi, manager) == ["Café", "日本語", "Nothing"])
        #expect(try manager.count(Memo.self, where: wi) == 2)
        #expect(try manager.exists(Memo.where(wi)))
        #expect(try manager.fetchPage(Memo.where(wi).sorted(by: \.title), limit: 1).map(\.title) == ["Sailing"])
        #expect(try manager.update(Memo.where(wi), set: ["body": "calm"]) == 2)
        #expect(try manager.count(Memo.self, where: Memo.text.matches("calm")) == 2)
        #expect(try manager.count(Memo.self, where: wi) == 1)
        #expect(try manager.delete(Memo.where(Memo.text.matches("calm"))) == 2)
        #expect(try manager.count(Memo.self) == 3)
        try manager.check(Memo.text)
    }

    @Test("stand in conditions on related rows") func related() throws {
        let manager = try manager()
        let folder = MemoFolder()
        folder.name = "Boats"
        try manager.insert(folder)
        try manager.update(Memo.where(\.title == "Sailing"), set: ["folderID": folder.id])
        let found = try manager.fetchAll(MemoFolder.where(MemoFolder.memos.contains(Memo.text.matches("wind"))))
        #expect(found.map(\.name) == ["Boats"])
        #expect(try manager.count(MemoFolder.where(MemoFolder.memos.contains(Memo.text.matches("wine")))) == 0)
    }

    @Test("order rows by rank, with weights") func rank() throws {
        let manager = try memoryManager(MemoFolder.self, Memo.self)
        try manager.insert([Memo("a", "wind wind wind"), Memo("wind", "b"), Memo("c", "wind and much else is here")])
        let query = Memo.where(Memo.text.matches("wind")).sorted(by: Memo.text.rank)
        #expect(try manager.fetchAll(query).map(\.title) == ["wind", "a", "c"])
        #expect(try manager.fetchAll(query.limit(1).offset(1)).map(\.title) == ["a"])
        #expect(try manager.fetchAll(query.where(\.title != "a")).map(\.title) == ["wind", "c"])
        #expect(try manager.values(query, \Memo.title) == ["wind", "a", "c"])
        #expect(try query.selectStatement().sql.contains("MATCH"))
    }

    @Test("order by rank needs a condition by the index") func rankAlone() throws {
        let manager = try manager()
        let error = failure { try manager.fetchAll(Memo.sorted(by: Memo.text.rank)) }
        #expect(error?.code == .invalidOrdering)
        #expect(error?.message.contains("needs a condition") == true)
        #expect(
            failure { try manager.fetchAll(Memo.where(!Memo.text.matches("x")).sorted(by: Memo.text.rank)) }?.code
                == .invalidOrdering)
    }

    @Test("give hits with rank and excerpt") func hits() throws {
        let manager = try manager()
        let query = Memo.where(Memo.text.matches("wi"))
        let hits = try manager.hits(query, excerpt: .init(\.body, words: 3, from: "<b>", to: "</b>"))
        #expect(hits.map(\.object.title) == ["Wine", "Sailing"])
        #expect(hits.map(\.excerpt) == ["A <b>window</b> <b>with</b>…", "The <b>wind</b> was…"])
        #expect(hits.allSatisfy { $0.rank < 0 && !$0.object.hasChanges && $0.object.isPersisted })
        let whole = try manager.hits(query, excerpt: .init(\.title, words: nil, from: "[", to: "]"))
        #expect(whole.map(\.excerpt) == ["[Wine]", "Sailing"])
        #expect(try manager.hits(query).map(\.excerpt) == [nil, nil])
    }

    @Test("give hits by an order of its own, and by rank what that leaves equal") func orderedHits() throws {
        let manager = try memoryManager(MemoFolder.self, Memo.self)
        try manager.insert([
            Memo("x", "wind"), Memo("wind"), Memo("wind wind", isPinned: true), Memo("y", "wind", isPinned: true),
        ])
        let query = Memo.where(Memo.text.matches("wind"))
        let titles = try manager.hits(query.sorted(by: \.isPinned)).map(\.object.title)
        #expect(titles == ["wind", "x", "wind wind", "y"])
        let ranked = query.sorted(by: [.descending(\.isPinned), Memo.text.rank])
        #expect(try manager.hits(ranked).map(\.object.title) == ["wind wind", "y", "wind", "x"])
    }

    @Test("give hits while the task is suspended") func suspendedHits() async throws {
        let manager = try manager()
        let hits = try await manager.hits(Memo.where(Memo.text.matches("wine")), excerpt: .init(from: "<", to: ">"))
        #expect(hits.map(\.excerpt) == ["<Wine>"])
    }

    @Test("give no hits without a condition by an index") func noHits() throws {
        let manager = try manager()
        #expect(failure { try manager.hits(Memo.where(\.isPinned)) }?.code == .invalidCriteria)
        let query = Memo.where(Memo.text.matches("wi"))
        #expect(failure { try manager.hits(query, excerpt: .init(\.isPinned, from: "", to: "")) }?.key == "isPinned")
        #expect(
            failure { try manager.hits(query, excerpt: .init(words: 0, from: "", to: "")) }?.code == .invalidCriteria)
    }

    @Test("can't be asked in memory") func memory() throws {
        let error = failure { try Memo.text.matches("wi").matches(Memo("wind")) }
        #expect(error?.code == .invalidCriteria)
        #expect(error?.message.contains("text") == true)
    }

    @Test("of a key that isn't one integer find and rank rows") func otherKeys() throws {
        let manager = try memoryManager(Page.self)
        try manager.insert([Page("a", 1, "sailing boats"), Page("a", 2, "wind"), Page("b", 1, "sail sail sail")])
        let query = Page.where(Page.text.matches("sails", mode: .allWords))
        #expect(try manager.fetchAll(query.sorted(by: Page.text.rank)).map(\.book) == ["b", "a"])
        #expect(try manager.count(query) == 2)
        #expect(
            try manager.hits(query.where(\.book == "a"), excerpt: .init(\.words, from: "<", to: ">")).map(\.excerpt)
                == ["<sailing> boats"])
        let page = try #require(try manager.fetchOne(Page.where(\.number == 2)))
        page.words = "no sail"
        try manager.save(page)
        #expect(try manager.count(query) == 3)
        try manager.delete(Page.where(Page.text.matches("boats")))
        #expect(try manager.count(query) == 2)
        try manager.check(Page.text)
        try manager.rebuild(Page.text)
        try manager.optimize(Page.text)
        #expect(try manager.count(query) == 2)
        try manager.check(Page.text)
    }

    @Test(
        "with texts of their own are checked against the rows",
        arguments: [
            "UPDATE PAGE_text_texts SET WORDS = 'Wind' WHERE NUMBER = 2",
            "DELETE FROM PAGE_text_texts WHERE NUMBER = 2",
            "INSERT INTO PAGE_text_texts (BOOK, NUMBER, WORDS) VALUES ('c', 1, 'wind')",
        ])
    func otherTexts(sql: String) throws {
        let manager = try memoryManager(Page.self)
        try manager.insert([Page("a", 1, "sailing boats"), Page("a", 2, "wind")])
        // The index itself is in step with its texts then.
        try manager.run(sql)
        try manager.run("INSERT INTO PAGE_text (PAGE_text) VALUES ('rebuild')")
        let error = try #require(throws: PersistenceError.self) { try manager.check(Page.text) }
        #expect(error.sqliteError?.code == .corrupt)
        #expect(error.message.contains("PAGE_text_texts has other texts than the rows of PAGE"))
        try manager.rebuild(Page.text)
        try manager.check(Page.text)
    }

    @Test("are there again after changes of the table, and planned for", .local(.connection)) func plans() throws {
        let manager = try memoryManager()
        try manager.run(
            "CREATE TABLE MEMO (ID INTEGER PRIMARY KEY, TITLE TEXT NOT NULL, BODY INTEGER, IS_PINNED INTEGER NOT NULL DEFAULT 0)"
        )
        try manager.run("INSERT INTO MEMO (TITLE, BODY) VALUES ('wind', 'sea')")
        try manager.updateSchema(for: [Memo.self, MemoFolder.self], allowing: .rewrites)
        #expect(try titles(Memo.text.matches("sea"), manager) == ["wind"])
        #expect(try manager.schemaPlan(for: [Memo.self, MemoFolder.self]).isEmpty)
        try manager.run("VACUUM")
        try manager.check(Memo.text)
        try manager.run("DROP TRIGGER MEMO_text_after_insert; INSERT INTO MEMO (TITLE) VALUES ('unseen')")
        #expect(try !manager.schemaPlan(for: [Memo.self, MemoFolder.self]).isEmpty)
        try manager.updateSchema(for: [Memo.self, MemoFolder.self], allowing: .rewrites)
        #expect(try titles(Memo.text.matches("unseen"), manager) == ["unseen"])
        try manager.dropTable(for: Memo.self)
        #expect(try manager.stored("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'MEMO\\_%' ESCAPE '\\'") == 1)
    }

    @Test("stay in step whatever other programs write", arguments: 0..<12) func random(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let manager = try memoryManager(MemoFolder.self, Memo.self, Page.self)
        try manager.run("PRAGMA recursive_triggers = \(Bool.random(using: &random))")
        let words = ["wind", "sea", "Sail", "é", "東京", "NULL", "x\"y"]
        func text() -> String {
            (0..<Int.random(in: 0...3, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }.joined(
                separator: " ")
        }
        for _ in 0..<60 {
            let clause = ["", "OR REPLACE", "OR IGNORE"].randomElement(using: &random) ?? ""
            let (id, other) = (Int.random(in: 1...8, using: &random), Int.random(in: 1...8, using: &random))
            let (a, b) = (SQLiteValue.text(text()).description, SQLiteValue.text(text()).description)
            let sql =
                switch Int.random(in: 0..<8, using: &random) {
                case 0..<2: "INSERT \(clause) INTO MEMO (ID, TITLE, BODY, IS_PINNED) VALUES (\(id), \(a), \(b), 0)"
                case 2: "UPDATE \(clause) MEMO SET ID = \(other), TITLE = \(a) WHERE ID = \(id)"
                case 3: "UPDATE MEMO SET BODY = NULL WHERE ID = \(id)"
                case 4: "DELETE FROM MEMO WHERE ID = \(id)"
                case 5: "INSERT \(clause) INTO PAGE (BOOK, NUMBER, WORDS, MARK) VALUES (\(a), \(id), \(b), 'm\(other)')"
                case 6:
                    "UPDATE \(clause) PAGE SET NUMBER = \(other), WORDS = \(a), MARK = 'm\(id)' WHERE NUMBER = \(id)"
                default: "DELETE FROM PAGE WHERE NUMBER = \(id)"
                }
            try? manager.run(sql)
            try manager.check(Memo.text)
            try manager.check(Page.text)
        }
        for word in words {
            func has(_ text: String?) -> Bool {
                (text ?? "").split(separator: " ").contains {
                    $0.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
                        == word.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
                }
            }
            let memos = try manager.fetchAll(Memo.self).filter { has($0.title) || has($0.body) }.count
            #expect(
                try manager.count(Memo.self, where: Memo.text.matches(word, mode: .allWords)) == memos,
                "\(word), seed \(seed)")
            let pages = try manager.fetchAll(Page.self).filter { has($0.words) || has($0.book) }.count
            #expect(
                try manager.count(Page.self, where: Page.text.matches(word, mode: .allWords)) == pages,
                "\(word), seed \(seed)")
        }
    }

    @Test("are searched by streams, in the order of rank") func stream() throws {
        let manager = try manager()
        var titles: [String] = []
        try manager.forEach(Memo.where(Memo.text.matches("wi")).sorted(by: Memo.text.rank)) { titles.append($0.title) }
        #expect(titles == ["Wine", "Sailing"])
    }

    @Test("say which rows a part of is deleted, by rank") func deletePart() throws {
        let manager = try manager()
        #expect(try manager.delete(Memo.where(Memo.text.matches("wi")).sorted(by: Memo.text.rank).limit(1)) == 1)
        #expect(try manager.fetchAll(Memo.where(Memo.text.matches("wi"))).map(\.title) == ["Sailing"])
    }

    @Test("are searched again for who observes", .local(.connection), .timeLimit(.minutes(20))) func observe()
        async throws
    {
        let manager = try manager()
        var seen: [[String]] = []
        for try await memos in manager.observe(Memo.where(Memo.text.matches("wine")).sorted(by: \.title)) {
            seen.append(memos.map(\.title))
            if seen.count == 2 { break }
            try await manager.execute("UPDATE MEMO SET BODY = 'no wine' WHERE TITLE = 'Nothing'")
        }
        #expect(seen == [["Wine"], ["Nothing", "Wine"]])
    }

    @Test("of a class in an attached file are there", .local(.attachedDatabases)) func attached() throws {
        let manager = try memoryManager(script: "ATTACH ':memory:' AS archive")
        try manager.createTableIfNecessary(for: OldMemo.self)
        try manager.insert(OldMemo.self, values: ["title": "wind"])
        try manager.execute("INSERT INTO archive.OLD_MEMO (TITLE) VALUES ('wind and wind')")
        let query = OldMemo.where(OldMemo.text.matches("wind"))
        #expect(try manager.count(query) == 2)
        #expect(try manager.hits(query, excerpt: .init(from: "<", to: ">")).count == 2)
        try manager.check(OldMemo.text)
        try manager.rebuild(OldMemo.text)
        #expect(try manager.schemaPlan(for: [OldMemo.self]).isEmpty)
    }
}

private final class OldMemo: PersistingModel {
    var id: Int64?
    var title = ""

    static let text = FullTextIndex(\OldMemo.title)
    override class var fullTextIndexes: FullTextIndexes { ["text": text] }
    override class var schemaName: String? { "archive" }
}
