import Foundation
import Persisting
import Testing

@Suite("Formats at random")
struct FormatRandomTests {
    @Test("Hostile text never crashes: it is a condition, or an error with its place")
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
        for _ in 0..<5_000 {
            let count = Int.random(in: 0...12, using: &generator)
            let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }
                .joined(separator: Bool.random(using: &generator) ? " " : "")
            let arguments: [(any Sendable)?] = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
                [1, "id", "'", nil, [1, 2]][Int.random(in: 0...4, using: &generator)] as (any Sendable)?
            }
            do {
                _ = try manager.count(Person.self, where: Criteria(format: text, arguments: arguments))
            } catch let error as PersistenceError {
                #expect(
                    [.invalidCriteria, .unknownKey].contains(error.code), "seed \(seed): \(text): \(error)")
            }
        }
        #expect(try manager.rowCount("PERSON") == 5)
    }
}
