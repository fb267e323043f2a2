internal import Foundation

/// How the names of a type's properties become the names of columns, when rows are decoded and arguments encoded.
public enum CodingKeyStrategy: Sendable {
    /// As they are. Columns are found without regard to the case of ASCII letters.
    case asWritten
    /// `lastName` is the column `last_name`, as ``NameText/snakeCase(_:)`` writes it.
    case snakeCase
    /// What the function makes of the property's name.
    case custom(@Sendable (String) -> String)

    @inline(__always)
    func columnName(_ key: some CodingKey) -> String {
        switch self {
        case .asWritten: key.stringValue
        case .snakeCase: NameText.snakeCase(key.stringValue)
        case .custom(let name): name(key.stringValue)
        }
    }
}

extension RowReading {
    /// Makes a value of a `Decodable` type from the row, a column for each property.
    ///
    /// ```swift
    /// struct User: Decodable {
    ///     var id: Int; var lastName: String?; var tags: [String]
    /// }
    /// let users = try db.rows("SELECT * FROM user").map {
    ///     try $0.decode(User.self, keys: .snakeCase)
    /// }
    /// ```
    ///
    /// A property whose type is an ``SQLiteValueConvertible`` is read as that; one of any other type is decoded from a
    /// TEXT of JSON. A single value, such as `Int` or `Date`, is read from the first column.
    ///
    /// - Parameters:
    ///   - type: The type.
    ///   - keys: How the properties' names become the columns'.
    ///   - dates: The form in which dates are stored.
    /// - Throws: ``SQLiteError`` that names the column: ``ResultCode/noSuchColumn`` for one that is missing and whose
    ///   property is not Optional, ``ResultCode/typeMismatch`` for a value that does not fit; or what the type's own
    ///   `init(from:)` throws.
    public func decode<Value: Decodable>(
        _ type: Value.Type, keys: CodingKeyStrategy = .asWritten, dates: DateStorage = .unixSeconds
    ) throws -> Value {
        let decoder = RowDecoder(self, keys: keys, dates: dates)
        // Foundation's values take themselves for something else: a Date for the seconds since 2001, a Decimal for its
        // parts.
        let isValue =
            type == Date.self || type == Data.self || type == Decimal.self || type == URL.self || type == UUID.self
        return isValue ? try decoder.decode(type, at: 0) : try type.init(from: decoder)
    }
}

private final class RowDecoder: Decoder {
    let row: any RowReading
    /// The same, where it is a result set's: what the compiler knows the way into.
    private let live: Row?
    let keys: CodingKeyStrategy
    let dates: DateStorage

    init<Source: RowReading>(_ row: Source, keys: CodingKeyStrategy, dates: DateStorage) {
        self.row = row
        live = Source.self == Row.self ? same(row, as: Row.self) : nil
        self.keys = keys
        self.dates = dates
    }

    @inline(__always)
    func value<Value: SQLiteValueConvertible>(at index: Int, as type: Value.Type) throws(SQLiteError) -> Value {
        if let live { try live.value(at: index, as: type) } else { try row.value(at: index, as: type) }
    }

    @inline(__always)
    func index(of key: some CodingKey) -> Int? {
        if let index = index(named: keys.columnName(key)) { return index }
        // A dictionary asks by the columns' own names.
        if case .asWritten = keys { return nil }
        return index(named: key.stringValue)
    }

    @inline(__always)
    func requiredIndex(of key: some CodingKey) throws(SQLiteError) -> Int {
        if let index = index(of: key) { return index }
        return try row.requiredIndex(of: keys.columnName(key))
    }

    private func index(named name: String) -> Int? {
        if let live { live.index(of: name) } else { row.index(of: name) }
    }

    func isNull(at index: Int) throws(SQLiteError) -> Bool {
        if let live { try live.isNull(at: index) } else { try row.isNull(at: index) }
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Columns<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw row.failure(.typeMismatch, "a row isn't an array: decode a type with a property for each column")
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        FirstColumn(decoder: self)
    }

