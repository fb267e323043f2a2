internal import Foundation

/// The current row of a query: a view that is valid until the result set's next ``ResultSet/next()``.
///
/// ``RowReading`` says how values are read. A row that is used later throws ``ResultCode/expired``.
public struct Row: RowReading {
    /// Held, so that a query goes on as long as one of its rows is looked at.
    @usableFromInline let rows: ResultSet
    private let position: Int

    private var statement: Statement { rows.statement }

    init(_ rows: ResultSet) {
        self.rows = rows
        position = rows.statement.position
    }

    /// The number of columns.
    public var count: Int { statement.columnCount }

    /// The names of the columns, in order.
    public var columnNames: [String] { statement.columns.names }

    /// The first column with a name, also as `table.column`; nil if there is none.
    public func index(of name: String) -> Int? { statement.columnIndex(name) }

    // What a protocol's extension gives every row, without the way through the protocol.

    /// The value of a column by its name.
    ///
    /// - Throws: ``ResultCode/noSuchColumn``, ``ResultCode/typeMismatch`` or ``ResultCode/expired``.
    public subscript<Value: SQLiteValueConvertible>(name: String) -> Value {
        @inlinable get throws(SQLiteError) { try value(at: position(of: name), as: Value.self) }
    }

    @usableFromInline
    func position(of name: String) throws(SQLiteError) -> Int {
        if let index = rows.statement.columnIndex(name) { return index }
        return try requiredIndex(of: name)
    }

    /// All columns with a name: more than one means that the name is ambiguous.
    public func indices(of name: String) -> [Int] { statement.columns.indices(of: name) }

    /// The value of a column, counted from 0.
    ///
    /// - Parameters:
    ///   - index: The column.
    ///   - type: The type to read.
    /// - Throws: ``ResultCode/noSuchColumnIndex``, ``ResultCode/typeMismatch`` or ``ResultCode/expired``.
    @inlinable
    public func value<Value: SQLiteValueConvertible>(
        at index: Int, as type: Value.Type
    ) throws(SQLiteError) -> Value {
        try checkIsCurrent(index)
        do {
            let column = rows.statement.column(at: index)
            return try Value(column: index, column.storageClass(at: index), of: column)
        } catch {
            throw failure(converting: error, at: index)
        }
    }

    /// Whether a column, counted from 0, holds NULL.
    ///
    /// - Throws: ``ResultCode/noSuchColumnIndex`` or ``ResultCode/expired``.
    public func isNull(at index: Int) throws(SQLiteError) -> Bool {
        try checkIsCurrent(index)
        return statement.storageClass(at: index) == .null
    }

    @usableFromInline
    func checkIsCurrent(_ index: Int) throws(SQLiteError) {
        try checkIsCurrent()
        guard index >= 0, index < statement.width else { throw noSuchIndex(index) }
    }

    @inline(__always)
    private func checkIsCurrent() throws(SQLiteError) {
        guard position == statement.position, statement.isBusy else {
            throw failure(.expired, "the row was used after its result set had moved on")
        }
    }

    @usableFromInline
    func failure(converting error: any Error, at index: Int) -> SQLiteError {
        conversionFailure(error, at: index)
    }

    /// An error with the SQL of the query.
    public func failure(_ code: ResultCode, _ message: String) -> SQLiteError {
        statement.connection.failure(code, message, sql: statement.sql)
    }

    /// The statement that stands on the row, for whoever has looked up where the columns are.
    ///
    /// - Throws: ``ResultCode/expired``.
    package func columnSource() throws(SQLiteError) -> Statement {
        try checkIsCurrent()
        return statement
    }

    /// The names of the columns, and where each stands.
    package var columns: ColumnNames { statement.columns }

    /// A copy of the row that lasts, and is `Sendable`.
    ///
    /// - Throws: ``SQLiteError``.
    public func snapshot() throws(SQLiteError) -> RowSnapshot {
        RowSnapshot(columns: statement.columns, values: try values())
    }
}

@available(*, unavailable)
extension Row: Sendable {}

