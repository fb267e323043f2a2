import Foundation
import Persisting
import Testing

/// A value at the end of a key path, and how SQL compares such values.
private protocol Leaf: Codable, Hashable, Sendable {
    static func random(_ random: inout SeededGenerator) -> Self
    /// What tells two values apart, and puts them in order.
    var order: Order { get }
}

private enum Order: Comparable, Hashable {
    case number(Double)
    case integer(UInt64)
    case text([UInt8])

    static func text(_ text: String) -> Order { .text(Array(text.utf8)) }

    static func < (one: Order, other: Order) -> Bool {
        switch (one, other) {
        case (.number(let one), .number(let other)): one < other
        case (.integer(let one), .integer(let other)): one < other
        case (.text(let one), .text(let other)): one.lexicographicallyPrecedes(other)
        default: false
        }
    }
}

extension Int: Leaf {
    fileprivate static func random(_ random: inout SeededGenerator) -> Int {
        [.min, -1, 0, 1, 9_007_199_254_740_993, .max - 1, .max].randomElement(using: &random) ?? 0
    }
    fileprivate var order: Order { .integer(UInt64(bitPattern: Int64(self)) ^ (1 << 63)) }
}

extension UInt64: Leaf {
    fileprivate static func random(_ random: inout SeededGenerator) -> UInt64 {
        [0, 1, 10, 9, .max - 1, .max].randomElement(using: &random) ?? 0
    }
    fileprivate var order: Order { .integer(self) }
}

extension Double: Leaf {
    fileprivate static func random(_ random: inout SeededGenerator) -> Double {
        [0, -1.5, 0.1, 0.1 + 0.2, 1e300, 5, 1e-7, .random(in: -9...9, using: &random)].randomElement(using: &random)
            ?? 0
    }
    fileprivate var order: Order { .number(self) }
}

extension Float: Leaf {
    fileprivate static func random(_ random: inout SeededGenerator) -> Float {
        [0, 0.1, 0.2, -3.5, 1e30].randomElement(using: &random) ?? 0
    }
    fileprivate var order: Order { .number(Double(self)) }
}

extension Bool: Leaf {
    fileprivate static func random(_ random: inout SeededGenerator) -> Bool { .random(using: &random) }
    fileprivate var order: Order { .integer(self ? 1 : 0) }
}

extension String: Leaf {
    fileprivate static func random(_ random: inout SeededGenerator) -> String {
        ["", "a", "A", "é", "e\u{301}", "\"", "\\", "a.b", "null", "1", "\u{1F600}", "\n", "/", "{}", "[1]", "漢字"]
            .randomElement(using: &random) ?? ""
    }
    fileprivate var order: Order { .text(self) }
}

extension Date: Leaf {
    fileprivate static func random(_ random: inout SeededGenerator) -> Date {
        Date(timeIntervalSince1970: Double(Int.random(in: -8...8, using: &random)) / 4)
    }
    fileprivate var order: Order { .number(timeIntervalSince1970) }
}

