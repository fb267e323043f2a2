public import Foundation
import Persisting

/// Conditions as Foundation's predicates, whose expressions are put together as `#Predicate` does.
struct PredicateSpelling {
    private typealias Expressions = PredicateExpressions
    typealias Condition = any StandardPredicateExpression<Bool>
    private typealias Number = any StandardPredicateExpression<Int>

    var generator: SeededGenerator

    mutating func predicate(_ condition: RandomCondition) throws -> Predicate<Guest> {
        let expression = try expression(condition)
        return Predicate { guest in Expressions.build_evaluate(Expressions.build_Arg(expression), guest) }
    }

    private mutating func expression(_ condition: RandomCondition) throws -> Expression<Guest, Bool> {
        var thrown: (any Error)?
        let expression = Expression<Guest, Bool> { guest in
            do {
                return try self.condition(condition, guest)
            } catch {
                thrown = error
                return Expressions.build_Arg(false)
            }
        }
        if let thrown { throw thrown }
        return expression
    }

    private mutating func condition(
        _ condition: RandomCondition, _ guest: Expressions.Variable<Guest>
    ) throws -> Condition {
        switch condition {
        case .and(let conditions): return try joined(conditions, guest) { Self.and($0, $1) }
        case .or(let conditions): return try joined(conditions, guest) { Self.or($0, $1) }
        case .not(let condition): return Self.not(try self.condition(condition, guest))
        case .calculation(let lhs, let sign, let rhs):
            return try Self.comparison(number(lhs, guest), sign, number(rhs, guest))
        case .keys: throw Unsayable()
        case .compares(let key, _, _), .text(let key, _, _, _), .between(let key, _, _, _), .isIn(let key, _):
            var leaf = Leaf(condition: condition, guest: guest, unwraps: generator.chance(2))
            return try key.use(&leaf)
        }
    }

    /// Each is evaluated as an expression of its own, most of the time: a tree of expressions has a type for itself,
    /// and types are never given up.
    private mutating func joined(
        _ conditions: [RandomCondition], _ guest: Expressions.Variable<Guest>,
        _ join: (Condition, Condition) -> Condition
    ) throws -> Condition {
        var whole: Condition?
        for condition in conditions {
            let part: Condition
            if generator.chance(20) {
                part = try self.condition(condition, guest)
            } else {
                let inner = try expression(condition)
                part = Expressions.build_evaluate(Expressions.build_Arg(inner), guest)
            }
            whole = whole.map { join($0, part) } ?? part
        }
        guard let whole else { throw Unsayable() }
        return whole
    }

    private static func and(
        _ lhs: some StandardPredicateExpression<Bool>, _ rhs: some StandardPredicateExpression<Bool>
    ) -> Condition { Expressions.build_Conjunction(lhs: lhs, rhs: rhs) }

    private static func or(
        _ lhs: some StandardPredicateExpression<Bool>, _ rhs: some StandardPredicateExpression<Bool>
    ) -> Condition { Expressions.build_Disjunction(lhs: lhs, rhs: rhs) }

    private static func not(_ condition: some StandardPredicateExpression<Bool>) -> Condition {
        Expressions.build_Negation(condition)
    }

    private mutating func number(
        _ operand: RandomCondition.Operand, _ guest: Expressions.Variable<Guest>
    ) throws -> Number {
        switch operand {
        case .key(.age): return Expressions.build_KeyPath(root: guest, keyPath: \.age)
        case .key: throw Unsayable()
        case .value(let value): return Expressions.build_Arg(value)
        case .sum(let lhs, let sign, let rhs):
            return try Self.sum(number(lhs, guest), sign, number(rhs, guest))
        case .ternary(let test, let first, let second):
            return try Self.ternary(condition(test, guest), number(first, guest), number(second, guest))
        }
    }

    private static func sum(
        _ lhs: some StandardPredicateExpression<Int>, _ sign: String, _ rhs: some StandardPredicateExpression<Int>
    ) -> Number {
        Expressions.build_Arithmetic(lhs: lhs, rhs: rhs, op: sign == "+" ? .add : sign == "-" ? .subtract : .multiply)
    }

    private static func ternary(
        _ test: some StandardPredicateExpression<Bool>, _ first: some StandardPredicateExpression<Int>,
        _ second: some StandardPredicateExpression<Int>
    ) -> Number { Expressions.build_Conditional(test, first, second) }

    private static func comparison<V: GuestValue>(
        _ lhs: some StandardPredicateExpression<V>, _ sign: RandomCondition.Sign,
        _ rhs: some StandardPredicateExpression<V>
    ) -> Condition {
        switch sign {
        case .equal: Expressions.build_Equal(lhs: lhs, rhs: rhs)
        case .unequal: Expressions.build_NotEqual(lhs: lhs, rhs: rhs)
        case .less: Expressions.build_Comparison(lhs: lhs, rhs: rhs, op: .lessThan)
        case .lessOrEqual: Expressions.build_Comparison(lhs: lhs, rhs: rhs, op: .lessThanOrEqual)
        case .greater: Expressions.build_Comparison(lhs: lhs, rhs: rhs, op: .greaterThan)
        case .greaterOrEqual: Expressions.build_Comparison(lhs: lhs, rhs: rhs, op: .greaterThanOrEqual)
        }
    }

