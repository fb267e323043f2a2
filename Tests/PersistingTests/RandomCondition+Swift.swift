import Foundation
import Persisting

/// A type whose values random conditions compare.
protocol GuestValue: SQLiteValueConvertible, Comparable, Codable, Sendable {
    static func of(_ value: RandomCondition.Value) -> Self?
}

extension String: GuestValue {
    static func of(_ value: RandomCondition.Value) -> String? { value.any as? String }
}
extension Int: GuestValue {
    static func of(_ value: RandomCondition.Value) -> Int? { value.any as? Int }
}
extension Double: GuestValue {
    static func of(_ value: RandomCondition.Value) -> Double? { value.any as? Double }
}
extension Date: GuestValue {
    static func of(_ value: RandomCondition.Value) -> Date? { value.any as? Date }
}

extension GuestValue {
    static func said(_ value: RandomCondition.Value) throws -> Self {
        guard let value = of(value) else { throw Unsayable() }
        return value
    }

    /// Swift orders a letter composed and decomposed alike, and makes no range of what it has in another order.
    static func limits(_ low: RandomCondition.Value, _ high: RandomCondition.Value) throws -> ClosedRange<Self> {
        let (low, high) = (try said(low), try said(high))
        guard low <= high else { throw Unsayable() }
        return low...high
    }

    static func range(_ low: RandomCondition.Value, _ high: RandomCondition.Value) throws -> Range<Self> {
        let limits = try limits(low, high)
        return limits.lowerBound..<limits.upperBound
    }
}

/// Something that is made of a property's key path, whatever its type.
protocol KeyPathUser<Result> {
    associatedtype Result
    mutating func property<V: GuestValue>(_ keyPath: any KeyPath<Guest, V> & Sendable) throws -> Result
    mutating func optional<V: GuestValue>(_ keyPath: any KeyPath<Guest, V?> & Sendable) throws -> Result
    mutating func flag(_ keyPath: any KeyPath<Guest, Bool> & Sendable) throws -> Result
}

extension RandomCondition.Key {
    func use<User: KeyPathUser>(_ user: inout User) throws -> User.Result {
        switch self {
        case .name: try user.optional(\.name)
        case .town: try user.property(\.town)
        case .lucky: try user.optional(\.lucky)
        case .age: try user.property(\.age)
        case .weight: try user.optional(\.weight)
        case .born: try user.optional(\.born)
        case .seen: try user.property(\.seen)
        case .isMember: try user.flag(\.isMember)
        }
    }
}

/// Conditions by key paths, with operators and functions.
struct KeyPathSpelling {
    func criteria(_ condition: RandomCondition) throws -> Criteria<Guest> {
        switch condition {
        case .and(let conditions): return try conditions.map(criteria).reduce(.all) { $0 && $1 }
        case .or(let conditions): return try conditions.map(criteria).reduce(!.all) { $0 || $1 }
        case .not(let condition): return try !criteria(condition)
        case .keys(.lucky, let sign, .age): return comparison(\.lucky, sign, \.age)
        case .keys(.name, let sign, .town): return comparison(\.name, sign, \.town)
        case .keys(.born, let sign, .seen): return comparison(\.born, sign, \.seen)
        case .keys(.weight, let sign, .lucky): return comparison(\.weight, sign, \.lucky)
        case .keys, .calculation: throw Unsayable()
        case .compares(let key, _, _), .text(let key, _, _, _), .between(let key, _, _, _), .isIn(let key, _):
            var leaf = Leaf(condition: condition)
            return try key.use(&leaf)
        }
    }

    private func comparison<One: SQLiteValueConvertible, Other: SQLiteValueConvertible>(
        _ keyPath: KeyPath<Guest, One>, _ sign: RandomCondition.Sign, _ other: KeyPath<Guest, Other>
    ) -> Criteria<Guest> {
        switch sign {
        case .equal: keyPath == other
        case .unequal: keyPath != other
        case .less: keyPath < other
        case .lessOrEqual: keyPath <= other
        case .greater: keyPath > other
        case .greaterOrEqual: keyPath >= other
        }
    }

    private struct Leaf: KeyPathUser {
        let condition: RandomCondition

        func property<V: GuestValue>(_ keyPath: any KeyPath<Guest, V> & Sendable) throws -> Criteria<Guest> {
            switch condition {
            case .compares(_, let sign, let value?): return comparison(keyPath, sign, try V.said(value))
            case .compares(_, let sign, nil):
                let none: V? = nil
                return switch sign {
                case .equal: keyPath == none
                case .unequal: keyPath != none
                case .less: keyPath < none
                case .lessOrEqual: keyPath <= none
                case .greater: keyPath > none
                case .greaterOrEqual: keyPath >= none
                }
            case .between(_, let low, let high, isClosed: true):
                return try .between(keyPath, V.limits(low, high))
            case .between(_, let low, let high, isClosed: false):
                return try .between(keyPath, V.range(low, high))
            case .isIn(_, let values): return try .in(keyPath, values.compactMap(\.self).map { try V.said($0) })
            default: return try matching(keyPath)
            }
        }

