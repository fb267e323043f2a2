internal import Foundation

/// The codec of a type whose values the library makes by itself; nil for any other. A transform, or a type that says
/// itself how it is stored, may rely on what its columns hold, and is never asked with an invented value.
func ownCodec(for type: any Any.Type) -> (any FieldCodec)? {
    let value = unwrapped(type)
    let isOwn =
        FieldKind(value) != .custom
        || [UUID.self, URL.self, Decimal.self, SQLiteValue.self, [UInt8].self].contains { $0 == value }
    return isOwn ? codec(for: type, dates: .unixSeconds) : nil
}

extension FieldCodec {
    /// Values of the property's type, as different from each other as they can be made without code that decodes them.
    var samples: [Value] {
        if let type = Value.self as? any CaseIterable.Type { return allCases(of: type).compactMap { $0 as? Value } }
        let none = (Any?.none as? Value).map { [$0] } ?? []
        let made = structs(of: unwrapped(Value.self)) + (emptyCollection(Value.self).map { [$0] } ?? [])
        // A struct's init(rawValue:) may rely on what its columns hold: what the struct consists of is made without it.
        let isOpen = ownCodec(for: Value.self) == nil && !isEnum(unwrapped(Value.self))
        return none + (isOpen ? [] : values(of: storedSamples)) + made.compactMap { $0 as? Value }
    }

    /// Values to test a column with, as the codec stores them: ordinary and extreme ones, and NULL. None are invented
    /// of a type whose values only code of the user's can make.
    var testValues: [SQLiteValue] {
        let none = (Any?.none as? Value).map { [$0] } ?? []
        let empty = (emptyCollection(Value.self) as? Value).map { [$0] } ?? []
        let made =
            Value.self is any CaseIterable.Type ? samples : values(of: storedSamples + extremes) + empty
        // The type throws for what it cannot store, such as a date before the years that a text has.
        return (none + made).compactMap { try? encode($0) }
    }

    /// Values of the property's type for stored ones, where the library makes them by itself.
    func values(of stored: [SQLiteValue]) -> [Value] {
        // What the type has no value for isn't a sample of it.
        if let codec = ownCodec(for: Value.self) as? any FieldCodec<Value> {
            return stored.compactMap { try? codec.decode($0) }
        }
        guard let type = unwrapped(Value.self) as? any RawRepresentable.Type else { return [] }
        return rawValues(of: type, stored).compactMap { $0 as? Value }
    }

    /// What a value of the property's is compared by: what the library makes of it by itself, or else how it is stored.
    /// Nil for one that cannot be compared.
    var comparable: (Value) -> [SQLiteValue]? {
        if let codec = ownCodec(for: Value.self) as? any FieldCodec<Value> {
            return { value in (try? codec.encode(value)).map { [$0] } }
        }
        guard let leaves = Leaf.all(in: unwrapped(Value.self)) else {
            return { value in (try? encode(value)).map { [$0] } }
        }
        func stored<T>(in value: T) -> [SQLiteValue]? { Leaf.stored(in: value, leaves) }
        return { value in flattened(value).map { _openExistential($0, do: stored) } ?? [.null] }
    }
}

/// Stored values of all kinds, as different as they come.
let storedSamples: [SQLiteValue] =
    [
        .null, .integer(0), .integer(1), .integer(-1), .integer(1_000_003), .integer(-129), .text(""), .text("a"),
        .text("Aa \u{C9}e\u{301}\0 z "), .real(0.5), .real(-1.5), .real(1e9), .blob(Data()), .blob(Data([1])),
        .blob(Data([0, 255, 1])), .text("00000000-0000-0000-0000-000000000000"),
        .text("C0FFEE00-0000-0000-0000-000000000001"), .text("https://example.org/A?b#c"), .text("-1.50"),
    ] + (2..<16).map { .integer($0) }

private let extremes: [SQLiteValue] =
    [8, 16, 32].flatMap { bits -> [SQLiteValue] in
        let limit = Int64(1) << (bits - 1)
        return [-limit, limit - 1, 2 * limit - 1].map { .integer($0) }
    } + [
        .integer(.min), .integer(.max), .real(.greatestFiniteMagnitude), .real(.leastNonzeroMagnitude),
        .real(-.infinity), .real(0.1), .text(String(repeating: "\u{1F600}'\"\n", count: 1000)),
        .blob(Data(repeating: 0, count: 5000)), .text("79228162514264337593543950335"),
    ]

private func allCases<T: CaseIterable>(of type: T.Type) -> [Any] {
    type.allCases.map { $0 }
}

private func rawValues<T: RawRepresentable>(of type: T.Type, _ stored: [SQLiteValue]) -> [T] {
    guard let codec = ownCodec(for: T.RawValue.self) as? any FieldCodec<T.RawValue> else { return [] }
    return stored.compactMap { (try? codec.decode($0)).flatMap(T.init(rawValue:)) }
}

/// Values of a struct of values that the library makes; none for any other type.
private func structs(of type: any Any.Type) -> [Any] {
    func make<T>(_ type: T.Type) -> [Any] {
        Leaf.all(in: type).map { leaves in [0, 1, 3, 4].map { Leaf.value(type, leaves, sample: $0) } } ?? []
    }
    return ownCodec(for: type) == nil ? _openExistential(type, do: make) : []
}

/// A collection without elements; nil for a type that doesn't say that it has one, and may require some.
private func emptyCollection(_ type: any Any.Type) -> Any? {
    switch unwrapped(type) {
    case let type as any RangeReplaceableCollection.Type: type.init()
    case let type as any SetAlgebra.Type: type.init()
    case let type as any StandardDictionary.Type: type.init()
    default: nil
    }
}

private protocol StandardDictionary {
    init()
}

extension Dictionary: StandardDictionary {}
