internal import Foundation

/// Values that are given for a property: of its own type, of another one that it can be made from, or as JSON has them.
extension FieldCodec {
    /// The property's value for one of another type, if nothing is lost: an Int for an Int64, a raw value for an enum.
    ///
    /// What `jsonObject(forKeys:by:)` makes of a value gives that value again: for bytes a text is their Base64, and
    /// for a type that is stored as JSON a list or a dictionary is that JSON.
    func convert(_ value: Any?) throws -> Value {
        guard let value, !(value is NSNull) else {
            if asksForNil, let none = Any?.none as? Value { return none }
            return try decode(.null)
        }
        if let value = value as? Value { return value }
        if let text = value as? String, ownType == .blob { return try self.value(given: bytes(text)) }
        // Bits of a type with a raw value.
        if !keepsOrder, let bits = value as? UInt64 { return try decode(.integer(Int64(bitPattern: bits))) }
        guard let value = plain(value) else { return try decode(json: value) }
        let stored = try value.sqliteValue()
        // A stored number but 0 is true; a number that is given for a Bool must be one of its two.
        if unwrapped(Value.self) == Bool.self, ![.null, .integer(0), .integer(1)].contains(stored) {
            throw stored.mismatch(Value.self)
        }
        do {
            return try self.value(given: stored)
        } catch {
            // A type that is stored as JSON may be a mere text or number there.
            guard isStoredAsJSON, let decoded = try? decode(json: value) else { throw error }
            return decoded
        }
    }

    /// The type of column that the property's type has by itself, whatever this codec stores.
    var ownType: ColumnType {
        (unwrapped(Value.self) as? any SQLiteValueConvertible.Type)?.columnType ?? columnType
    }

    private var isStoredAsJSON: Bool {
        let type = unwrapped(Value.self)
        let isPlain = FieldKind(type) != .custom || type == URL.self || type == UUID.self || type == Decimal.self
        return type is any Codable.Type && !isPlain
    }

    /// A value that says itself how it is stored; Foundation's numbers do not.
    private func plain(_ value: Any) -> (any SQLiteValueConvertible)? {
        if let value = value as? any SQLiteValueConvertible { return value }
        guard value is NSNumber else { return nil }
        return value as? Int64 ?? value as? UInt64 ?? value as? Double
    }

    private func bytes(_ text: String) throws -> SQLiteValue {
        guard let bytes = Data(base64Encoded: text) else {
            throw SQLiteError(
                .typeMismatch, "a text that is given for bytes is read as Base64, and this one isn't valid")
        }
        return .blob(bytes)
    }

    private func decode(json value: Any) throws -> Value {
        if unwrapped(Value.self) == SQLiteValue.self, let object = value as? [String: Any],
            let stored = SQLiteValue(json: object)
        {
            return try decode(stored)
        }
        guard isStoredAsJSON, let json = try? JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed)
        else {
            throw SQLiteError(
                .given, "a value of type \(typeOf: value) isn't a valid \(source: Value.self)")
        }
        return try decode(.text(String(decoding: json, as: UTF8.self)))
    }

    /// Puts a value of any type into a property, if nothing is lost.
    func assign(_ value: Any?, to object: Memory, at offset: Int) throws {
        write(try convert(value), to: object, at: offset)
    }

    /// The stored form of a value of any type that the property could have.
    func stored(_ value: Any?) throws -> SQLiteValue {
        try encode(convert(value))
    }
}
