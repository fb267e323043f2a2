/// How the values of a property are stored, where their type does not say it itself.
///
/// ```swift
/// extension Transform where Value == Color {
///     static let hex = Transform(encode: { $0.hexText }, decode: { (text: String) in try Color(hexText: text) })
/// }
///
/// override class var columns: Columns {
///     ["ID": .int, "COLOR": .path(\Album.color, transform: .hex)]
/// }
/// ```
///
/// An Optional property takes the transform of the type it wraps: its nil is NULL.
public struct Transform<Value>: Sendable {
    let columnType: ColumnType
    let encode: @Sendable (Value) throws -> SQLiteValue
    let decode: @Sendable (SQLiteValue) throws -> Value

    /// A transform by way of a type that can be stored.
    ///
    /// - Parameters:
    ///   - encode: Makes what is stored of a value. What it throws keeps the object from being saved.
    ///   - decode: Makes the value of what is stored. What it throws keeps the row from being fetched.
    public init<Stored: SQLiteValueConvertible>(
        encode: @escaping @Sendable (Value) throws -> Stored, decode: @escaping @Sendable (Stored) throws -> Value
    ) {
        columnType = Stored.columnType
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

/// The codec of a column with a transform of its own.
struct TransformCodec<Value>: FieldCodec {
    let transform: Transform<Value>
    var columnType: ColumnType { transform.columnType }
    func encode(_ value: Value) throws -> SQLiteValue { try transform.encode(value) }
    func decode(_ stored: SQLiteValue) throws -> Value { try transform.decode(stored) }
}
