/// The codec of unsigned integers as their bits.
private struct BitPatternCodec<Value: FixedWidthInteger & UnsignedInteger & SQLiteValueConvertible>: FieldCodec {
    let columnType = ColumnType.integer
    var keepsOrder: Bool { false }
    var keepsSums: Bool { false }
    func encode(_ value: Value) -> SQLiteValue { .integer(Int64(bitPattern: UInt64(value))) }

    func decode(_ stored: SQLiteValue) throws -> Value {
        // A UInt may have 32 bits.
        guard let value = Value(exactly: UInt64(bitPattern: try Int64(sqliteValue: stored))) else {
            throw stored.mismatch(Value.self)
        }
        return value
    }

    /// A number that is given isn't taken as bits: -1 isn't a value of the type.
    func value(given stored: SQLiteValue) throws -> Value { try Value(sqliteValue: stored) }
}

/// The codec of a type with a raw value, by that of the raw value.
struct RawValueCodec<Value: RawRepresentable, Raw: FieldCodec>: FieldCodec where Raw.Value == Value.RawValue {
    let raw: Raw
    var columnType: ColumnType { raw.columnType }
    var keepsOrder: Bool { raw.keepsOrder }
    var keepsSums: Bool { raw.keepsSums }
    var comparedForm: ComparedForm { raw.comparedForm }
    var ownForm: OwnForm? { raw.ownForm }
    func encode(_ value: Value) throws -> SQLiteValue { try raw.encode(value.rawValue) }
    func decode(_ stored: SQLiteValue) throws -> Value { try value(raw.decode(stored)) }
    func value(given stored: SQLiteValue) throws -> Value { try value(raw.value(given: stored)) }

    /// The codec of a property's type, which may be an Optional of the value's.
    static func codec(for type: any Any.Type, _ raw: Raw) -> any FieldCodec {
        type == Value.self ? Self(raw: raw) : OptionalCodec(wrapped: Self(raw: raw))
    }

    private func value(_ rawValue: Value.RawValue) throws -> Value {
        guard let value = Value(rawValue: rawValue) else {
            throw SQLiteError(.typeMismatch, "\(source: Value.self) has no value for the stored \(rawValue)")
        }
        return value
    }
}

/// The codec of a property's type as bits; nil for one that isn't an unsigned integer of 64 bits and has none for its
/// raw value.
func bitPatternCodec(for type: any Any.Type) -> (any FieldCodec)? {
    func optional<Codec: FieldCodec>(_ codec: Codec) -> any FieldCodec {
        type == Codec.Value.self ? codec : OptionalCodec(wrapped: codec)
    }
    func raw<Value: RawRepresentable>(_ type: Value.Type) -> (any FieldCodec)? {
        func codec<Codec: FieldCodec>(_ codec: Codec) -> (any FieldCodec)? where Codec.Value == Value.RawValue {
            optional(RawValueCodec<Value, Codec>(raw: codec))
        }
        return (bitPatternCodec(for: Value.RawValue.self) as? any FieldCodec<Value.RawValue>).flatMap { codec($0) }
    }
    switch unwrapped(type) {
    case is UInt64.Type: return optional(BitPatternCodec<UInt64>())
    case is UInt.Type: return optional(BitPatternCodec<UInt>())
    case let type as any RawRepresentable.Type: return raw(type)
    default: return nil
    }
}
