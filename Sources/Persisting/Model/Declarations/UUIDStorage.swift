internal import Foundation

/// The forms in which a UUID can be stored.
public enum UUIDStorage: Sendable, Hashable {
    /// A TEXT of 36 characters in upper case, as `uuidString` writes it. The default.
    case text
    /// A BLOB of 16 bytes.
    case blob
}

/// The codec of UUIDs as 16 bytes.
struct UUIDBlobCodec: FieldCodec {
    let columnType = ColumnType.blob
    func decode(_ stored: SQLiteValue) throws -> UUID { try UUID(sqliteValue: stored) }

    func encode(_ value: UUID) -> SQLiteValue {
        let (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) = value.uuid
        return .blob(Data([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]))
    }
}
