/// The number in a database file's header that says which program's file it is.
///
/// ```swift
/// try db.setApplicationID(ApplicationID("Albm"))
/// ```
///
/// See [PRAGMA application_id](https://www.sqlite.org/pragma.html#pragma_application_id).
public struct ApplicationID: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The number as SQLite has it.
    public let rawValue: Int32

    /// A number.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// Four ASCII characters, of which the first is the highest byte.
    ///
    /// - Parameter characters: Four ASCII characters.
    /// - Throws: ``ResultCode/typeMismatch`` for any other text.
    public init(_ characters: String) throws(SQLiteError) {
        guard characters.utf8.count == 4, characters.utf8.allSatisfy({ $0 < 128 }) else {
            throw SQLiteError(.typeMismatch, "an application id has four ASCII characters, which \(characters) has not")
        }
        rawValue = characters.utf8.reduce(0) { $0 << 8 | Int32($1) }
    }

    /// The four characters; nil when the number stands for other than printable ASCII.
    public var characters: String? {
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) }
        return bytes.allSatisfy { (32...126).contains($0) } ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// The four characters, or the number.
    public var description: String { characters ?? "\(rawValue)" }
}
