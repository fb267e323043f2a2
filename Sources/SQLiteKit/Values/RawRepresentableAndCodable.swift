package import Foundation

extension SQLiteValueConvertible where Self: RawRepresentable, RawValue: SQLiteValueConvertible {
    /// The raw value's.
    public func sqliteValue() throws -> SQLiteValue { try rawValue.sqliteValue() }

    /// The case or value with the stored raw value.
    ///
    /// - Throws: ``ResultCode/typeMismatch`` for a raw value that the type does not have; it is named.
    public init(sqliteValue: SQLiteValue) throws {
        self = try Self(storedRawValue: sqliteValue)
    }

    /// The raw value's.
    public static var columnType: ColumnType { RawValue.columnType }
}

extension SQLiteValueConvertible where Self: Codable {
    /// A TEXT of JSON with sorted keys, so that the same members are the same text. Sets inside of other types have
    /// no order.
    public func sqliteValue() throws -> SQLiteValue { try JSON(self).sqliteValue() }

    /// The value that a TEXT or a BLOB of JSON describes.
    public init(sqliteValue: SQLiteValue) throws { self = try JSON<Self>(sqliteValue: sqliteValue).value }

    /// ``ColumnType/text``
    public static var columnType: ColumnType { .text }
}

/// An enum with a raw value that is Codable as well is stored as its raw value.
extension SQLiteValueConvertible where Self: RawRepresentable & Codable, RawValue: SQLiteValueConvertible {
    /// The raw value's.
    public func sqliteValue() throws -> SQLiteValue { try rawValue.sqliteValue() }

    /// The case or value with the stored raw value.
    public init(sqliteValue: SQLiteValue) throws {
        self = try Self(storedRawValue: sqliteValue)
    }

    /// The raw value's.
    public static var columnType: ColumnType { RawValue.columnType }
}

extension RawRepresentable where RawValue: SQLiteValueConvertible {
    fileprivate init(storedRawValue: SQLiteValue) throws {
        guard let value = try Self(rawValue: RawValue(sqliteValue: storedRawValue)) else {
            throw SQLiteError(.typeMismatch, "\(source: Self.self) has no value for the stored \(storedRawValue)")
        }
        self = value
    }
}

/// Any Codable value as a TEXT of JSON: `try db.execute("INSERT INTO t VALUES (?)", [JSON(["a", "b"])])`.
public struct JSON<Value: Codable & Sendable>: SQLiteValueConvertible {
    /// The value.
    public var value: Value

    /// Wraps a value, to be stored as JSON.
    ///
    /// - Parameter value: The value.
    public init(_ value: Value) {
        self.value = value
    }

    /// A TEXT of JSON with sorted keys, so that the same members are the same text. Sets inside of other types have
    /// no order. Dates are seconds since 1970.
    ///
    /// - Throws: Foundation's `EncodingError`.
    public func sqliteValue() throws -> SQLiteValue {
        .text(try StoredJSON.encode(value))
    }

    /// The value that a TEXT or a BLOB of JSON describes.
    ///
    /// - Throws: ``ResultCode/typeMismatch`` for another storage class, with the reason when it isn't JSON for the
    ///   type.
    public init(sqliteValue: SQLiteValue) throws {
        let data: Data
        switch sqliteValue {
        case .text(let text): data = Data(text.utf8)
        case .blob(let blob): data = blob
        default: throw sqliteValue.mismatch(Value.self)
        }
        value = try StoredJSON.decode(Value.self, from: data)
    }

    /// ``ColumnType/text``
    public static var columnType: ColumnType { .text }
}

/// Types that are stored as JSON whatever they hold.
package protocol JSONText {}

extension JSON: JSONText {}
extension JSON: Equatable where Value: Equatable {}
extension JSON: Hashable where Value: Hashable {}

