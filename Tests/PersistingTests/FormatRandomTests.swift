import Foundation
import Persisting
import Testing

@Suite("Formats at random")
struct FormatRandomTests {
    @Test("Hostile text never crashes: it is a condition, or an error with its place", .local(.textComparisons))
    func hostile() throws {
        // F74, Settled 9
        var generator = SeededGenerator()
        let seed = generator.seed
        // Before the first of them, since a crash says nothing.
        print("formats at random: PERSISTING_TEST_SEED=\(seed)")
        let manager = try people()
        let pieces = [
            "id", "firstName", "==", "=", "<", ">", "!", "&&", "||", "(", ")", "{", "}", "[", "]", "[cd]", ",", "'",
            "\"", "`", "#",
            "\\", "%", "%@", "%K", "%d", "%%", "$x", "@", ".", ":", "-", "+", "*", "/", "1", "0x", "1e", ".5", "NOT",
            "AND", "OR", "IN",
            "BETWEEN", "LIKE", "MATCHES", "CONTAINS", "nil", "TRUE", "TRUEPREDICATE", "TERNARY", "ANY", "SELF", " ",
            "\t", "\n",
            "\u{0}", "é", "\u{301}", "😀", "\u{FEFF}", "\u{202E}", "'a'", "{1, 2}", "\\u", "\u{85}", "²", "٣", "--",
            "/*", ";",
        ]
        let conditions = [
            "id == 1", "firstName BEGINSWITH[c] 'm'", "luckyNumber IN {7, 13}", "lastName == nil", "NOT id > 3",
            "(luckyNumber BETWEEN {1, 9} OR firstName LIKE '*e*')", "lastName CONTAINS 'u' AND id < 4",
        ]
        let people = try manager.fetchAll(Person.self)
        var (taken, placed) = (0, 0)
        for _ in 0..<Effort.times(1_000) {
            var words = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }
            var separator = Bool.random(using: &generator) ? " " : ""
            if Bool.random(using: &generator) {
                // A sound one, with a word put in or in the place of another.
                words = (conditions.randomElement(using: &generator) ?? "").split(separator: " ").map(String.init)
                separator = " "
                let place = Int.random(in: 0..<words.count, using: &generator)
                let end = Bool.random(using: &generator) ? place : place + 1
                let word = (Bool.random(using: &generator) ? pieces : words).randomElement(using: &generator) ?? ""
                words.replaceSubrange(place..<end, with: [word])
            }
            let text = words.joined(separator: separator)
            let arguments: [(any Sendable)?] = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
                [1, "id", "'", nil, [1, 2]][Int.random(in: 0...4, using: &generator)] as (any Sendable)?
            }
            do {
                let criteria = try Criteria<Person>(format: text, arguments: arguments)
                let found = try manager.fetchAll(Person.self, where: criteria, sortedBy: [.ascending(\.id)])
                #expect(try criteria.filter(people).map(\.id) == found.map(\.id), "seed \(seed): \(text)")
                taken += 1
            } catch let error as PersistenceError {
                #expect([.invalidCriteria, .unknownKey].contains(error.code), "seed \(seed): \(text): \(error)")
                // Some are mistakes of a value and not of the text.
                guard let place = error.message.firstRange(of: "at column ")?.upperBound else { continue }
                let column = Int(error.message[place...].prefix { $0.isNumber })
                #expect(column.map { 1...text.count + 1 ~= $0 } == true, "seed \(seed): \(text): \(error)")
                placed += 1
            }
        }
        // Whoever takes all, or rejects all, has not read them.
        #expect(taken > Effort.times(5), "seed \(seed)")
        #expect(placed > Effort.times(150), "seed \(seed)")
        #expect(try manager.rowCount("PERSON") == 5)
    }
}
