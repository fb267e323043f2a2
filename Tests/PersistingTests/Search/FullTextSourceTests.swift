import Persisting
import PersistingDiagnostics
import Testing

// What `modelSource(table:)` prints for the tables of these classes, but for their names.

private final class SearchedPost: PersistingModel {
    var id: Int64?
    var title = ""
    var body: String?

    static let text = FullTextIndex(
        \SearchedPost.title, \SearchedPost.body, tokenizer: .unicode61(.porter), prefixes: [2, 3])
    static let parts = FullTextIndex(
        \SearchedPost.body, tokenizer: .unicode61(diacritics: .kept, tokenCharacters: "-'", separators: "\"x"))
    override class var fullTextIndexes: FullTextIndexes { ["text": text, "parts": parts] }
}

private final class SearchedCode: PersistingModel {
    var code = ""
    var words = ""

    override class var primaryKey: PrimaryKey { .assigned("code") }
    static let text = FullTextIndex(\SearchedCode.words, \SearchedCode.code, tokenizer: .trigram())
    override class var fullTextIndexes: FullTextIndexes { ["2nd": text] }
}

@Suite("Model source of tables with full-text indexes") struct FullTextSourceTests {
    @Test("declares the indexes of classes", .local(.connection)) func declared() throws {
        let manager = try memoryManager(SearchedPost.self, SearchedCode.self)
        let post = try manager.modelSource(table: "SEARCHED_POST")
        #expect(
            post.contains(
                #"""
                    static let text = FullTextIndex(\SearchedPost.title, \SearchedPost.body, tokenizer: .unicode61(.porter), prefixes: [2, 3])
                    static let parts = FullTextIndex(\SearchedPost.body, tokenizer: .unicode61(diacritics: .kept, tokenCharacters: "-'", separators: "\"x"))
                    override class var fullTextIndexes: FullTextIndexes { ["text": text, "parts": parts] }
                """#), "\(post)")
        #expect(!post.contains("Left out"))
        let code = try manager.modelSource(table: "SEARCHED_CODE")
        #expect(
            code.contains(
                #"""
                    static let text2nd = FullTextIndex(\SearchedCode.words, \SearchedCode.code, tokenizer: .trigram())
                    override class var fullTextIndexes: FullTextIndexes { ["2nd": text2nd] }
                """#), "\(code)")
        #expect(try manager.schemaPlan(for: [SearchedPost.self, SearchedCode.self]).isEmpty)
    }

    @Test("names the indexes of other programs", .local(.connection)) func others() throws {
        let manager = try memoryManager(
            script: """
                CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT);
                CREATE VIRTUAL TABLE note_fts USING fts5(title, body, content='note', content_rowid='id', tokenize="ascii");
                CREATE VIRTUAL TABLE more USING fts5(title, body UNINDEXED, content=note);
                CREATE VIRTUAL TABLE alone USING fts5(title, body);
                """)
        let source = try manager.modelSource(table: "note")
        #expect(!source.contains("static let"))
        #expect(
            source.contains(
                #"""
                    // Left out: the full-text index note_fts, which other triggers keep in step: a class's own would be FullTextIndex(\Note.title, \Note.body, tokenizer: .ascii)
                    // Left out: the full-text index more, which other triggers keep in step
                """#), "\(source)")
        #expect(!source.contains("alone"))
    }
}
