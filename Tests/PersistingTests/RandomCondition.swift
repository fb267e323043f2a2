import Foundation
import Persisting

/// Who random conditions are asked of: with NULLs, texts composed and decomposed, dates and duplicates.
final class Guest: PersistingModel {
    var id: Int64?
    var name: String?
    var town = ""
    var lucky: Int?
    var age = 0
    var weight: Double?
    var born: Date?
    var seen = Date(timeIntervalSince1970: 0)
    var isMember = false
}

/// A condition that can be said in several spellings, and what it says of a guest, worked out by itself.
indirect enum RandomCondition {
    enum Key: String, CaseIterable {
        case name, town, lucky, age, weight, born, seen, isMember

        func value(of guest: Guest) -> Value? {
            switch self {
            case .name: guest.name.map { .text($0) }
            case .town: .text(guest.town)
            case .lucky: guest.lucky.map { .integer($0) }
            case .age: .integer(guest.age)
            case .weight: guest.weight.map { .real($0) }
            case .born: guest.born.map { .date($0) }
            case .seen: .date(guest.seen)
            case .isMember: .flag(guest.isMember)
            }
        }
    }

    enum Value {
        case text(String), integer(Int), real(Double), date(Date), flag(Bool)

        var any: any Sendable {
            switch self {
            case .text(let text): text
            case .integer(let integer): integer
            case .real(let real): real
            case .date(let date): date
            case .flag(let flag): flag
            }
        }

        /// A number to order by; nil for a text.
        private var number: Double? {
            switch self {
            case .text: nil
            case .integer(let integer): Double(integer)
            case .real(let real): real
            case .date(let date): date.timeIntervalSince1970
            case .flag(let flag): flag ? 1 : 0
            }
        }

        func isLess(_ other: Value) -> Bool {
            if let number, let otherNumber = other.number { return number < otherNumber }
            return "\(any)".utf8.lexicographicallyPrecedes("\(other.any)".utf8)
        }
    }

    enum Sign: String, CaseIterable {
        case equal = "==", unequal = "!=", less = "<", lessOrEqual = "<=", greater = ">", greaterOrEqual = ">="

        /// NULL is equal to NULL, and any other comparison with it is false.
        func holds(_ lhs: Value?, _ rhs: Value?) -> Bool {
            guard let lhs, let rhs else {
                let areEqual = lhs == nil && rhs == nil
                return self == .equal ? areEqual : self == .unequal ? !areEqual : false
            }
            return switch self {
            case .equal: !lhs.isLess(rhs) && !rhs.isLess(lhs)
            case .unequal: lhs.isLess(rhs) || rhs.isLess(lhs)
            case .less: lhs.isLess(rhs)
            case .lessOrEqual: !rhs.isLess(lhs)
            case .greater: rhs.isLess(lhs)
            case .greaterOrEqual: !lhs.isLess(rhs)
            }
        }
    }

    enum Match: CaseIterable {
        case equal, less, contains, hasPrefix, hasSuffix, like
    }

    indirect enum Operand {
        case key(Key)
        case value(Int)
        case sum(Operand, String, Operand)
        case ternary(RandomCondition, Operand, Operand)
    }

    case compares(Key, Sign, Value?)
    case keys(Key, Sign, Key)
    case calculation(Operand, Sign, Operand)
    case text(Key, Match, String, TextOptions)
    /// From the first value to the second, which is the last one if the range is closed.
    case between(Key, Value, Value, isClosed: Bool)
    case isIn(Key, [Value?])
    case and([RandomCondition])
    case or([RandomCondition])
    case not(RandomCondition)
}

