import Foundation
import Persisting

/// Thrown for what a spelling has no words for.
struct Unsayable: Error {}

/// Conditions as formats, with parentheses where they are needed and where chance will have them, values as text or as
/// arguments, words in any case.
struct FormatSpelling {
    var generator: SeededGenerator
    private(set) var arguments: [(any Sendable)?] = []

    init(_ generator: SeededGenerator) {
        self.generator = generator
    }

    private mutating func chance() -> Bool { generator.chance(2) }

    private mutating func word(_ word: String) -> String {
        chance() ? word : chance() ? word.lowercased() : word.capitalized
    }

    private mutating func argument(_ value: (any Sendable)?) -> String {
        arguments.append(value)
        return "%@"
    }

    private mutating func key(_ key: RandomCondition.Key) -> String {
        let key = key.rawValue
        guard chance() else { return generator.pick([key, "#\(key)", "`\(key)`"]) }
        arguments.append(key)
        return "%K"
    }

    private mutating func value(_ value: RandomCondition.Value?) -> String {
        guard let value else { return chance() ? argument(nil) : word(chance() ? "nil" : "NULL") }
        if chance() { return argument(value.any) }
        switch value {
        case .text(let text):
            let quote = chance() ? "'" : "\""
            let escaped = text.replacingOccurrences(of: "\\", with: "\\\\")
            return quote + escaped.replacingOccurrences(of: quote, with: "\\" + quote) + quote
        case .flag(let flag): return word(flag ? chance() ? "TRUE" : "YES" : chance() ? "FALSE" : "NO")
        case .integer(let integer): return "\(integer)"
        case .real(let real): return "\(real)"
        case .date: return argument(value.any)
        }
    }

    private mutating func print(_ operand: RandomCondition.Operand, level: Int = 0) throws -> String {
        switch operand {
        case .key(let key): return self.key(key)
        case .value(let value): return self.value(.integer(value))
        case .sum(let lhs, let sign, let rhs):
            let own = sign == "*" ? 1 : 0
            let text = try print(lhs, level: own) + " \(sign) " + print(rhs, level: own + 1)
            return own < level || chance() ? "(\(text))" : text
        case .ternary(let test, let first, let second):
            return try word("TERNARY") + "(" + print(test) + ", " + print(first) + ", " + print(second) + ")"
        }
    }

    private mutating func sign(_ sign: RandomCondition.Sign) -> String {
        switch sign {
        case .equal: generator.pick(["=", "=="])
        case .unequal: generator.pick(["!=", "<>"])
        case .lessOrEqual: generator.pick(["<=", "=<"])
        case .greaterOrEqual: generator.pick([">=", "=>"])
        case .less, .greater: sign.rawValue
        }
    }

    /// The text of a condition. Levels: 0 OR, 1 AND, 2 NOT.
    mutating func print(_ condition: RandomCondition, level: Int = 0) throws -> String {
        switch condition {
        case .compares(let key, let sign, let value):
            return self.key(key) + " \(self.sign(sign)) " + self.value(value)
        case .keys(let key, let sign, let other): return self.key(key) + " \(self.sign(sign)) " + self.key(other)
        case .calculation(let lhs, let sign, let rhs):
            return try print(lhs) + " \(self.sign(sign)) " + print(rhs)
        case .text(let key, let match, let part, let options):
            let name = self.key(key)
            let suffix = options.isEmpty ? "" : (chance() ? " " : "") + "[\(letters(options))]"
            return name + " " + word(match.word) + suffix + " " + value(.text(part))
        case .between(let key, let low, let high, isClosed: true):
            return self.key(key) + " " + word("BETWEEN") + " {" + value(low) + ", " + value(high) + "}"
        case .between: throw Unsayable()
        case .isIn(let key, let values):
            let text = self.key(key) + " " + word("IN") + " "
            if chance() { return text + argument(values.map { $0?.any }) }
            return text + "{" + values.map { value($0) }.joined(separator: ", ") + "}"
        case .and(let conditions): return try joined(conditions, "AND", "&&", own: 1, level)
        case .or(let conditions): return try joined(conditions, "OR", "||", own: 0, level)
        case .not(let condition): return try (chance() ? word("NOT") + " " : "! ") + print(condition, level: 2)
        }
    }

