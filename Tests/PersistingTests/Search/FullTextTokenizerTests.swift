import Foundation
import Persisting
import Testing

private final class Poem: PersistingModel {
    var id: Int64?
    var title = ""
    var body = ""

    static let text = FullTextIndex(\Poem.title, \Poem.body, weights: [3, 1], tokenizer: .custom("bigrams", "on"))
    override class var fullTextIndexes: FullTextIndexes { ["text": text] }
}

/// Two letters that follow each other, of writings without blanks; else words.
private struct Bigrams: FTS5Tokenizer {
    func tokenize(_ text: String, _ emit: borrowing FTS5TokenSink) throws {
        for word in text.split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
            guard word.unicodeScalars.contains(where: { $0.properties.isIdeographic }) else {
                try emit(word.lowercased(), word.startIndex..<word.endIndex)
                continue
            }
            let isQuery = emit.reason == .query || emit.reason == .prefixQuery
            for start in word.indices {
                let next = word.index(after: start)
                if next < word.endIndex {
                    let end = word.index(after: next)
                    try emit(word[start..<end], start..<end)
                }
                // In documents each letter stands in the place of its pair as well, for queries of one letter.
                if !isQuery || word.count == 1 {
                    try emit(word[start..<next], start..<next, isColocated: next < word.endIndex)
                }
            }
        }
    }
}

@Suite("Full-text indexes with tokenizers in Swift") struct FullTextTokenizerTests {
    private static var configuration: DatabaseConfiguration {
        var configuration = DatabaseConfiguration()
        configuration.prepare = { db in
            try db.addTokenizer("bigrams") { arguments in
                guard arguments == ["on"] else { throw SQLiteError(.misuse, "the arguments \(arguments)") }
                return Bigrams()
            }
            try db.addAuxiliaryFunction("latest") { row, arguments in
                Double(-row.rowID) * (try arguments[0])
            }
        }
        return configuration
    }

    private func manager(_ path: String) throws -> PersistenceManager {
        let manager = try PersistenceManager(.file(path), configuration: Self.configuration)
        try manager.createTableIfNecessary(for: Poem.self)
        for (title, body) in [("東京の夜", "東京タワー、光"), ("京都", "the old town, 東山"), ("Sea", "wind")] {
            try manager.insert(Poem.self, values: ["title": title, "body": body])
        }
        return manager
    }

    @Test("find parts of texts without blanks, and mark them", .local(.connection)) func search() throws {
        let directory = try TemporaryDirectory()
        let manager = try manager(directory.path())
        func titles(_ text: String, mode: FullTextMode = .prefixOfLastWord) throws -> [String] {
            try manager.fetchAll(Poem.where(Poem.text.matches(text, mode: mode)).sorted(by: \.id)).map(\.title)
        }
        #expect(try titles("東京") == ["東京の夜"])
        #expect(try titles("京タ") == ["東京の夜"])
        #expect(try titles("タ京") == [])
        #expect(try titles("東", mode: .allWords) == ["東京の夜", "京都"])
        #expect(try titles("京", mode: .allWords) == ["東京の夜", "京都"])
        #expect(try titles("東山 OLD") == ["京都"])
        let hits = try manager.hits(
            Poem.where(Poem.text.matches("京タワ")), excerpt: .init(\.body, words: nil, from: "<", to: ">"))
        #expect(hits.map(\.excerpt) == ["東<京タワ>ー、光"])
        try manager.check(Poem.text)
        try manager.rebuild(Poem.text)
        #expect(try titles("夜") == ["東京の夜"])
    }

    @Test("order rows by functions in Swift", .local(.connection)) func function() throws {
        let directory = try TemporaryDirectory()
        let manager = try manager(directory.path())
        let query = Poem.where(Poem.text.matches("東 京 光 都 山", mode: .anyWord))
        #expect(try manager.fetchAll(query.sorted(by: Poem.text.rank(by: "latest"))).map(\.title) == ["京都", "東京の夜"])
        #expect(try manager.hits(query.sorted(by: Poem.text.rank(by: "latest"))).map(\.rank) == [-6, -3])
        let first = try manager.fetchPage(query.sorted(by: Poem.text.rank(by: "latest")), limit: 1)
        let second = try manager.fetchPage(
            query.sorted(by: Poem.text.rank(by: "latest")), after: first.last, limit: 1)
        #expect((first + second).map(\.title) == ["京都", "東京の夜"])
        let error = failure { try manager.fetchAll(query.sorted(by: Poem.text.rank(by: "x; DROP"))) }
        #expect(error?.code == .invalidOrdering)
        #expect(sqliteFailure { try manager.fetchAll(query.sorted(by: Poem.text.rank(by: "missing"))) } != nil)
    }

    @Test("name a tokenizer that isn't there", .local(.connection)) func missing() throws {
        let directory = try TemporaryDirectory()
        _ = try manager(directory.path())
        let other = try PersistenceManager(path: directory.path())
        for error in [
            failure { try other.insert(Poem.self, values: ["title": "x"]) },
            failure { try other.fetchAll(Poem.where(Poem.text.matches("x"))) },
            failure { try other.check(Poem.text) },
        ] {
            #expect(error?.message.contains("no such tokenizer: bigrams: add it") == true)
            #expect(error?.model == "Poem")
        }
        #expect(try other.count(Poem.self) == 3, "what doesn't search needs no tokenizer")
    }
}
