import Foundation
import Persisting
import Testing

private final class Letter: PersistingModel {
    var id: Int64?
    var subject = ""
    var body: String?

    static let text = FullTextIndex(\Letter.subject, \Letter.body, prefixes: [1, 2])
    override class var fullTextIndexes: FullTextIndexes { ["text": text] }
}

private final class Parcel: PersistingModel {
    var label = ""
    var number = 0
    var contents: String?

    static let text = FullTextIndex(\Parcel.contents, \Parcel.label)
    override class var fullTextIndexes: FullTextIndexes { ["text": text] }
    override class var primaryKey: PrimaryKey { .composite("label", "number") }
}

/// FTS5's words and searches, made again in Swift.
private struct Oracle {
    typealias Word = [Unicode.Scalar]

    /// The words of a text: letters and digits, without case, and without diacritics of Latin letters.
    static func words(_ text: String) -> [Word] {
        var (words, word) = ([Word](), Word())
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
                .letterNumber, .otherNumber, .privateUse:
                let isLatin = scalar.value < 0x250 || (0x1E00..<0x1F00).contains(scalar.value)
                let letter = String(scalar).lowercased()
                let folded = isLatin ? letter.decomposedStringWithCanonicalMapping : letter
                // A sigma is the same at the end of a word.
                word += folded.unicodeScalars.prefix(1).map { $0 == "ς" ? "σ" : $0 }
            case _ where (0x300..<0x370).contains(scalar.value) && !word.isEmpty: break
            default:
                if !word.isEmpty { words.append(word) }
                word = []
            }
        }
        return word.isEmpty ? words : words + [word]
    }

    /// Whether words stand one after the other, of which the last may be the beginning of one.
    static func has(_ words: [Word], _ phrase: [Word], isPrefix: Bool) -> Bool {
        guard !phrase.isEmpty, words.count >= phrase.count else { return false }
        return (0...(words.count - phrase.count)).contains { start in
            phrase.indices.allSatisfy { place in
                let (word, wanted) = (words[start + place], phrase[place])
                return isPrefix && place == phrase.count - 1 ? word.starts(with: wanted) : word == wanted
            }
        }
    }

    static func matches(_ columns: [[Word]], _ text: String, _ mode: FullTextMode) -> Bool {
        func has(_ phrase: [Word], isPrefix: Bool = false) -> Bool {
            columns.contains { Self.has($0, phrase, isPrefix: isPrefix) }
        }
        let strings = text.unicodeScalars.split { $0.properties.isWhitespace || $0.value == 0 }
        let phrases = strings.map { words(String($0)) }
        switch mode {
        case .phrase: return has(words(text))
        case .anyWord: return phrases.contains { has($0) }
        case .allWords, .prefixOfLastWord:
            guard phrases.contains(where: { !$0.isEmpty }) else { return false }
            return phrases.enumerated().allSatisfy { place, phrase in
                phrase.isEmpty || has(phrase, isPrefix: mode == .prefixOfLastWord && place == phrases.count - 1)
            }
        }
    }
}

// F150
@Suite("Full-text search finds what a search in Swift finds") struct FullTextOracleTests {
    private static let words = [
        "wind", "Wind", "window", "WINDOWS", "sea", "seaside", "é", "École", "e\u{301}cole", "naïve", "Ångström", "ệ",
        "Straße", "OR", "AND", "NOT", "NEAR", "near", "a", "ab", "abc", "1", "12", "2024", "東京", "東京タワー", "東", "タワー",
        "日本語", "한국어", "한국", "Привет", "привет", "Ελλάδα", "λόγος", "שלום", "مرحبا", "😀", "👩‍👩‍👧", "👍", "x-ray", "e-mail",
        "don't", "O'Neil", "C++", "a.b.c", "title", "subject", "½", "x²", "ﬁn", "ナイーブ", "ガ",
    ]
    private static let noise = [
        "\"", "\"\"", "'", "*", "(", ")", "{", "}", ":", "^", "-", "+", ",", ".", "\\", "\0", "\n", "\t", ";", "--",
        "%",
        "_", "NEAR(", "subject:", "{body} :", "?1", "😀", "\u{a0}", "\u{200d}", "//", "/*", "�",
    ]

    private static func text(_ random: inout SeededGenerator, _ most: Int, noise: Int) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0...most, using: &random) {
            var word = words.randomElement(using: &random) ?? ""
            switch Int.random(in: 0..<10, using: &random) {
            case 0: word = word.uppercased()
            case 1: word = String(word.prefix(Int.random(in: 1...3, using: &random)))
            case 2: word = word.decomposedStringWithCanonicalMapping
            default: break
            }
            for _ in 0..<2 where Int.random(in: 0..<100, using: &random) < noise {
                word = (Self.noise.randomElement(using: &random) ?? "") + word
            }
            text += word + (Int.random(in: 0..<100, using: &random) < noise / 2 ? "" : " ")
        }
        return text
    }

    @Test("whatever is typed, in each mode and in properties alone") func random() throws {
        var random = SeededGenerator()
        let manager = try memoryManager(Letter.self, Parcel.self)
        var letters: [(id: Int64, columns: [[Oracle.Word]])] = []
        var parcels: [(number: Int, columns: [[Oracle.Word]])] = []
        func body() -> String? {
            Int.random(in: 0..<9, using: &random) == 0
                ? nil : Self.text(&random, 12, noise: 20).replacing("\0", with: "")
        }
        for number in 1...150 {
            let letter = Letter()
            (letter.subject, letter.body) = (Self.text(&random, 3, noise: 10).replacing("\0", with: ""), body())
            try manager.insert(letter)
            letters.append((try #require(letter.id), [letter.subject, letter.body ?? ""].map(Oracle.words)))
            let parcel = Parcel()
            (parcel.label, parcel.number, parcel.contents) = (letter.subject, number, body())
            try manager.insert(parcel)
            parcels.append((number, [parcel.contents ?? "", parcel.label].map(Oracle.words)))
        }
        var found = 0
        for _ in 0..<Effort.times(1000) {
            let text = Self.text(&random, 4, noise: 30)
            let modes: [FullTextMode] = [.prefixOfLastWord, .allWords, .anyWord, .phrase]
            let mode = try #require(modes.randomElement(using: &random))
            let isPart = Bool.random(using: &random)
            let condition =
                isPart ? Letter.text.matches(text, mode: mode, in: \.body) : Letter.text.matches(text, mode: mode)
            let expected = letters.filter {
                Oracle.matches(isPart ? [$0.columns[1]] : $0.columns, text, mode)
            }.map(\.id)
            let rows = try manager.values(Letter.where(condition).sorted(by: \.id), \.id)
            #expect(rows == expected, "\(text.debugDescription) \(mode) \(isPart), seed \(random.seed)")
            let numbers = try manager.values(
                Parcel.where(Parcel.text.matches(text, mode: mode)).sorted(by: \.number), \.number)
            #expect(
                numbers == parcels.filter { Oracle.matches($0.columns, text, mode) }.map(\.number),
                "\(text.debugDescription) \(mode), seed \(random.seed)")
            found += expected.count
        }
        #expect(found > 1000, "the queries find rows")
    }
}
