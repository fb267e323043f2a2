// swift-format-ignore-file
import Foundation
import Persisting
import SQLiteKit
import Testing

struct SearchingTextArticle: Article {
    // snippet.show
    final class Note: PersistingModel {
        var id: Int64?
        var title = ""
        var body = ""
        var isPinned = false

        static let text = FullTextIndex(
            \Note.title, \Note.body, weights: [10, 1], prefixes: [2, 3])
        override class var fullTextIndexes: FullTextIndexes { ["text": text] }
    }
    // snippet.hide

    func run() throws {
        let manager = try PersistenceManager(.memory)
        // snippet.show
        try manager.createTableIfNecessary(for: Note.self)
        // snippet.hide
        for (title, body) in [("Sailing", "The wind was strong"), ("Wind", "A short note"), ("Wine", "From a village")] {
            try manager.insert(Note.self, values: ["title": title, "body": body])
        }
        let typed = "wi"
        // snippet.show
        let found = try manager.fetchAll(
            Note.where(Note.text.matches("strong wi") && \.isPinned == false)
                .sorted(by: Note.text.rank).limit(20))
        print(found.map(\.title))      // ["Sailing"]
        // snippet.hide
        // snippet.show
        // whole words, in any order
        let exact = Note.text.matches("wind", mode: .allWords)
        let any = Note.text.matches("wind wine", mode: .anyWord)
        // one after the other
        let phrase = Note.text.matches("short note", mode: .phrase)
        let titles = Note.text.matches(typed, in: \.title)  // in one property alone
        let query = Note.text.matches(FTS5Query(expression: "wi* NOT strong"))
        // snippet.hide
        #expect(try manager.count(Note.self, where: exact) == 2)
        #expect(try manager.count(Note.self, where: any) == 3)
        #expect(try manager.count(Note.self, where: phrase) == 1)
        #expect(try manager.count(Note.self, where: titles) == 2)
        #expect(try manager.count(Note.self, where: query) == 2)
        // snippet.show
        let search = Note.where(Note.text.matches(typed)).sorted(by: Note.text.rank)
        let first = try manager.fetchPage(search, limit: 20)
        let second = try manager.fetchPage(search, after: first.last, limit: 20)
        // snippet.hide
        #expect(first.count == 3 && second.isEmpty)
        // snippet.show
        let hits = try manager.hits(
            Note.where(Note.text.matches(typed)),
            excerpt: .init(\.body, words: 4, from: "<b>", to: "</b>"))
        for hit in hits { print(hit.object.title, hit.rank < 0, hit.excerpt ?? "") }
        // snippet.hide
        #expect(hits.count == 3)
        // snippet.show
        struct Bigrams: FTS5Tokenizer {
            func tokenize(_ text: String, _ emit: borrowing FTS5TokenSink) throws {
                let isDocument = emit.reason == .document || emit.reason == .auxiliary
                for word in text.split(whereSeparator: { !$0.isLetter && !$0.isNumber })
                {
                    guard
                        word.unicodeScalars.contains(where: {
                            $0.properties.isIdeographic
                        })
                    else {
                        try emit(word.lowercased(), word.startIndex..<word.endIndex)
                        continue
                    }
                    for start in word.indices {
                        let next = word.index(after: start)
                        let end = next < word.endIndex ? word.index(after: next) : next
                        if next < end { try emit(word[start..<end], start..<end) }
                        // A single character is a second word in the same place.
                        if isDocument || word.count == 1 {
                            try emit(
                                word[start..<next], start..<next,
                                isColocated: next < end)
                        }
                    }
                }
            }
        }

        final class Poem: PersistingModel {
            var id: Int64?
            var title = ""

            static let text = FullTextIndex(\Poem.title, tokenizer: .custom("bigrams"))
            override class var fullTextIndexes: FullTextIndexes { ["text": text] }
        }
        // snippet.hide
        // snippet.show
        var configuration = DatabaseConfiguration()
        configuration.prepare = { db in
            try db.addTokenizer("bigrams") { arguments in Bigrams() }
            try db.addAuxiliaryFunction("newest") { row, arguments in -row.rowID }
        }
        let poems = try PersistenceManager(.memory, configuration: configuration)
        try poems.createTableIfNecessary(for: Poem.self)
        try poems.insert(Poem.self, values: ["title": "東京の夜"])
        try poems.insert(Poem.self, values: ["title": "京都の朝"])
        print(try poems.count(Poem.where(Poem.text.matches("東京"))))      // 1
        // snippet.hide
        // snippet.show
        let newest = Poem.where(Poem.text.matches("京")).sorted(
            by: Poem.text.rank(by: "newest"))
        print(try poems.fetchAll(newest).map(\.title))      // ["京都の朝", "東京の夜"]
        // snippet.hide
        // snippet.show
        try manager.check(Note.text)
        try manager.rebuild(Note.text)
        try manager.optimize(Note.text)
        // snippet.hide
    }
}
