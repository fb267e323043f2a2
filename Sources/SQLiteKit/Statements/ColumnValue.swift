internal import CSystemSQLite
internal import Foundation

/// A column's value as SQLite has it: its storage class, and a number or the place of its bytes.
@usableFromInline
package struct ColumnContent {
    @usableFromInline let storageClass: StorageClass
    /// An integer, the bits of a floating-point number, or the address of the bytes.
    @usableFromInline let bits: UInt64
    /// How many bytes there are.
    @usableFromInline let count: Int

    @inlinable @inline(__always)
    init(storageClass: StorageClass, bits: UInt64, count: Int) {
        self.storageClass = storageClass
        self.bits = bits
        self.count = count
    }
}

extension ColumnContent {
    @inlinable
    package static var null: ColumnContent { ColumnContent(storageClass: .null, bits: 0, count: 0) }

    @inlinable
    package static func integer(_ value: Int64) -> ColumnContent {
        ColumnContent(storageClass: .integer, bits: UInt64(bitPattern: value), count: 0)
    }

    @inlinable
    package static func real(_ value: Double) -> ColumnContent {
        ColumnContent(storageClass: .real, bits: value.bitPattern, count: 0)
    }

    /// - Parameters:
    ///   - storageClass: TEXT or BLOB.
    ///   - bytes: The bytes, which whoever makes this keeps.
    @inlinable
    package static func bytes(_ storageClass: StorageClass, _ bytes: UnsafeRawBufferPointer) -> ColumnContent {
        ColumnContent(
            storageClass: storageClass, bits: UInt64(UInt(bitPattern: bytes.baseAddress)), count: bytes.count)
    }

    /// The number of an INTEGER.
    @inlinable @inline(__always)
    package var int64: Int64? { storageClass == .integer ? Int64(bitPattern: bits) : nil }

    /// The number of a REAL.
    @inlinable @inline(__always)
    package var double: Double? { storageClass == .real ? Double(bitPattern: bits) : nil }

    /// The bytes of a TEXT or BLOB; none for any other value. An empty blob has no address, nor has a text for which
    /// there was no memory.
    @inlinable @inline(__always)
    package var bytes: UnsafeRawBufferPointer {
        guard storageClass == .text || storageClass == .blob else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(
            start: UnsafeRawPointer(bitPattern: UInt(truncatingIfNeeded: bits)), count: count)
    }
}

/// The value of one column of the row that a statement stands on, good until its next step.
///
/// The column is looked up once, and not for each question about it. Asked for another column, or for another class
/// than its own, it asks the statement.
@usableFromInline
package struct ColumnValue<Source: ColumnSource & AnyObject>: ColumnSource {
    @usableFromInline let content: ColumnContent
    @usableFromInline let index: Int
    /// Who has the value has the statement: a column costs no count of references.
    @usableFromInline unowned(unsafe) let statement: Source

    @inlinable @inline(__always)
    init(_ content: ColumnContent, _ index: Int, _ statement: Source) {
        self.content = content
        self.index = index
        self.statement = statement
    }

    @inlinable
    package var columnCount: Int { statement.columnCount }

    @inlinable @inline(__always)
    func isContent(_ storageClass: StorageClass, at index: Int) -> Bool {
        index == self.index && content.storageClass == storageClass
    }

    @inlinable @inline(__always)
    package func storageClass(at index: Int) -> StorageClass {
        index == self.index ? content.storageClass : statement.storageClass(at: index)
    }

    @inlinable @inline(__always)
    package func int64(at index: Int) -> Int64 {
        isContent(.integer, at: index) ? Int64(bitPattern: content.bits) : statement.int64(at: index)
    }

    @inlinable @inline(__always)
    package func double(at index: Int) -> Double {
        isContent(.real, at: index) ? Double(bitPattern: content.bits) : statement.double(at: index)
    }

    @inlinable @inline(__always)
    package func text(at index: Int) throws(SQLiteError) -> String {
        // What isn't text, the statement says.
        if isContent(.text, at: index), let text = String(valid: content.bytes) { return text }
        return try statement.text(at: index)
    }

    @inlinable @inline(__always)
    package func withBytes<T>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        guard isContent(.blob, at: index) || isContent(.text, at: index) else {
            return try statement.withBytes(at: index, body)
        }
        return try body(content.bytes)
    }
}

