public import Foundation

/// What takes the values of a statement's parameters: a ``Statement``, or an object that sends them elsewhere.
///
/// It is the counterpart of ``ColumnSource``: ``SQLiteValueConvertible/bind(to:at:)`` writes to it as an initializer
/// reads from a row. Parameters are counted from 1.
public protocol ParameterSink: AnyObject {
    /// Binds NULL.
    ///
    /// - Parameter index: The parameter, counted from 1.
    /// - Throws: ``SQLiteError``.
    func bindNull(at index: Int) throws(SQLiteError)
    /// Binds an INTEGER.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - index: The parameter, counted from 1.
    /// - Throws: ``SQLiteError``.
    func bind(int64 value: Int64, at index: Int) throws(SQLiteError)
    /// Binds a REAL. SQLite turns NaN into NULL.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - index: The parameter, counted from 1.
    /// - Throws: ``SQLiteError``.
    func bind(double value: Double, at index: Int) throws(SQLiteError)
    /// Binds a TEXT.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - index: The parameter, counted from 1.
    /// - Throws: ``SQLiteError``.
    func bind(text: String, at index: Int) throws(SQLiteError)
    /// Binds a TEXT of bytes, which are UTF-8. By default as a `String`.
    ///
    /// - Parameters:
    ///   - utf8: The text, as UTF-8.
    ///   - index: The parameter, counted from 1.
    /// - Throws: ``SQLiteError``.
    func bind(utf8: UnsafeRawBufferPointer, at index: Int) throws(SQLiteError)
    /// Binds a BLOB. No bytes are an empty blob, not NULL.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - index: The parameter, counted from 1.
    /// - Throws: ``SQLiteError``.
    func bind(blob bytes: UnsafeRawBufferPointer, at index: Int) throws(SQLiteError)
}

extension ParameterSink {
    /// Binds a TEXT of bytes, which are UTF-8, as a `String`.
    @inlinable
    public func bind(utf8: UnsafeRawBufferPointer, at index: Int) throws(SQLiteError) {
        try bind(text: String(decoding: utf8, as: UTF8.self), at: index)
    }

    /// Binds a BLOB. An empty one is an empty blob, not NULL.
    @inlinable @inline(__always)
    public func bind(blob: some ContiguousBytes, at index: Int) throws(SQLiteError) {
        // A closure of Foundation's throws what it likes.
        try blob.withUnsafeBytes { bytes in
            Result { () throws(SQLiteError) in try bind(blob: bytes, at: index) }
        }.get()
    }

    /// Binds a value of any storage class.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - index: The parameter, counted from 1.
    /// - Throws: ``SQLiteError``.
    @inlinable
    public func bind(value: SQLiteValue, at index: Int) throws(SQLiteError) {
        switch value {
        case .null: try bindNull(at: index)
        case .integer(let value): try bind(int64: value, at: index)
        case .real(let value): try bind(double: value, at: index)
        case .text(let value): try bind(text: value, at: index)
        case .blob(let value): try bind(blob: value, at: index)
        }
    }
}
