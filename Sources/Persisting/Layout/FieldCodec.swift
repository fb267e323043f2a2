internal import Foundation

/// Converts a property's values to stored ones and back.
///
/// Every column has one, for the ways that take a value at a time; those that take whole rows ask it only for types
/// that are not built in.
protocol FieldCodec<Value>: Sendable {
    /// The property's type.
    associatedtype Value
    /// The type to declare the column with.
    var columnType: ColumnType { get }
    func encode(_ value: Value) throws -> SQLiteValue
    /// The property's value for what a row has.
    ///
    /// - Throws: For a value that the type can't hold, and for one in another form than its own, ``OtherForm``.
    func decode(_ stored: SQLiteValue) throws -> Value
    /// The value that one of another type stands for, by how that type is stored.
    func value(given stored: SQLiteValue) throws -> Value
    /// Whether nil has a stored form that is to be asked for, and is not NULL.
    var asksForNil: Bool { get }
    /// Whether the type's own stored form is meant: a built-in type's fields are then read and written without the
    /// codec.
    var isOwnForm: Bool { get }
    /// Whether what is stored is the type's own stored form, however the property is read.
    var storesOwnForm: Bool { get }
    /// Whether SQLite compares what is stored as Swift compares the values.
    var keepsOrder: Bool { get }
    /// Whether SQLite computes with the stored form as Swift computes with the values.
    var keepsSums: Bool { get }
    /// The form in which dates are stored; nil for another type.
    var dateForm: DateStorage? { get }
    /// How SQL compares what is stored as Swift compares the values.
    var comparedForm: ComparedForm { get }
    /// The form in which values have to be stored, where the type by itself reads others; nil for other types.
    var ownForm: OwnForm? { get }
    /// Whether the stored value depends on the property's own bytes, and on no other object.
    var isOfBytesAlone: Bool { get }
    /// Whether a row's value is tracked as it is stored, since encoding it again takes as long as reading it. The two
    /// forms are compared when an object is saved.
    var tracksGivenForm: Bool { get }
    /// The value of an object's property, by default of its field.
    func read(_ object: Memory, at offset: Int) -> Value
    /// Sets an object's property, by default its field.
    func write(_ value: Value, to object: Memory, at offset: Int)
}

extension FieldCodec {
    var type: any Any.Type { Value.self }
    var asksForNil: Bool { false }
    var isOwnForm: Bool { false }
    var storesOwnForm: Bool { isOwnForm }
    var keepsOrder: Bool { true }
    var keepsSums: Bool { true }
    var dateForm: DateStorage? { nil }
    var comparedForm: ComparedForm { .stored }
    var ownForm: OwnForm? { nil }
    var isOfBytesAlone: Bool { _isPOD(Value.self) }
    var tracksGivenForm: Bool { false }

    func value(given stored: SQLiteValue) throws -> Value { try decode(stored) }

    func read(_ object: Memory, at offset: Int) -> Value {
        object.read(Value.self, at: offset)
    }

    func write(_ value: Value, to object: Memory, at offset: Int) {
        object.assign(value, at: offset)
    }

    /// The stored value of a property.
    func stored(in object: Memory, at offset: Int) throws -> SQLiteValue {
        try encode(read(object, at: offset))
    }

    /// Puts a stored value into a property.
    func assign(stored: SQLiteValue, to object: Memory, at offset: Int) throws {
        write(try decode(stored), to: object, at: offset)
    }

    /// A stored value as this class writes it.
    func canonical(_ stored: SQLiteValue) throws -> SQLiteValue {
        try encode(decode(stored))
    }

    /// Whether one value may be stored in several forms, as JSON may: a set inside of it has no order.
    var mayHaveOtherForm: Bool { if case .normalized = comparedForm { true } else { false } }

    /// Whether a property has the value that is stored, though it would be stored in another form now.
    ///
    /// A set inside of a type encodes itself in another order each time. So JSON is the same that has the same
    /// elements, if the type, too, says that the values are equal: it may leave out a property, but no element of a
    /// list.
    func isSame(_ stored: SQLiteValue, as current: SQLiteValue, in object: Memory, at offset: Int) throws -> Bool {
        try isSame(stored, as: current) { read(object, at: offset) }
    }