extension String {
    /// A text of UTF-8; nil for other bytes, and for none with an address.
    @usableFromInline
    init?(valid bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return nil }
        var text = String(decoding: bytes.assumingMemoryBound(to: UInt8.self), as: UTF8.self)
        if bytes.isASCII {
            self = text
            return
        }
        // Decoding repairs, and a repaired text has other bytes. Comparing them costs less than String(validating:).
        let isValid = text.withUTF8 { utf8 in
            guard let own = utf8.baseAddress, utf8.count == bytes.count else { return bytes.isEmpty }
            return memcmp(own, start, bytes.count) == 0
        }
        guard isValid else { return nil }
        self = text
    }
}

extension UnsafeRawBufferPointer {
    /// Whether all bytes are below 128: most texts are of such, and need no second look.
    @inline(__always)
    fileprivate var isASCII: Bool {
        guard count >= 8 else { return allSatisfy { $0 < 0x80 } }
        var bits = loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
        var offset = 0
        while offset &+ 8 < count {
            bits |= loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset &+= 8
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }
}

extension Statement {
    /// The value of column `index`, counted from 0, to be read at the same index.
    @inlinable @inline(__always)
    package func column(at index: Int) -> ColumnValue<Statement> { ColumnValue(content(at: index), index, self) }

    /// A column's value, or where its bytes are.
    @usableFromInline
    func content(at index: Int) -> ColumnContent {
        ColumnContent(rowValues.value(at: index, of: handle, position, width))
    }

    /// The values of the row's first columns, all looked up in one call. Columns that the row does not have are NULL.
    package func columns(upTo count: Int) -> ColumnValues<Statement> {
        ColumnValues(rowValues.contents(upTo: count, of: handle, position, width), self)
    }
}

/// The values of the first columns of the row that a statement stands on, good until its next step.
@usableFromInline
package struct ColumnValues<Source: ColumnSource & AnyObject> {
    @usableFromInline let contents: UnsafeMutablePointer<ColumnContent>
    @usableFromInline unowned(unsafe) let statement: Source

    init(_ contents: UnsafeMutablePointer<ColumnContent>, _ statement: Source) {
        self.contents = contents
        self.statement = statement
    }

    /// One of the columns that were looked up, to be read at the same index.
    @inlinable @inline(__always)
    package subscript(index: Int) -> ColumnValue<Source> { ColumnValue(contents[index], index, statement) }
}

extension ColumnContent {
    /// What a value of a row is.
    ///
    /// `sqlite3_column_value` looks the column up, and `sqlite3_value_…` reads from what it returns. That is allowed
    /// where no other thread uses the connection, which here is one thread's for its access: see
    /// [Result Values From A Query](https://www.sqlite.org/c3ref/column_blob.html).
    @inline(__always)
    init(_ value: OpaquePointer?) {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER:
            self.init(storageClass: .integer, bits: UInt64(bitPattern: sqlite3_value_int64(value)), count: 0)
        case SQLITE_FLOAT: self.init(storageClass: .real, bits: sqlite3_value_double(value).bitPattern, count: 0)
        case SQLITE_TEXT: self.init(.text, UnsafeRawPointer(sqlite3_value_text(value)), of: value)
        case SQLITE_BLOB: self.init(.blob, sqlite3_value_blob(value), of: value)
        default: self = .null
        }
    }

    @inline(__always)
    private init(_ storageClass: StorageClass, _ start: UnsafeRawPointer?, of value: OpaquePointer?) {
        self.init(
            storageClass: storageClass, bits: UInt64(UInt(bitPattern: start)),
            count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
    }
}