    func decode<Value: Decodable>(_ type: Value.Type, at index: Int) throws -> Value {
        if type == Date.self, dates == .unixSeconds { return same(try value(at: index, as: Date.self), as: type) }
        if type == Data.self { return same(try value(at: index, as: Data.self), as: type) }
        func convert<Stored: SQLiteValueConvertible>(_ stored: Stored.Type) throws -> Any {
            try self.value(at: index, as: stored)
        }
        let value: Any
        if type == Date.self || type == Date?.self {
            let isNil = try type == Date?.self && isNull(at: index)
            let date =
                try isNil ? nil : converting(index) { try dates.date(from: row.value(at: index, as: SQLiteValue.self)) }
            value = date as Any
        } else if let stored = type as? any SQLiteValueConvertible.Type {
            value = try convert(stored)
        } else if let optional = type as? any OptionalValue.Type, try isNull(at: index) {
            value = optional.nilValue
        } else {
            let text = try row.value(at: index, as: Data.self)
            value = try converting(index) { try StoredJSON.decode(type, from: text) }
        }
        guard let value = value as? Value else {
            throw row.failure(.typeMismatch, "a column isn't a valid \(source: type)")
        }
        return value
    }

    /// The value, nil for NULL.
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, at index: Int) throws -> Value? {
        if type == Date.self, dates == .unixSeconds {
            guard let date = try value(at: index, as: Date?.self) else { return nil }
            return same(date, as: type)
        }
        if type == Data.self {
            guard let data = try value(at: index, as: Data?.self) else { return nil }
            return same(data, as: type)
        }
        return try isNull(at: index) ? nil : decode(type, at: index)
    }

    private func converting<Value>(_ index: Int, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw row.conversionFailure(error, at: index)
        }
    }
}

/// The columns as a type's properties.
private struct Columns<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: RowDecoder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { decoder.row.columnNames.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool {
        decoder.index(of: key) != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        try decoder.isNull(at: decoder.requiredIndex(of: key))
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoder.decode(type, at: decoder.requiredIndex(of: key))
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let index = decoder.index(of: key) else { return nil }
        return try decoder.decodeIfPresent(type, at: index)
    }

    @inline(__always)
    private func read<Value: SQLiteValueConvertible>(_ type: Value.Type, _ key: Key) throws -> Value {
        try decoder.value(at: decoder.requiredIndex(of: key), as: type)
    }

    @inline(__always)
    private func readIfPresent<Value: SQLiteValueConvertible>(_ type: Value.Type, _ key: Key) throws -> Value? {
        guard let index = decoder.index(of: key) else { return nil }
        return try decoder.value(at: index, as: Value?.self)
    }

    // For the types that most columns have the compiler knows the way; any other's is found at run time.

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try read(type, key) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try read(type, key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try read(type, key) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try read(type, key) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try read(type, key) }
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try readIfPresent(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try readIfPresent(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try readIfPresent(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try readIfPresent(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try readIfPresent(type, key) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        throw nested(key)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw nested(key) }
    func superDecoder() throws -> any Decoder { decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw nested(key) }

    private func nested(_ key: Key) -> SQLiteError {
        decoder.row.failure(
            .typeMismatch, "column \(decoder.keys.columnName(key)) has no parts: decode a type of its own from it")
    }
}

/// The first column as a value by itself.
private struct FirstColumn: SingleValueDecodingContainer {
    let decoder: RowDecoder
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool {
        // A row without columns is found when the value is read.
        (try? decoder.row.isNull(at: 0)) ?? false
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.decode(type, at: 0) }
}

/// A value as the type that it is known to have, where the compiler does not know it.
@inline(__always)
private func same<Known, Value>(_ value: Known, as type: Value.Type) -> Value {
    // Called where the types are the same, and so the bits.
    unsafeBitCast(value, to: type)
}