        func optional<V: GuestValue>(_ keyPath: any KeyPath<Guest, V?> & Sendable) throws -> Criteria<Guest> {
            switch condition {
            case .compares(_, let sign, let value): return comparison(keyPath, sign, try value.map { try V.said($0) })
            case .between(_, let low, let high, isClosed: true):
                return try .between(keyPath, V.limits(low, high))
            case .between(_, let low, let high, isClosed: false):
                return try .between(keyPath, V.range(low, high))
            case .isIn(_, let values):
                let present = try values.compactMap(\.self).map { try V.said($0) }
                return present.count == values.count
                    ? .in(keyPath, present) : .in(keyPath, try values.map { try $0.map { try V.said($0) } })
            default: return try matching(keyPath)
            }
        }

        func flag(_ keyPath: any KeyPath<Guest, Bool> & Sendable) throws -> Criteria<Guest> {
            switch condition {
            case .compares(_, let sign, .flag(let flag)): return comparison(keyPath, sign, flag)
            case .compares(_, .equal, nil): return keyPath == nil
            case .compares(_, .unequal, nil): return keyPath != nil
            case .isIn(_, let values): return .in(keyPath, values.compactMap { $0?.any as? Bool })
            default: throw Unsayable()
            }
        }

        private func comparison<V: SQLiteValueConvertible>(
            _ keyPath: KeyPath<Guest, V>, _ sign: RandomCondition.Sign, _ value: V
        ) -> Criteria<Guest> {
            switch sign {
            case .equal: keyPath == value
            case .unequal: keyPath != value
            case .less: keyPath < value
            case .lessOrEqual: keyPath <= value
            case .greater: keyPath > value
            case .greaterOrEqual: keyPath >= value
            }
        }

        private func matching<V: SQLiteValueConvertible>(_ keyPath: KeyPath<Guest, V>) throws -> Criteria<Guest> {
            guard case .text(_, let match, let part, let options) = condition else { throw Unsayable() }
            switch match {
            case .equal: return .equals(keyPath, part, options)
            case .less: throw Unsayable()
            case .contains: return .contains(keyPath, part, options)
            case .hasPrefix: return .hasPrefix(keyPath, part, options)
            case .hasSuffix: return .hasSuffix(keyPath, part, options)
            case .like: return .like(keyPath, part, options)
            }
        }
    }
}

/// Conditions by dictionaries: an AND of such on different keys is one, any other is put together of several.
struct DictionarySpelling {
    func criteria(_ condition: RandomCondition) throws -> Criteria<Guest> {
        switch condition {
        case .and(let conditions):
            if let entries = try? conditions.map(entry), Set(entries.map(\.key)).count == entries.count {
                return Criteria(Dictionary(entries.map { ($0.key, $0.value) }) { first, _ in first })
            }
            return try conditions.map(criteria).reduce(.all) { $0 && $1 }
        case .or(let conditions): return try conditions.map(criteria).reduce(!.all) { $0 || $1 }
        case .not(let condition):
            guard let entry = try? entry(condition), !entry.key.hasPrefix("<NOT>") else {
                return try !criteria(condition)
            }
            return Criteria(["<NOT>" + entry.key: entry.value])
        default:
            let entry = try entry(condition)
            return Criteria([entry.key: entry.value])
        }
    }

    private func entry(_ condition: RandomCondition) throws -> (key: String, value: (any Sendable)?) {
        switch condition {
        case .compares(let key, .equal, let value): return (key.rawValue, value?.any)
        case .compares(let key, .unequal, let value): return ("<NOT>" + key.rawValue, value?.any)
        case .compares(let key, _, .some), .between(let key, _, _, _):
            var range = Ranges(condition: condition)
            return (key.rawValue, try key.use(&range))
        case .isIn(let key, let values):
            let present = values.compactMap { $0?.any as? Int }
            let isSet = present.count == values.count && !present.isEmpty
            return (key.rawValue, isSet ? Set(present) : values.map { $0?.any })
        default: throw Unsayable()
        }
    }

    private struct Ranges: KeyPathUser {
        let condition: RandomCondition

        private func range<V: GuestValue>(_ type: V.Type) throws -> any Sendable {
            switch condition {
            case .compares(_, .less, let value?): try ..<V.said(value)
            case .compares(_, .lessOrEqual, let value?): try ...V.said(value)
            case .compares(_, .greaterOrEqual, let value?): try V.said(value)...
            case .between(_, let low, let high, isClosed: true): try V.limits(low, high)
            case .between(_, let low, let high, isClosed: false): try V.range(low, high)
            default: throw Unsayable()
            }
        }

        func property<V: GuestValue>(_ keyPath: any KeyPath<Guest, V> & Sendable) throws -> any Sendable {
            try range(V.self)
        }

        func optional<V: GuestValue>(_ keyPath: any KeyPath<Guest, V?> & Sendable) throws -> any Sendable {
            try range(V.self)
        }

        func flag(_ keyPath: any KeyPath<Guest, Bool> & Sendable) throws -> any Sendable { throw Unsayable() }
    }
}
