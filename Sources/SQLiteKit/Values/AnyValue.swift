internal import Foundation

/// A value of any type as one that can be stored.
///
/// - Parameters:
///   - value: A value, possibly in an Optional; nil and `NSNull` are NULL.
///   - name: The argument that an error names.
/// - Throws: ``ResultCode/typeMismatch`` for a value that can't be stored.
func anyValue(_ value: Any?, _ name: String) throws(SQLiteError) -> (any SQLiteValueConvertible)? {
    guard let value, !(value is NSNull) else { return nil }
    if let value = value as? any SQLiteValueConvertible { return value }
    if value is NSNumber {
        if let integer = value as? Int64 { return integer }
        if let integer = value as? UInt64 { return integer }
        if let real = value as? Double { return real }
    }
    throw SQLiteError(
        .typeMismatch,
        "argument \(name): a value of type \(typeOf: value) can't be stored; bind one that conforms to "
            + "SQLiteValueConvertible")
}
