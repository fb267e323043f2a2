public import Foundation

/// Values as SQLite converts them to another storage class.
///
/// `row["x"]` never converts between storage classes: it throws for a text that is read as an `Int`. These convert as
/// SQLite's own column functions and `CAST` do, and throw for a missing column alone:
///
/// ```swift
/// // 1973 of the text '1973 A.D.', 0 of a text without a number
/// let year = try row.integer("year")
/// let price = try row.text("price")  // "9.5" of the real 9.5
/// ```
///
/// See [Result Values From A Query](https://www.sqlite.org/c3ref/column_blob.html) and
/// [CAST](https://www.sqlite.org/lang_expr.html#castexpr).
extension RowReading {
    /// The value of a column as text: of a number, SQLite's spelling; of a blob, its bytes as UTF-8.
    ///
    /// - Parameter name: The column's name.
    /// - Returns: The text; nil for NULL.
    /// - Throws: ``ResultCode/noSuchColumn``; ``ResultCode/invalidText`` for bytes that aren't UTF-8, unless
    ///   ``DatabaseConfiguration/invalidText`` says to repair a text; ``ResultCode/expired`` of a ``Row``.
    public func text(_ name: String) throws(SQLiteError) -> String? { try text(requiredIndex(of: name)) }

    /// The value of a column as text; see ``text(_:)-(String)``.
    ///
    /// - Parameter index: The column, counted from 0.
    /// - Returns: The text; nil for NULL.
    /// - Throws: ``ResultCode/noSuchColumnIndex``, and what the form by name throws.
    public func text(_ index: Int) throws(SQLiteError) -> String? { try value(at: index, as: AsText?.self)?.value }

    /// The value of a column as an integer: of a real, what is before the point; of a text or blob, the integer that it
    /// begins with, or 0. What is out of range becomes the least or greatest integer.
    ///
    /// - Parameter name: The column's name.
    /// - Returns: The integer; nil for NULL.
    /// - Throws: ``ResultCode/noSuchColumn``; ``ResultCode/expired`` of a ``Row``.
    public func integer(_ name: String) throws(SQLiteError) -> Int64? { try integer(requiredIndex(of: name)) }

    /// The value of a column as an integer; see ``integer(_:)-(String)``.
    ///
    /// - Parameter index: The column, counted from 0.
    /// - Returns: The integer; nil for NULL.
    /// - Throws: ``ResultCode/noSuchColumnIndex``; ``ResultCode/expired`` of a ``Row``.
    public func integer(_ index: Int) throws(SQLiteError) -> Int64? {
        try value(at: index, as: AsInteger?.self)?.value
    }

    /// The value of a column as a floating-point number: of a text or blob, the number that it begins with, or 0.
    ///
    /// - Parameter name: The column's name.
    /// - Returns: The number; nil for NULL. Of a text with more than 15 digits SQLite's own may differ in the last bit.
    /// - Throws: ``ResultCode/noSuchColumn``; ``ResultCode/expired`` of a ``Row``.
    public func real(_ name: String) throws(SQLiteError) -> Double? { try real(requiredIndex(of: name)) }

    /// The value of a column as a floating-point number; see ``real(_:)-(String)``.
    ///
    /// - Parameter index: The column, counted from 0.
    /// - Returns: The number; nil for NULL.
    /// - Throws: ``ResultCode/noSuchColumnIndex``; ``ResultCode/expired`` of a ``Row``.
    public func real(_ index: Int) throws(SQLiteError) -> Double? { try value(at: index, as: AsReal?.self)?.value }

    /// The value of a column as bytes: of a text, those of its UTF-8; of a number, those of its text.
    ///
    /// - Parameter name: The column's name.
    /// - Returns: The bytes; nil for NULL, and none for an empty text or blob.
    /// - Throws: ``ResultCode/noSuchColumn``; ``ResultCode/expired`` of a ``Row``.
    public func bytes(_ name: String) throws(SQLiteError) -> Data? { try bytes(requiredIndex(of: name)) }

    /// The value of a column as bytes; see ``bytes(_:)-(String)``.
    ///
    /// - Parameter index: The column, counted from 0.
    /// - Returns: The bytes; nil for NULL, and none for an empty text or blob.
    /// - Throws: ``ResultCode/noSuchColumnIndex``; ``ResultCode/expired`` of a ``Row``.
    public func bytes(_ index: Int) throws(SQLiteError) -> Data? { try value(at: index, as: AsBytes?.self)?.value }

    /// Whether a column holds NULL.
    ///
    /// - Parameter name: The column's name.
    /// - Throws: ``ResultCode/noSuchColumn``; ``ResultCode/expired`` of a ``Row``.
    public func isNull(_ name: String) throws(SQLiteError) -> Bool { try isNull(at: requiredIndex(of: name)) }

    /// Whether a column holds NULL.
    ///
    /// - Parameter index: The column, counted from 0.
    /// - Throws: ``ResultCode/noSuchColumnIndex``; ``ResultCode/expired`` of a ``Row``.
    public func isNull(_ index: Int) throws(SQLiteError) -> Bool { try isNull(at: index) }

    /// The storage class of a column's value.
    ///
    /// - Parameter name: The column's name.
    /// - Throws: ``ResultCode/noSuchColumn``; ``ResultCode/expired`` of a ``Row``.
    public func storageClass(_ name: String) throws(SQLiteError) -> StorageClass {
        try storageClass(requiredIndex(of: name))
    }

    /// The storage class of a column's value.
    ///
    /// - Parameter index: The column, counted from 0.
    /// - Throws: ``ResultCode/noSuchColumnIndex``; ``ResultCode/expired`` of a ``Row``.
    public func storageClass(_ index: Int) throws(SQLiteError) -> StorageClass {
        try value(at: index, as: ItsStorageClass.self).value
    }
}
