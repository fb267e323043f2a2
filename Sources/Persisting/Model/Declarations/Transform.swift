internal import Foundation

/// How the values of a property are stored, if their type can't be stored or should be stored differently.
///
/// ```swift
/// extension Transform where Value == Color {
///     static let hex = Transform(
///         encode: { $0.hexText },
///         decode: { (text: String) in try Color(hexText: text) })
/// }
///
/// override class var columns: Columns {
///     [
///         "ID": .int, "COLOR": .any.transformed(by: .hex),
///         "BACK": .path(\Album.back, transform: .hex),
///     ]
/// }
/// ```
///
/// or for all columns of the type, ``PersistingModel/transforms``. It serves wherever the property's values go:
/// reading, writing, keys, conditions and snapshots. SQLite sees what is stored: orderings and comparisons are of that,
/// and sums and averages of such a column are rejected.
///
/// An Optional property takes the transform of the type it wraps: its nil is NULL. A transform whose own `Value` is
/// Optional is asked for nil and for NULL as for any other value: `Transform<Color?>`.
public struct Transform<Value>: Sendable {
    let columnType: ColumnType
    let comparedForm: ComparedForm
    let dateForm: DateStorage?
    let encode: @Sendable (Value) throws -> SQLiteValue
    let decode: @Sendable (SQLiteValue) throws -> Value

    /// A transform by way of a type that can be stored.
    ///
    /// - Parameters:
    ///   - encode: Makes what is stored of a value, and always the same of the same one: an object's changes are found
    ///     by it. What it throws keeps the object from being saved.
    ///   - decode: Makes the value of what is stored. What it throws keeps the row from being fetched.
    public init<Stored: SQLiteValueConvertible>(
        encode: @escaping @Sendable (Value) throws -> Stored, decode: @escaping @Sendable (Stored) throws -> Value
    ) {
        columnType = Stored.columnType
        comparedForm = Stored.self is any JSONText.Type ? ComparedForm(Stored.self) : .stored
        dateForm = Stored.NonOptional.self == Date.self ? .unixSeconds : nil
        self.encode = { try encode($0).sqliteValue() }
        self.decode = { try decode(Stored(sqliteValue: $0)) }
    }
}

extension Transform where Value: Codable & Sendable {
    /// JSON as text. Keys are sorted, dates are seconds since 1970.
    public static var json: Transform {
        Transform(encode: { JSON($0) }, decode: { (json: JSON<Value>) in json.value })
    }
}

extension Transform where Value: RawRepresentable & SendableMetatype, Value.RawValue: SQLiteValueConvertible {
    /// The raw value, for a type of another module.
    ///
    /// A type of your own stores its raw value when it conforms to ``/SQLiteKit/SQLiteValueConvertible``.
    public static var rawValue: Transform {
        Transform(
            encode: { $0.rawValue },
            decode: { (raw: Value.RawValue) in
                guard let value = Value(rawValue: raw) else {
                    throw SQLiteError(.typeMismatch, "\(source: Value.self) has no value for the stored \(raw)")
                }
                return value
            })
    }
}

/// A transform of any type, for lists of them: `[.init(.hex), .init(.cents)]`.
public struct AnyTransform: Sendable {
    /// The type whose values it transforms.
    let valueType: any Any.Type
    /// Makes the codec for a property's type; nil for one that is neither the transform's nor an Optional of it.
    let codec: @Sendable (any Any.Type) -> (any FieldCodec)?

    /// A transform as one of a list.
    ///
    /// - Parameter transform: The transform.
    public init<Value>(_ transform: Transform<Value>) {
        valueType = Value.self
        codec = { type in
            let codec = TransformCodec(transform: transform)
            return type == Value.self ? codec : type == Value?.self ? OptionalCodec(wrapped: codec) : nil
        }
    }
}

/// The codec of a column with a transform.
struct TransformCodec<Value>: FieldCodec {
    let transform: Transform<Value>
    var columnType: ColumnType { transform.columnType }
    var asksForNil: Bool { Value.self is any OptionalType.Type }
    var keepsSums: Bool { false }
    var comparedForm: ComparedForm { transform.comparedForm }
    var dateForm: DateStorage? { transform.dateForm }
    func encode(_ value: Value) throws -> SQLiteValue { try transform.encode(value) }
    func decode(_ stored: SQLiteValue) throws -> Value { try transform.decode(stored) }

    /// A number that is given for a number is one, whatever number the transform stores for it.
    func value(given stored: SQLiteValue) throws -> Value {
        guard let plain = Value.self as? any SQLiteValueConvertible.Type else { return try decode(stored) }
        guard let value = try plain.init(sqliteValue: stored) as? Value else { throw stored.mismatch(Value.self) }
        return value
    }
}
