internal import CSystemSQLite

/// A row that is about to be changed, with its values before and after.
///
/// It is good for the call of the hook alone, so it cannot be copied or kept: what is read from it can.
public struct PreUpdate: ~Copyable {
    let handle: OpaquePointer?
    let calls: PreUpdateCalls
    let repairsText: Bool

    /// What is done to the row. A write to a blob in place is a ``RowChangeKind/delete``; see ``blobColumn``.
    public let kind: RowChangeKind
    /// The database: `main`, `temp`, or the name one was attached as.
    public let database: String
    /// The table.
    public let table: String
    /// The row's identifier before the change; without meaning for an insert and in a WITHOUT ROWID table.
    public let oldRowID: Int64
    /// The row's identifier after the change; without meaning for a delete and in a WITHOUT ROWID table.
    public let newRowID: Int64

    /// The number of columns.
    public var columnCount: Int { Int(calls.count(handle)) }

    /// How deep in triggers the change is: 0 for a statement's own, 1 for that of a trigger it fires.
    public var depth: Int { Int(calls.depth(handle)) }

    /// The column that is written to in place, without a statement; nil for a change by a statement.
    public var blobColumn: Int? {
        guard let column = calls.blobColumn?(handle), column >= 0 else { return nil }
        return Int(column)
    }

    /// The value of a column, counted from 0, before the change.
    ///
    /// - Parameters:
    ///   - index: The column, counted from 0.
    ///   - type: The type to read.
    /// - Throws: ``ResultCode/misuse`` for an insert, ``ResultCode/range`` for a column that is not there,
    ///   ``ResultCode/typeMismatch``.
    public func old<Value: SQLiteValueConvertible>(
        at index: Int, as type: Value.Type = Value.self
    ) throws(SQLiteError) -> Value {
        try read(calls.old, kind != .insert, at: index, "no old values: it is inserted")
    }

    /// The value of a column, counted from 0, after the change.
    ///
    /// - Parameters:
    ///   - index: The column, counted from 0.
    ///   - type: The type to read.
    /// - Throws: ``ResultCode/misuse`` for a delete, ``ResultCode/range`` for a column that is not there,
    ///   ``ResultCode/typeMismatch``.
    public func new<Value: SQLiteValueConvertible>(
        at index: Int, as type: Value.Type = Value.self
    ) throws(SQLiteError) -> Value {
        try read(calls.new, kind != .delete, at: index, "no new values: it is deleted")
    }

    private func read<Value: SQLiteValueConvertible>(
        _ call: PreUpdateCalls.Read, _ hasValues: Bool, at index: Int, _ reason: String
    ) throws(SQLiteError) -> Value {
        guard hasValues else { throw SQLiteError(.misuse, "a row of \(table) has \(reason)") }
        guard (0..<columnCount).contains(index) else {
            throw SQLiteError(.range, "\(table) has no column \(index); there are \(columnCount), counted from 0")
        }
        var pointer: OpaquePointer?
        let code = call(handle, Int32(clamping: index), &pointer)
        guard code == SQLITE_OK else {
            throw SQLiteError(ResultCode(rawValue: code), "column \(index) of \(table) cannot be read")
        }
        return try StoredValue(pointer: pointer, repairsText: repairsText)
            .read(as: Value.self, what: "column \(index) of \(table)")
    }
}

/// The calls of the pre-update hook, which the library may lack.
struct PreUpdateCalls: Sendable {
    typealias Callback =
        @convention(c) (
            UnsafeMutableRawPointer?, OpaquePointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?, Int64, Int64
        ) -> Void
    typealias Hook = @convention(c) (OpaquePointer?, Callback?, UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
    typealias Number = @convention(c) (OpaquePointer?) -> Int32
    typealias Read = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Int32

    let hook: Hook
    let count: Number
    let depth: Number
    let old: Read
    let new: Read
    let blobColumn: Number?

    static let available = PreUpdateCalls()

    private init?() {
        guard let hook = SQLiteLibrary.symbol("sqlite3_preupdate_hook"),
            let count = SQLiteLibrary.symbol("sqlite3_preupdate_count"),
            let depth = SQLiteLibrary.symbol("sqlite3_preupdate_depth"),
            let old = SQLiteLibrary.symbol("sqlite3_preupdate_old"),
            let new = SQLiteLibrary.symbol("sqlite3_preupdate_new")
        else { return nil }
        // The symbols have these types wherever they exist: https://www.sqlite.org/c3ref/preupdate_blobwrite.html
        self.hook = unsafeBitCast(hook, to: Hook.self)
        self.count = unsafeBitCast(count, to: Number.self)
        self.depth = unsafeBitCast(depth, to: Number.self)
        self.old = unsafeBitCast(old, to: Read.self)
        self.new = unsafeBitCast(new, to: Read.self)
        blobColumn = SQLiteLibrary.symbol("sqlite3_preupdate_blobwrite").map { unsafeBitCast($0, to: Number.self) }
    }
}
