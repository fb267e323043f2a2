public import Foundation

/// A type whose values can be stored in a column and read back.
///
/// The numbers, `Bool`, `String`, `Data`, `[UInt8]`, `Date`, `UUID`, `URL`, `Decimal` and Optionals of them conform. A
/// type conforms in one of three ways:
///
/// ```swift
/// // stored as its raw value
/// enum Kind: String, SQLiteValueConvertible { case full, trailer }
///
/// // stored as JSON
/// struct Options: Codable, SQLiteValueConvertible { var tags: [String] }
///
/// struct Point: SQLiteValueConvertible {  // stored as you say
///     var x: Double, y: Double
///     func sqliteValue() throws -> SQLiteValue { .text("\(x) \(y)") }
///     init(sqliteValue: SQLiteValue) throws { … }
/// }
/// ```
///
/// Nothing is lost in a conversion: a value that the type cannot hold exactly throws ``ResultCode/typeMismatch``.
public protocol SQLiteValueConvertible: Sendable {
    /// The type without an Optional around it: the type itself, unless it is an Optional. A sum of an `Int?` property
    /// is an `Int?`, and so is that of an `Int` property.
    associatedtype NonOptional: SQLiteValueConvertible = Self

    /// The value to store.
    ///
    /// - Throws: What keeps the value from being stored, for example ``ResultCode/typeMismatch`` for a `UInt64` above
    ///   `Int64.max`.
    func sqliteValue() throws -> SQLiteValue

    /// The Swift value for a stored one.
    ///
    /// - Parameter sqliteValue: The value as it is stored, NULL included.
    /// - Throws: ``ResultCode/typeMismatch`` when the type has no value for it; ``SQLiteValue/mismatch(_:)`` makes the
    ///   error.
    init(sqliteValue: SQLiteValue) throws

    /// The type to declare a column with that holds such values. By default ``ColumnType/any``.
    static var columnType: ColumnType { get }

    /// Reads column `index` of a row, whose storage class is known. The built-in types read without making a
    /// ``SQLiteValue``; your own types don't need to implement it.
    ///
    /// - Parameters:
    ///   - storageClass: The storage class of the value.
    ///   - source: The row.
    ///   - index: The column, counted from 0.
    /// - Throws: ``SQLiteError``.
    init<Source: ColumnSource>(column index: Int, _ storageClass: StorageClass, of source: borrowing Source) throws

    /// Binds the value to parameter `index`, counted from 1. Your own types don't need to implement it.
    ///
    /// - Parameters:
    ///   - sink: The parameters.
    ///   - index: The parameter, counted from 1.
    /// - Throws: ``SQLiteError``.
    func bind<Sink: ParameterSink>(to sink: Sink, at index: Int) throws
}

extension SQLiteValueConvertible {
    /// ``ColumnType/any``.
    public static var columnType: ColumnType { .any }

    /// Reads the column as a ``SQLiteValue`` and converts that.
    @inlinable
    public init<Source: ColumnSource>(
        column index: Int, _ storageClass: StorageClass, of source: borrowing Source
    ) throws {
        try self.init(sqliteValue: source.value(at: index))
    }

    /// Binds what ``sqliteValue()`` returns.
    @inlinable
    public func bind<Sink: ParameterSink>(to sink: Sink, at index: Int) throws {
        try sink.bind(value: sqliteValue(), at: index)
    }
}

