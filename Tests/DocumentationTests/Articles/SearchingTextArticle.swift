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

        static let text = FullTextIndex(\Note.title, \Note.body, weights: [10, 1], prefixes: [2, 3])
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
            Note.where(Note.text.matches("strong wi") && \.isPinned == false).sorted(by: Note.text.rank).limit(20))
        print(found.map(\.title))      // ["Sailing"]
        // snippet.hide
        // snippet.show
        let exact = Note.text.matches("wind", mode: .allWords)          // whole words, in any order
        let any = Note.text.matches("wind wine", mode: .anyWord)
        let phrase = Note.text.matches("short note", mode: .phrase)     // one after the other
        let titles = Note.text.matches(typed, in: \.title)              // in one property alone
        let query = Note.text.matches(FTS5Query(expression: "wi* NOT strong"))
        // snippet.hide
        #expect(try manager.count(Note.self, where: exact) == 2)
        #expect(try manager.count(Note.self, where: any) == 3)
        #expect(try manager.count(Note.self, where: phrase) == 1)
        #expect(try manager.count(Note.self, where: titles) == 2)
        #expect(try manager.count(Note.self, where: query) == 2)
        // snippet.show
        let hits = try manager.hits(
            Note.where(Note.text.matches(typed)), excerpt: .init(\.body, words: 4, from: "<b>", to: "</b>"))
        for hit in hits { print(hit.object.title, hit.rank < 0, hit.excerpt ?? "") }
        // snippet.hide
        #expect(hits.count == 3)
        // snippet.show
        try manager.check(Note.text)
        try manager.rebuild(Note.text)
        try manager.optimize(Note.text)
        // snippet.hide
    }
}