/// What it says.
extension RandomCondition {
    func holds(_ guest: Guest) -> Bool {
        switch self {
        case .compares(let key, let sign, let value): return sign.holds(key.value(of: guest), value)
        case .keys(let key, let sign, let other): return sign.holds(key.value(of: guest), other.value(of: guest))
        case .calculation(let lhs, let sign, let rhs):
            return sign.holds(lhs.value(guest).map { .integer($0) }, rhs.value(guest).map { .integer($0) })
        case .text(let key, let match, let part, let options):
            guard case .text(let text) = key.value(of: guest) else { return false }
            return match.holds(Array(options.folded(text).utf8), Array(options.folded(part).utf8))
        case .between(let key, let low, let high, let isClosed):
            guard let value = key.value(of: guest) else { return false }
            return !value.isLess(low) && (isClosed ? !high.isLess(value) : value.isLess(high))
        case .isIn(let key, let values):
            return values.contains { Sign.equal.holds(key.value(of: guest), $0) }
        case .and(let conditions): return conditions.allSatisfy { $0.holds(guest) }
        case .or(let conditions): return conditions.contains { $0.holds(guest) }
        case .not(let condition): return !condition.holds(guest)
        }
    }
}

extension RandomCondition.Operand {
    func value(_ guest: Guest) -> Int? {
        switch self {
        case .key(.lucky): return guest.lucky
        case .key: return guest.age
        case .value(let value): return value
        case .sum(let lhs, let sign, let rhs):
            guard let lhs = lhs.value(guest), let rhs = rhs.value(guest) else { return nil }
            return sign == "+" ? lhs + rhs : sign == "-" ? lhs - rhs : lhs * rhs
        case .ternary(let test, let first, let second):
            return test.holds(guest) ? first.value(guest) : second.value(guest)
        }
    }
}

extension RandomCondition.Match {
    func holds(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        switch self {
        case .equal: text == part
        case .less: text.lexicographicallyPrecedes(part)
        case .contains: (0...text.count).contains { text.dropFirst($0).starts(with: part) }
        case .hasPrefix: text.starts(with: part)
        case .hasSuffix: text.reversed().starts(with: part.reversed())
        case .like:
            Self.isLike(
                Array(String(decoding: text, as: UTF8.self).unicodeScalars)[...],
                Array(String(decoding: part, as: UTF8.self).unicodeScalars)[...])
        }
    }

    private static func isLike(_ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let (rest, next) = (pattern.dropFirst(), pattern.dropFirst().first)
        if first == "*" { return (0...text.count).contains { isLike(text.dropFirst($0), rest) } }
        if first == "?" { return !text.isEmpty && isLike(text.dropFirst(), rest) }
        if first == "\\", let next, ["*", "?", "\\"].contains(next) {
            return text.first == next && isLike(text.dropFirst(), rest.dropFirst())
        }
        return text.first == first && isLike(text.dropFirst(), rest)
    }
}

extension TextOptions {
    /// A text folded by Foundation.
    fileprivate func folded(_ text: String) -> String {
        if isEmpty { return text }
        var options: String.CompareOptions = []
        if contains(.caseInsensitive) { options.insert(.caseInsensitive) }
        if contains(.diacriticInsensitive) { options.insert(.diacriticInsensitive) }
        return text.folding(options: options, locale: nil).precomposedStringWithCanonicalMapping
    }
}