/// The one form of JSON that is stored and read.
package enum StoredJSON {
    package static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .secondsSince1970
        return try text(of: value, encoder)
    }

    fileprivate static func text(of value: some Encodable, _ encoder: JSONEncoder) throws -> String {
        if let container = value as? any SortedContainer, type(of: container).hasNoOrder {
            return try container.sortedText(encoder)
        }
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    package static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws(SQLiteError) -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        do {
            return try decoder.decode(type, from: data)
        } catch {
            throw SQLiteError(.typeMismatch, "the JSON isn't a valid \(source: type): \(reason(of: error))")
        }
    }

    /// What is wrong with a value, and where in it, without Foundation's words for types and paths; any other error in
    /// its own words.
    package static func reason(of error: any Error) -> String {
        if case .invalidValue(_, let context)? = error as? EncodingError {
            return (context.codingPath.isEmpty ? "" : "\(path(context.codingPath)): ") + context.debugDescription
        }
        guard let error = error as? DecodingError else { return (error as? SQLiteError)?.message ?? "\(error)" }
        func at(_ context: DecodingError.Context) -> String {
            context.codingPath.isEmpty ? "" : "\(path(context.codingPath)): "
        }
        return switch error {
        case .typeMismatch(let type, let context): "\(at(context))a value isn't a valid \(source: type)"
        case .valueNotFound(let type, let context): "\(at(context))null isn't a valid \(source: type)"
        case .keyNotFound(let key, let context): "there is no \(path(context.codingPath + [key]))"
        case .dataCorrupted(let context): at(context) + context.debugDescription
        @unknown default: "\(error)"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce("") { text, key in
            if let index = key.intValue { return "\(text)[\(index)]" }
            return text.isEmpty ? key.stringValue : "\(text).\(key.stringValue)"
        }
    }
}

/// A type of the standard library whose values may be made of sets, which encode themselves in the order of their hash
/// values: another one in each equal set, and in each run of a program.
private protocol SortedContainer {
    /// Whether its values encode themselves in such an order.
    static var hasNoOrder: Bool { get }
    /// Its JSON, in which the elements of sets are sorted by their JSON.
    func sortedText(_ encoder: JSONEncoder) throws -> String
}

private func hasNoOrder<Value>(_ type: Value.Type) -> Bool {
    (type as? any SortedContainer.Type)?.hasNoOrder ?? false
}

extension Optional: SortedContainer where Wrapped: Encodable {
    static var hasNoOrder: Bool { SQLiteKit.hasNoOrder(Wrapped.self) }
    func sortedText(_ encoder: JSONEncoder) throws -> String {
        try map { try StoredJSON.text(of: $0, encoder) } ?? "null"
    }
}

extension Array: SortedContainer where Element: Encodable {
    static var hasNoOrder: Bool { SQLiteKit.hasNoOrder(Element.self) }
    func sortedText(_ encoder: JSONEncoder) throws -> String {
        "[" + (try map { try StoredJSON.text(of: $0, encoder) }).joined(separator: ",") + "]"
    }
}

extension Set: SortedContainer where Element: Encodable {
    static var hasNoOrder: Bool { true }
    func sortedText(_ encoder: JSONEncoder) throws -> String {
        "[" + (try map { try StoredJSON.text(of: $0, encoder) }).sorted().joined(separator: ",") + "]"
    }
}

extension Dictionary: SortedContainer where Key: Encodable, Value: Encodable {
    /// Whether it encodes itself as an object. Others are lists, of a key and its value in turn.
    private static var isObject: Bool { Key.self is any CodingKeyRepresentable.Type }
    static var hasNoOrder: Bool { !isObject || SQLiteKit.hasNoOrder(Value.self) }

    func sortedText(_ encoder: JSONEncoder) throws -> String {
        let members = try map { key, value in
            let name = (key as? any CodingKeyRepresentable)?.codingKey.stringValue
            let key = try name.map { try StoredJSON.text(of: $0, encoder) } ?? StoredJSON.text(of: key, encoder)
            return (key: key, value: try StoredJSON.text(of: value, encoder))
        }.sorted { $0.key < $1.key }
        return Self.isObject
            ? "{" + members.map { "\($0.key):\($0.value)" }.joined(separator: ",") + "}"
            : "[" + members.map { "\($0.key),\($0.value)" }.joined(separator: ",") + "]"
    }
}
