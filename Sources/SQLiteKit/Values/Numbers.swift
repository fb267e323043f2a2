// Numbers as columns. An integer type takes an INTEGER it can hold and a REAL without a fraction; a floating point type
// takes a REAL, and an INTEGER it can hold exactly. Everything else throws. The bits of a UInt64 are stored and read by
// Swift's own means: `Int64(bitPattern: hash)` and `UInt64(bitPattern: try row["hash"])`.

extension SQLiteValueConvertible where Self: FixedWidthInteger & Codable {
    /// An INTEGER.
    ///
    /// - Throws: ``ResultCode/typeMismatch`` for a value above `Int64.max`, which SQLite cannot store.
    @inlinable
    public func sqliteValue() throws -> SQLiteValue {
        guard let value = Int64(exactly: self) else { throw integerOutOfRange(self) }
        return .integer(value)
    }

    /// The integer, if the type can hold it.
    @inlinable
    public init(sqliteValue: SQLiteValue) throws {
        let exact: Self? =
            switch sqliteValue {
            case .integer(let value): Self(exactly: value)
            case .real(let value): Self(exactly: value)
            default: nil
            }
        guard let exact else { throw sqliteValue.mismatch(Self.self) }
        self = exact
    }

    /// ``ColumnType/integer``
    public static var columnType: ColumnType { .integer }

    /// The integer, if the type can hold it.
    @inlinable @inline(__always)
    public init<Source: ColumnSource>(
        column index: Int, _ storageClass: StorageClass, of source: borrowing Source
    ) throws {
        guard storageClass == .integer else {
            self = try source.converted(at: index)
            return
        }
        guard let value = Self(exactly: source.int64(at: index)) else { throw source.mismatch(Self.self, at: index) }
        self = value
    }

    /// Binds an INTEGER.
    @inlinable @inline(__always)
    public func bind<Sink: ParameterSink>(to sink: Sink, at index: Int) throws {
        guard let value = Int64(exactly: self) else { throw integerOutOfRange(self) }
        try sink.bind(int64: value, at: index)
    }
}

@usableFromInline
func integerOutOfRange(_ value: some FixedWidthInteger) -> SQLiteError {
    SQLiteError(
        .typeMismatch,
        "\(typeOf: value) \(value) is beyond Int64, the largest integer that SQLite stores; "
            + "Int64(bitPattern:) stores the bits of a UInt64")
}

extension Int: SQLiteValueConvertible {}
extension Int8: SQLiteValueConvertible {}
extension Int16: SQLiteValueConvertible {}
extension Int32: SQLiteValueConvertible {}
extension Int64: SQLiteValueConvertible {}
extension UInt: SQLiteValueConvertible {}
extension UInt8: SQLiteValueConvertible {}
extension UInt16: SQLiteValueConvertible {}
extension UInt32: SQLiteValueConvertible {}
extension UInt64: SQLiteValueConvertible {}

extension Bool: SQLiteValueConvertible {
    /// 1 or 0.
    @inlinable
    public func sqliteValue() -> SQLiteValue { .integer(self ? 1 : 0) }

    /// False for 0, true for any other number, which is SQLite's rule.
    @inlinable
    public init(sqliteValue: SQLiteValue) throws {
        switch sqliteValue {
        case .integer(let value): self = value != 0
        case .real(let value): self = value != 0
        default: throw sqliteValue.mismatch(Bool.self)
        }
    }

    /// ``ColumnType/integer``
    public static var columnType: ColumnType { .integer }

    /// False for 0, true for any other number.
    @inlinable @inline(__always)
    public init<Source: ColumnSource>(
        column index: Int, _ storageClass: StorageClass, of source: borrowing Source
    ) throws {
        guard storageClass == .integer else {
            self = try source.converted(at: index)
            return
        }
        self = source.int64(at: index) != 0
    }

    /// Binds 1 or 0.
    @inlinable @inline(__always)
    public func bind<Sink: ParameterSink>(to sink: Sink, at index: Int) throws {
        try sink.bind(int64: self ? 1 : 0, at: index)
    }
}

extension Double: SQLiteValueConvertible {
    /// A REAL. SQLite turns NaN into NULL.
    @inlinable
    public func sqliteValue() -> SQLiteValue { .real(self) }

    /// A REAL, or an INTEGER that a Double holds exactly.
    @inlinable
    public init(sqliteValue: SQLiteValue) throws {
        switch sqliteValue {
        case .real(let value): self = value
        case .integer(let value):
            guard let exact = Double(exactly: value) else { throw sqliteValue.mismatch(Double.self) }
            self = exact
        default: throw sqliteValue.mismatch(Double.self)
        }
    }

    /// ``ColumnType/real``
    public static var columnType: ColumnType { .real }

    /// A REAL, or an INTEGER that a Double holds exactly.
    @inlinable @inline(__always)
    public init<Source: ColumnSource>(
        column index: Int, _ storageClass: StorageClass, of source: borrowing Source
    ) throws {
        guard storageClass == .real else {
            self = try source.converted(at: index)
            return
        }
        self = source.double(at: index)
    }

    /// Binds a REAL.
    @inlinable @inline(__always)
    public func bind<Sink: ParameterSink>(to sink: Sink, at index: Int) throws {
        try sink.bind(double: self, at: index)
    }
}

extension Float: SQLiteValueConvertible {
    /// A REAL of the same value.
    @inlinable
    public func sqliteValue() -> SQLiteValue { .real(Double(self)) }

    /// A number that a Float holds exactly, or a REAL rounded to the nearest Float: decimal fractions written by others
    /// seldom are exact.
    ///
    /// - Throws: ``ResultCode/typeMismatch`` when a finite number is beyond the range of Float.
    @inlinable
    public init(sqliteValue: SQLiteValue) throws {
        let value = try Double(sqliteValue: sqliteValue)
        let rounded = Float(value)
        guard rounded.isFinite || !value.isFinite else { throw sqliteValue.mismatch(Float.self) }
        self = rounded
    }

    /// ``ColumnType/real``
    public static var columnType: ColumnType { .real }

    /// Binds a REAL of the same value.
    @inlinable @inline(__always)
    public func bind<Sink: ParameterSink>(to sink: Sink, at index: Int) throws {
        try sink.bind(double: Double(self), at: index)
    }
}