extension UUID: Leaf {
    fileprivate static func random(_ random: inout SeededGenerator) -> UUID {
        UUID(uuid: (UInt8.random(in: 9...11, using: &random), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
    fileprivate var order: Order { .text(uuidString) }
}

extension Decimal: Leaf {
    fileprivate static func random(_ random: inout SeededGenerator) -> Decimal {
        Decimal(Int.random(in: -9...9, using: &random)) / 8
    }
    fileprivate var order: Order { .number(Double("\(self)") ?? 0) }
}

extension URL: Leaf {
    fileprivate static func random(_ random: inout SeededGenerator) -> URL {
        URL(fileURLWithPath: "/\(Int.random(in: 0...3, using: &random))")
    }
    fileprivate var order: Order { .text(absoluteString) }
}

private enum Word: String, Leaf {
    case one = "1", two, three
    static func random(_ random: inout SeededGenerator) -> Word {
        [.one, .two, .three].randomElement(using: &random) ?? .one
    }
    var order: Order { .text(rawValue) }
}

private enum Number: Int, Leaf {
    case one = 1, ten = 10, two = 2
    static func random(_ random: inout SeededGenerator) -> Number {
        [.one, .ten, .two].randomElement(using: &random) ?? .one
    }
    var order: Order { .integer(UInt64(rawValue)) }
}

/// What has a leaf somewhere inside.
private protocol Shape: Codable, Hashable, Sendable {
    associatedtype Value: Leaf
    init(_ value: Value?, _ noise: Int)
    static var path: KeyPath<Self, Value>? { get }
    static var optionalPath: KeyPath<Self, Value?>? { get }
}

extension Shape {
    static var path: KeyPath<Self, Value>? { nil }
    static var optionalPath: KeyPath<Self, Value?>? { nil }
}

private struct Plain<Value: Leaf>: Shape {
    var noise: Int
    var value: Value
    init(_ value: Value?, _ noise: Int) { (self.value, self.noise) = (value ?? Self.other, noise) }
    static var path: KeyPath<Self, Value>? { \.value }
    private static var other: Value {
        var random = SeededGenerator(seed: 1)
        return Value.random(&random)
    }
}

private struct Nested<Value: Leaf>: Shape {
    var first: Plain<Value>
    var second: Plain<Value>
    init(_ value: Value?, _ noise: Int) { (first, second) = (Plain(nil, noise), Plain(value, noise)) }
    static var path: KeyPath<Self, Value>? { \.second.value }
}

private struct Renamed<Value: Leaf>: Shape {
    var value: Value
    var noise: Int
    init(_ value: Value?, _ noise: Int) { (self.value, self.noise) = (Plain(value, 0).value, noise) }
    static var path: KeyPath<Self, Value>? { \.value }
    enum CodingKeys: String, CodingKey { case value = "a.\"b\"\\ ü", noise = "value" }
}

private struct Perhaps<Value: Leaf>: Shape {
    var value: Value?
    var other: Value?
    init(_ value: Value?, _ noise: Int) { (self.value, other) = (value, noise % 2 == 0 ? value : nil) }
    static var optionalPath: KeyPath<Self, Value?>? { \.value }
}

private struct Chained<Value: Leaf>: Shape {
    var inner: Nested<Value>?
    init(_ value: Value?, _ noise: Int) { inner = value.map { Nested($0, noise) } }
    static var optionalPath: KeyPath<Self, Value?>? { \.inner?.second.value }
}

private struct Keyed<Value: Leaf>: Shape {
    var values: [String: Value]
    init(_ value: Value?, _ noise: Int) {
        values = noise % 2 == 0 ? ["z": Plain(nil, 0).value] : [:]
        values["k.\u{E9}"] = value
    }
    static var optionalPath: KeyPath<Self, Value?>? { \.values["k.\u{E9}"] }
}

private final class Holder<Value: Shape>: PersistingModel {
    var id: Int64?
    var value = Value(nil, 0)

    override class var tableName: String { "HOLDER" }
    override class var columns: Columns { ["ID": .int, "VALUE": .json] }
}

@Suite("Values of many shapes inside of JSON")
struct JSONShapesTests {
    /// Rows with values by chance, and all that can be asked of them by a key path.
    private func check<Value: Shape, Asked: Hashable & Sendable>(
        _ type: Value.Type, _ path: KeyPath<Value, Asked>, _ order: @escaping (Asked) -> Order?
    ) throws {
        var random = SeededGenerator()
        let manager = try memoryManager(Holder<Value>.self)
        let holders = (0..<140).map { _ in
            let holder = Holder<Value>()
            let value: Value.Value? = Int.random(in: 0..<4, using: &random) == 0 ? nil : .random(&random)
            holder.value = Value(value, .random(in: 0...3, using: &random))
            return holder
        }
        try manager.insert(holders)
        let all = try manager.fetchAll(Holder<Value>.self, sortedBy: .ascending(\.id))
        #expect(all.map(\.value) == holders.map(\.value))
        let whole = (\Holder<Value>.value).appending(path: path)
        let hint = Comment("\(type) seed \(random.seed)")
        for asked in Set(all.map { $0.value[keyPath: path] }) {
            let own = order(asked)
            let conditions: [(Criteria<Holder<Value>>, (Order?) -> Bool)] = [
                (whole == asked, { $0 == own }), (whole != asked, { $0 != own }), (.in(whole, [asked]), { $0 == own }),
                (whole < asked, { one in one.flatMap { one in own.map { one < $0 } } ?? false }),
                (whole >= asked, { one in one.flatMap { one in own.map { one >= $0 } } ?? false }),
            ]
            for (condition, holds) in conditions {
                let expected = all.filter { holds(order($0.value[keyPath: path])) }.map(\.id)
                let found = try manager.fetchAll(Holder<Value>.self, where: condition, sortedBy: .ascending(\.id))
                #expect(found.map(\.id) == expected, hint)
                #expect(try condition.filter(all).map(\.id) == expected, hint)
            }
        }
        let sorted = try manager.fetchAll(Holder<Value>.self, sortedBy: [.ascending(whole), .ascending(\.id)])
        let orders = all.map { (order($0.value[keyPath: path]), $0.id ?? 0) }
        let expected = orders.sorted { one, other in
            switch (one.0, other.0) {
            case (let left?, let right?) where left != right: left < right
            case (nil, _?): true
            case (_?, nil): false
            default: one.1 < other.1
            }
        }
        #expect(sorted.compactMap(\.id) == expected.map(\.1), hint)
        let groups = try manager.groups(Holder<Value>.rows, by: .key(whole), computing: .count)
        let counts = Dictionary(grouping: all) { order($0.value[keyPath: path]) }.mapValues(\.count)
        #expect(Dictionary(groups.map { (order($0.0), $0.1) }) { $0 + $1 } == counts, hint)
        #expect(groups.count == counts.count, hint)
        guard let path = path as? WritableKeyPath<Value, Asked>, let last = all.last else { return }
        let asked: Asked = last.value[keyPath: path]
        do {
            try manager.update(Holder<Value>.where(\.id > 2), whole, to: asked)
        } catch let error as PersistenceError where error.code == .unsupported {
            // A key with a quotation mark can't be in a path of SQLite's.
            return #expect(error.message.contains("SQLite has no path"))
        }
        let updated = all.map { holder in
            var value = holder.value
            if holder.id ?? 0 > 2 { value[keyPath: path] = asked }
            return value
        }
        #expect(try manager.fetchAll(Holder<Value>.self, sortedBy: .ascending(\.id)).map(\.value) == updated, hint)
    }

    private func check<Value: Shape>(_ type: Value.Type) throws {
        if let path = Value.path {
            do {
                try check(type, path) { $0.order }
            } catch let error as PersistenceError where error.code == .unsupported {
                // SQLite gives no digits by a key with a quotation mark.
                #expect(Value.Value.self == UInt64.self || Value.Value.self == Decimal.self)
                #expect(type == Renamed<Value.Value>.self && error.message.contains("digits"))
            }
        }
        if let path = Value.optionalPath { try check(type, path) { $0?.order } }
    }

    private func checks<Value: Leaf>(_ type: Value.Type) -> [() throws -> Void] {
        [
            { try check(Plain<Value>.self) }, { try check(Nested<Value>.self) }, { try check(Renamed<Value>.self) },
            { try check(Perhaps<Value>.self) }, { try check(Chained<Value>.self) }, { try check(Keyed<Value>.self) },
        ]
    }

    @Test("are found, ordered, grouped and updated as in Swift", .local(.decimals))
    func shapes() throws {
        let all = [
            checks(Int.self), checks(UInt64.self), checks(Double.self), checks(Float.self), checks(Bool.self),
            checks(String.self), checks(Date.self), checks(UUID.self), checks(Decimal.self), checks(URL.self),
            checks(Word.self), checks(Number.self),
        ]
        for check in Effort.some(of: all.flatMap(\.self)) { try check() }
    }
}