    /// Whether two rows have the same value, though in another form.
    func isSame(_ stored: SQLiteValue, as other: SQLiteValue) throws -> Bool {
        if stored == other { return true }
        guard mayHaveOtherForm, !stored.isNull, !other.isNull else { return false }
        return try isSame(stored, as: other) { try decode(other) }
    }

    private func isSame(_ stored: SQLiteValue, as current: SQLiteValue, _ value: () throws -> Value) throws -> Bool {
        let known = try decode(stored)
        if try encode(known) == current { return true }
        func isEqual<T: Equatable>(_ value: T) -> Bool { known as? T == value }
        guard mayHaveOtherForm, let value = try value() as? any Equatable,
            let (tree, other) = JSONContent(stored).flatMap({ tree in JSONContent(current).map { (tree, $0) } })
        else { return false }
        return tree.withoutOrder == other.withoutOrder && isEqual(value)
    }

    /// The property's value.
    func value(in object: Memory, at offset: Int) -> Any {
        read(object, at: offset)
    }

    /// Copies a property's value to another object of the class.
    func copy(from source: Memory, to target: Memory, at offset: Int) {
        write(read(source, at: offset), to: target, at: offset)
    }
}

/// The codec of a type that says itself how it is stored.
struct ConvertibleCodec<Value: SQLiteValueConvertible>: FieldCodec {
    let columnType = Value.columnType
    var isOwnForm: Bool { true }
    // The column's type first: it tells of most types, and a cast to a protocol is expensive the first time.
    let dateForm: DateStorage? =
        Value.columnType == Date.columnType && isDate(unwrapped(Value.self)) ? .unixSeconds : nil
    let comparedForm = ComparedForm(Value.self)
    let ownForm = OwnForm(Value.self)
    func encode(_ value: Value) throws -> SQLiteValue { try value.sqliteValue() }

    func decode(_ stored: SQLiteValue) throws -> Value {
        let value = try Value(sqliteValue: stored)
        if let ownForm { try ownForm.check(stored, encode(value)) }
        return value
    }

    /// What is given may have any form that the type reads.
    func value(given stored: SQLiteValue) throws -> Value { try Value(sqliteValue: stored) }
}

/// Whether a type is stored as a date is: `Date`, and a type with such a raw value.
private func isDate(_ type: any Any.Type) -> Bool {
    func rawValue<Raw: RawRepresentable>(_ type: Raw.Type) -> any Any.Type { Raw.RawValue.self }
    if type == Date.self { return true }
    if type == Double.self || type == Float.self { return false }
    guard let raw = type as? any (RawRepresentable & SQLiteValueConvertible).Type else { return false }
    return rawValue(raw) == Date.self && raw.columnType == Date.columnType
}

/// The codec of dates in one of their stored forms.
struct DateCodec: FieldCodec {
    let storage: DateStorage
    var dateForm: DateStorage? { storage }
    var comparedForm: ComparedForm { storage == .unixSeconds ? .rounded(.date) : .stored }
    var columnType: ColumnType { storage.columnType }
    func encode(_ value: Date) throws -> SQLiteValue { try storage.value(for: value) }
    func decode(_ stored: SQLiteValue) throws -> Date { try storage.date(from: stored) }
}

/// The codec of an Optional: nil is NULL.
struct OptionalCodec<Wrapped: FieldCodec>: FieldCodec {
    let wrapped: Wrapped
    var columnType: ColumnType { wrapped.columnType }
    func encode(_ value: Wrapped.Value?) throws -> SQLiteValue { try value.map { try wrapped.encode($0) } ?? .null }
    func decode(_ stored: SQLiteValue) throws -> Wrapped.Value? { stored.isNull ? nil : try wrapped.decode(stored) }
    var keepsOrder: Bool { wrapped.keepsOrder }
    var keepsSums: Bool { wrapped.keepsSums }
    var tracksGivenForm: Bool { wrapped.tracksGivenForm }
    var dateForm: DateStorage? { wrapped.dateForm }
    var comparedForm: ComparedForm { wrapped.comparedForm }
    var ownForm: OwnForm? { wrapped.ownForm }

