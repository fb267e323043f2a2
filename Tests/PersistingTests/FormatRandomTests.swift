import Foundation
import Persisting
import Testing

/// A condition, its text as a format, and what it says of a person, worked out by itself.
private indirect enum Condition {
    case number(Operand, String, Operand)
    case text(String, String, String?, options: String)
    case isNil(String, Bool)
    case between(Operand, Int, Int)
    case numbers(Operand, [Int?])
    case and([Condition])
    case or([Condition])
    case not(Condition)

    indirect enum Operand {
        case key(String)
        case value(Int)
        case sum(Operand, String, Operand)
        case ternary(Condition, Operand, Operand)
    }
}

extension Condition.Operand {
    fileprivate static func random(_ depth: Int, _ generator: inout SeededGenerator) -> Self {
        switch Int.random(in: 0...(depth > 0 ? 5 : 3), using: &generator) {
        case 0, 1: .key(["luckyNumber", "id"].randomElement(using: &generator) ?? "")
        case 2, 3: .value(.random(in: -3...9, using: &generator))
        case 4:
            .sum(
                random(depth - 1, &generator), ["+", "-", "*"].randomElement(using: &generator) ?? "+",
                random(depth - 1, &generator))
        default:
            .ternary(.random(depth - 1, &generator), random(depth - 1, &generator), random(depth - 1, &generator))
        }
    }

    fileprivate func value(_ person: Person) -> Int? {
        switch self {
        case .key("id"): return person.id.map { Int($0) }
        case .key: return person.luckyNumber
        case .value(let value): return value
        case .sum(let lhs, let sign, let rhs):
            guard let lhs = lhs.value(person), let rhs = rhs.value(person) else { return nil }
            return sign == "+" ? lhs + rhs : sign == "-" ? lhs - rhs : lhs * rhs
        case .ternary(let test, let first, let second):
            return test.holds(person) ? first.value(person) : second.value(person)
        }
    }
}

extension Condition {
    private static let texts = [
        "a", "B", "é", "É", "e\u{301}", "e", "ab", "aB%", "_", "'", "\"", "\\", "a*", "?", "", "%@",
    ]
    fileprivate static let names: [String?] = texts + [nil, "xaBy", "AÉé", "a'b\"c\\", "e\u{301}a"]

    fileprivate static func random(_ depth: Int, _ generator: inout SeededGenerator) -> Self {
        let children = { (generator: inout SeededGenerator) -> [Condition] in
            (0..<Int.random(in: 1...4, using: &generator)).map { _ in random(depth - 1, &generator) }
        }
        switch Int.random(in: 0...(depth > 0 ? 10 : 5), using: &generator) {
        case 0, 1:
            let sign =
                ["=", "==", "!=", "<>", "<", "<=", "=<", ">", ">=", "=>"].randomElement(using: &generator) ?? "="
            // Beside a key or what is made of one, a value is a number.
            return .number(.random(depth, &generator), sign, .sum(.key("id"), "+", .random(depth, &generator)))
        case 2, 3:
            let match =
                ["==", "!=", "<", ">=", "BEGINSWITH", "ENDSWITH", "CONTAINS"].randomElement(using: &generator) ?? "=="
            return .text(
                ["firstName", "lastName"].randomElement(using: &generator) ?? "", match,
                texts.randomElement(using: &generator),
                options: ["", "", "c", "d", "cd", "dc"].randomElement(using: &generator) ?? "")
        case 4:
            return .isNil(
                ["firstName", "luckyNumber"].randomElement(using: &generator) ?? "", .random(using: &generator))
        case 5:
            return Bool.random(using: &generator)
                ? .between(
                    .key("luckyNumber"), .random(in: -3...5, using: &generator), .random(in: 0...9, using: &generator))
                : .numbers(
                    .key("luckyNumber"), (0..<3).map { _ in [nil, 1, 3, 5, 7].randomElement(using: &generator) ?? nil })
        case 6, 7: return .and(children(&generator))
        case 8, 9: return .or(children(&generator))
        default: return .not(random(depth - 1, &generator))
        }
    }

    fileprivate func holds(_ person: Person) -> Bool {
        switch self {
        case .number(let lhs, let sign, let rhs):
            let (lhs, rhs) = (lhs.value(person), rhs.value(person))
            switch sign {
            case "=", "==": return lhs == rhs
            case "!=", "<>": return lhs != rhs
            default: break
            }
            guard let lhs, let rhs else { return false }
            switch sign {
            case "<": return lhs < rhs
            case "<=", "=<": return lhs <= rhs
            case ">": return lhs > rhs
            default: return lhs >= rhs
            }
        case .text(let key, let match, let text, let options):
            var folding: String.CompareOptions = []
            if options.contains("c") { folding.insert(.caseInsensitive) }
            if options.contains("d") { folding.insert(.diacriticInsensitive) }
            func bytes(_ text: String?) -> [UInt8]? {
                (options.isEmpty
                    ? text : text?.folding(options: folding, locale: nil).precomposedStringWithCanonicalMapping).map {
                        Array($0.utf8)
                    }
            }
            let (lhs, rhs) = (bytes(key == "firstName" ? person.firstName : person.lastName), bytes(text))
            if match == "==" { return lhs == rhs }
            if match == "!=" { return lhs != rhs }
            guard let lhs, let rhs else { return false }
            switch match {
            case "<": return lhs.lexicographicallyPrecedes(rhs)
            case ">=": return !lhs.lexicographicallyPrecedes(rhs)
            case "BEGINSWITH": return lhs.starts(with: rhs)
            case "ENDSWITH": return lhs.reversed().starts(with: rhs.reversed())
            default: return (0...lhs.count).contains { lhs.dropFirst($0).starts(with: rhs) }
            }
        case .isNil(let key, let isNil):
            return (key == "firstName" ? person.firstName == nil : person.luckyNumber == nil) == isNil
        case .between(let operand, let low, let high):
            return operand.value(person).map { low <= $0 && $0 <= high } ?? false
        case .numbers(let operand, let numbers): return numbers.contains(operand.value(person))
        case .and(let conditions): return conditions.allSatisfy { $0.holds(person) }
        case .or(let conditions): return conditions.contains { $0.holds(person) }
        case .not(let condition): return !condition.holds(person)
        }
    }
}

