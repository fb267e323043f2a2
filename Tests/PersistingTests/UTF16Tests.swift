import Foundation
import Persisting
import Testing

private final class Word: PersistingModel {
    var id: Int64?
    var text = ""
    var other: String?
}

/// SQLite compares texts by their bytes in the database's encoding.
@Suite("Databases of UTF-16")
struct UTF16Tests {
    private static let texts = ["a", "ab", "b", "B", "é", "ā", "Ā", "𝄞", "\u{E000}", "\u{FFFD}", "aé𝄞", "", "日本", "ba"]

    private func manager(_ encoding: String) throws -> (PersistenceManager, [Word]) {
        let manager = try PersistenceManager(.memory)
        try manager.run("PRAGMA encoding = '\(encoding)'")
        try manager.createTableIfNecessary(for: Word.self)
        for (place, text) in Self.texts.enumerated() {
            let word = Word()
            word.text = text
            word.other = place % 3 == 0 ? nil : Self.texts[(place + 5) % Self.texts.count]
            try manager.insert(word)
        }
        #expect(try manager.stored("PRAGMA encoding") == .text(encoding))
        return (manager, try manager.fetchAll(Word.self, sortedBy: "id"))
    }

    @Test("conditions on texts hold as in memory", arguments: ["UTF-16le", "UTF-16be", "UTF-8"])
    func conditions(_ encoding: String) throws {
        // F72, Settled 10
        let (manager, words) = try manager(encoding)
        for text in Self.texts {
            let conditions: [Criteria<Word>] = [
                \.text < text, \.text > text, \.text <= text, \.text == text, .hasPrefix(\.text, text),
                .hasSuffix(\.text, text), .contains(\.text, text), \.other >= text, .in(\.other, [text, "a"]),
            ]
            for condition in conditions {
                let wanted = try condition.filter(words).map(\.id)
                #expect(
                    try manager.fetchAll(Word.self, where: condition, sortedBy: "id").map(\.id) == wanted, "\(text)")
            }
        }
        for format in [
            "text BEGINSWITH other", "text ENDSWITH other", "text < other", "text LIKE '*b'", "text CONTAINS other",
        ] {
            let criteria = try Criteria<Word>(format: format)
            #expect(
                try manager.fetchAll(Word.self, where: criteria, sortedBy: "id").map(\.id)
                    == criteria.filter(words).map(\.id), "\(format)")
        }
    }

    @Test("orders, pages and extremes are those of UTF-8", arguments: ["UTF-16le", "UTF-16be"])
    func order(_ encoding: String) throws {
        // F71, Settled 10
        let (manager, words) = try manager(encoding)
        let order = words.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        #expect(try manager.fetchAll(Word.self, sortedBy: "text").map(\.text) == order)
        let folded = Ordering<Word>.ascending(\.text, by: .unaccented)
        #expect(try manager.fetchAll(Word.self, sortedBy: folded).map(\.id) == folded.sort(words).map(\.id))
        #expect(try manager.min(Word.rows, \.text) == order.first)
        #expect(try manager.max(Word.rows, \.text) == order.last)
        #expect(groupKeys(try manager.groups(Query(Word.self), by: .key(\.text), computing: .count)) == order)
        var pages: [String] = []
        var last: Word?
        while case let page = try manager.fetchPage(Query(Word.self).sorted(by: \.text), after: last, limit: 3),
            !page.isEmpty
        {
            pages += page.map(\.text)
            last = page.last
        }
        #expect(pages == order)
    }
}