    func value(given stored: SQLiteValue) throws -> Wrapped.Value? {
        stored.isNull ? nil : try wrapped.value(given: stored)
    }
}

/// The codec of a Codable type as JSON.
struct JSONCodec<Value: Codable>: FieldCodec {
    let columnType = ColumnType.text
    let tracksGivenForm = true
    let comparedForm = ComparedForm.json(Self.self) { stored in
        .text(try StoredJSON.encode(StoredJSON.decode(Value.self, from: Data(sqliteValue: stored))))
    }
    func encode(_ value: Value) throws -> SQLiteValue { .text(try StoredJSON.encode(value)) }

    func decode(_ stored: SQLiteValue) throws -> Value {
        guard !stored.isNull else { throw stored.mismatch(Value.self) }
        return try StoredJSON.decode(Value.self, from: Data(sqliteValue: stored))
    }
}

/// Optionals, whatever they wrap.
protocol OptionalType {
    static var wrappedType: any Any.Type { get }
    var wrappedValue: Any? { get }
}

extension Optional: OptionalType {
    static var wrappedType: any Any.Type { Wrapped.self }
    var wrappedValue: Any? { map { $0 as Any } }
}

/// The type with an Optional around it taken off.
package func unwrapped(_ type: any Any.Type) -> any Any.Type {
    // The first time that the runtime is asked whether a type conforms, it goes through all conformances there are.
    FieldKind.wrapped(in: type) ?? (type as? any OptionalType.Type)?.wrappedType ?? type
}

func isOptional(_ type: any Any.Type) -> Bool { unwrapped(type) != type }

/// A value with an Optional inside it taken off: nil for one that holds an Optional that is nil, and for `NSNull`.
func flattened(_ value: Any?) -> Any? {
    guard let value, !(value is NSNull) else { return nil }
    // Asked of the value itself: the Optional that `value` came in would answer too.
    guard let optional = value as? any OptionalType else { return value }
    return optional.wrappedValue
}

/// The codec for a property's type as JSON, nil for one that is not Codable.
func jsonCodec(for type: any Any.Type) -> (any FieldCodec)? {
    func codec<T: Codable>(_ wrapped: T.Type) -> any FieldCodec {
        wrapped == type ? JSONCodec<T>() : OptionalCodec(wrapped: JSONCodec<T>())
    }
    return (unwrapped(type) as? any Codable.Type).map { codec($0) }
}

/// The codec for a property's type, nil for one that no column holds.
func codec(for type: any Any.Type, dates: DateStorage) -> (any FieldCodec)? {
    func convertible<T: SQLiteValueConvertible>(_ type: T.Type) -> any FieldCodec { ConvertibleCodec<T>() }
    if unwrapped(type) == Date.self, dates != .unixSeconds {
        let codec = DateCodec(storage: dates)
        return type == Date.self ? codec : OptionalCodec(wrapped: codec)
    }
    if let builtIn = FieldKind(type).codec { return builtIn }
    return (type as? any SQLiteValueConvertible.Type).map { convertible($0) }
}

extension FieldKind {
    /// The codec of a built-in type; nil for others.
    fileprivate var codec: (any FieldCodec)? {
        var visitor = CodecOfField()
        // A visitor that only makes a codec has nothing to throw.
        try? visit(&visitor)
        return visitor.codec
    }
}

private struct CodecOfField: FieldVisitor {
    var codec: (any FieldCodec)?
    // Here the conformance is handed in; code of its own for each type would have the runtime look for it.
    @inline(never) @_semantics("optimize.sil.specialize.generic.never")
    mutating func visit<T: BuiltInField>(_ type: T.Type) { codec = ConvertibleCodec<T>() }
    mutating func visitCustom() {}
}