    /// What is asked of one property.
    private struct Leaf: KeyPathUser {
        let condition: RandomCondition
        let guest: Expressions.Variable<Guest>
        /// Whether an Optional is compared after `!= nil &&`, and not by `flatMap`.
        let unwraps: Bool

        func property<V: GuestValue>(_ keyPath: any KeyPath<Guest, V> & Sendable) throws -> Condition {
            try property(Expressions.build_KeyPath(root: guest, keyPath: keyPath))
        }

        func optional<V: GuestValue>(_ keyPath: any KeyPath<Guest, V?> & Sendable) throws -> Condition {
            let property = Expressions.build_KeyPath(root: guest, keyPath: keyPath)
            switch condition {
            case .compares(_, .equal, let value):
                let value = try value.map { try V.said($0) }
                return Expressions.build_Equal(lhs: property, rhs: Expressions.build_Arg(value))
            case .compares(_, .unequal, let value):
                let value = try value.map { try V.said($0) }
                return Expressions.build_NotEqual(lhs: property, rhs: Expressions.build_Arg(value))
            case .isIn(_, let values):
                let values = try values.map { try $0.map { try V.said($0) } }
                return Expressions.build_contains(Expressions.build_Arg(values), property)
            default: break
            }
            if !unwraps, let mapped = try mapped(property) { return mapped }
            let isPresent = Expressions.build_NotEqual(lhs: property, rhs: Expressions.build_NilLiteral())
            return PredicateSpelling.and(isPresent, try self.property(Expressions.build_ForcedUnwrap(property)))
        }

        /// `property.flatMap { $0 < value } == true`, for some signs.
        private func mapped<V: GuestValue>(_ property: some StandardPredicateExpression<V?>) throws -> Condition? {
            guard case .compares(_, let sign, let given?) = condition else { return nil }
            let (value, yes) = (Expressions.build_Arg(try V.said(given)), Expressions.build_Arg(true as Bool?))
            switch sign {
            case .less:
                let answer = Expressions.build_flatMap(property) {
                    Expressions.build_Comparison(lhs: $0, rhs: value, op: .lessThan)
                }
                return Expressions.build_Equal(lhs: answer, rhs: yes)
            case .greaterOrEqual:
                let answer = Expressions.build_flatMap(property) {
                    Expressions.build_Comparison(lhs: $0, rhs: value, op: .greaterThanOrEqual)
                }
                return Expressions.build_Equal(lhs: answer, rhs: yes)
            default: return nil
            }
        }

        func flag(_ keyPath: any KeyPath<Guest, Bool> & Sendable) throws -> Condition {
            let property = Expressions.build_KeyPath(root: guest, keyPath: keyPath)
            switch condition {
            case .compares(_, .equal, .flag(true)): return property
            case .compares(_, .equal, .flag(false)): return Expressions.build_Negation(property)
            case .compares(_, .unequal, .flag(let flag)):
                return Expressions.build_NotEqual(lhs: property, rhs: Expressions.build_Arg(flag))
            case .isIn(_, let values):
                return Expressions.build_contains(
                    Expressions.build_Arg(values.compactMap { $0?.any as? Bool }), property)
            default: throw Unsayable()
            }
        }

        private func property<V: GuestValue>(_ property: some StandardPredicateExpression<V>) throws -> Condition {
            switch condition {
            case .compares(_, let sign, let value?):
                return PredicateSpelling.comparison(property, sign, Expressions.build_Arg(try V.said(value)))
            case .between(_, let low, let high, let isClosed):
                return isClosed
                    ? Expressions.build_contains(Expressions.build_Arg(try V.limits(low, high)), property)
                    : Expressions.build_contains(Expressions.build_Arg(try V.range(low, high)), property)
            case .isIn(_, let values):
                let values = try values.compactMap(\.self).map { try V.said($0) }
                return Expressions.build_contains(Expressions.build_Arg(values), property)
            case .text(_, let match, let part, []):
                guard let text = property as? any StandardPredicateExpression<String> else { throw Unsayable() }
                return try matching(text, match, part)
            default: throw Unsayable()
            }
        }

        private func matching(
            _ text: some StandardPredicateExpression<String>, _ match: RandomCondition.Match, _ part: String
        ) throws -> Condition {
            let part = Expressions.build_Arg(part)
            switch match {
            case .equal: return Expressions.build_Equal(lhs: text, rhs: part)
            case .less: return Expressions.build_Comparison(lhs: text, rhs: part, op: .lessThan)
            case .contains: return Expressions.build_contains(text, part)
            case .hasPrefix: return Expressions.build_starts(text, with: part)
            case .hasSuffix, .like: throw Unsayable()
            }
        }
    }
}

#if !canImport(Darwin)
    // Foundation on Linux does not encode expressions, and takes no others inside each other.
    extension Expression: @retroactive Codable {
        private struct NotEncoded: Error {}
        /// Throws.
        public init(from decoder: any Decoder) throws { throw NotEncoded() }
        /// Throws.
        public func encode(to encoder: any Encoder) throws { throw NotEncoded() }
    }
#endif
