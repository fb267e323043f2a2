public import Foundation

extension String: SQLiteValueConvertible {
    /// A TEXT of the same UTF-8 bytes.
    @inlinable
    public func sqliteValue() -> SQLiteValue { .text(self) }

    /// A TEXT. Numbers and blobs are not turned into text.
    @inlinable
    public init(sqliteValue: SQLiteValue) throws {
        guard case .text(let text) = sqliteValue else { throw sqliteValue.mismatch(String.self) }
        self = text
    }

    /// ``ColumnType/text``
    public static var columnType: ColumnType { .text }

    /// A TEXT, whole: its length is what SQLite stores, not the place of a NUL.
    @inlinable @inline(__always)
    public init<Source: ColumnSource>(
        column index: Int, _ storageClass: StorageClass, of source: borrowing Source
    ) throws {
        guard storageClass == .text else { throw source.mismatch(String.self, at: index) }
        self = try source.text(at: index)
    }

    /// Binds a TEXT.
    @inlinable @inline(__always)
    public func bind<Sink: ParameterSink>(to sink: Sink, at index: Int) throws {
        try sink.bind(text: self, at: index)
    }
}

extension Data: SQLiteValueConvertible {
    /// A BLOB.
    @inlinable
    public func sqliteValue() -> SQLiteValue { .blob(self) }

    /// The bytes of a BLOB or of a TEXT.
    @inlinable
    public init(sqliteValue: SQLiteValue) throws {
        switch sqliteValue {
        case .blob(let data): self = data
        case .text(let text): self = Data(text.utf8)
        default: throw sqliteValue.mismatch(Data.self)
        }
    }

    /// ``ColumnType/blob``
    public static var columnType: ColumnType { .blob }

    /// The bytes of a BLOB, or of a TEXT even if they are not UTF-8.
    @inlinable @inline(__always)
    public init<Source: ColumnSource>(
        column index: Int, _ storageClass: StorageClass, of source: borrowing Source
    ) throws {
        switch storageClass {
        case .blob, .text: self = source.withBytes(at: index) { Data($0) }
        default: throw source.mismatch(Data.self, at: index)
        }
    }

    /// Binds a BLOB.
    @inlinable @inline(__always)
    public func bind<Sink: ParameterSink>(to sink: Sink, at index: Int) throws {
        try sink.bind(blob: self, at: index)
    }
}

extension Array: SQLiteValueConvertible where Element == UInt8 {
    /// A BLOB.
    @inlinable
    public func sqliteValue() -> SQLiteValue { .blob(Data(self)) }

    /// The bytes of a BLOB or of a TEXT.
    @inlinable
    public init(sqliteValue: SQLiteValue) throws {
        self = try Array(Data(sqliteValue: sqliteValue))
    }

    /// ``ColumnType/blob``
    public static var columnType: ColumnType { .blob }

    /// The bytes of a BLOB, or of a TEXT even if they are not UTF-8.
    @inlinable @inline(__always)
    public init<Source: ColumnSource>(
        column index: Int, _ storageClass: StorageClass, of source: borrowing Source
    ) throws {
        switch storageClass {
        case .blob, .text: self = source.withBytes(at: index) { Array($0) }
        default: throw source.mismatch([UInt8].self, at: index)
        }
    }

    /// Binds a BLOB.
    @inlinable @inline(__always)
    public func bind<Sink: ParameterSink>(to sink: Sink, at index: Int) throws {
        try sink.bind(blob: self, at: index)
    }
}

extension ArraySlice: SQLiteValueConvertible where Element == UInt8 {
    /// A BLOB.
    @inlinable
    public func sqliteValue() -> SQLiteValue { .blob(Data(self)) }

    /// The bytes of a BLOB or of a TEXT.
    @inlinable
    public init(sqliteValue: SQLiteValue) throws {
        self = try ArraySlice(Array(sqliteValue: sqliteValue))
    }

    /// ``ColumnType/blob``
    public static var columnType: ColumnType { .blob }
}

extension UUID: SQLiteValueConvertible {
    /// A TEXT of 36 characters in upper case, as `uuidString` writes it.
    @inlinable
    public func sqliteValue() -> SQLiteValue { .text(uuidString) }

    /// A TEXT in either case, or a BLOB of 16 bytes.
    @inlinable
    public init(sqliteValue: SQLiteValue) throws {
        switch sqliteValue {
        case .text(let text):
            guard let uuid = UUID(spelledBy: text) else { throw sqliteValue.mismatch(UUID.self) }
            self = uuid
        case .blob(let data) where data.count == 16:
            var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
            withUnsafeMutableBytes(of: &bytes) { _ = data.copyBytes(to: $0) }
            self = UUID(uuid: bytes)
        default: throw sqliteValue.mismatch(UUID.self)
        }
    }

    /// ``ColumnType/text``
    public static var columnType: ColumnType { .text }
}

extension UUID {
    /// The UUID that a text spells; nil when it spells none.
    ///
    /// Foundation takes a sign and one digit for a pair of digits, so that a damaged text would become another UUID.
    @usableFromInline
    init?(spelledBy text: String) {
        let isSpelledOut = text.utf8.enumerated().allSatisfy { place, byte in
            switch place {
            case 8, 13, 18, 23: byte == UInt8(ascii: "-")
            default: (48...57).contains(byte) || (97...102).contains(byte | 32)
            }
        }
        guard isSpelledOut else { return nil }
        self.init(uuidString: text)
    }
}

extension URL: SQLiteValueConvertible {
    /// A TEXT: the absolute string.
    @inlinable
    public func sqliteValue() -> SQLiteValue { .text(absoluteString) }

    /// A TEXT that Foundation takes as a URL.
    @inlinable
    public init(sqliteValue: SQLiteValue) throws {
        guard case .text(let text) = sqliteValue, let url = URL(string: text) else {
            throw sqliteValue.mismatch(URL.self)
        }
        self = url
    }

    /// ``ColumnType/text``
    public static var columnType: ColumnType { .text }
}