    private mutating func letters(_ options: TextOptions) -> String {
        options == .caseInsensitive ? "c" : options == .diacriticInsensitive ? "d" : generator.pick(["cd", "dc"])
    }

    private mutating func joined(
        _ conditions: [RandomCondition], _ name: String, _ sign: String, own: Int, _ level: Int
    ) throws -> String {
        var text = ""
        for (position, condition) in conditions.enumerated() {
            if position > 0 { text += " " + (chance() ? word(name) : sign) + " " }
            text += try print(condition, level: conditions.count > 1 ? own + 1 : own)
        }
        return own < level || chance() ? "(\(text))" : text
    }
}

extension RandomCondition.Match {
    fileprivate var word: String {
        switch self {
        case .equal: "=="
        case .less: "<"
        case .contains: "CONTAINS"
        case .hasPrefix: "BEGINSWITH"
        case .hasSuffix: "ENDSWITH"
        case .like: "LIKE"
        }
    }
}

/// Conditions as SQL, whose own logic of NULL is made two-valued by IS and IS TRUE.
struct SQLSpelling {
    private(set) var arguments: [(any SQLiteValueConvertible)?] = []

    private func column(_ key: RandomCondition.Key) -> String {
        key == .isMember ? "IS_MEMBER" : key.rawValue.uppercased()
    }

    private mutating func value(_ value: RandomCondition.Value?) -> String {
        arguments.append(value?.any as? any SQLiteValueConvertible)
        return "?"
    }

    private func comparison(_ lhs: String, _ sign: RandomCondition.Sign, _ rhs: String) -> String {
        switch sign {
        case .equal: "\(lhs) IS \(rhs)"
        case .unequal: "\(lhs) IS NOT \(rhs)"
        default: "(\(lhs) \(sign.rawValue) \(rhs)) IS TRUE"
        }
    }

    private mutating func print(_ operand: RandomCondition.Operand) throws -> String {
        switch operand {
        case .key(let key): column(key)
        case .value(let value): self.value(.integer(value))
        case .sum(let lhs, let sign, let rhs): try "(\(print(lhs)) \(sign) \(print(rhs)))"
        case .ternary(let test, let first, let second):
            try "CASE WHEN \(print(test)) THEN \(print(first)) ELSE \(print(second)) END"
        }
    }

    /// The text of a condition, in brackets where it needs them next to others.
    mutating func print(_ condition: RandomCondition) throws -> String {
        switch condition {
        case .compares(let key, let sign, let value):
            return "(" + comparison(column(key), sign, self.value(value)) + ")"
        case .keys(let key, let sign, let other): return "(" + comparison(column(key), sign, column(other)) + ")"
        case .calculation(let lhs, let sign, let rhs): return try "(" + comparison(print(lhs), sign, print(rhs)) + ")"
        case .text(let key, let match, let part, let options):
            let letters =
                (options.contains(.caseInsensitive) ? "c" : "") + (options.contains(.diacriticInsensitive) ? "d" : "")
            func folded(_ text: String) -> String { options.isEmpty ? text : "fold(\(text), '\(letters)')" }
            let (text, part) = (folded(column(key)), folded(value(.text(part))))
            switch match {
            case .equal: return "(\(text) IS \(part))"
            case .less: return "((\(text) < \(part)) IS TRUE)"
            case .contains: return "((instr(\(text), \(part)) > 0) IS TRUE)"
            case .hasPrefix: return "((instr(\(text), \(part)) = 1) IS TRUE)"
            case .hasSuffix, .like: throw Unsayable()
            }
        case .between(let key, let low, let high, let isClosed):
            let (lower, upper) = (value(low), value(high))
            return "((\(column(key)) >= \(lower) AND \(column(key)) \(isClosed ? "<=" : "<") \(upper)) IS TRUE)"
        case .isIn(let key, let values):
            let hasNull = values.contains { $0 == nil }
            let list = values.compactMap(\.self).map { value($0) }.joined(separator: ", ")
            return "((\(column(key)) IN (\(list)) OR \(hasNull ? "TRUE" : "FALSE") AND \(column(key)) IS NULL) IS TRUE)"
        case .and(let conditions): return try "(" + conditions.map { try print($0) }.joined(separator: " AND ") + ")"
        case .or(let conditions): return try "(" + conditions.map { try print($0) }.joined(separator: " OR ") + ")"
        case .not(let condition): return try "(NOT \(print(condition)))"
        }
    }
}
