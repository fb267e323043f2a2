internal import Foundation

/// The forms in which a UUID can be stored.
///
/// A column holds one of them. SQLite compares UUIDs by their bytes, so a UUID in another form isn't read: conditions
/// and relations would miss it.
public enum UUIDStorage: Sendable, Hashable {
    /// A TEXT of 36 characters in upper case, as `uuidString` writes it. The default.
    case text
    /// A TEXT of 36 characters in lower case, as Python, PostgreSQL and most other programs write it.
    case lowercaseText
    /// A BLOB of 16 bytes.
    case blob
}

extension UUIDStorage {
    /// The form in words.
    var contents: String {
        switch self {
        case .text: "UUIDs as text in upper case"
        case .lowercaseText: "UUIDs as text in lower case"
        case .blob: "UUIDs of 16 bytes"
        }
    }

    /// Whether a column of this form may hold a value.
    package func reads(_ value: SQLiteValue) -> Bool { (try? UUIDCodec(storage: self).decode(value)) != nil }

    /// SQL that makes a text of this form of 16 bytes.
    func conversion(ofBytes name: String) -> String {
        let digits = "\(self == .lowercaseText ? "lower(hex" : "hex")(\(name))\(self == .lowercaseText ? ")" : "")"
        return [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)].map { "substr(\(digits), \($0), \($1))" }
            .joined(separator: " || '-' || ")
    }
}

/// The codec of UUIDs in one of their stored forms.
struct UUIDCodec: FieldCodec {
    let storage: UUIDStorage
    var columnType: ColumnType { storage == .blob ? .blob : .text }
    var ownForm: OwnForm? { .uuid(storage) }

    func decode(_ stored: SQLiteValue) throws -> UUID {
        let value = try UUID(sqliteValue: stored)
        try OwnForm.uuid(storage).check(stored, encode(value))
        return value
    }

    /// A UUID that is given may be in any form.
    func value(given stored: SQLiteValue) throws -> UUID { try UUID(sqliteValue: stored) }

    func encode(_ value: UUID) -> SQLiteValue {
        switch storage {
        case .text: .text(value.uuidString)
        case .lowercaseText: .text(value.uuidString.lowercased())
        case .blob: .blob(withUnsafeBytes(of: value.uuid) { Data($0) })
        }
    }
}

/// The codec of a property's type as UUIDs in a form; nil for one that is neither a UUID nor has one for its raw value.
func uuidCodec(for type: any Any.Type, _ storage: UUIDStorage) -> (any FieldCodec)? {
    func raw<Value: RawRepresentable>(_ value: Value.Type) -> (any FieldCodec)? {
        func codec<Codec: FieldCodec>(_ codec: Codec) -> (any FieldCodec)? where Codec.Value == Value.RawValue {
            RawValueCodec<Value, Codec>.codec(for: type, codec)
        }
        return (UUIDCodec(storage: storage) as? any FieldCodec<Value.RawValue>).flatMap { codec($0) }
    }
    let value = unwrapped(type)
    if value == UUID.self {
        let codec = UUIDCodec(storage: storage)
        return type == UUID.self ? codec : OptionalCodec(wrapped: codec)
    }
    return (value as? any RawRepresentable.Type).flatMap { raw($0) }
}