/// Conditions and guests by chance.
extension SeededGenerator {
    mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: 0..<values.count, using: &self)] }
    /// True once in so many times.
    mutating func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &self) == 0 }

    private static let texts = [
        "a", "B", "é", "É", "e\u{301}", "e", "ab", "aB%", "_", "'", "\"", "\\", "a*", "?", "", "%@",
    ]
    private static let names = texts + ["xaBy", "AÉé", "a'b\"c\\", "e\u{301}a", "日本", "x' OR '1'='1"]
    private static let dates = [0, 0.25, -1, 86_400, 1_700_000_000.5].map { Date(timeIntervalSince1970: $0) }

    mutating func guest() -> Guest {
        let guest = Guest()
        guest.name = chance(5) ? nil : pick(Self.names)
        guest.town = pick(Self.names)
        guest.lucky = chance(3) ? nil : .random(in: -3...9, using: &self)
        guest.age = .random(in: -3...9, using: &self)
        guest.weight = chance(4) ? nil : Double(Int.random(in: -4...8, using: &self)) / 2
        guest.born = chance(4) ? nil : pick(Self.dates)
        guest.seen = pick(Self.dates)
        guest.isMember = chance(2)
        return guest
    }

    private mutating func value(_ key: RandomCondition.Key) -> RandomCondition.Value {
        switch key {
        case .name, .town: .text(pick(Self.names))
        case .lucky, .age: .integer(.random(in: -3...9, using: &self))
        case .weight: .real(Double(Int.random(in: -4...8, using: &self)) / 2)
        case .born, .seen: .date(pick(Self.dates))
        case .isMember: .flag(chance(2))
        }
    }

    mutating func operand(_ depth: Int) -> RandomCondition.Operand {
        switch Int.random(in: 0...(depth > 0 ? 5 : 3), using: &self) {
        case 0, 1: .key(pick([.lucky, .age]))
        case 2, 3: .value(.random(in: -3...9, using: &self))
        case 4: .sum(operand(depth - 1), pick(["+", "-", "*"]), operand(depth - 1))
        default: .ternary(condition(depth - 1), operand(depth - 1), operand(depth - 1))
        }
    }

    /// A condition.
    ///
    /// - Parameters:
    ///   - depth: How deep ANDs, ORs and NOTs may stand inside each other.
    ///   - isPlain: Whether it is made of what all spellings can say.
    mutating func condition(_ depth: Int, isPlain: Bool = false) -> RandomCondition {
        if depth > 0, chance(2) {
            let children = (0..<Int.random(in: 1...4, using: &self)).map { _ in condition(depth - 1, isPlain: isPlain) }
            return chance(5) ? .not(children[0]) : chance(2) ? .and(children) : .or(children)
        }
        let key = pick(RandomCondition.Key.allCases)
        switch Int.random(in: 0..<(isPlain ? 6 : 11), using: &self) {
        case 0, 1, 2:
            let signs: [RandomCondition.Sign] =
                key == .isMember ? [.equal, .unequal] : [.equal, .unequal, .less, .lessOrEqual, .greaterOrEqual]
            return .compares(key, pick(signs), value(key))
        case 3: return .compares(key, chance(2) ? .equal : .unequal, nil)
        case 4:
            guard key != .isMember else { return .isIn(key, [value(key)]) }
            let (one, two) = (value(key), value(key))
            return .between(
                key, two.isLess(one) ? two : one, two.isLess(one) ? one : two, isClosed: isPlain || chance(2))
        case 5: return .isIn(key, (0..<Int.random(in: 0...4, using: &self)).map { _ in chance(5) ? nil : value(key) })
        case 6: return .compares(key, pick(RandomCondition.Sign.allCases), chance(4) ? nil : value(key))
        case 7:
            // A number between those that the property can have, or beyond them.
            return .compares(
                pick([.lucky, .age]), pick(RandomCondition.Sign.allCases), .real(pick([-0.5, 2.5, 6.5, 1e30, -1e30])))
        case 8:
            let (one, other) =
                pick([(.lucky, .age), (.name, .town), (.born, .seen), (.weight, .lucky)])
                as (RandomCondition.Key, RandomCondition.Key)
            return .keys(one, pick(RandomCondition.Sign.allCases), other)
        case 9:
            return .calculation(
                operand(depth), pick(RandomCondition.Sign.allCases), .sum(.key(.age), "+", operand(depth)))
        default:
            let options: TextOptions = chance(2) ? [] : TextOptions(rawValue: .random(in: 1...3, using: &self))
            let match = pick(RandomCondition.Match.allCases)
            let pattern = (0..<Int.random(in: 0..<4, using: &self)).map { _ in
                pick(["*", "?", "a", "B", "é", "\\*", "\\", "["])
            }
            return .text(pick([.name, .town]), match, match == .like ? pattern.joined() : pick(Self.texts), options)
        }
    }
}
