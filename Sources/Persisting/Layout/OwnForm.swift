internal import Foundation

/// The one stored form of a type that, by itself, reads several forms of the same value.
///
/// SQL compares what is stored. A value in another form would be read as equal to one that conditions, relations and
/// upserts then miss, so a column with such a value isn't read.
enum OwnForm: Sendable, Equatable {
    /// 0 or 1.
    case bool
    /// A BLOB.
    case bytes
    /// The text that a URL has as its absolute string.
    case url
    case uuid(UUIDStorage)
    /// JSON as the library writes it, in a key.
    case json

    /// - Returns: Nil for a type whose values have one stored form each, or several that SQL compares as equal.
    init?(_ type: any Any.Type) {
        let type = unwrapped(type)
        switch FieldKind(type) {
        case .bool: self = .bool
        case .data: self = .bytes
        case .custom:
            switch type {
            case is [UInt8].Type, is ArraySlice<UInt8>.Type: self = .bytes
            case is URL.Type: self = .url
            case is UUID.Type: self = .uuid(.text)
            default:
                guard let raw = type as? any (RawRepresentable & SQLiteValueConvertible).Type,
                    let form = Self.ofRawValue(raw)
                else { return nil }
                self = form
            }
        // A cast to a protocol is expensive the first time, and no built-in type has a raw value.
        default: return nil
        }
    }

    private static func ofRawValue<Value: RawRepresentable & SQLiteValueConvertible>(_ type: Value.Type) -> OwnForm? {
        // A type that says itself how it is stored may differ from its raw value.
        guard let raw = Value.RawValue.self as? any SQLiteValueConvertible.Type, raw.columnType == Value.columnType
        else { return nil }
        return OwnForm(raw)
    }

    /// Throws for a stored value in another form, which has been read as a value of the type.
    ///
    /// - Parameter encoded: The form in which the library writes the value.
    @inline(__always)
    func check(_ stored: SQLiteValue, _ encoded: @autoclosure () throws -> SQLiteValue) throws {
        let isOwn =
            switch (self, stored) {
            case (.bool, .integer(let number)): number == 0 || number == 1
            case (.bool, .real(let number)): number == 0 || number == 1
            case (.bytes, .text): false
            case (.uuid(.text), .text(let text)): !text.utf8.contains { (97...102).contains($0) }
            case (.uuid(.lowercaseText), .text(let text)): !text.utf8.contains { (65...70).contains($0) }
            case (.uuid(let storage), .text), (.uuid(let storage), .blob):
                (storage == .blob) == (stored.storageClass == .blob)
            case (.url, .text), (.json, _): try encoded() == stored
            default: true
            }
        if !isOwn { throw OtherForm(form: self, stored: stored) }
    }
}

/// The error of a stored value that is one of the column's type, but not in the form in which the library writes it.
struct OtherForm: Error {
    let form: OwnForm
    let stored: SQLiteValue
}

/// How SQL has to read a column so that it compares values as the class does, where several stored forms are read as
/// the same value.
enum ComparedForm: Sendable {
    /// As they are stored.
    case stored
    /// Numbers are rounded to those that the class has.
    case rounded(Rounding)
    /// JSON is compared by its value, as the class would write it: by the function of this number.
    case normalized(Int)

    /// The form of a type that is stored as JSON.
    static func json<Value>(_ type: Value.Type, _ normal: @escaping NormalForms.Form) -> ComparedForm {
        .normalized(NormalForms.number(of: type, normal))
    }

    /// The form of a type that says itself how it is stored.
    init<Value: SQLiteValueConvertible>(_ type: Value.Type) {
        // Of a built-in type its kind tells. What an Optional wraps is asked of other types alone: to name it, the
        // runtime looks for its conformance, for which it goes through all those of the program the first time.
        switch FieldKind(type) {
        case .float, .optionalFloat: self = .rounded(.float)
        case .date, .optionalDate: self = .rounded(.date)
        case .custom: self = Self.ofCustom(Value.NonOptional.self)
        default: self = .stored
        }
    }

    private static func ofCustom<Value: SQLiteValueConvertible>(_ type: Value.Type) -> ComparedForm {
        func ofRawValue<Own: RawRepresentable>(_ type: Own.Type) -> ComparedForm {
            (Own.RawValue.self as? any SQLiteValueConvertible.Type).map { ComparedForm($0) } ?? .stored
        }
        guard FieldKind(type) == .custom else { return ComparedForm(type) }
        let isJSON = type.columnType == .text
        // Casts to protocols are expensive the first time.
        guard isJSON || type.columnType == .real, type != UUID.self, type != URL.self else { return .stored }
        if let raw = type as? any RawRepresentable.Type { return ofRawValue(raw) }
        guard isJSON, type is any Codable.Type || type is any JSONText.Type else { return .stored }
        return .json(type) { try Value(sqliteValue: $0).sqliteValue() }
    }

    /// The column's value in SQL.
    func sql(_ column: String) -> String {
        switch self {
        case .stored: column
        case .rounded(.float): Rounding.float.sql(column)
        // Few numbers of others are rounded, and an index is of the column as it is.
        case .rounded(.date): column
        case .normalized(let number): "sqlitekit_normal(\(column), \(number))"
        }
    }
}
