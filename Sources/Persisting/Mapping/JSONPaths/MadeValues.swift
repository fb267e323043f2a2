internal import Foundation

/// Makes a value of any Decodable type: it is decoded from whatever it asks for. Texts are empty, numbers are 0, lists
/// have no elements, and what is Optional is there.
enum MadeValues {
    /// - Returns: Nil for a type that takes none of these values.
    static func value<Value: Decodable>(of type: Value.Type) -> Value? {
        var first: Value?
        // A type that is inside of itself twice makes a tree of them: it is made less deep.
        for depth in stride(from: deepest, to: 0, by: -1) {
            let room = Room(depth)
            let made = try? value(type, from: MadeDecoder(depth: 0, room: room))
            if room.count <= most { return made ?? first }
            first = first ?? made
        }
        return first
    }

    /// How many types may be inside each other: one may be inside of itself.
    private static let deepest = 12
    /// How many values may be made for one.
    private static let most = 1000

    /// What may still be made.
    fileprivate final class Room {
        let depth: Int
        var count = 0

        init(_ depth: Int) { self.depth = depth }
    }

    fileprivate static func value<Value: Decodable>(_ type: Value.Type, from decoder: MadeDecoder) throws -> Value {
        let room = decoder.room
        room.count += 1
        guard decoder.depth < room.depth, room.count <= most else { throw MadeDecoder.failure }
        let plain: Any? =
            switch type {
            case is String.Type: ""
            case is Bool.Type: false
            case is Date.Type: Date(timeIntervalSinceReferenceDate: 0)
            case is UUID.Type: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
            case is Decimal.Type: Decimal(0)
            case is Data.Type: Data()
            case is URL.Type: URL(string: "a:b")
            case let number as any BinaryInteger.Type: number.init(exactly: 0)
            case let number as any BinaryFloatingPoint.Type: number.init(0)
            default: nil
            }
        if let value = plain as? Value { return value }
        do {
            return try Value(from: MadeDecoder(depth: decoder.depth + 1, room: room))
        } catch {
            let cases = (type as? any CaseIterable.Type).flatMap { first($0) } as? Value
            guard let value = cases ?? oneByteValue(0, as: type) else { throw error }
            return value
        }
    }

    private static func first<T: CaseIterable>(_ type: T.Type) -> Any? { T.allCases.first }
}

private struct MadeDecoder: Decoder {
    static var failure: DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "no value of the type can be made"))
    }

    let depth: Int
    let room: MadeValues.Room
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(MadeMembers(decoder: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer { MadeList() }
    func singleValueContainer() -> any SingleValueDecodingContainer { MadeValue(decoder: self) }
}

private struct MadeMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: MadeDecoder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try MadeValues.value(type, from: decoder)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) -> T? {
        try? MadeValues.value(type, from: decoder)
    }

    func nestedContainer<Other: CodingKey>(
        keyedBy type: Other.Type, forKey key: Key
    ) -> KeyedDecodingContainer<Other> { decoder.container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { MadeList() }
    func superDecoder() -> any Decoder { decoder }
    func superDecoder(forKey key: Key) -> any Decoder { decoder }
}

private struct MadeValue: SingleValueDecodingContainer {
    let decoder: MadeDecoder
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try MadeValues.value(type, from: decoder) }
}

/// A list without elements.
private struct MadeList: UnkeyedDecodingContainer {
    var codingPath: [any CodingKey] { [] }
    var count: Int? { 0 }
    var isAtEnd: Bool { true }
    var currentIndex: Int { 0 }

    func decodeNil() -> Bool { true }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { throw MadeDecoder.failure }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        throw MadeDecoder.failure
    }

    func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw MadeDecoder.failure }
    func superDecoder() throws -> any Decoder { throw MadeDecoder.failure }
}

/// Lists and dictionaries, which have no elements by themselves.
protocol ListOfElements {
    /// The JSON of one with an element; nil when none can be made.
    static var ofOneElement: JSONContent? { get }
}

extension ListOfElements {
    fileprivate static func made<Element>(_ type: Element.Type) -> JSONContent? {
        func open<T: Codable>(_ type: T.Type) -> JSONContent? {
            MadeValues.value(of: type).flatMap { JSONContent(encoding: $0) }
        }
        return (type as? any Codable.Type).flatMap { open($0) }
    }
}

extension Array: ListOfElements {
    static var ofOneElement: JSONContent? { made(Element.self).map { .array([$0]) } }
}

extension Set: ListOfElements {
    static var ofOneElement: JSONContent? { made(Element.self).map { .array([$0]) } }
}

extension Dictionary: ListOfElements {
    static var ofOneElement: JSONContent? { made(Value.self).map { .object(["a": $0]) } }
}