/// Prints conditions, with parentheses where they are needed and where chance will have them, values as text or as
/// arguments, words in any case.
private struct FormatPrinter {
    var generator: SeededGenerator
    var arguments: [(any Sendable)?] = []

    private mutating func chance() -> Bool { .random(using: &generator) }

    private mutating func word(_ word: String) -> String {
        chance() ? word : chance() ? word.lowercased() : word.capitalized
    }

    private mutating func value(_ value: (any Sendable)?, _ literal: String) -> String {
        guard chance() else { return literal }
        arguments.append(value)
        return "%@"
    }

    private mutating func key(_ key: String) -> String {
        guard chance() else { return [key, "#\(key)", "`\(key)`"].randomElement(using: &generator) ?? key }
        arguments.append(key)
        return "%K"
    }

    private mutating func literal(_ text: String) -> String {
        let quote = chance() ? "'" : "\""
        let escaped = text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(
            of: quote, with: "\\" + quote)
        return value(text, quote + escaped + quote)
    }

    private mutating func number(_ number: Int?) -> String {
        value(number, number.map { "\($0)" } ?? word("nil"))
    }

    mutating func print(_ operand: Condition.Operand, level: Int = 0) -> String {
        switch operand {
        case .key(let name): return key(name)
        case .value(let value): return number(value)
        case .sum(let lhs, let sign, let rhs):
            let own = sign == "*" ? 1 : 0
            let text = print(lhs, level: own) + " \(sign) " + print(rhs, level: own + 1)
            return own < level || chance() ? "(\(text))" : text
        case .ternary(let test, let first, let second):
            return word("TERNARY") + "(" + print(test) + ", " + print(first) + ", " + print(second) + ")"
        }
    }

    /// Levels: 0 OR, 1 AND, 2 NOT.
    mutating func print(_ condition: Condition, level: Int = 0) -> String {
        switch condition {
        case .number(let lhs, let sign, let rhs): return print(lhs) + " \(sign) " + print(rhs)
        case .text(let name, let match, let text, let options):
            let text = text.map { text in (key(name), text) }
            guard let (key, value) = text else { return word("TRUEPREDICATE") }
            let suffix = options.isEmpty ? "" : (chance() ? " " : "") + "[\(options)]"
            return key + " " + word(match) + suffix + " " + literal(value)
        case .isNil(let name, let isNil): return key(name) + (isNil ? " == " : " != ") + word(chance() ? "nil" : "NULL")
        case .between(let operand, let low, let high):
            return print(operand) + " " + word("BETWEEN") + " {" + number(low) + ", " + number(high) + "}"
        case .numbers(let operand, let numbers):
            let text = print(operand) + " " + word("IN") + " "
            if chance() {
                arguments.append(numbers)
                return text + "%@"
            }
            return text + "{" + numbers.map { number($0) }.joined(separator: ", ") + "}"
        case .and(let conditions): return joined(conditions, "AND", "&&", own: 1, level)
        case .or(let conditions): return joined(conditions, "OR", "||", own: 0, level)
        case .not(let condition): return (chance() ? word("NOT") + " " : "! ") + print(condition, level: 2)
        }
    }

    private mutating func joined(_ conditions: [Condition], _ name: String, _ sign: String, own: Int, _ level: Int)
        -> String
    {
        var text = ""
        for (position, condition) in conditions.enumerated() {
            if position > 0 { text += " " + (chance() ? word(name) : sign) + " " }
            text += print(condition, level: conditions.count > 1 ? own + 1 : own)
        }
        return own < level || chance() ? "(\(text))" : text
    }
}

@Suite("Formats at random")
struct FormatRandomTests {
    @Test("A condition that is printed and read again takes the rows that it says")
    func roundTrip() throws {
        // F74, Settled 10
        var generator = SeededGenerator()
        let seed = generator.seed
        print("conditions at random: PERSISTING_TEST_SEED=\(seed)")
        let manager = try memoryManager(Person.self)
        for _ in 0..<60 {
            let lucky = Bool.random(using: &generator) ? nil : Int.random(in: -3...9, using: &generator)
            try manager.insert(
                Person(
                    Condition.names.randomElement(using: &generator) ?? nil,
                    Condition.names.randomElement(using: &generator) ?? nil, lucky))
        }
        let people = try manager.fetchAll(Person.self, sortedBy: "id")
        for _ in 0..<10_000 {
            let condition = Condition.random(3, &generator)
            var printer = FormatPrinter(generator: generator)
            let text = printer.print(condition)
            generator = printer.generator
            let criteria: Criteria<Person> = .format(text, arguments: printer.arguments)
            let found = try manager.fetchAll(Person.self, where: criteria, sortedBy: "id").map(\.id)
            let inMemory = try criteria.filter(people).map(\.id)
            let expected = people.filter { condition.holds($0) }.map(\.id)
            guard found == expected, inMemory == expected else {
                Issue.record(
                    "seed \(seed): \(text) with \(printer.arguments) takes \(found), in memory \(inMemory), not \(expected)"
                )
                return
            }
        }
    }

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
                    [.invalidCriteria, .unknownKey, .database].contains(error.code), "seed \(seed): \(text): \(error)")
            }
        }
        #expect(try manager.rowCount("PERSON") == 5)
    }
}