/// A copy of a row.
///
/// ``RowReading`` says how values are read.
public struct RowSnapshot: RowReading, ColumnSource, Sendable {
    /// The names of the columns, and where each stands.
    package let columns: ColumnNames
    private let storage: [SQLiteValue]

    package init(columns: ColumnNames, values: [SQLiteValue]) {
        self.columns = columns
        storage = values
    }

    /// A row of values from elsewhere: a test, another engine.
    ///
    /// - Parameter values: The columns' names and values, in order.
    public init(_ values: KeyValuePairs<String, SQLiteValue>) {
        columns = ColumnNames(names: values.map(\.key))
        storage = values.map(\.value)
    }

    /// The number of columns.
    public var count: Int { storage.count }

    /// The names of the columns, in order.
    public var columnNames: [String] { columns.names }

    /// The first column with a name, also as `table.column`; nil if there is none.
    public func index(of name: String) -> Int? { columns.index(of: name) }

    /// All columns with a name: more than one means that the name is ambiguous.
    public func indices(of name: String) -> [Int] { columns.indices(of: name) }

    /// The value of a column, counted from 0.
    ///
    /// - Throws: ``ResultCode/noSuchColumnIndex`` or ``ResultCode/typeMismatch``.
    public func value<Value: SQLiteValueConvertible>(
        at index: Int, as type: Value.Type
    ) throws(SQLiteError) -> Value {
        guard storage.indices.contains(index) else { throw noSuchIndex(index) }
        do {
            return try Value(column: index, storageClass(at: index), of: self)
        } catch {
            throw conversionFailure(error, at: index)
        }
    }

    /// Whether a column, counted from 0, holds NULL.
    ///
    /// - Throws: ``ResultCode/noSuchColumnIndex``.
    public func isNull(at index: Int) throws(SQLiteError) -> Bool {
        guard storage.indices.contains(index) else { throw noSuchIndex(index) }
        return storage[index].isNull
    }

    /// An error about the row.
    public func failure(_ code: ResultCode, _ message: String) -> SQLiteError {
        SQLiteError(code, message)
    }

    /// How many bytes its texts and blobs have.
    var byteCount: Int {
        storage.reduce(0) { sum, value in
            switch value {
            case .text(let text): sum &+ text.utf8.count
            case .blob(let data): sum &+ data.count
            default: sum
            }
        }
    }
}

/// The columns by index, for conversions.
extension RowSnapshot {
    /// The number of columns.
    public var columnCount: Int { storage.count }

    /// The value; NULL for an index that is not there.
    public func value(at index: Int) -> SQLiteValue {
        storage.indices.contains(index) ? storage[index] : .null
    }

    /// The storage class of the value; NULL for an index that is not there.
    public func storageClass(at index: Int) -> StorageClass { value(at: index).storageClass }

    /// The value of an INTEGER column, 0 for another.
    public func int64(at index: Int) -> Int64 {
        if case .integer(let value) = value(at: index) { value } else { 0 }
    }

    /// The value of a REAL column, 0 for another.
    public func double(at index: Int) -> Double {
        if case .real(let value) = value(at: index) { value } else { 0 }
    }

    /// The value of a TEXT column, empty for another.
    public func text(at index: Int) -> String {
        if case .text(let value) = value(at: index) { value } else { "" }
    }

    /// Calls `body` with the bytes of a TEXT or BLOB column.
    public func withBytes<T>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        switch value(at: index) {
        case .blob(let data): return try data.withUnsafeBytes(body)
        case .text(var text): return try text.withUTF8 { try body(UnsafeRawBufferPointer($0)) }
        default: return try body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }
}

extension RowSnapshot: Equatable {
    /// Two are equal when they have the same columns, in order, and the same values.
    public static func == (lhs: RowSnapshot, rhs: RowSnapshot) -> Bool {
        lhs.columnNames == rhs.columnNames && lhs.storage == rhs.storage
    }
}

extension RowSnapshot: CustomStringConvertible {
    /// The columns with their values as SQL literals: `[id: 1, name: 'x']`.
    public var description: String {
        "[" + zip(columnNames, storage).map { "\($0): \($1)" }.joined(separator: ", ") + "]"
    }
}