/// A row's columns by index: the row a ``Statement`` stands on, a ``RowSnapshot``, or values from elsewhere.
///
/// The typed readers are for a column whose storage class is known; on another class they return what SQLite makes of
/// it. ``Row`` is where values are read with all checks.
public protocol ColumnSource: ~Copyable {
    /// The number of columns.
    var columnCount: Int { get }
    /// The storage class of the value in column `index`, counted from 0; NULL for an index that is not there.
    func storageClass(at index: Int) -> StorageClass
    /// The value of an INTEGER column.
    ///
    /// - Parameter index: The column, counted from 0.
    func int64(at index: Int) -> Int64
    /// The value of a REAL column.
    ///
    /// - Parameter index: The column, counted from 0.
    func double(at index: Int) -> Double
    /// The value of a TEXT column.
    ///
    /// - Parameter index: The column, counted from 0.
    /// - Throws: ``ResultCode/invalidText`` when its bytes are not UTF-8.
    func text(at index: Int) throws(SQLiteError) -> String
    /// Calls `body` with the bytes of a TEXT or BLOB column.
    ///
    /// - Parameters:
    ///   - index: The column, counted from 0.
    ///   - body: The closure that is called with the bytes, which are valid while it runs.
    func withBytes<T>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T
    /// The value, whatever its class.
    ///
    /// - Parameter index: The column, counted from 0.
    /// - Throws: ``ResultCode/invalidText`` for a text whose bytes are not UTF-8.
    func value(at index: Int) throws(SQLiteError) -> SQLiteValue
}

extension SQLiteValue {
    /// The error for a stored value that a type cannot hold.
    ///
    /// It says the storage class, and the value too when that is a number. Texts and blobs are not repeated, since
    /// errors are logged.
    ///
    /// - Parameter type: The expected type.
    public func mismatch(_ type: Any.Type) -> SQLiteError {
        let stored =
            switch self {
            case .integer, .real: "\(storageClass) \(self)"
            case .text(let text): "TEXT of \(text.utf8.count) bytes"
            case .blob(let data): "BLOB of \(data.count) bytes"
            case .null: "NULL"
            }
        return SQLiteError(.stored(storageClass), "a stored \(stored) isn't a valid \(source: type)")
    }
}

extension ColumnSource where Self: ~Copyable {
    /// The value, whatever its storage class, by the typed readers.
    @inlinable
    public func value(at index: Int) throws(SQLiteError) -> SQLiteValue {
        switch storageClass(at: index) {
        case .integer: .integer(int64(at: index))
        case .real: .real(double(at: index))
        case .text: .text(try text(at: index))
        case .blob: .blob(withBytes(at: index) { Data($0) })
        case .null: .null
        }
    }

    /// The error for a column that holds no value of a type.
    @usableFromInline
    func mismatch(_ type: Any.Type, at index: Int) -> SQLiteError {
        do {
            return try value(at: index).mismatch(type)
        } catch {
            return error
        }
    }

    /// The value of a column whose storage class is not the type's own.
    @inlinable @inline(never)
    func converted<Value: SQLiteValueConvertible>(at index: Int) throws -> Value {
        try Value(sqliteValue: value(at: index))
    }
}

extension SQLiteValue: SQLiteValueConvertible {
    /// The value itself.
    @inlinable
    public func sqliteValue() -> SQLiteValue { self }
    /// The value itself.
    @inlinable
    public init(sqliteValue: SQLiteValue) { self = sqliteValue }
}

extension Optional: SQLiteValueConvertible where Wrapped: SQLiteValueConvertible {
    /// The wrapped type's.
    public typealias NonOptional = Wrapped.NonOptional

    /// NULL for nil, otherwise the wrapped value's.
    @inlinable
    public func sqliteValue() throws -> SQLiteValue {
        try self?.sqliteValue() ?? .null
    }

    /// Nil for NULL, otherwise the wrapped type's value.
    @inlinable
    public init(sqliteValue: SQLiteValue) throws {
        self = sqliteValue.isNull ? nil : try Wrapped(sqliteValue: sqliteValue)
    }

    /// The wrapped type's.
    public static var columnType: ColumnType { Wrapped.columnType }

    /// Nil for NULL, otherwise the wrapped type's value.
    @inlinable @inline(__always)
    public init<Source: ColumnSource>(
        column index: Int, _ storageClass: StorageClass, of source: borrowing Source
    ) throws {
        self = storageClass == .null ? nil : try Wrapped(column: index, storageClass, of: source)
    }

    /// Binds NULL for nil, otherwise the wrapped value.
    @inlinable @inline(__always)
    public func bind<Sink: ParameterSink>(to sink: Sink, at index: Int) throws {
        if let self { try self.bind(to: sink, at: index) } else { try sink.bindNull(at: index) }
    }
}
