internal import Foundation

extension Arguments {
    /// The properties of an `Encodable` value as arguments by name.
    ///
    /// ```swift
    /// struct User: Encodable {
    ///     var id: Int; var lastName: String?; var tags: [String]
    /// }
    /// try db.execute(
    ///     "INSERT INTO user VALUES (:id, :last_name, :tags)",
    ///     try Arguments(encoding: user, keys: .snakeCase))
    /// ```
    ///
    /// A property whose type is an ``SQLiteValueConvertible`` is bound as that; one of any other type as a TEXT of
    /// JSON. Nil is NULL.
    ///
    /// - Parameters:
    ///   - value: A value with properties.
    ///   - keys: How the properties' names become the parameters'.
    ///   - dates: The form in which dates are stored.
    /// - Throws: ``ResultCode/typeMismatch`` for a value without properties and for one that cannot be stored, or what
    ///   the type's own `encode(to:)` throws.
    public init(
        encoding value: some Encodable, keys: CodingKeyStrategy = .asWritten, dates: DateStorage = .unixSeconds
    ) throws {
        let encoder = ArgumentsEncoder(keys: keys, dates: dates)
        try value.encode(to: encoder)
        if let failure = encoder.failure { throw failure }
        self.init(encoder.values)
    }
}

/// Gathers the values of a keyed container; anything else is a failure, which Encoder's calls cannot throw.
private final class ArgumentsEncoder: Encoder {
    let keys: CodingKeyStrategy
    let dates: DateStorage
    var values: [String: (any SQLiteValueConvertible)?] = [:]
    var failure: SQLiteError?
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(keys: CodingKeyStrategy, dates: DateStorage) {
        self.keys = keys
        self.dates = dates
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Parameters<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        FailingContainer(error: fail("an array has no names for parameters"))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        FailingContainer(error: fail("a single value has no name for a parameter"))
    }

    @discardableResult
    func fail(_ reason: String) -> SQLiteError {
        let error = SQLiteError(.typeMismatch, "the value cannot be encoded as arguments: \(reason)")
        failure = failure ?? error
        return error
    }

    /// The value to bind; nil for that of an Optional.
    func encode<Value: Encodable>(_ value: Value) throws -> (any SQLiteValueConvertible)? {
        if let date = value as? Date { return try dates.value(for: date) }
        if let value = value as? any SQLiteValueConvertible { return value }
        if (value as? any OptionalValue)?.isNil == true { return nil }
        return SQLiteValue.text(try StoredJSON.encode(value))
    }
}

private struct Parameters<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ArgumentsEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { encoder.values[encoder.keys.columnName(key)] = .some(nil) }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        encoder.values[encoder.keys.columnName(key)] = .some(try encoder.encode(value))
    }

    // A nil that were left out would be a missing argument. The protocol asks once for each type.
    private func encodeOrNull<Value: Encodable>(_ value: Value?, _ key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encodeOrNull(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encodeOrNull(value, key) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        failForParts(key)
        return ArgumentsEncoder(keys: encoder.keys, dates: encoder.dates).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        failForParts(key)
        return encoder.unkeyedContainer()
    }

    func superEncoder() -> any Encoder { encoder }

    func superEncoder(forKey key: Key) -> any Encoder {
        failForParts(key)
        return ArgumentsEncoder(keys: encoder.keys, dates: encoder.dates)
    }

    private func failForParts(_ key: Key) {
        encoder.fail("the parameter \(encoder.keys.columnName(key)) can have no parts of its own")
    }
}

/// A container for values that can be no arguments.
private struct FailingContainer: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    let error: SQLiteError
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    func encodeNil() throws { throw error }
    func encode(_ value: some Encodable) throws { throw error }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func superEncoder() -> any Encoder { ArgumentsEncoder(keys: .asWritten, dates: .unixSeconds) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        ArgumentsEncoder(keys: .asWritten, dates: .unixSeconds).container(keyedBy: type)
    }
}
